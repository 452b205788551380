// Why this file exists: many tests come in by both doors, and look by one whether the daemon still serves.

import Glibc
import Testing

enum Door: CaseIterable, Sendable { case unix, tcp }

extension TestDaemon {
    func connect(_ door: Door) throws -> TestSocket {
        try door == .unix ? TestSocket(unix: socketPath) : TestSocket(port: port)
    }

    /// So many descriptors the process has open.
    func descriptorCount() throws -> Int {
        let directory = unsafe opendir("/proc/\(process.id)/fd")
        guard let directory = unsafe directory else { throw TookTooLong(description: "no /proc/\(process.id)/fd") }
        defer { unsafe closedir(directory) }
        var count = 0
        while unsafe readdir(directory) != nil { count += 1 }
        return count - 2
    }
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
