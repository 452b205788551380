// Why this file exists: one run of a daemon, made of the real hub, the real commits and the real replicator, with everything
// around them simulated. What accordiond does with libuv, SQLite and a broker is done here with a schedule.

import AccordionModel
import Causality
import Hub
import Replication
import Wire

final class SimulatedProcess {
    let node: SimulatedNode
    let world: World
    let instance: String
    let hub: Hub
    let replicator: Replicator
    private(set) var commits: Commits?
    private(set) var isDead = false
    /// Counted at each connection with the broker, so that what belongs to an earlier one is told apart.
    private(set) var connection = 0
    private(set) var isReading = false
    /// When the stream's last message so far arrives: they come in order.
    var streamAt: Int64 = 0
    /// The same of what was sent to the stream.
    var publishAt: Int64 = 0
    /// Clients are taken in: the stream was read, or the broker did not answer in time.
    private(set) var isOpen = false
    private var isTurnDue = false
    private var diskFreeAt: Int64 = 0
    /// Commits that the disk was given, oldest first.
    private var inFlight: [(deltas: [DocumentDelta], record: ReplicationRecord)] = []
    private var keptRecord = ReplicationRecord()
    private var fallenRecords: [ReplicationRecord] = []
    var connections: [SimulatedConnection] = []

    private static let startMilliseconds: Int64 = 3_000

    init(_ node: SimulatedNode, _ world: World) {
        self.node = node
        self.world = world
        node.beginRun()
        instance = "\(node.number).\(node.disk.run).\(world.random.next() % 1_000_000)"
        var limits = HubLimits()
        limits.queuedEventBytesMax = 2_048
        limits.queuedReplyBytesMax = 2_048
        limits.documentCacheBytesMax = 4_096
        if !world.plan.isStreamAlone { limits.waitingOperationsMax = 20 }
        hub = Hub(
            HubSettings(
                node: node.disk.node, epoch: instance, run: node.disk.run, server: "simulated", limits: limits,
                isReplicated: true), knowsDocuments: false)
        var settings = ReplicationSettings(
            peer: Peer(node: node.disk.node, instance: instance, run: node.disk.run))
        settings.messageBytesMax = 256
        settings.outgoingMax = 8
        if !world.plan.isStreamAlone { settings.fragmentBytesMax = 16_384 }
        replicator = Replicator(settings, node.disk.start, milliseconds: world.schedule.now)
        commits = Commits(hub, isDurable: node.isDurable, self)
        beginTurn()
        let outlines = node.disk.documents.values.map(\.outline).sorted { $0.name < $1.name }
        hub.learn(outlines)
        for outline in outlines { replicator.learn(outline.name, outline.version) }
    }

    func start() {
        lookForBroker()
        tick()
        world.schedule.after(SimulatedProcess.startMilliseconds) { [weak self] in self?.isOpen = true }
    }

    /// The process ends without a word. What the disk was given last is there or is not.
    func die() {
        isDead = true
        if let first = inFlight.first, world.random.chance(50) { store(first.deltas, first.record) }
        for connection in connections { connection.breakOff() }
        connections = []
    }

    // MARK: - Turns

    func poke() {
        guard !isTurnDue, !isDead else { return }
        isTurnDue = true
        world.schedule.after(world.random.between(0, 2)) { [weak self] in self?.turn() }
    }

    private func turn() {
        isTurnDue = false
        guard !isDead, let commits else { return }
        if !commits.isBusy {
            if hub.seenDelayMilliseconds != nil {
                beginTurn()
                hub.endSeenWaits()
            }
            if hub.hasTurn { commits.take(hub.endTurn()) }
            commits.runErrands()
            if hub.hasTurn, !commits.isBusy { poke() }
        }
        act()
        if !commits.isBusy, let delay = hub.seenDelayMilliseconds {
            world.schedule.after(delay) { [weak self] in self?.poke() }
        }
    }

    /// Does what the replicator has decided.
    func act() {
        guard !isDead else { return }
        replicator.milliseconds = world.schedule.now
        while true {
            let actions = replicator.takeActions()
            if actions.isEmpty { return }
            for action in actions { perform(action) }
        }
    }

    private func perform(_ action: ReplicationAction) {
        let broker = world.broker
        switch action {
        case .publish(let id, let bytes): broker.publish(id, bytes, from: self)
        case .read(let sequence): broker.read(from: sequence, self)
        case .readOutgoing(let place, let limit):
            job { [node] in
                node.disk.rows(after: place, limit: limit)
            } then: { [self] page in
                replicator.take(rows: page.rows, isLast: page.isLast)
                act()
            }
        case .merge(let name, let operation, let ticket):
            beginTurn()
            hub.merge(.operation(operation), into: name, ticket: ticket)
            poke()
        case .join(let name, let state):
            beginTurn()
            hub.merge(.state(state), into: name, ticket: 0)
            poke()
        case .readState(let name, let peer, let version):
            hub.whenStored(name) { [self] state in replicator.tell(name, state, to: peer, since: version) }
            poke()
        case .broadcast(let text): broker.broadcast(text, from: self)
        case .send(let text, let instance): broker.send(text, isPart: false, to: instance, from: self)
        case .sendPart(let text, let instance): broker.send(text, isPart: true, to: instance, from: self)
        case .readOnly(let reason):
            node.isReadOnly = true
            hub.standingRefusal = Failure(.readOnly, reason)
        case .confirmed, .presenceWanted, .presence, .note: break
        }
    }

    // MARK: - The broker

