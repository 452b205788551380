// Why this file exists: tests of a cluster need a broker that is theirs, and that they can kill, stop and start again.

import Glibc

/// One server of the broker, on a port and in a directory of its own; ended with its owner.
package final class TestBroker {
    package let port: UInt16
    package let scratch: Scratch
    package private(set) var process: Process?
    private let configuration: String

    /// `text` is added to its configuration; `PORT` and `DIR` in it stand for what they say.
    package init(_ text: String = "", in known: Scratch? = nil) throws {
        scratch = try known ?? Scratch()
        port = try freePort()
        configuration = """
            listen: 127.0.0.1:\(port)
            jetstream { store_dir: "\(scratch.path)/jetstream" }
            \(text.replacing("PORT", with: String(port)).replacing("DIR", with: scratch.path))
            """
        try start()
    }

    package var address: String { "nats://127.0.0.1:\(port)" }
    package var log: String { contents(scratch.path + "/nats.log") }

    package func start() throws {
        let file = scratch.path + "/nats.conf"
        unsafe unlink(scratch.path + "/nats.log")
        try write(configuration, to: file)
        let process = try Process("/usr/sbin/nats-server", ["-c", file], output: scratch.path + "/nats.log")
        self.process = process
        try until("the broker is ready") {
            if process.hasEnded { throw TookTooLong(description: "the broker ended: \(log)") }
            return log.contains("Server is ready")
        }
    }

    package func signal(_ signal: Int32) { process?.signal(signal) }

    /// It ends at once, as in a crash.
    package func kill() throws {
        process?.signal(SIGCONT)
        process?.signal(SIGKILL)
        try process?.waitForEnd()
        process = nil
    }

    /// Says something to the broker in its own protocol, and waits until it has answered.
    @discardableResult
    package func say(_ lines: [String], until end: String = "PONG") throws -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, size) }
        }
        guard result == 0 else { throw TookTooLong(description: "no connection") }
        let text = Array((["CONNECT {\"verbose\":false}"] + lines + ["PING", ""]).joined(separator: "\r\n").utf8)
        let sent = unsafe text.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, 0) }
        guard sent == text.count else { throw TookTooLong(description: "not all was sent") }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !String(decoding: answer, as: UTF8.self).contains(end) {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { throw TookTooLong(description: "the broker closed: \(answer)") }
            answer += buffer.prefix(count)
        }
        return String(decoding: answer, as: UTF8.self)
    }
}

/// A port of this machine that nobody uses now.
package func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw TookTooLong(description: "no socket") }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Int32 in
            guard unsafe bind(descriptor, pointer, length) == 0 else { return -1 }
            return unsafe getsockname(descriptor, pointer, &length)
        }
    }
    guard result == 0 else { throw TookTooLong(description: "no port") }
    return UInt16(bigEndian: address.sin_port)
}
