// Why this file exists: the least that carrying a line to many can cost: no document, no version, no disk. What a daemon takes
// beyond this is what its promises cost. Unsafe for poll and sockets, which take addresses.

import CommandLine
import Glibc

enum BroadcasterCommand: BenchCommand {
    static let table = Command(
        "broadcaster", summary: "the floor that others are measured against: lines to all who said S, and nothing else",
        options: [
            Option(
                "port", value: OptionValue("PORT", .integer(1...65_535)), help: "Listen at this port of this machine")
        ],
        example: Example("accordion-bench broadcaster --port 7777", "until it is interrupted"))

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        guard let port = invocation.integer("port") else { throw BenchFailure("--port is needed") }
        let broadcaster = try Broadcaster(UInt16(port))
        while true { try broadcaster.turn() }
    }

    private final class Broadcaster {
        private let listener: Int32
        /// The listener and those who have not subscribed: a subscriber says nothing more.
        private var waiting: [pollfd] = []
        private var subscribers: [Int32] = []
        private var buffer = [UInt8](repeating: 0, count: 64 << 10)

        init(_ port: UInt16) throws(BenchFailure) {
            _ = Bench.raiseDescriptorLimit()
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var yes: Int32 = 1
            unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let bound = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard bound == 0, listen(listener, 4_096) == 0 else {
                throw BenchFailure("port \(port): \(Bench.reason(errno))")
            }
            watch(listener)
        }

        private func watch(_ descriptor: Int32) {
            waiting.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        }

        private func forget(_ descriptor: Int32) { waiting.removeAll { $0.fd == descriptor } }

        func turn() throws(BenchFailure) {
            let count = unsafe poll(&waiting, nfds_t(waiting.count), -1)
            guard count >= 0 || errno == EINTR else { throw BenchFailure("poll: \(Bench.reason(errno))") }
            for descriptor in waiting.filter({ $0.revents != 0 }).map(\.fd) {
                if descriptor == listener { accept() } else { read(descriptor) }
            }
        }

        private func accept() {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            var yes: Int32 = 1
            unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
            watch(descriptor)
        }

        /// A subscriber says so in its first bytes; what others say goes to all, in one write each.
        private func read(_ descriptor: Int32) {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else {
                forget(descriptor)
                close(descriptor)
                return
            }
            if count == 2, buffer[0] == UInt8(ascii: "S") {
                subscribers.append(descriptor)
                forget(descriptor)
                unsafe Glibc.send(descriptor, buffer, 1, Int32(MSG_NOSIGNAL))
                return
            }
            var gone: [Int32] = []
            for subscriber in subscribers {
                var sent = 0
                while sent < count {
                    let step = unsafe buffer.withUnsafeBytes {
                        unsafe Glibc.send(
                            subscriber, $0.baseAddress?.advanced(by: sent), count - sent, Int32(MSG_NOSIGNAL))
                    }
                    if step <= 0 {
                        gone.append(subscriber)
                        break
                    }
                    sent += step
                }
            }
            for descriptor in gone { close(descriptor) }
            if !gone.isEmpty { subscribers.removeAll { gone.contains($0) } }
        }
    }
}
