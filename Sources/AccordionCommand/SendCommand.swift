// Why this file exists: `accordion send`: the protocol by hand, without having to know where the daemon is.

import Bytes
import CommandLine
import EventLoop
import Glibc
import Mirror
import Wire

enum SendCommand {
    static let table = Command(
        "send", summary: "protocol lines from standard input, what comes back to standard output",
        details: ["It ends when everything is answered after the end of the input; with 1 if anything was refused."],
        example: Example("accordion send < requests", "a file of requests, a line each"))

    static func run(_ client: Client) throws(CommandFailure) -> ExitCode {
        let (stream, _) = try client.findStream()
        let exchange = Exchange(client, stream)
        defer { exchange.close() }
        try exchange.begin()
        while !exchange.isOver { client.loop.turn() }
        if let failure = exchange.failure { throw failure }
        return exchange.hasRefusals ? .refused : .done
    }
}

/// Bytes to the daemon as they are, and back.
private final class Exchange: StreamOwner {
    /// More than this unsent, and no more is read.
    private static let queuedBytesMax = 1 << 20

    private let client: Client
    var outbox = Outbox()
    private let stream: Stream
    private let output: Output
    private let reader = ServerLineReader()
    private var framer = LineFramer(lineBytesMax: 256 << 20)
    /// Where standard input can be watched: a file cannot, and is always ready.
    private var readiness: FileReadiness?
    private var feeder: Timer?
    /// Ends it when the input has ended and the daemon says nothing more.
    private var silence: Timer?
    private var endsInLineFeed = true
    private var hasEnded = false
    private(set) var isOver = false
    private(set) var hasRefusals = false
    private(set) var failure: CommandFailure?

    init(_ client: Client, _ stream: Stream) {
        self.client = client
        self.stream = stream
        output = client.output
        stream.owner = self
    }

    func begin() throws(CommandFailure) {
        stream.startReading()
        if let name = client.invocation.value("name") {
            let frame = Frame()
            Request(.hello(Request.Hello(name: name))).write(into: frame)
            send(frame)
        }
        do throws(SystemError) {
            readiness = try FileReadiness(client.loop, descriptor: STDIN_FILENO) { [unowned self] _ in feed() }
        } catch {
            readiness = nil
        }
        do throws(SystemError) {
            silence = try Timer(client.loop) { [unowned self] in
                end(
                    CommandFailure(
                        .timedOut, "the daemon has not answered within \(Client.replyMilliseconds / 1_000) seconds"))
            }
            if readiness == nil { feeder = try Timer(client.loop) { [unowned self] in feed() } }
        } catch {
            throw CommandFailure(.noDaemon, "\(error)")
        }
        resume()
    }

    func close() {
        readiness?.close()
        feeder?.close()
        silence?.close()
        stream.close()
    }

    private func resume() {
        if hasEnded { return }
        readiness?.start(.readable)
        feeder?.start(afterMilliseconds: 0, everyMilliseconds: 1)
    }

    private func pause() {
        readiness?.stop()
        feeder?.stop()
    }

    private func feed() {
        switch Standard.read(STDIN_FILENO) {
        case .bytes(let bytes):
            endsInLineFeed = bytes.last == 0x0A
            let frame = Frame(capacityBytes: bytes.count)
            frame.append(bytes)
            send(frame)
            if outbox.queuedBytes > Self.queuedBytesMax { pause() }
        case .nothingYet: break
        case .end: endInput()
        case .failed(let reason):
            Standard.error("accordion: standard input: \(reason)\n")
            endInput()
        }
    }

    private func send(_ frame: Frame) {
        frame.seal()
        stream.queue(Piece(frame, isDroppable: false))
        stream.flush()
    }

    /// The daemon answers what it has read, and closes. A last line that was not ended is meant, too.
    private func endInput() {
        hasEnded = true
        pause()
        if !endsInLineFeed {
            let frame = Frame()
            frame.append(0x0A)
            send(frame)
        }
        stream.shutdown()
        silence?.start(afterMilliseconds: Client.replyMilliseconds)
    }

    private func end(_ failure: CommandFailure?) {
        if isOver { return }
        isOver = true
        self.failure = failure
    }

    // MARK: - What comes back

    func streamRead(_ stream: Stream, _ bytes: Span<UInt8>) {
        if hasEnded { silence?.start(afterMilliseconds: Client.replyMilliseconds) }
        var position = 0
        while !isOver {
            switch framer.step(bytes, &position) {
            case .line(let range): take(bytes.extracting(range))
            case .gathered(let line): take(line.span)
            case .needsPermission: framer.refuse()
            case .overlong: Standard.error("accordion: a line that is too long is left out\n")
            case .exhausted: return output.flush()
            }
        }
    }

    private func take(_ line: Span<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(line.count + 1)
        for index in line.indices { bytes.append(line[index]) }
        if case .reply(let reply)? = try? reader.read(line), reply.failure != nil { hasRefusals = true }
        if output.isTerminal {
            output.line(DisplayText.visible(String(decoding: bytes, as: UTF8.self)))
        } else {
            output.append(bytes + [0x0A])
        }
    }

    func streamEnded(_ stream: Stream) {
        output.flush()
        end(hasEnded ? nil : CommandFailure(.noDaemon, "the daemon has closed the connection"))
    }

    func streamDrained(_ stream: Stream) { resume() }

    func streamFailed(_ stream: Stream, _ error: SystemError) {
        output.flush()
        end(CommandFailure(.noDaemon, "\(error)"))
    }

    func streamClosed(_ stream: Stream) {}
}
