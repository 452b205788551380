// Why this file exists: what many subscribers are told can only be timed by a reader that costs less than what it reads from:
// one thread, one poll, and of what comes only the ends of messages are counted. Unsafe for poll and sockets, which take
// addresses.

import Glibc

/// Connections to one server on this machine that only listen.
final class Crowd {
    private static let waitMicroseconds = 60_000_000
    private var waiting: [pollfd] = []
    /// Messages, by their end, that each has had.
    private var counts: [Int] = []
    private let mark: UInt8
    /// Bytes that all have had.
    private(set) var receivedBytes = 0
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    private(set) var refused = 0

    /// Connects so many, each of which says `hello`. A message ends with `mark`.
    init(_ size: Int, port: UInt16, hello: [UInt8], mark: UInt8) throws(BenchFailure) {
        self.mark = mark
        waiting.reserveCapacity(size)
        for _ in 0..<size { try add(port, hello) }
        counts = Array(repeating: 0, count: waiting.count)
    }

    deinit {
        for one in waiting { close(one.fd) }
    }

    var size: Int { waiting.count }

    private func add(_ port: UInt16, _ hello: [UInt8]) throws(BenchFailure) {
        let descriptor = Crowd.connect(port)
        guard descriptor >= 0 else {
            refused += 1
            return
        }
        let sent = unsafe send(descriptor, hello, hello.count, Int32(MSG_NOSIGNAL))
        guard sent == hello.count else {
            close(descriptor)
            refused += 1
            return
        }
        waiting.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    }

    /// A connection to a port of this machine; negative where there is none.
    static func connect(_ port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
        if result == 0 { return descriptor }
        close(descriptor)
        return -1
    }

    /// Waits until each has had so many messages more than at the last call.
    func waitFor(messages: Int, _ feed: Feed? = nil) throws(BenchFailure) {
        try wait(feed) { self.counts.allSatisfy { $0 >= messages } }
        for place in counts.indices { counts[place] -= messages }
    }

    /// Waits until all together have had so many bytes more.
    func waitFor(bytes: Int) throws(BenchFailure) {
        let goal = receivedBytes + bytes
        try wait { self.receivedBytes >= goal }
        for place in counts.indices { counts[place] = 0 }
    }

    private var missing = 0

    /// The same as `waitFor(messages:)` for the next one, but without looking at all of them again and again.
    func waitForNext() throws(BenchFailure) {
        missing = counts.count { $0 < 1 }
        try wait { self.missing == 0 }
        for place in counts.indices { counts[place] -= 1 }
    }

    private func wait(_ feed: Feed? = nil, _ isDone: () -> Bool) throws(BenchFailure) {
        let deadline = Bench.nowMicroseconds + Crowd.waitMicroseconds
        while true {
            try feed?.feed()
            // Looking at all of them costs more than reading from one: not while much is still to come.
            if feed?.isDone ?? true, isDone() { return }
            let isFeeding = feed.map { !$0.isDone } ?? false
            let count = unsafe poll(&waiting, nfds_t(waiting.count), isFeeding ? 1 : 1_000)
            if count > 0 { for place in waiting.indices where waiting[place].revents != 0 { take(place) } }
            guard Bench.nowMicroseconds < deadline else {
                throw BenchFailure("the subscribers were not told in time: \(receivedBytes) bytes came")
            }
        }
    }

    private func take(_ place: Int) {
        let count = unsafe recv(waiting[place].fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return }
        receivedBytes += count
        let ends = ends(in: count)
        if ends > 0, counts[place] < 1, counts[place] + ends >= 1 { missing -= 1 }
        counts[place] += ends
    }

    /// How often the mark stands in the first bytes of the buffer.
    private func ends(in count: Int) -> Int {
        let mark = Int32(mark)
        return unsafe buffer.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            var (ends, place) = (0, 0)
            while place < count, let found = unsafe memchr(start + place, mark, count - place) {
                ends += 1
                place = unsafe UnsafeRawPointer(found) - start + 1
            }
            return ends
        }
    }
}
