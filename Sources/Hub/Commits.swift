// Why this file exists: law 1 in its two forms. `durable`: a turn's words wait for its commit, and while one commit is
// under way the next turn gathers. `relaxed`: words leave at once, and what they rest on follows within 100 ms; what could
// not be stored then is tried again, never taken back. The disk, the clock and the doors are the owner's, so that every
// order in which they answer can be tried.

import AccordionModel
import Wire

/// What became of the commit of a turn.
package enum CommitOutcome: Sendable {
    case stored
    /// Why not.
    case failed(String)
}

/// Whoever has the disk, the clock and the doors. Every continuation is called later, in the order of the calls.
package protocol CommitsOwner: AnyObject {
    /// Stores what turns wrote as one transaction, and with it that these tickets of `Hub.merge` are done with.
    func commit(_ deltas: [DocumentDelta], settled: [UInt64], then continuation: @escaping (CommitOutcome) -> Void)
    /// Tickets of a turn that wrote nothing.
    func settle(_ tickets: [UInt64])
    /// Opens what is stored anew after a failed commit, and reads these documents.
    func recover(
        _ names: [DocumentName], then continuation: @escaping ([(name: DocumentName, outcome: LoadOutcome)]) -> Void)
    /// Says whether something could be stored now.
    func probe(then continuation: @escaping (Bool) -> Void)
    /// Does an errand of the hub, after `beginTurn`.
    func run(_ errand: Errand)
    /// To be called before the hub is given anything.
    func beginTurn()
    /// Lets a turn's words out.
    func release(_ turn: Turn)
    /// `Commits.wake` is to be called in so many milliseconds; a later call counts instead of an earlier one.
    func wakeCommits(afterMilliseconds: Int)
    func commitFailed(_ reason: String)
    func commitsResumed(afterFailures: Int)
}

