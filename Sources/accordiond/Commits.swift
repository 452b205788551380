// Why this file exists: law 1 in its two forms. `durable`: a turn's words wait for its commit, and while one commit is
// under way the next turn gathers. `relaxed`: words leave at once, and what they rest on follows within 100 ms; what could
// not be stored then is tried again, never taken back.

import AccordionModel
import EventLoop
import Hub
import Wire

final class Commits {
    /// How long `relaxed` waits before it stores, so that much is stored at once.
    private static let relaxedMilliseconds = 100
    private static let retryMilliseconds = 1_000

    private let hub: Hub
    private let keeper: Keeper
    private let isDurable: Bool
    private let log: Log
    private unowned let daemon: Daemon
    private var timer: Timer?
    /// A turn can't be ended: one is being stored, or memory is being made anew.
    private(set) var isBusy = false
    private var unstored = Unstored()
    private var inFlight: Unstored?
    private var failures = 0
    /// Commits that failed since the start.
    private(set) var failureCount = 0

    init(_ hub: Hub, _ keeper: Keeper, isDurable: Bool, _ loop: Loop, _ daemon: Daemon) throws(SystemError) {
        self.hub = hub
        self.keeper = keeper
        self.isDurable = isDurable
        self.daemon = daemon
        log = daemon.log
        timer = try Timer(loop) { [unowned self] in wake() }
    }

    /// What was told and waits for the disk (`relaxed`), roughly, in memory.
    var unstoredBytes: Int { unstored.bytes + (inFlight?.bytes ?? 0) }

    /// Whether everything that was told is stored.
    var isSettled: Bool { !isBusy && inFlight == nil && unstored.isEmpty }

    /// Takes a turn that has ended; its words leave when they may.
    func take(_ turn: Turn) {
        guard !turn.deltas.isEmpty else { return daemon.release(turn) }
        guard isDurable else {
            unstored.add(turn)
            refuseWhileFull()
            if inFlight == nil, unstored.turns.count == 1 {
                timer?.start(afterMilliseconds: Commits.relaxedMilliseconds)
            }
            return daemon.release(turn)
        }
        isBusy = true
        keeper.commit(turn.deltas) { [self] outcome in
            switch outcome {
            case .stored:
                succeeded()
                isBusy = false
                hub.stored(turn)
                daemon.release(turn)
            case .failed(let reason): fall(turn, reason)
            }
        }
    }

    /// Law 2: back to what the disk has, then everybody is answered.
    private func fall(_ turn: Turn, _ reason: String) {
        failed(reason)
        keeper.recover(hub.fall([turn])) { [self] documents in
            isBusy = false
            daemon.beginTurn()
            hub.recovered(documents)
            if hub.hasLost { timer?.start(afterMilliseconds: Commits.retryMilliseconds) }
        }
    }

    /// Sends for what the hub lacks, after all that has been decided before is stored.
    func runErrands() {
        let errands = hub.takeErrands()
        guard !errands.isEmpty else { return }
        if !isDurable { flush() }
        for errand in errands { keeper.run(errand, for: hub) { [daemon] in daemon.beginTurn() } }
    }

    // MARK: - Relaxed

    /// Stores what has been told and not stored.
    func flush() {
        guard inFlight == nil, !unstored.isEmpty else { return }
        let taken = unstored
        unstored = Unstored()
        inFlight = taken
        keeper.commit(taken.all) { [self] outcome in
            inFlight = nil
            switch outcome {
            case .stored:
                succeeded()
                for turn in taken.turns { hub.stored(turn) }
                if !unstored.isEmpty { timer?.start(afterMilliseconds: Commits.relaxedMilliseconds) }
            case .failed(let reason):
                failed(reason)
                var all = taken
                all.add(unstored)
                unstored = all
                keeper.recover([]) { [self] _ in timer?.start(afterMilliseconds: Commits.retryMilliseconds) }
            }
            refuseWhileFull()
        }
    }

    private func refuseWhileFull() {
        let isFull = unstoredBytes > Unstored.bytesMax
        hub.writesRefused = isFull ? Failure(.storageFailed, "the disk does not take what was written before") : nil
    }

    private func wake() {
        if !isDurable { flush() }
        guard hub.hasLost, !isBusy else { return }
        keeper.probe { [self] works in
            if works { hub.retryLost() } else { timer?.start(afterMilliseconds: Commits.retryMilliseconds) }
        }
    }

    // MARK: - What is told of it

    private func failed(_ reason: String) {
        failures += 1
        failureCount += 1
        log.fault("storage_failed", "a write could not be stored: \(reason)")
    }

    private func succeeded() {
        guard failures > 0 else { return }
        log.write(.notice, "writes are stored again, after \(failures) failed commits")
        failures = 0
    }

    func close() {
        timer?.close()
        timer = nil
    }
}

/// What `relaxed` has told and not stored yet.
struct Unstored {
    private(set) var turns: [Turn] = []
    private var deltas: [DocumentName: DocumentDelta] = [:]
    private var order: [DocumentName] = []
    /// Roughly what it takes in memory.
    private(set) var bytes = 0
    /// Past this nothing more is accepted until the disk has taken it.
    static let bytesMax = 64 << 20

    var isEmpty: Bool { order.isEmpty }

    /// Everything, document by document.
    var all: [DocumentDelta] { order.compactMap { deltas[$0] } }

    mutating func add(_ turn: Turn) {
        turns.append(turn)
        for delta in turn.deltas {
            bytes += delta.flags.count * 64
            for entry in delta.history { bytes += 160 + entry.flags.count * 48 }
            if let document = delta.content?.latest()?.value.document { bytes += document.textBytes }
            add(delta)
        }
    }

    /// What came later follows what could not be stored.
    mutating func add(_ later: Unstored) {
        turns.append(contentsOf: later.turns)
        bytes += later.bytes
        for delta in later.all { add(delta) }
    }

    private mutating func add(_ delta: DocumentDelta) {
        let name = delta.outline.name
        if deltas[name] == nil {
            order.append(name)
            deltas[name] = delta
        } else {
            deltas[name]?.add(delta)
        }
    }
}
