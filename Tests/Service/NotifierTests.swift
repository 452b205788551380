// Why this file exists: a service manager that is told too little kills the daemon, and one that is slow must not hold it up.
// A socket of the test's own stands in the manager's place.
import Glibc
import Service
import Testing

/// A datagram socket that a test reads, or does not.
final class Receiver {
    let path: String
    private let descriptor: Int32

    init(abstract: Bool = false) throws {
        let name = "accordion-test-\(getpid())-\(UInt64.random(in: 0...(.max)))"
        path = abstract ? "@\(name)" : "/tmp/\(name)"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        if abstract { bytes[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (abstract ? 0 : 1))
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, length)
            }
        }
        try #require(bound == 0)
    }

    deinit {
        close(descriptor)
        if path.hasPrefix("/") { unsafe unlink(path) }
    }

    /// The next datagram; nil where none is there.
    func next() -> String? { nextBytes().map { String(decoding: $0, as: UTF8.self) } }

    func nextBytes() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Array(buffer.prefix(count))
    }
}

struct NotifierTests {
    @Test(arguments: [false, true])
    func `each kind of news is the text that the protocol has for it`(abstract: Bool) throws {
        let receiver = try Receiver(abstract: abstract)
        let notifier = try #require(Notifier(path: receiver.path))
        let news: [(ServiceNews, String)] = [
            (.ready("2 clients"), "READY=1\nSTATUS=2 clients"),
            (.reloading(monotonicMicroseconds: 7), "RELOADING=1\nMONOTONIC_USEC=7"), (.stopping, "STOPPING=1"),
            (.status("a\nREADY=1"), "STATUS=a?READY=1"), (.alive, "WATCHDOG=1"),
            (.extendTimeout(microseconds: 9), "EXTEND_TIMEOUT_USEC=9"),
        ]
        for (one, text) in news {
            notifier.tell(one)
            #expect(receiver.next() == text)
        }
        #expect(receiver.next() == nil && notifier.lostCount == 0 && !notifier.isWaiting)
    }

    @Test func `a manager that does not read holds nothing up, and hears in the end what it must`() throws {
        let receiver = try Receiver()
        let notifier = try #require(Notifier(path: receiver.path))
        while notifier.lostCount == 0 { notifier.tell(.alive) }
        notifier.tell(.ready("r"))
        notifier.tell(.status("lost"))
        notifier.tell(.stopping)
        #expect(notifier.isWaiting && notifier.lostCount == 2)
        while receiver.next() != nil {}
        notifier.tellAgain()
        #expect(receiver.next() == "READY=1\nSTATUS=r" && receiver.next() == "STOPPING=1" && receiver.next() == nil)
        #expect(!notifier.isWaiting)
    }

    @Test func `a manager that is gone costs nothing but the news`() throws {
        var receiver: Receiver? = try Receiver()
        let notifier = try #require(Notifier(path: receiver?.path ?? ""))
        receiver = nil
        for _ in 0..<100 { notifier.tell(.ready("r")) }
        #expect(notifier.isWaiting)
    }

    @Test(arguments: ["", "@", "relative", "vsock:2:1", "/" + String(repeating: "x", count: 107)])
    func `what is no name of a socket is nobody's`(path: String) {
        #expect(Notifier(path: path) == nil)
    }

    @Test func `the monotonic clock runs`() {
        let before = Notifier.monotonicMicroseconds
        #expect(before > 0 && Notifier.monotonicMicroseconds >= before)
    }
}

struct JournalTests {
    @Test func `an entry is its fields, those of several lines with their length`() throws {
        let receiver = try Receiver()
        let journal = try #require(Journal(path: receiver.path))
        #expect(journal.write([("MESSAGE", "a b"), ("ACCORDION_DOC", "x\ny=1"), ("PRIORITY", "3")]))
        let expected =
            Array("MESSAGE=a b\nACCORDION_DOC\n".utf8) + [5, 0, 0, 0, 0, 0, 0, 0] + Array("x\ny=1\nPRIORITY=3\n".utf8)
        #expect(receiver.nextBytes() == expected)
    }

    @Test func `a journal that does not read holds nothing up`() throws {
        let receiver = try Receiver()
        let journal = try #require(Journal(path: receiver.path))
        var written = 0
        while journal.write([("MESSAGE", "x")]), written < 1_000_000 { written += 1 }
        #expect(written < 1_000_000)
        _ = receiver.next()
        #expect(journal.write([("MESSAGE", "x")]))
    }

    @Test func `a long value is cut`() {
        let message = Journal.message([("MESSAGE", String(repeating: "x", count: 1 << 20))])
        #expect(message.count == "MESSAGE=".utf8.count + 4_096 + 1)
    }
}
