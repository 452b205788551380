// Why this file exists: a hub without a socket. The tests say what is sent, when a turn ends, when it is stored and how
// much each client reads, byte by byte, and a clock stands still until they move it.
import AccordionModel
import Bytes
import Causality
import Hub
import Testing
import Wire

final class TestHub {
    let hub: Hub
    private(set) var unreleased: [Turn] = []
    /// Where turns are stored; nil: nowhere, and all is at hand.
    let store: MemoryStore?
    /// What becomes of the next commits, in order; then all are stored.
    var fates: [MemoryStore.Fate] = []
    /// Leaves what the hub asks for unanswered until `runErrands`.
    var keepsErrands = false
    /// A client keeps its hub, not the hub its clients.
    private var clients: [UInt64: () -> TestClient?] = [:]
    var milliseconds: Int64 = 1_000_000 {
        didSet { setMoment() }
    }

    init(
        store: MemoryStore? = nil, run: UInt32 = 1, knowsDocuments: Bool = true, isReplicated: Bool = false,
        _ change: (inout HubLimits) -> Void = { _ in }
    ) {
        self.store = store
        var limits = HubLimits()
        change(&limits)
        let node = NodeName("n1")
        hub = Hub(
            HubSettings(
                node: node ?? TestHub.noNode(), epoch: "e\(run)", run: run, server: "test/1", limits: limits,
                isReplicated: isReplicated),
            knowsDocuments: knowsDocuments)
        setMoment()
    }

    private static func noNode() -> NodeName { preconditionFailure("a node's name in a test") }

    private func setMoment() {
        hub.moment = Moment(wallMilliseconds: 1_700_000_000_000 + milliseconds, steadyMilliseconds: milliseconds)
    }

    func connect(_ name: String = "alice", isUser: Bool = false, _ role: Role = .editor) -> TestClient {
        let client = TestClient(hub.connect(Origin(name: name, isUser: isUser, role: role)), self)
        clients[client.session.number] = { [weak client] in client }
        return client
    }

    func disconnect(_ client: TestClient) {
        hub.disconnect(client.session)
        clients[client.session.number] = nil
    }

    /// Ends the current turn and leaves it unstored.
    func endTurn() { unreleased.append(hub.endTurn()) }

    /// Stores the oldest unstored turn; those who read take what they were given.
    func release() {
        let turn = unreleased.removeFirst()
        if let store, !turn.deltas.isEmpty {
            let fate = fates.isEmpty ? .stored : fates.removeFirst()
            guard store.commit(turn.deltas, fate) else {
                let names = hub.fall([turn] + unreleased)
                unreleased = []
                hub.recovered(names.map { ($0, store.load($0)) })
                // What was held may be decided in it, and written.
                unreleased = [hub.endTurn()]
                return release()
            }
            hub.stored(turn)
        }
        for session in hub.release(turn) { clients[session.number]?()?.flush() }
        if !keepsErrands { runErrands() }
    }

    /// Lets leave what waits for no commit, as an owner does whose disk is slow.
    func releaseIndependent() {
        for session in hub.releaseIndependent() { clients[session.number]?()?.flush() }
    }

    func runErrands() {
        guard let store else { return }
        for errand in hub.takeErrands() { store.answer(errand, hub) }
    }

    /// Ends and stores turns until none is left.
    func settle() {
        while !unreleased.isEmpty { release() }
        if !keepsErrands { runErrands() }
        var turns = 0
        while hub.hasTurn {
            endTurn()
            release()
            turns += 1
            guard turns < 1_000_000 else {
                Issue.record("the hub does not come to rest")
                return
            }
        }
    }

    /// Tells presence as an owner does, and settles.
    func tellPresence() {
        hub.tellPresence()
        settle()
    }
}

final class TestClient {
    let session: Session
    let owner: TestHub
    /// How many bytes it takes at a time; 0: none.
    var readBytesMax = Int.max
    private(set) var received: [UInt8] = []
    let reader = ServerLineReader()

    init(_ session: Session, _ owner: TestHub) {
        self.session = session
        self.owner = owner
    }

    // MARK: - Input

    func send(_ bytes: [UInt8]) { owner.hub.receive(session, bytes.span) }

    /// Sends lines, each with its end.
    func send(_ lines: String...) {
        for line in lines { send(Array((line + "\n").utf8)) }
    }