    func lookForBroker() {
        guard !isDead, world.broker.reaches(self) else { return }
        connection += 1
        isReading = true
        let (first, last) = world.broker.firstAndLast()
        replicator.milliseconds = world.schedule.now
        replicator.connected(stream: world.broker.name, first: first, last: last)
        act()
        openIfCurrent()
    }

    func brokerLost() {
        guard isReading else { return }
        isReading = false
        connection += 1
        replicator.disconnected()
    }

    private func openIfCurrent() { if replicator.isCurrent { isOpen = true } }

    func arrived(_ bytes: [UInt8], _ sequence: UInt64) {
        replicator.milliseconds = world.schedule.now
        replicator.arrived(bytes, sequence: sequence)
        openIfCurrent()
        act()
    }

    func skipped(to sequence: UInt64) {
        replicator.milliseconds = world.schedule.now
        replicator.skipped(to: sequence)
        openIfCurrent()
        act()
    }

    func streamEnds(at sequence: UInt64) {
        replicator.milliseconds = world.schedule.now
        replicator.streamEnds(at: sequence)
        act()
    }

    func acknowledged(_ id: PublishID) {
        replicator.acknowledged(id)
        act()
    }

    func heard(_ text: [UInt8]) {
        replicator.milliseconds = world.schedule.now
        replicator.heard(text)
        act()
    }

    func heardPart(_ text: [UInt8]) {
        replicator.heardPart(text)
        act()
    }

    private func tick() {
        guard !isDead else { return }
        if isReading { world.broker.beat(self) } else { lookForBroker() }
        replicator.milliseconds = world.schedule.now
        replicator.tick(waiting: hub.waitingDocuments)
        if replicator.hasRecord, commits?.isBusy == false { commits?.storeNothing() }
        act()
        world.schedule.after(1_000) { [weak self] in self?.tick() }
    }

    // MARK: - The disk

    /// The disk does one thing after the other.
    private func job<Value>(_ work: @escaping () -> Value, then continuation: @escaping (Value) -> Void) {
        diskFreeAt = max(diskFreeAt, world.schedule.now) + world.random.between(1, 12)
        world.schedule.after(diskFreeAt - world.schedule.now) { [weak self] in
            guard let self, !isDead else { return }
            continuation(work())
            poke()
        }
    }

    private func store(_ deltas: [DocumentDelta], _ record: ReplicationRecord) {
        node.disk.apply(deltas, record)
        world.ledger.committed(deltas, by: node)
    }
}

extension SimulatedProcess: CommitsOwner {
    func commit(
        _ deltas: [DocumentDelta], settled: [UInt64], then continuation: @escaping (CommitOutcome) -> Void
    ) {
        var record = keptRecord
        keptRecord = ReplicationRecord()
        record.add(replicator.record(deltas, settled: settled))
        inFlight.append((deltas, record))
        job { [self] () -> Bool in
            inFlight.removeFirst()
            let fate = node.nextFate()
            if fate != .lost { store(deltas, record) }
            return fate == .stored
        } then: { [self] isStored in
            if isStored {
                replicator.stored(record, deltas)
                continuation(.stored)
            } else {
                if node.isDurable {
                    fallenRecords.append(record)
                } else {
                    // Tickets may have been settled meanwhile.
                    record.add(keptRecord)
                    keptRecord = record
                }
                continuation(.failed("the simulation says so"))
            }
        }
    }

    func settle(_ tickets: [UInt64]) { keptRecord.add(replicator.record([], settled: tickets)) }

    func recover(
        _ names: [DocumentName], then continuation: @escaping ([(name: DocumentName, outcome: LoadOutcome)]) -> Void
    ) {
        job { [node] in
            names.map { (name: $0, outcome: node.disk.load($0)) }
        } then: { [self] documents in
            continuation(documents)
            guard node.isDurable else { return }
            let records = fallenRecords
            fallenRecords = []
            replicator.fell(records, names.map { ($0, node.disk.version($0)) })
            act()
        }
    }

    func probe(then continuation: @escaping (Bool) -> Void) { job({ true }, then: continuation) }

    func run(_ errand: Errand) {
        switch errand {
        case .load(let name):
            job { [node] in
                node.disk.load(name)
            } then: { [self] outcome in
                beginTurn()
                hub.loaded(name, outcome)
            }
        case .history(let number, let request):
            job { [node] in
                node.disk.documents[request.document]?.history ?? []
            } then: { [self] entries in
                beginTurn()
                hub.answered(history: number, Array(entries.reversed().prefix(request.limit)))
            }
        case .ownWrites(let number, let name, let person):
            let own = hub.settings.node
            job { [node] in
                (node.disk.documents[name]?.history ?? []).filter {
                    $0.by == person && $0.dot.node == own && !$0.flags.isEmpty
                }
            } then: { [self] entries in
                beginTurn()
                hub.answered(ownWrites: number, name, by: person, entries.reversed())
            }
        }
    }

    func beginTurn() {
        if hub.hasTurn { return }
        hub.moment = Moment(
            wallMilliseconds: World.startMilliseconds + world.schedule.now + node.clockOffset,
            steadyMilliseconds: world.schedule.now)
    }

    func release(_ turn: Turn) {
        beginTurn()
        for session in hub.release(turn) { session.owner?.sessionIsDue(session) }
    }

    func wakeCommits(afterMilliseconds milliseconds: Int) {
        world.schedule.after(Int64(milliseconds)) { [weak self] in
            guard let self, !isDead else { return }
            commits?.wake()
            poke()
        }
    }

    func commitFailed(_ reason: String) {}
    func commitsResumed(afterFailures: Int) {}
}
