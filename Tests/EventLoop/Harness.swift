// Why this file exists: tests of the loop run a real loop over real sockets. This is what they share: waiting for a
// condition, never for a time; an owner that notes what it is told; a directory that goes away.
import Bytes
import EventLoop
import Glibc
import Testing

struct TookTooLong: Error {}

/// A loop for one test, closed after it.
func withLoop(_ body: (Loop) throws -> Void) throws {
    let loop = try Loop()
    defer { loop.close() }
    try body(loop)
}

extension Loop {
    /// Turns until the condition holds. The deadline is only there so that a broken test ends.
    func run(until condition: () -> Bool) throws {
        var isLate = false
        let deadline = try Timer(self) { isLate = true }
        deadline.start(afterMilliseconds: 30_000)
        defer { deadline.close() }
        while !condition() {
            if isLate { throw TookTooLong() }
            turn()
        }
    }
}

/// A directory of its own for each test.
func withDirectory(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/loop-XXXXXX".utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
        unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) } != nil
    }
    try #require(made)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
        for name in ["s", "other", "d/s"] { _ = unsafe unlink(path + "/" + name) }
        _ = unsafe rmdir(path + "/d")
        _ = unsafe rmdir(path)
    }
    try body(path)
}

/// Notes everything that a stream says.
final class Recorder: StreamOwner {
    var outbox = Outbox()
    private let frame = Frame()
    var endedCount = 0
    var drainedCount = 0
    var failures: [SystemError] = []
    var closedCount = 0
    var onRead: ((Stream) -> Void)?
    var onEnd: ((Stream) -> Void)?

    func streamRead(_ stream: EventLoop.Stream, _ bytes: Span<UInt8>) {
        frame.append(bytes)
        onRead?(stream)
    }
    func streamEnded(_ stream: EventLoop.Stream) {
        endedCount += 1
        onEnd?(stream)
    }
    func streamDrained(_ stream: EventLoop.Stream) { drainedCount += 1 }
    func streamFailed(_ stream: EventLoop.Stream, _ error: SystemError) { failures.append(error) }
    func streamClosed(_ stream: EventLoop.Stream) { closedCount += 1 }

    var receivedCount: Int { frame.count }
    var received: [UInt8] { frame.withSpan { span in unsafe span.withUnsafeBufferPointer { unsafe Array($0) } } }
    var text: String { String(decoding: received, as: UTF8.self) }
}

/// Keeps what a listener accepts.
final class Doorkeeper: ListenerOwner {
    var streams: [EventLoop.Stream] = []
    var pauses: [(error: SystemError, turnedAway: Int)] = []

    func listenerAccepted(_ listener: Listener, _ stream: EventLoop.Stream) { streams.append(stream) }
    func listenerPaused(_ listener: Listener, _ error: SystemError, turnedAway: Int) {
        pauses.append((error, turnedAway))
    }
}

/// Both ends of one connection through a real listener.
struct Connection {
    let server: EventLoop.Stream
    let client: EventLoop.Stream
    let atServer = Recorder()
    let atClient = Recorder()

    init(_ loop: Loop, at address: Address) throws {
        let listener = try Listener(loop, at: address)
        defer { listener.close() }
        let keeper = Doorkeeper()
        listener.owner = keeper
        listener.resume()
        var made: EventLoop.Stream?
        try Stream.connect(loop, to: listener.boundAddress) { made = try? $0.get() }
        try loop.run { made != nil && keeper.streams.count == 1 }
        client = try #require(made)
        server = keeper.streams[0]
        client.owner = atClient
        server.owner = atServer
    }

    func close() {
        client.close()
        server.close()
    }
}

/// Runs the test over TCP and over a Unix socket.
func withEachConnection(_ body: (Loop, Connection) throws -> Void) throws {
    try withDirectory { directory in
        for address in [Address.tcp(host: "127.0.0.1", port: 0), .unix(path: directory + "/s")] {
            try withLoop { loop in
                let connection = try Connection(loop, at: address)
                defer { connection.close() }
                try body(loop, connection)
            }
        }
    }
}

func sealed(_ text: String) -> Frame { sealed(Array(text.utf8)) }

func sealed(_ bytes: [UInt8]) -> Frame {
    let frame = Frame(capacityBytes: bytes.count)
    frame.append(bytes)
    frame.seal()
    return frame
}