package final class Commits {
    /// How long `relaxed` waits before it stores, so that much is stored at once.
    private static let relaxedMilliseconds = 100
    private static let retryMilliseconds = 1_000

    private let hub: Hub
    private let isDurable: Bool
    private unowned let owner: any CommitsOwner
    /// One is being stored, or memory is being made anew.
    private var isStoring = false
    private var unstored = Unstored()
    private var inFlight: Unstored?
    private var failures = 0
    /// Why the last commit that failed did.
    package private(set) var lastFailure = ""
    /// Nothing is given to the disk any more.
    private var isOver = false
    /// Commits that failed since the start.
    package private(set) var failureCount = 0

    package init(_ hub: Hub, isDurable: Bool, _ owner: any CommitsOwner) {
        self.hub = hub
        self.isDurable = isDurable
        self.owner = owner
    }

    /// A turn can't be ended: one is being stored, memory is being made anew, or as much has been told (`relaxed`) as may
    /// wait for a disk that works.
    package var isBusy: Bool { isStoring || isFull && failures == 0 }

    /// What was told and waits for the disk (`relaxed`), roughly, in memory.
    package var unstoredBytes: Int { unstored.bytes + (inFlight?.bytes ?? 0) }

    private var isFull: Bool { unstoredBytes > Unstored.bytesMax }

    /// Whether everything that was told is stored.
    package var isSettled: Bool { !isStoring && inFlight == nil && unstored.isEmpty }

    /// Whether the last commit failed.
    package var isFailing: Bool { failures > 0 }

    /// Whether what is read from the disk may lack what was told (`relaxed`): commits fail.
    package var isDiskBehind: Bool { !isDurable && failures > 0 }

    /// Writes that were told and are not stored.
    package var lostWriteCount: Int { isDurable ? 0 : unstored.writeCount + (inFlight?.writeCount ?? 0) }

    /// Gives the disk nothing any more: the daemon ends. What it is doing may still succeed.
    package func end() { isOver = true }

    /// Takes a turn that has ended; its words leave when they may.
    package func take(_ turn: Turn) {
        guard !turn.deltas.isEmpty else {
            if !turn.settled.isEmpty { owner.settle(turn.settled) }
            return owner.release(turn)
        }
        guard isDurable else {
            let wasEmpty = unstored.isEmpty
            unstored.add(turn)
            refuseWhileFull()
            if inFlight == nil, failures == 0 {
                if unstored.bytes > Unstored.bytesAtOnce {
                    flush()
                } else if wasEmpty {
                    owner.wakeCommits(afterMilliseconds: Commits.relaxedMilliseconds)
                }
            }
            return owner.release(turn)
        }
        store(turn)
    }

    private func store(_ turn: Turn?) {
        isStoring = true
        owner.commit(turn?.deltas ?? [], settled: turn?.settled ?? []) { [self] outcome in
            switch outcome {
            case .stored:
                succeeded()
                isStoring = false
                guard let turn else { return }
                hub.stored(turn)
                owner.release(turn)
            case .failed(let reason): fall(turn, reason)
            }
        }
    }

    /// Stores what the owner has to store though no turn wrote anything. Not while `isBusy`.
    package func storeNothing() {
        guard !isStoring else { return }
        if isDurable { store(nil) } else if inFlight == nil { flush(evenIfEmpty: true) }
    }

    /// Law 2: back to what the disk has, then everybody is answered.
    private func fall(_ turn: Turn?, _ reason: String) {
        failed(reason)
        if isOver { return }
        owner.recover(hub.fall(turn.map { [$0] } ?? [])) { [self] documents in
            isStoring = false
            owner.beginTurn()
            hub.recovered(documents)
            if hub.hasLost { owner.wakeCommits(afterMilliseconds: Commits.retryMilliseconds) }
        }
    }

    /// Sends for what the hub lacks, after all that has been decided before is stored.
    package func runErrands() {
        let errands = hub.takeErrands()
        guard !errands.isEmpty else { return }
        if !isDurable { flush() }
        for errand in errands { owner.run(errand) }
    }

    // MARK: - Relaxed

    /// Stores what has been told and not stored.
    package func flush() { flush(evenIfEmpty: false) }

    private func flush(evenIfEmpty: Bool) {
        guard !isDurable, !isOver, inFlight == nil, evenIfEmpty || !unstored.isEmpty else { return }
        let taken = unstored
        unstored = Unstored()
        inFlight = taken
        owner.commit(taken.all, settled: taken.settled) { [self] outcome in
            inFlight = nil
            switch outcome {
            case .stored:
                succeeded()
                for turn in taken.turns { hub.stored(turn) }
                if unstored.bytes > Unstored.bytesAtOnce {
                    flush()
                } else if !unstored.isEmpty {
                    owner.wakeCommits(afterMilliseconds: Commits.relaxedMilliseconds)
                }
            case .failed(let reason):
                failed(reason)
                var all = taken
                all.add(unstored)
                unstored = all
                if isOver { return }
                owner.recover([]) { [self] _ in owner.wakeCommits(afterMilliseconds: Commits.retryMilliseconds) }
            }
            refuseWhileFull()
        }
    }

    private func refuseWhileFull() {
        hub.diskRefusal =
            isFull && failures > 0
            ? Failure(
                .storageFailed,
                "the disk does not take what was written before, and no more can wait; nothing has changed")
            : nil
    }

    /// The time that `wakeCommits` named has come.
    package func wake() {
        // What failed is tried again though no turn stands behind it: until it is stored nothing later would be.
        flush(evenIfEmpty: failures > 0)
        guard hub.hasLost, !isStoring, !isOver else { return }
        owner.probe { [self] works in
            if works { hub.retryLost() } else { owner.wakeCommits(afterMilliseconds: Commits.retryMilliseconds) }
        }
    }

    private func failed(_ reason: String) {
        failures += 1
        failureCount += 1
        lastFailure = reason
        owner.commitFailed(reason)
    }

    private func succeeded() {
        guard failures > 0 else { return }
        owner.commitsResumed(afterFailures: failures)
        failures = 0
    }
}

/// What `relaxed` has told and not stored yet.
package struct Unstored {
    private(set) var turns: [Turn] = []
    private var deltas: [DocumentName: DocumentDelta] = [:]
    private var order: [DocumentName] = []
    /// Roughly what it takes in memory.
    private(set) var bytes = 0
    /// Past this nothing more is decided until the disk has taken it; while it takes nothing, writes are refused.
    package static let bytesMax = 64 << 20
    /// Past this it is stored without waiting for more.
    static let bytesAtOnce = 8 << 20

    var isEmpty: Bool { order.isEmpty }

    /// Tickets of all turns.
    var settled: [UInt64] { turns.flatMap(\.settled) }

    var writeCount: Int { deltas.values.reduce(0) { $0 + $1.history.count } }

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
