// Why this file exists: a person at a mirror, with the real replica: presses keys, goes offline, moves to another daemon, and
// in the end must see what the daemon has.

import AccordionModel
import Bytes
import Causality
import Mirror
import Wire

final class SimulatedClient {
    private enum Asked {
        case subscription(DocumentName)
        case intent(DocumentName)
        case write(DocumentName, seen: VersionVector?)
        case other
    }

    let name: String
    private let world: World
    /// The node that it speaks to, or will.
    private(set) var home: Int
    private(set) var replicas: [DocumentName: Replica] = [:]
    private(set) var isAsleep = false
    private var connection: SimulatedConnection?
    private var connectedAt: Int64 = 0
    private var isOffline = false
    private var lastID = 0
    private var asked: [Int: Asked] = [:]
    /// Documents that came to the list after they were last asked for: the refusal may be older than that.
    private var listed: Set<DocumentName> = []
    private var seenOf: [Int: VersionVector] = [:]
    private var line: [UInt8] = []
    private let reader = ServerLineReader()

    init(name: String, home: Int, _ world: World) {
        self.name = name
        self.home = home
        self.world = world
        for document in world.documentNames { replicas[document] = Replica(document) }
    }

    var isConnected: Bool { connection != nil }
    /// Requests that have no reply, and presses that are neither confirmed nor taken back.
    var openCount: Int { asked.count + replicas.values.reduce(0) { $0 + $1.pending.count } }
    /// The run of the daemon that it speaks to.
    var process: SimulatedProcess? { connection?.process }

    // MARK: - The connection

    func connect() {
        guard connection == nil, !isOffline else { return }
        guard let process = world.nodes[home].process, process.isOpen else { return retry() }
        let connection = SimulatedConnection(self, process)
        self.connection = connection
        connectedAt = world.schedule.now
        ask(.hello(Request.Hello(name: name)), .other)
        ask(.watchList(true), .other)
        for document in world.documentNames {
            replicas[document]?.connected()
            subscribe(document)
        }
    }

    private func retry() {
        world.schedule.after(world.random.between(200, 800)) { [weak self] in self?.connect() }
    }

    private func subscribe(_ document: DocumentName) {
        guard let replica = replicas[document] else { return }
        listed.remove(document)
        ask(replica.subscription, .subscription(document))
    }

    func connectionBroke() {
        guard connection != nil else { return }
        connection = nil
        asked = [:]
        line = []
        for document in world.documentNames { _ = replicas[document]?.disconnected() }
        if !isOffline { retry() }
    }

    func goOffline() {
        isOffline = true
        connection?.breakOff()
    }

    func comeBack() {
        guard isOffline else { return }
        isOffline = false
        connect()
    }

    func move(to node: Int) {
        home = node
        if let connection { connection.breakOff() } else { connect() }
    }

    func sleep() { isAsleep = true }

    func wakeUp() {
        isAsleep = false
        connection?.wake()
    }

    // MARK: - What it does

    private func ask(_ action: Request.Action, _ kind: Asked, id: Int? = nil) {
        guard let connection else { return }
        let number = id ?? nextID()
        asked[number] = kind
        let frame = Frame()
        Request(id: .number(number), action).write(into: frame)
        connection.send(frame.withSpan { span in span.indices.map { span[$0] } })
    }

    private func nextID() -> Int {
        lastID += 1
        return lastID
    }

    /// Presses on a section, as a person at a screen does. `turn` chooses among the flags.
    func press(_ document: DocumentName, section turn: Int, field: Field) {
        guard let replica = replicas[document], let content = replica.document, !content.sections.isEmpty else {
            return
        }
        let section = Int32(turn % content.sections.count)
        let value = field == .open ? !replica.isOpen(section) : !replica.isDone(section)
        do throws(IntentRefusal) {
            _ = try replicas[document]?.intend(SectionFlag(section, field), to: value, id: nextID())
        } catch {
            return
        }
        sendDue(document)
    }

    private func sendDue(_ document: DocumentName) {
        guard connection != nil else { return }
        for intent in replicas[document]?.takeUnsent(nextID: { nextID() }) ?? [] {
            seenOf[intent.id] = intent.seen
            ask(intent.action(document), .intent(document), id: intent.id)
        }
    }

    /// Asks as a script does, which looks at no screen.
    func send(_ action: Request.Action, seen: VersionVector? = nil) {
        guard let document = action.document else { return }
        ask(action, .write(document, seen: seen))
    }

    // MARK: - What it hears

    func receive(_ bytes: [UInt8]) {
        for byte in bytes {
            if byte != 0x0A {
                line.append(byte)
                continue
            }
            let whole = line
            line = []
            do throws(Failure) {
                take(try reader.read(whole.span))
            } catch {
                world.ledger.violate("\(name) can't read a line: \(error.message)")
            }
        }
    }

    private func take(_ line: ServerLine) {
        switch line {
        case .reply(let reply): take(reply)
        case .event(let event): take(event)
        }
    }

    private func take(_ event: ServerEvent) {
        guard let process = connection?.process else { return }
        switch event {
        case .snapshot(let snapshot):
            world.ledger.heard(snapshot.version, of: snapshot.name, from: process)
            if let change = Ledger.overfull(snapshot.document, snapshot.state.open) {
                world.ledger.violate("\(name) sees two open in a single group of \(snapshot.name): \(change)")
            }
        case .changed(let changed): world.ledger.heard(changed.version, of: changed.name, from: process)
        case .listed(let document, _):
            listed.insert(document)
            if replicas[document]?.life != .live { subscribe(document) }
        default: break
        }
        for document in world.documentNames { _ = replicas[document]?.receive(event) }
        for document in world.documentNames { sendDue(document) }
    }

    private func take(_ reply: ServerReply) {
        guard case .number(let id)? = reply.id, let kind = asked.removeValue(forKey: id) else {
            return world.ledger.violate("\(name) got a reply that it did not ask for")
        }
        guard let process = connection?.process else { return }
        switch kind {
        case .other: break
        case .subscription(let document):
            guard reply.failure != nil else { break }
            _ = replicas[document]?.missing()
            if listed.contains(document) { subscribe(document) }
        case .intent(let document):
            let seen = seenOf.removeValue(forKey: id)
            if let version = reply.version, reply.failure == nil {
                world.ledger.acknowledged(
                    version, of: document, by: name, seen: seen, since: connectedAt, from: process)
            }
            _ = replicas[document]?.answered(id: id, failure: reply.failure)
            sendDue(document)
        case .write(let document, let seen):
            if let version = reply.version, reply.failure == nil {
                world.ledger.acknowledged(
                    version, of: document, by: name, seen: seen, since: connectedAt, from: process)
            }
        }
    }
}
