// Why this file exists: the only place where the rooms meet. It opens the store and the doors, gives the hub what they
// bring, has stored what a turn wrote, and only then lets the turn's words out.

import Bytes
import CommandLine
import EventLoop
import Glibc
import Hub
import Service
import Store
import Transport
import Wire

final class Daemon {
    /// How long a connection that has been told its last words may take to hear them.
    private static let lingerMilliseconds = 2_000
    /// How long a stop waits for clients to take what is due.
    private static let farewellMilliseconds = 5_000

    /// How long it waits besides for a disk that does not answer.
    private static let diskMilliseconds = 2_000
    /// How long those wait for the disk who need not.
    private static let patienceMilliseconds = 50

    private static let firstCareMilliseconds = 60_000
    private static let careMilliseconds = 3_600_000
    private static let careStepMilliseconds = 100

    let hub: Hub
    let log: Log
    private(set) var settings: DaemonSettings
    private let invocation: Invocation
    private var keyring: Keyring?
    let loop: Loop
    let keeper: Keeper
    private(set) var commits: Commits?
    /// Nil where this daemon is alone.
    private(set) var clustering: Clustering?
    private(set) var doors: Doors?
    private var signals: [SignalWatcher] = []
    private var presenceTimer: Timer?
    private var careTimer: Timer?
    var commitsTimer: Timer?
    private var failedStart: StartFailure?
    private var lingerTimer: Timer?
    private var upkeep: Upkeep?
    private let notifier: Notifier?
    /// As the service manager was told.
    private var toldDocumentCount = 0
    private(set) var supervision: Supervision?
    private var connections: [UInt64: Connection] = [:]
    private var lingering: [(connection: Connection, untilMilliseconds: Int)] = []
    private var isStopping = false
    /// The time that a stop gives clients is over: only the disk is waited for.
    private var isOverdue = false
    private var farewellTimer: Timer?
    private var patienceTimer: Timer?
    private var isPatienceMeasured = false
    private var told = (truncated: 0, foreign: 0)

    /// `sockets`: doors that were handed over; `notifier`: the way to whoever supervises this process.
    init(
        _ settings: DaemonSettings, _ log: Log, _ invocation: Invocation, _ sockets: [InheritedSocket] = [],
        _ notifier: Notifier? = nil
    ) throws(StartFailure) {
        self.notifier = notifier
        self.settings = settings
        self.log = log
        self.invocation = invocation
        try Doors.check(settings)
        let keyring = try Keyring(settings.configuration)
        do throws(SystemError) {
            loop = try Loop()
        } catch {
            throw StartFailure(.storeUnopenable, "the loop can't be made: \(error)")
        }
        let clusterStart: ClusterStart?
        do throws(StartFailure) {
            let store = try Opening.open(settings, loop, notifier)
            hub = Hub(settings.hub(store.start), knowsDocuments: false)
            clusterStart = try ClusterStart(settings, hub.settings, store)
            keeper = try Daemon.keeper(store, loop, log)
        } catch {
            loop.close()
            throw error
        }
        do throws(StartFailure) {
            if let clusterStart { clustering = try Clustering(clusterStart, loop, self) }
            try prepareStore()
            doors = try Doors(settings, keyring, sockets, loop, self)
            self.keyring = keyring
            try watchSignals()
        } catch {
            closeAll()
            loop.close()
            throw error
        }
        loop.beforePoll = { [unowned self] in endTurn() }
        hub.startMilliseconds = Int64(loop.nowMilliseconds)
        hub.statusSource = self
        hub.admission = keyring
    }

    /// Serves until it is told to stop.
    func run() throws(StartFailure) {
        if let clustering { clustering.whenReady = { [unowned self] in open() } } else { open() }
        loop.run()
        closeAll()
        loop.close()
        if let failedStart { throw failedStart }
        if let lost = commits?.lostWriteCount, lost > 0 {
            throw StartFailure(
                .storeUnopenable,
                "stopped; \(lost) writes that had been acknowledged could not be stored: \(commits?.lastFailure ?? "")")
        }
        log.write(.info, "stopped")
    }

