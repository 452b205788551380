// Why this file exists: plays a script against a daemon, with as many connections as it has clients, and stops at the
// first line that was not as expected.

import Bytes
import EventLoop
import Wire

/// One client of a script: what it has heard and not yet been asked about.
private final class ScriptClient: StreamOwner {
    var outbox = Outbox()
    var stream: Stream?
    var heard: [[UInt8]] = []
    var hasEnded = false
    private var framer = LineFramer(lineBytesMax: 1 << 30)

    func streamRead(_ stream: Stream, _ bytes: Span<UInt8>) {
        var position = 0
        while true {
            switch framer.step(bytes, &position) {
            case .line(let range):
                var line: [UInt8] = []
                line.reserveCapacity(range.count)
                for place in range { line.append(bytes[place]) }
                heard.append(line)
            case .gathered(let line): heard.append(line)
            case .needsPermission: framer.refuse()
            case .overlong: continue
            case .exhausted: return
            }
        }
    }

    func streamEnded(_ stream: Stream) { hasEnded = true }
    func streamDrained(_ stream: Stream) {}
    func streamFailed(_ stream: Stream, _ error: SystemError) { hasEnded = true }
    func streamClosed(_ stream: Stream) {
        hasEnded = true
        self.stream = nil
    }
}

final class ScriptRunner {
    /// How long an expected line may take to come.
    static let patienceMilliseconds = 10_000

    private let loop: Loop
    private let address: Address
    private var clients: [String: ScriptClient] = [:]
    private var current = ""
    /// How often something was said, and how many lines were as expected.
    private(set) var said = 0
    private(set) var matched = 0
    /// The signal that has ended it, set while it plays.
    var interruption: Int32?

    init(_ loop: Loop, _ address: Address) {
        self.loop = loop
        self.address = address
    }

    /// Why a script failed.
    struct Failed: Error {
        let line: Int
        /// Lines for people: what was expected and what came.
        let reason: String
        /// Whether no daemon could be reached at all.
        var isUnreachable = false
    }

    /// Plays the whole script. All connections are closed afterwards, whatever came of it.
    func play(_ script: Script) throws(Failed) {
        defer { for client in clients.values { client.stream?.close() } }
        for step in script.steps { try play(step) }
    }

    private func play(_ step: Script.Step) throws(Failed) {
        switch step.action {
        case .turnTo(let name):
            current = name
            _ = try client(step.line)
        case .say(let text): try say(text, step.line)
        case .hear(let pattern): try hear(pattern, step.line)
        case .hearEnd: try hearEnd(step.line)
        case .wait(let milliseconds):
            _ = try client(step.line)
            try wait(milliseconds, step.line) { false }
        }
    }

    private func say(_ text: String, _ line: Int) throws(Failed) {
        let client = try client(line)
        let frame = Frame(capacityBytes: text.utf8.count + 1)
        frame.append(utf8: text)
        frame.append(UInt8(ascii: "\n"))
        frame.seal()
        client.stream?.queue(Piece(frame, isDroppable: false))
        client.stream?.flush()
        said += 1
    }

    private func hear(_ pattern: JSONPattern, _ line: Int) throws(Failed) {
        let client = try client(line)
        try wait(ScriptRunner.patienceMilliseconds, line) { !client.heard.isEmpty || client.hasEnded }
        guard !client.heard.isEmpty else {
            throw Failed(
                line: line,
                reason: client.hasEnded ? "the connection ended before this line" : "nothing came within 10 seconds")
        }
        let heard = client.heard.removeFirst()
        let leaves: JSONLeaves
        do throws(Wire.Failure) {
            leaves = try JSONLeaves(reading: heard.span)
        } catch {
            throw Failed(line: line, reason: "what came is no JSON: \(JSONEscape.quoted(heard.span))")
        }
        let faults = leaves.faults(against: pattern)
        if faults.isEmpty {
            matched += 1
            return
        }
        throw Failed(
            line: line,
            reason: faults.joined(separator: "\n") + "\ngot: " + String(decoding: heard, as: UTF8.self))
    }

    private func hearEnd(_ line: Int) throws(Failed) {
        let client = try client(line)
        try wait(ScriptRunner.patienceMilliseconds, line) { !client.heard.isEmpty || client.hasEnded }
        if let heard = client.heard.first {
            throw Failed(line: line, reason: "the end was expected\ngot: " + String(decoding: heard, as: UTF8.self))
        }
        guard client.hasEnded else { throw Failed(line: line, reason: "the connection stays") }
        matched += 1
    }

    /// The client that speaks now; one that is new connects first.
    private func client(_ line: Int) throws(Failed) -> ScriptClient {
        if let client = clients[current] { return client }
        let client = ScriptClient()
        var failure: String?
        do throws(SystemError) {
            try Stream.connect(loop, to: address) { result in
                switch result {
                case .success(let stream):
                    client.stream = stream
                    stream.owner = client
                    stream.startReading()
                case .failure(let error): failure = "\(error)"
                }
            }
        } catch {
            failure = "\(error)"
        }
        try wait(ScriptRunner.patienceMilliseconds, line) { client.stream != nil || failure != nil }
        guard client.stream != nil else {
            throw Failed(line: line, reason: "no daemon at \(address): \(failure ?? "no answer")", isUnreachable: true)
        }
        clients[current] = client
        return client
    }

    /// Lets the loop turn until `isDone`, or the time is over.
    private func wait(_ milliseconds: Int, _ line: Int, _ isDone: () -> Bool) throws(Failed) {
        if isDone(), interruption == nil { return }
        var isOver = false
        let timer: Timer
        do throws(SystemError) {
            timer = try Timer(loop) { isOver = true }
        } catch {
            throw Failed(line: line, reason: "\(error)")
        }
        timer.start(afterMilliseconds: milliseconds)
        while !isDone(), !isOver, interruption == nil { loop.turn() }
        timer.close()
        if interruption != nil { throw Failed(line: line, reason: "interrupted") }
    }
}