    /// Sends a line, lets all turns end, and returns what has come since.
    @discardableResult
    func ask(_ line: String) -> [String] {
        send(line)
        owner.settle()
        return take()
    }

    func end() { owner.hub.inputEnded(session) }

    var wantsInput: Bool { owner.hub.wantsInput(session) }

    // MARK: - Output

    /// Takes at most `readBytesMax` bytes and tells the hub.
    func flush() {
        read()
        owner.hub.flushed(session)
    }

    private func read() {
        var taken = 0
        session.outbox.forEachUnsent(piecesMax: 1 << 20) { piece in
            let count = min(piece.count, readBytesMax - taken)
            piece.frame.withSpan { span in
                for index in piece.lower..<(piece.lower + count) { received.append(span[index]) }
            }
            taken += count
        }
        session.outbox.consume(taken)
    }

    /// Reads all that waits and all that follows from its reading.
    func drain() {
        readBytesMax = .max
        flush()
        owner.settle()
    }

    /// The whole lines that came since they were last taken.
    func take() -> [String] {
        guard let end = received.lastIndex(of: 0x0A) else { return [] }
        let lines = received[..<end].split(separator: 0x0A, omittingEmptySubsequences: false)
        let result = lines.map { String(decoding: $0, as: UTF8.self) }
        received.removeSubrange(...end)
        return result
    }

    func takeParsed() -> [ServerLine] {
        take().compactMap { line in
            do throws(Failure) {
                return try reader.read(Array(line.utf8).span)
            } catch {
                Issue.record("\(error.message): \(line)")
                return nil
            }
        }
    }
}

/// The code of a refusal, or "ok", or the event's name with its reason.
func kind(_ line: String) -> String {
    do throws(Failure) {
        switch try ServerLineReader().read(Array(line.utf8).span) {
        case .reply(let reply): return reply.failure?.code ?? "ok"
        case .event(.snapshot(let snapshot)): return "snapshot \(snapshot.reason)"
        case .event(.changed(let changed)): return changed.state == nil ? "changed" : "changed bulk"
        case .event(.deleted): return "deleted"
        case .event(.listed(let name, _)): return "listed \(name)"
        case .event(.unlisted(let name)): return "unlisted \(name)"
        case .event(.presence): return "presence"
        case .event(.goodbye(let reason)): return "goodbye \(reason)"
        case .event(.other(let name)): return "other \(name)"
        }
    } catch {
        return "unreadable: \(error.message): \(line)"
    }
}

func kinds(_ lines: [String]) -> [String] { lines.map(kind) }

func parse(_ line: String) -> ServerLine? {
    do throws(Failure) { return try ServerLineReader().read(Array(line.utf8).span) } catch { return nil }
}

func reply(_ line: String?) -> ServerReply? {
    guard let line, case .reply(let reply)? = parse(line) else { return nil }
    return reply
}

/// Whether a refusal's message holds all of `words`.
func names(_ line: String?, _ words: String...) -> Bool {
    guard let message = reply(line)?.failure?.message else { return false }
    return words.allSatisfy { message.contains($0) }
}

enum Lines {
    /// Sections a (with a1), b, the row r and the task t; d is locked.
    static let tour =
        #"{"op":"create","doc":"tour","title":"Tour","content":["#
        + #"{"id":"a","title":"A","content":[{"id":"a1","title":"A1","content":["text"]}]},"#
        + #"{"id":"b","title":"B","content":[]},{"id":"r","title":"R"},{"id":"t","title":"T","task":false},"#
        + #"{"id":"d","title":"D","content":[],"locked":true}]}"#

    /// A single group of x, y and z at the top.
    static let rows =
        #"{"op":"create","doc":"rows","title":"Rows","mode":"single","content":["#
        + #"{"id":"x","title":"X","content":[]},{"id":"y","title":"Y","content":[]},{"id":"z","title":"Z","content":[]}]}"#

    /// A document of `count` sections s0, s1 …
    static func many(_ name: String, _ count: Int) -> String {
        let sections = (0..<count).map { #"{"id":"s\#($0)","title":"S\#($0)","content":[]}"# }
        return #"{"op":"create","doc":"\#(name)","title":"Many","content":[\#(sections.joined(separator: ","))]}"#
    }
}