    private func open() {
        guard !isStopping else { return }
        log.write(
            .info,
            "accordiond \(DaemonCommand.version) is ready, node \(hub.settings.node), epoch \(hub.settings.epoch), "
                + "state in \(JSONEscape.quoted(settings.stateDirectory))")
        doors?.open()
        supervision?.ready()
    }

    // MARK: - The store

    private static func keeper(_ store: DocumentStore, _ loop: Loop, _ log: Log) throws(StartFailure) -> Keeper {
        do throws(SystemError) {
            return try Keeper(store, loop, log)
        } catch {
            store.close()
            throw StartFailure(.storeUnopenable, "the store's thread can't be made: \(error)")
        }
    }

    /// Reads which documents there are, and begins to take away history that is too old.
    private func prepareStore() throws(StartFailure) {
        keeper.keepHistory(
            days: settings.configuration.historyDays, entries: settings.configuration.historyEntries)
        do throws(StoreFailure) {
            if !settings.isDurable { try keeper.markRelaxed() }
        } catch {
            throw StartFailure(error)
        }
        do throws(SystemError) {
            commits = Commits(hub, isDurable: settings.isDurable, self)
            commitsTimer = try Timer(loop) { [unowned self] in commits?.wake() }
            patienceTimer = try Timer(loop) { [unowned self] in losePatience() }
            careTimer = try Timer(loop) { [unowned self] in care() }
        } catch {
            throw StartFailure(.storeUnopenable, "\(error)")
        }
        keeper.learn { [unowned self] outlines, isLast in
            beginTurn()
            hub.learn(outlines, isLast: isLast)
            clustering?.learn(outlines, isLast: isLast)
        } orElse: { [unowned self] failure in
            log.write(.error, "the documents can't be read: \(failure)")
            failedStart = StartFailure(.storeUnopenable, failure)
            loop.stop()
        }
        careTimer?.start(afterMilliseconds: Daemon.firstCareMilliseconds)
    }

    /// Takes away history that is too old, a step at a time, between other work.
    private func care() {
        keeper.retire(wallMilliseconds: Int64(loop.wallMilliseconds)) { [unowned self] isDone in
            if isDone { keeper.checkpoint() }
            careTimer?.start(
                afterMilliseconds: isDone ? Daemon.careMilliseconds : Daemon.careStepMilliseconds)
        }
    }

    // MARK: - Turns

    /// To be called before the hub is given anything: the first of a turn sets its time.
    func beginTurn() {
        if hub.hasBegun { return }
        hub.moment = Moment(
            wallMilliseconds: Int64(loop.wallMilliseconds), steadyMilliseconds: Int64(loop.nowMilliseconds))
    }

    /// Ends a turn early that has taken as much input as one may.
    func turnGrew() {
        if hub.turnBytes >= hub.settings.limits.turnBytesMax { endTurn() }
    }

    /// Decide, commit, send: what the turn wrote is stored, then what it says leaves.
    private func endTurn() {
        if let commits, !commits.isBusy {
            if hub.presenceDelayMilliseconds != nil || hub.seenDelayMilliseconds != nil || hub.canTakeUpHeld {
                beginTurn()
            }
            hub.tellPresence()
            hub.endSeenWaits()
            if hub.hasTurn { commits.take(hub.endTurn()) }
            commits.runErrands()
            // Flushing may have brought clients to the present, or taken up requests that waited.
            loop.hasWorkLeft = hub.canTakeUpHeld || hub.hasTurn && !commits.isBusy
        } else {
            // The disk works meanwhile, and so do we.
            if hub.canTakeUpHeld {
                beginTurn()
                hub.takeUpHeld()
            }
            loop.hasWorkLeft = hub.canTakeUpHeld
            waitPatiently()
        }
        clustering?.goOn()
        if hub.documentCount != toldDocumentCount {
            toldDocumentCount = hub.documentCount
            supervision?.changed()
        }
        if commits?.isBusy == false { startPresenceTimer() }
        tellFaults()
        stopIfDone()
    }

