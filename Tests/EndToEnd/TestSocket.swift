// Why this file exists: some tests must send bytes that no client would, cut as no client would cut them; so they hold the
// socket themselves.

import Glibc
import TestSupport

/// A blocking socket to a daemon; every wait is bounded.
final class TestSocket {
    /// Not for programs that other tests start meanwhile: an end that they hold too does not end.
    private static let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

    private let descriptor: Int32
    private var received: [UInt8] = []
    private(set) var hasEnded = false

    /// Takes over a connection.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Connects to the Unix socket of a daemon.
    init(unix path: String) throws {
        descriptor = socket(AF_UNIX, TestSocket.kind, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1))
        }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw TookTooLong(description: "no connection to \(path)") }
    }

    /// Connects to a port of this machine.
    init(port: UInt16) throws {
        descriptor = socket(AF_INET, TestSocket.kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw TookTooLong(description: "no connection to port \(port)") }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw TookTooLong(description: "the daemon takes no more: error \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends our side of the connection; replies still come.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Of TCP: when it is let go, the connection ends with a reset and not with an end of file.
    func resetAtEnd() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    /// The next line, without its end; nil where the connection has ended.
    func line(seconds: Int = 30) throws -> String? {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeFirst(end + 1)
                return line
            }
            guard try read(seconds) else { return nil }
        }
    }

    /// Says one line and hears one.
    func ask(_ text: String) throws -> String? {
        try send(text + "\n")
        return try line()
    }

    private func read(_ seconds: Int) throws -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe Glibc.poll(&poll, 1, Int32(seconds * 1_000)) > 0 else {
            throw TookTooLong(description: "no line within \(seconds) s")
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        if count <= 0 {
            hasEnded = true
            return false
        }
        received.append(contentsOf: buffer.prefix(count))
        return true
    }
}

extension String {
    /// Whether the text is like `pattern`, in which `*` stands for anything.
    func isLike(_ pattern: String) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = parts.first, let last = parts.last, hasPrefix(first) else { return false }
        guard parts.count > 1 else { return self == pattern }
        var rest = dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
