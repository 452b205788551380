// Why this file exists: every command speaks to the daemon in the same way: requests with an id each, replies in their
// order, events in between. This is that, over one stream.

import Bytes
import CommandLine
import EventLoop
import Wire

/// One connection to a daemon. It is lost once: on purpose by `close`, or by what `onLost` is told then.
final class DaemonConnection: StreamOwner {
    /// A snapshot of the largest document fits, with every character of it escaped.
    private static let lineBytesMax = 256 << 20

    var onEvent: ((ServerEvent) -> Void)?
    var onLost: ((String) -> Void)?
    var outbox = Outbox()
    private let stream: Stream
    private let reader = ServerLineReader()
    private var framer = LineFramer(lineBytesMax: DaemonConnection.lineBytesMax)
    /// Takes a reply and its whole line.
    typealias ReplyHandler = (ServerReply, Span<UInt8>) -> Void
    private var waiting: [(id: Int, handler: ReplyHandler)] = []
    private var nextID = 1
    private var isOver = false
    private(set) var receivedBytes = 0
    /// What waits to be sent.
    var unsentBytes: Int { outbox.queuedBytes }
    /// What the daemon said on leaving.
    private(set) var farewell: String?

    /// What the loss of it means to a script.
    var exitWhenLost: ExitCode { farewell == ErrorCode.unauthorized.rawValue ? .notAllowed : .noDaemon }

    init(_ stream: Stream) {
        self.stream = stream
        stream.owner = self
        stream.startReading()
    }

    /// Who listens there.
    var peer: Peer { stream.peer() }

    /// Sends a request; `handler` is called with its reply, unless the connection is lost before.
    func request(_ action: Request.Action, _ handler: @escaping (ServerReply) -> Void) {
        send({ reply, _ in handler(reply) }) { Request(id: .number($1), action).write(into: $0) }
    }

    /// The same for an operation without members, for whoever reads of the reply what `ServerReply` does not hold.
    func request(operation: StaticString, _ handler: @escaping ReplyHandler) {
        send(handler) { frame, id in
            let writer = JSONWriter(frame)
            writer.raw("{\"id\":")
            writer.integer(id)
            writer.raw(",\"op\":\"")
            writer.raw(operation)
            writer.raw("\"}\n")
        }
    }

    private func send(_ handler: @escaping ReplyHandler, _ write: (Frame, Int) -> Void) {
        let id = nextID
        nextID += 1
        let frame = Frame()
        write(frame, id)
        frame.seal()
        waiting.append((id, handler))
        stream.queue(Piece(frame, isDroppable: false))
        stream.flush()
    }

    /// While it is, nothing is read: what the daemon has for us gathers there, and it merges what is too much.
    var isPaused = false {
        didSet {
            guard isPaused != oldValue, !isOver else { return }
            if isPaused { stream.stopReading() } else { stream.startReading() }
        }
    }

    func close() {
        isOver = true
        waiting = []
        stream.close()
    }

    private func lose(_ reason: String) {
        guard !isOver else { return }
        isOver = true
        waiting = []
        stream.close()
        onLost?(reason)
    }

    // MARK: - What comes in

    func streamRead(_ stream: Stream, _ bytes: Span<UInt8>) {
        receivedBytes += bytes.count
        var position = 0
        while !isOver {
            switch framer.step(bytes, &position) {
            case .line(let range): take(bytes.extracting(range))
            case .gathered(let line): take(line.span)
            case .needsPermission: framer.refuse()
            case .overlong: lose("the daemon sends a line that is too long")
            case .exhausted: return
            }
        }
    }

    private func take(_ line: Span<UInt8>) {
        if line.isEmpty { return }
        do throws(Failure) {
            switch try reader.read(line) {
            case .event(.goodbye(let reason)):
                farewell = reason
                onEvent?(.goodbye(reason: reason))
            case .event(let event): onEvent?(event)
            case .reply(let reply): take(reply, line)
            }
        } catch {
            lose("the daemon sends what can't be understood: \(error.message)")
        }
    }

    private func take(_ reply: ServerReply, _ line: Span<UInt8>) {
        guard let next = waiting.first, reply.id == .number(next.id) else {
            // An answer to no request is the daemon's last word, such as that it has no room.
            return lose(reply.failure?.message ?? "the daemon answers what was not asked")
        }
        waiting.removeFirst()
        next.handler(reply, line)
    }

    func streamEnded(_ stream: Stream) { lose(ending) }

    func streamDrained(_ stream: Stream) {}

    func streamFailed(_ stream: Stream, _ error: SystemError) { lose(farewell == nil ? "\(error)" : ending) }

    func streamClosed(_ stream: Stream) {}

    private var ending: String {
        switch farewell {
        case "shutting_down"?: "the daemon has stopped"
        case let reason?: "the daemon has closed the connection: \(reason)"
        case nil: "the daemon has closed the connection"
        }
    }
}