    /// (While the disk is waited for nothing is told, and its answer brings us here again.)
    private func startPresenceTimer() {
        let delays = [hub.presenceDelayMilliseconds, hub.seenDelayMilliseconds].compactMap { $0 }
        if let delay = delays.min() { presenceTimer?.start(afterMilliseconds: Int(delay)) }
    }

    /// Who asks for nothing that waits for the disk is answered before long, however long the disk takes.
    private func waitPatiently() {
        guard !isPatienceMeasured, hub.hasBegun else { return }
        isPatienceMeasured = true
        patienceTimer?.start(afterMilliseconds: Daemon.patienceMilliseconds)
    }

    private func losePatience() {
        isPatienceMeasured = false
        guard commits?.isBusy == true else { return }
        for session in hub.releaseIndependent() { session.owner?.sessionIsDue(session) }
    }

    private func tellFaults() {
        let (truncated, foreign) = (
            hub.counters.truncatedLines - told.truncated, hub.counters.foreignLines - told.foreign
        )
        if truncated > 0 {
            log.fault(
                "truncated_line", count: truncated, "a client left in the middle of a line, which was not applied")
        }
        if foreign > 0 {
            log.fault("foreign_protocol", count: foreign, "a client that speaks HTTP was closed")
        }
        told = (told.truncated + truncated, told.foreign + foreign)
    }

    // MARK: - Connections

    /// `waiting` is what of a handshake has not left yet.
    @discardableResult
    func connected(_ stream: Stream, _ origin: Origin, tls: TLS? = nil, _ waiting: Outbox? = nil) -> Connection {
        beginTurn()
        let connection = Connection(stream, hub.connect(origin), self, tls: tls)
        connection.session.owner = connection
        connections[connection.session.number] = connection
        supervision?.changed()
        stream.owner = connection
        if let waiting { connection.outbox = waiting }
        stream.startReading()
        return connection
    }

    /// A token of this connection was refused.
    func refused(_ connection: Connection) {
        guard case .host(let host, _, _) = connection.stream.peer() else { return }
        log.fault(
            "unauthorized", about: [.peer(host)], "a client was refused for want of a token, from \(host)")
        doors?.strangers?.refused(host)
    }

    // MARK: - Other settings

    /// Reads the configuration again: all of it takes effect, or nothing.
    private func reload() {
        supervision?.reloading()
        defer { supervision?.ready() }
        do throws(StartFailure) {
            let new = try DaemonSettings(invocation, making: false, hasSockets: doors?.hasInherited ?? false)
            try Doors.check(new)
            let keyring = try Keyring(new.configuration)
            try doors?.change(to: new, keyring)
            tellWhatStays(new)
            settings = new
            self.keyring = keyring
            hub.admission = keyring
            beginTurn()
            hub.update(new.limits)
            hub.review { keyring.rights($0.credential) }
            keeper.keepHistory(days: new.configuration.historyDays, entries: new.configuration.historyEntries)
            log.write(.notice, "the configuration was read again")
        } catch {
            log.write(.error, "the configuration stays as it was: \(error.message)")
        }
    }

    private func tellWhatStays(_ new: DaemonSettings) {
        if new.stateDirectory != settings.stateDirectory || new.isDurable != settings.isDurable
            || new.node != settings.node || new.configuration.cluster != settings.configuration.cluster
        {
            log.write(.warning, "state, node, durability and cluster take effect with the next start")
        }
    }

    /// How it stands, in a line for people who look at the service.
    private var standing: String {
        let clients = connections.count == 1 ? "1 client" : "\(connections.count) clients"
        let documents = hub.documentCount == 1 ? "1 document" : "\(hub.documentCount) documents"
        let trouble = commits?.isFailing == true ? ", the disk takes no writes" : ""
        return "\(clients), \(documents)\(trouble)\(clustering.map { ", " + $0.standing } ?? "")"
    }

