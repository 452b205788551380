// Why this file exists: between what is decided about other daemons, the broker, the hub and the store stands somebody who
// carries from each to each. The broker's calls wait for the network, so they are made on a thread of their own.

import AccordionModel
import Causality
import Cluster
import EventLoop
import Hub
import Replication
import Wire

final class Clustering {
    private enum Link: Equatable { case away, connecting, connected }

    /// What is taken from the broker before the loop looks at anything else.
    private static let newsBytesAtOnce = 256 << 10
    private static let tickMilliseconds = 1_000
    /// How many ticks lie between two looks at the stream.
    private static let ticksPerLook = 2
    /// Looks that may fail before the connection is given up.
    private static let failedLooksMax = 2
    /// How long clients wait at the start for a broker that does not answer, and for a long stream to be read.
    private static let startMilliseconds = 3_000
    private static let catchUpMilliseconds = 60_000

    private unowned let daemon: Daemon
    private let replicator: Replicator
    private let broker: Broker
    private let worker: Worker
    private let wakeup: Wakeup
    private var timer: Timer?

    private var link = Link.away
    /// Counted at each connection: what an earlier one brings late is told apart.
    private var linkNumber = 0
    private var stream: BrokerStream?
    private var ticks = 0
    private var isLooking = false
    private var failedLooks = 0
    /// What was to be read next at the last look.
    private var nextAtLook: UInt64 = 0
    private var hasLearned = false
    private var isClosed = false
    /// Rows could not be read from the store; they are asked for again.
    private var isOutgoingOwed = false
    private var presenceChangesTold = 0
    /// News wait for the turn to have room.
    private var isHeld = false

    private var keptRecord = ReplicationRecord()
    private var fallenRecords: [ReplicationRecord] = []
    /// Something could not be read back after a commit had failed: what comes of it is read again once it can be.
    private var mustReadAgain = false

    /// Called once clients may come in.
    var whenReady: (() -> Void)? { didSet { openIfReady() } }
    private let startedMilliseconds: Int
    private var lastProblem = ""
    private(set) var counts = ClusterCounts()

    init(_ start: ClusterStart, _ loop: Loop, _ daemon: Daemon) throws(StartFailure) {
        self.daemon = daemon
        startedMilliseconds = loop.nowMilliseconds
        replicator = Replicator(
            start.replication, start.standing, milliseconds: Int64(loop.nowMilliseconds))
        do throws(SystemError) {
            weak var made: Clustering?
            worker = try Worker(loop)
            do throws(SystemError) {
                wakeup = try Wakeup(loop) { made?.takeNews() }
            } catch {
                worker.shutdown()
                throw error
            }
            let knocker = wakeup.knocker
            broker = Broker(start.broker) { knocker.knock() }
            made = self
            timer = try Timer(loop) { [unowned self] in tick() }
        } catch {
            throw StartFailure(.storeUnopenable, "the way to the cluster can't be made: \(error)")
        }
    }

