// Why this file exists: many tests come in by both doors, and look by one whether the daemon still serves.

import Glibc
import TestSupport
import Testing

enum Door: CaseIterable, Sendable { case unix, tcp }

extension TestDaemon {
    func connect(_ door: Door) throws -> TestSocket {
        try door == .unix ? TestSocket(unix: socketPath) : TestSocket(port: port)
    }

    /// The descriptors that the process has open.
    func descriptors() throws -> Set<Int> {
        let directory = unsafe opendir("/proc/\(process.id)/fd")
        guard let directory = unsafe directory else { throw TookTooLong(description: "no /proc/\(process.id)/fd") }
        defer { unsafe closedir(directory) }
        var found: Set<Int> = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0) }
            if let number = Int(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)) { found.insert(number) }
        }
        return found
    }

    func descriptorCount() throws -> Int { try descriptors().count }
}

extension TestSocket {
    /// Whether a ping is answered.
    func isServed() throws -> Bool { try ask(#"{"op":"ping"}"#)?.isLike(#"{"ok":true,"time":*"#) == true }

    /// Whether the daemon has no room for this one: it says so, and ends the connection.
    func isTurnedAway() throws -> Bool {
        let line = try line()
        return try line?.isLike(#"{"ok":false,"error":{"code":"too_many_clients",*"#) == true && self.line() == nil
    }
}
