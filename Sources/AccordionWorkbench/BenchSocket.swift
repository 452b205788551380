// Why this file exists: what is done to a daemon here is done byte by byte, by a client that waits where it says so and
// no longer than it says. Unsafe for the calls of sockets, which take addresses.

import Glibc

enum Door: CaseIterable, Sendable { case unix, tcp }

/// A blocking connection; every wait is bounded.
final class BenchSocket {
    private static let waitMilliseconds: Int32 = 60_000
    private let descriptor: Int32
    private var received: [UInt8] = []
    private var readTo = 0

    init(_ door: Door, _ daemon: DaemonPlace) throws(BenchFailure) {
        let path = daemon.socketPath
        descriptor = socket(door == .unix ? AF_UNIX : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw BenchFailure("socket: \(Bench.reason(errno))") }
        var result: Int32
        switch door {
        case .unix:
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) {
                unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1))
            }
            result = BenchSocket.connect(descriptor, &address)
        case .tcp:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = daemon.port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            result = BenchSocket.connect(descriptor, &address)
            var yes: Int32 = 1
            unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
        }
        var timeout = timeval(tv_sec: Int(BenchSocket.waitMilliseconds) / 1_000, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        guard result == 0 else {
            close(descriptor)
            throw BenchFailure("connect: \(Bench.reason(result))")
        }
    }

    private static func connect<Form>(_ descriptor: Int32, _ address: inout Form) -> Int32 {
        let size = socklen_t(MemoryLayout<Form>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, size)
            }
        }
        return result == 0 ? 0 : errno
    }

    deinit { close(descriptor) }

    /// False where the daemon has closed the connection.
    @discardableResult func send(_ bytes: [UInt8]) throws(BenchFailure) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent > 0 {
                rest = rest.dropFirst(sent)
            } else if errno == EPIPE || errno == ECONNRESET {
                return false
            } else if errno != EINTR {
                throw BenchFailure("the daemon takes no more: \(Bench.reason(errno))")
            }
        }
        return true
    }

    func send(_ line: String) throws(BenchFailure) { try send(Array(line.utf8) + [0x0A]) }

    /// The next line without its end; nil where the connection has ended.
    func line() throws(BenchFailure) -> String? {
        while true {
            if let end = received[readTo...].firstIndex(of: 0x0A) {
                defer { readTo = end + 1 }
                return String(decoding: received[readTo..<end], as: UTF8.self)
            }
            received.removeFirst(readTo)
            readTo = 0
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                received += buffer.prefix(count)
            } else if count == 0 || errno == ECONNRESET {
                return nil
            } else if errno != EINTR {
                throw BenchFailure("no line came: \(Bench.reason(errno))")
            }
        }
    }

    /// What has come, at least a byte; nil where the connection has ended.
    func bytes() throws(BenchFailure) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { return Array(buffer.prefix(count)) }
        if count == 0 || errno == ECONNRESET { return nil }
        throw BenchFailure("nothing came: \(Bench.reason(errno))")
    }

    func ask(_ line: String) throws(BenchFailure) -> String? {
        try send(line)
        return try self.line()
    }

    /// Of TCP: when it is let go, the connection ends with a reset and not with an end of file.
    func resetAtEnd() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    /// Ends our side of the connection; replies still come.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }
}