    /// Ends the connection. What the disk has brought by then still goes out.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        timer?.close()
        worker.run { [broker] in
            broker.disconnect()
        } then: { _ in
        }
        broker.willEnd()
        worker.shutdown()
        wakeup.close()
    }

    // MARK: - How it stands

    /// For people, with nothing in it that a client wrote.
    var standing: String {
        if replicator.readOnlyReason != nil { return "read-only" }
        switch link {
        case .connected: return replicator.isCatchingUp ? "the cluster's stream is being read" : "in the cluster"
        case .connecting, .away: return "no broker"
        }
    }

    var readOnlyReason: String? { replicator.readOnlyReason }
    var isConnected: Bool { link == .connected }
    var isCurrent: Bool { replicator.isCurrent }
    var unconfirmedCount: Int { replicator.unconfirmedCount }
    var nextSequence: UInt64 { replicator.nextSequence }
    var lastSequence: UInt64 { stream?.last ?? 0 }
    /// Why there is no connection; empty where there is one.
    var problem: String { link == .connected ? "" : lastProblem }

    // MARK: - The start

    /// The next documents that are stored; after the last of them the broker is looked for.
    func learn(_ outlines: [DocumentOutline], isLast: Bool) {
        for outline in outlines { replicator.learn(outline.name, outline.version) }
        guard isLast, !isClosed else { return }
        hasLearned = true
        connect()
        timer?.start(
            afterMilliseconds: Clustering.tickMilliseconds, everyMilliseconds: Clustering.tickMilliseconds)
    }

    private func openIfReady() {
        guard let open = whenReady else { return }
        let waited = daemon.loop.nowMilliseconds - startedMilliseconds
        let isOver = waited >= (replicator.isCatchingUp ? Clustering.catchUpMilliseconds : Clustering.startMilliseconds)
        guard replicator.isCurrent || replicator.readOnlyReason != nil || isOver else { return }
        whenReady = nil
        open()
    }

    // MARK: - The broker

    private func connect() {
        guard link == .away, hasLearned, !isClosed else { return }
        link = .connecting
        worker.run { [broker] () -> Result<BrokerStream, BrokerFailure> in
            do throws(BrokerFailure) { return .success(try broker.connect()) } catch { return .failure(error) }
        } then: { [self] result in
            guard !isClosed else { return }
            switch result {
            case .success(let stream): connected(stream)
            case .failure(let failure):
                link = .away
                lastProblem = failure.description
                daemon.log.fault(
                    "no_broker", level: .warning, "the cluster's broker can't be used: \(failure.description)")
            }
            openIfReady()
        }
    }

    private func connected(_ stream: BrokerStream) {
        link = .connected
        linkNumber += 1
        self.stream = stream
        (failedLooks, isLooking, nextAtLook) = (0, false, 0)
        counts.connections += 1
        daemon.log.write(
            .notice, "connected with the cluster's broker; the stream goes from \(stream.first) to \(stream.last)")
        daemon.supervision?.changed()
        setTime()
        replicator.connected(stream: stream.identity, first: stream.first, last: stream.last)
        act()
    }

    private func lost(_ reason: String, _ number: Int) {
        guard link == .connected, number == linkNumber, !isClosed else { return }
        link = .away
        lastProblem = reason
        replicator.disconnected()
        daemon.log.fault("broker_lost", level: .warning, "the cluster's broker is lost: \(reason)")
        daemon.supervision?.changed()
        worker.run { [broker] in
            broker.disconnect()
        } then: { _ in
        }
        connect()
    }

    /// Gives the broker something to do; where it fails the connection is given up.
    private func ask(_ job: @escaping @Sendable (Broker) throws(BrokerFailure) -> Void) {
        let number = linkNumber
        guard link == .connected, !isClosed else { return }
        worker.run { [broker] () -> String? in
            do throws(BrokerFailure) {
                try job(broker)
                return nil
            } catch {
                return error.description
            }
        } then: { [self] failure in
            if let failure { lost(failure, number) }
        }
    }

    /// Takes what has come, as far as the turn has room for it.
    private func takeNews() {
        guard !isClosed else { return }
        guard daemon.hub.turnBytes < daemon.hub.settings.limits.turnBytesMax, !daemon.hub.isRecovering else {
            isHeld = true
            return
        }
        setTime()
        for news in broker.take(bytesMax: Clustering.newsBytesAtOnce) { take(news) }
        act()
        openIfReady()
        if !broker.isQuiet { wakeup.knocker.knock() }
    }

    private func take(_ news: BrokerNews) {
        switch news {
        case .acknowledged(let id): replicator.acknowledged(id)
        case .refused(let reason):
            counts.refusals += 1
            daemon.log.fault(
                "broker_refuses", level: .warning, "the cluster's broker does not take a message: \(reason)")
        case .message(let bytes, let sequence):
            counts.messages += 1
            replicator.arrived(bytes, sequence: sequence)
            // (One turn must not take in more than it may: what was merged weighs at once.)
            act()
        case .skipped(let from, let to):
            if from <= replicator.nextSequence { replicator.skipped(to: to) }
        case .heard(let text): replicator.heard(text)
        case .heardPart(let text): replicator.heardPart(text)
        case .lost(let reason): lost(reason, linkNumber)
        }
    }

    /// A turn has ended: others may have to be told who is here, and there may be room.
    func goOn() {
        tellPresence()
        guard isHeld, daemon.hub.turnBytes < daemon.hub.settings.limits.turnBytesMax, !daemon.hub.isRecovering else {
            return
        }
        isHeld = false
        wakeup.knocker.knock()
    }

    private func tellPresence() {
        let hub = daemon.hub
        let here = hub.takePresenceHere()
        guard !here.isEmpty || hub.presenceWantedChanges != presenceChangesTold else { return }
        setTime()
        if hub.presenceWantedChanges != presenceChangesTold {
            presenceChangesTold = hub.presenceWantedChanges
            replicator.wantPresence(hub.presenceWantedHere)
        }
        for one in here {
            replicator.tellPresence(PresenceReport(name: one.name, clients: one.clients, count: one.count))
        }
        act()
    }

    // MARK: - Time

    private func tick() {
        ticks += 1
        setTime()
        if link == .away { connect() } else if ticks.isMultiple(of: Clustering.ticksPerLook) { look() }
        if isOutgoingOwed {
            isOutgoingOwed = false
            replicator.take(rows: [], isLast: false)
        }
        replicator.tick(waiting: daemon.hub.waitingDocuments)
        if replicator.hasRecord, let commits = daemon.commits, !commits.isBusy { commits.storeNothing() }
        act()
        openIfReady()
    }

    /// How the stream stands: what was lost on its way here is read again.
    private func look() {
        guard link == .connected, !isLooking else { return }
        isLooking = true
        let number = linkNumber
        worker.run { [broker] () -> Result<BrokerStream, BrokerFailure> in
            do throws(BrokerFailure) { return .success(try broker.look()) } catch { return .failure(error) }
        } then: { [self] result in
            guard number == linkNumber, link == .connected, !isClosed else { return }
            isLooking = false
            switch result {
            case .success(let stream): looked(stream)
            case .failure(let failure):
                failedLooks += 1
                if failedLooks >= Clustering.failedLooksMax { lost(failure.description, number) }
            }
        }
    }

    private func looked(_ now: BrokerStream) {
        failedLooks = 0
        guard now.identity == stream?.identity, now.last >= stream?.last ?? 0 else {
            return lost("the stream is another one than before", linkNumber)
        }
        stream = now
        setTime()
        let next = replicator.nextSequence
        if now.first > next, broker.isQuiet, next == nextAtLook {
            replicator.skipped(to: now.first)
        } else if next == nextAtLook, broker.isQuiet, !isHeld {
            replicator.streamEnds(at: now.last)
        }
        nextAtLook = next
        act()
    }

    private func setTime() { replicator.milliseconds = Int64(daemon.loop.nowMilliseconds) }

    // MARK: - The store

    /// What is to be stored with what a turn wrote.
    func record(_ deltas: [DocumentDelta], settled: [UInt64]) -> ReplicationRecord {
        var record = keptRecord
        keptRecord = ReplicationRecord()
        record.add(replicator.record(deltas, settled: settled))
        return record
    }

    /// To be called before the hub is told; `act` after it.
    func committed(_ record: ReplicationRecord, _ deltas: [DocumentDelta], _ outcome: CommitOutcome) {
        switch outcome {
        case .stored:
            setTime()
            replicator.stored(record, deltas)
        case .failed where daemon.settings.isDurable: fallenRecords.append(record)
        case .failed:
            // What was told stays; it is tried again, with what was settled meanwhile.
            var record = record
            record.add(keptRecord)
            keptRecord = record
        }
    }

    func settle(_ tickets: [UInt64]) { keptRecord.add(replicator.record([], settled: tickets)) }

    /// Memory has again what the disk has, as far as it could be read.
    func recovered(_ documents: [(name: DocumentName, outcome: LoadOutcome)]) {
        guard daemon.settings.isDurable else { return }
        let records = fallenRecords
        fallenRecords = []
        var versions: [(name: DocumentName, version: VersionVector)] = []
        for (name, outcome) in documents {
            switch outcome {
            case .found(let stored): versions.append((name, stored.state.version))
            case .missing: versions.append((name, VersionVector()))
            case .failed: mustReadAgain = true
            }
        }
        setTime()
        replicator.fell(records, versions)
        act()
    }

    /// Commits succeed again.
    func resumed() {
        guard mustReadAgain else { return }
        mustReadAgain = false
        setTime()
        replicator.fell([], [])
        act()
    }

    // MARK: - What was decided

    /// Does what was decided.
    func act() {
        guard !isClosed else { return }
        while true {
            let actions = replicator.takeActions()
            if actions.isEmpty { return }
            var batch: [(id: PublishID, bytes: [UInt8])] = []
            for action in actions {
                if case .publish(let id, let bytes) = action {
                    batch.append((id, bytes))
                    continue
                }
                publish(&batch)
                perform(action)
            }
            publish(&batch)
        }
    }

    private func publish(_ batch: inout [(id: PublishID, bytes: [UInt8])]) {
        guard !batch.isEmpty else { return }
        counts.published += batch.count
        let taken = batch
        batch = []
        ask { (broker) throws(BrokerFailure) in try broker.publish(taken) }
    }

    private func perform(_ action: ReplicationAction) {
        let hub = daemon.hub
        switch action {
        case .publish: break
        case .read(let sequence): ask { (broker) throws(BrokerFailure) in try broker.read(from: sequence) }
        case .readOutgoing(let place, let limit):
            daemon.keeper.outgoing(after: place, limit: limit) { [self] page in
                guard let page else {
                    isOutgoingOwed = true
                    return
                }
                setTime()
                replicator.take(rows: page.entries.map { OutgoingRow($0) }, isLast: page.isLast)
                act()
            }
        case .merge(let name, let operation, let ticket):
            daemon.beginTurn()
            hub.merge(.operation(operation), into: name, ticket: ticket)
        case .join(let name, let state):
            counts.states += 1
            daemon.beginTurn()
            hub.merge(.state(state), into: name, ticket: 0)
        case .readState(let name, let peer, let version):
            daemon.beginTurn()
            hub.whenStored(name) { [self] state in
                replicator.tell(name, state, to: peer, since: version)
                act()
            }
        case .broadcast(let text): ask { (broker) throws(BrokerFailure) in try broker.broadcast(text) }
        case .send(let text, let instance):
            ask { (broker) throws(BrokerFailure) in try broker.send(text, to: instance, isPart: false) }
        case .sendPart(let text, let instance):
            ask { (broker) throws(BrokerFailure) in try broker.send(text, to: instance, isPart: true) }
        case .readOnly(let reason):
            hub.standingRefusal = Failure(.readOnly, reason)
            daemon.log.write(.error, "nothing is written from now on: \(reason)", about: [.code("read_only")])
            daemon.supervision?.changed()
        case .confirmed(let name, let dot):
            guard hub.awaitsReplication else { return }
            daemon.beginTurn()
            hub.replicated(name, counter: dot.counter)
        case .presenceWanted(let name, let isWanted):
            daemon.beginTurn()
            hub.presenceIsWanted(name, isWanted)
        case .presence(let report, let peer):
            daemon.beginTurn()
            hub.presenceElsewhere(
                report.name, node: peer.node, run: peer.instance, report.clients, count: report.count)
        case .note(let text): daemon.log.write(.notice, text)
        }
    }
}

/// What has happened since the start.
struct ClusterCounts {
    var connections = 0
    /// Of the stream.
    var messages = 0
    var published = 0
    /// Messages that the broker did not take; they are published again.
    var refusals = 0
    /// Whole documents that other daemons sent.
    var states = 0
}
