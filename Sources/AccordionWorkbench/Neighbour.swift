// Why this file exists: what the others notice is measured at a client that does nothing but ask, again and again, while
// something is done to the daemon on another thread.

import Bytes
import EventLoop

/// A well-behaved client: it pings, waits for the answer, notes how long that took, and pings again a millisecond later.
final class Neighbour: StreamOwner {
    var outbox = Outbox()
    private let loop: Loop
    private let ping = Frame()
    private var latencies = Latencies()
    /// Why it is not served any more.
    private var failure: String?
    private var stream: EventLoop.Stream?
    private var pause: Timer?
    private var sentMicroseconds = 0
    private var isOver = false

    /// Does `job` on a thread of its own and pings all the while.
    static func accompany(
        _ daemon: DaemonPlace, _ job: @escaping @Sendable () throws(BenchFailure) -> Void
    ) throws(BenchFailure) -> Latencies {
        var failure: String?
        var latencies = Latencies()
        do throws(SystemError) {
            let loop = try Loop()
            defer { loop.close() }
            let worker = try Worker(loop)
            defer { worker.shutdown() }
            let neighbour = try Neighbour(loop, .unix(path: daemon.socketPath))
            worker.run { () -> String? in
                do throws(BenchFailure) {
                    try job()
                    return nil
                } catch {
                    return error.message
                }
            } then: { outcome in
                failure = outcome
                neighbour.end()
            }
            while worker.pendingJobs > 0 || !neighbour.isOver { loop.turn() }
            failure = failure ?? neighbour.failure
            latencies = neighbour.latencies
        } catch {
            failure = "\(error)"
        }
        if let failure { throw BenchFailure(failure) }
        return latencies
    }

    private init(_ loop: Loop, _ address: Address) throws(SystemError) {
        self.loop = loop
        ping.append("{\"op\":\"ping\"}\n")
        ping.seal()
        let pause = try Timer(loop) { [unowned self] in ask() }
        self.pause = pause
        do throws(SystemError) {
            try EventLoop.Stream.connect(loop, to: address) { [self] result in
                switch result {
                case .success(let stream):
                    self.stream = stream
                    stream.owner = self
                    stream.startReading()
                    ask()
                case .failure(let error):
                    failure = "the neighbour finds nobody: \(error)"
                    finish()
                }
            }
        } catch {
            pause.close()
            throw error
        }
    }

    private func ask() {
        sentMicroseconds = Bench.nowMicroseconds
        stream?.queue(Piece(ping, isDroppable: false))
        stream?.flush()
    }

    private func end() { if let stream { stream.close() } else { finish() } }

    private func finish() {
        isOver = true
        pause?.close()
        pause = nil
    }

    /// The answer to a ping is short and comes in one piece.
    func streamRead(_ stream: EventLoop.Stream, _ bytes: Span<UInt8>) {
        latencies.add(Bench.nowMicroseconds - sentMicroseconds)
        pause?.start(afterMilliseconds: 1)
    }

    func streamEnded(_ stream: EventLoop.Stream) {
        failure = "the neighbour was let go"
        stream.close()
    }

    func streamDrained(_ stream: EventLoop.Stream) {}
    func streamFailed(_ stream: EventLoop.Stream, _ error: SystemError) { failure = "the neighbour: \(error)" }

    func streamClosed(_ stream: EventLoop.Stream) {
        self.stream = nil
        finish()
    }
}