    var connectionCount: Int { connections.count }
    var clientsMax: Int { doors?.clientsMax ?? 0 }
    var turnedAwayCount: Int { doors?.turnedAwayCount ?? 0 }

    func closed(_ connection: Connection) {
        beginTurn()
        hub.disconnect(connection.session)
        connection.session.owner = nil
        connections[connection.session.number] = nil
        supervision?.changed()
        doors?.connectionClosed()
        stopIfDone()
    }

    /// Closes the connection when the other side has, or before long.
    func linger(_ connection: Connection) {
        lingering.append((connection, loop.nowMilliseconds + Daemon.lingerMilliseconds))
        if lingering.count == 1 { lingerTimer?.start(afterMilliseconds: Daemon.lingerMilliseconds) }
    }

    private func endLingering() {
        let late = lingering.prefix { $0.untilMilliseconds <= loop.nowMilliseconds }
        lingering.removeFirst(late.count)
        for (connection, _) in late { connection.stream.close() }
        if let next = lingering.first {
            lingerTimer?.start(afterMilliseconds: max(1, next.untilMilliseconds - loop.nowMilliseconds))
        }
    }

    // MARK: - The end

    private func watchSignals() throws(StartFailure) {
        do throws(SystemError) {
            for signal in [SIGTERM, SIGINT] {
                signals.append(try SignalWatcher(loop, signal: signal) { [unowned self] in stop() })
            }
            signals.append(
                try SignalWatcher(loop, signal: SIGHUP) { [unowned self] in
                    reload()
                })
            presenceTimer = try Timer(loop) { [unowned self] in beginTurn() }
            lingerTimer = try Timer(loop) { [unowned self] in endLingering() }
            upkeep = try Upkeep(loop, log) { [unowned self] in connections.values.map(\.stream) }
            supervision = try Supervision(loop, notifier, keeper) { [unowned self] in standing }
        } catch {
            throw StartFailure(.storeUnopenable, "\(error)")
        }
    }

    /// Says goodbye, lets what is due leave, and ends; a second call ends at once.
    private func stop() {
        if isStopping { return loop.stop() }
        isStopping = true
        supervision?.stopping()
        log.write(.info, "stopping")
        doors?.close()
        beginTurn()
        hub.shutDown()
        commits?.flush()
        do throws(SystemError) {
            let timer = try Timer(loop) { [unowned self] in if isOverdue { giveUp() } else { farewell() } }
            timer.start(afterMilliseconds: Daemon.farewellMilliseconds)
            farewellTimer = timer
        } catch {
            loop.stop()
        }
        endTurn()
    }

    private func stopIfDone() {
        guard isStopping, let commits else { return }
        if isOverdue {
            if keeper.pendingJobs == 0 { loop.stop() }
        } else if connections.isEmpty {
            if commits.isSettled { loop.stop() } else { commits.flush() }
        }
    }

    /// Clients have had their time. What the disk is doing is still waited for, a moment.
    private func farewell() {
        isOverdue = true
        commits?.end()
        farewellTimer?.start(afterMilliseconds: Daemon.diskMilliseconds)
        stopIfDone()
    }

    /// The disk answers no more, and its thread can't be ended: so the process is, without a word from it.
    private func giveUp() {
        for session in hub.sayGoodbyeAtOnce() { session.owner?.sessionIsDue(session) }
        log.write(
            .error,
            "the disk has not answered for \((Daemon.farewellMilliseconds + Daemon.diskMilliseconds) / 1_000) seconds; "
                + "what it was given last may be lost")
        _exit(ExitCode.storeUnopenable.rawValue)
    }

    private func closeAll() {
        commits?.end()
        keeper.close { [commits] in commits?.isSettled ?? true }
        clustering?.close()
        commitsTimer?.close()
        patienceTimer?.close()
        doors?.close()
        for connection in connections.values { connection.stream.close() }
        for signal in signals { signal.close() }
        presenceTimer?.close()
        careTimer?.close()
        lingerTimer?.close()
        upkeep?.close()
        supervision?.close()
        farewellTimer?.close()
    }
}
