// Why this file exists: between a turn that is decided and the words that rest on it stands the disk, which blocks. The
// keeper takes turns to the store's own thread and brings back what became of them, and fetches what is not in memory.

import AccordionModel
import EventLoop
import Hub
import Store
import Wire

final class Keeper {
    private let store: DocumentStore
    private let worker: Worker
    private let log: Log
    private static let outlinesAtOnce = 5_000
    /// Retention of the history.
    private var historyMilliseconds: Int64 = 90 * 24 * 3_600 * 1_000
    private var historyEntriesMax: Int64 = 1_000_000

    func keepHistory(days: Int, entries: Int) {
        historyMilliseconds = Int64(days) * 24 * 3_600 * 1_000
        historyEntriesMax = Int64(entries)
    }

    init(_ store: DocumentStore, _ loop: Loop, _ log: Log) throws(SystemError) {
        self.store = store
        self.log = log
        worker = try Worker(loop)
    }

    /// Jobs given whose continuation has not run.
    var pendingJobs: Int { worker.pendingJobs }

    /// Stores what turns wrote as one transaction, and with it what changed of what the cluster is owed.
    func commit(
        _ deltas: [DocumentDelta], _ replication: ReplicationDelta, then continuation: @escaping (CommitOutcome) -> Void
    ) {
        worker.run { [store] () -> CommitOutcome in
            do throws(StoreFailure) {
                try store.commit(deltas, replication)
                return .stored
            } catch {
                return .failed(error.message)
            }
        } then: {
            continuation($0)
        }
    }

    /// What the cluster is owed with a higher place than `place`; nil where it can't be read.
    func outgoing(after place: Int64, limit: Int, then continuation: @escaping (OutgoingPage?) -> Void) {
        worker.run { [store] () -> OutgoingPage? in
            do throws(StoreFailure) {
                return try store.outgoing(after: place, limit: limit)
            } catch {
                return nil
            }
        } then: {
            continuation($0)
        }
    }

    /// Opens the database anew after a failed commit, and reads what it has of these documents.
    func recover(
        _ names: [DocumentName], then continuation: @escaping ([(name: DocumentName, outcome: LoadOutcome)]) -> Void
    ) {
        worker.run { [store] () -> [(name: DocumentName, outcome: LoadOutcome)] in
            do throws(StoreFailure) {
                try store.reopen()
            } catch {
                return names.map { ($0, .failed(error.message)) }
            }
            return names.map { ($0, Keeper.load($0, store)) }
        } then: {
            continuation($0)
        }
    }

    /// Says when all that was given before is done.
    func answer(_ continuation: @escaping () -> Void) {
        worker.run {
        } then: { _ in
            continuation()
        }
    }

    /// Opens the database anew if it is not open, and says whether it works.
    func probe(then continuation: @escaping (Bool) -> Void) {
        worker.run { [store] () -> Bool in
            do throws(StoreFailure) {
                try store.probe()
                return true
            } catch {
                return false
            }
        } then: {
            continuation($0)
        }
    }

    private static func load(_ name: DocumentName, _ store: DocumentStore) -> LoadOutcome {
        do throws(StoreFailure) {
            guard let stored = try store.load(name) else { return .missing }
            return .found(stored)
        } catch {
            return .failed(error.message)
        }
    }

    // MARK: - What is not in memory

    /// All documents, told to `take` in parts, the last of them with true. Else says why they can't be read. In parts, so
    /// that a document that is asked for meanwhile need not wait for all of them.
    func learn(
        after name: DocumentName? = nil, _ take: @escaping (_ outlines: [DocumentOutline], _ isLast: Bool) -> Void,
        orElse refuse: @escaping (String) -> Void
    ) {
        worker.run { [store] () -> Result<[DocumentOutline], StoreFailure> in
            do throws(StoreFailure) {
                return .success(try store.outlines(after: name, limit: Keeper.outlinesAtOnce))
            } catch {
                return .failure(error)
            }
        } then: { [self] result in
            switch result {
            case .success(let outlines):
                // The next part is read while this one is learned.
                if outlines.count == Keeper.outlinesAtOnce, let last = outlines.last {
                    learn(after: last.name, take, orElse: refuse)
                }
                take(outlines, outlines.count < Keeper.outlinesAtOnce)
            case .failure(let failure): refuse(failure.message)
            }
        }
    }

    /// What is told while the disk lacks what was told before.
    private static let behindText = "the disk does not take what was written before"

    /// Does an errand of the hub; `begin` is called before the hub is told. Where `isBehind`, asked once the answer is
    /// there, says that the disk lacks some of what was told, what was read of the history is not told.
    func run(
        _ errand: Errand, for hub: Hub, isBehind: @escaping () -> Bool, _ begin: @escaping () -> Void
    ) {
        switch errand {
        case .load(let name):
            worker.run { [store] in
                Keeper.load(name, store)
            } then: { [log] outcome in
                if case .failed(let reason) = outcome {
                    log.fault(
                        "unreadable", level: .error, about: [.document(name.text)],
                        "the document \(name) can't be read: \(reason)")
                } else if case .found(let stored) = outcome, stored.rowsSetAside > 0 {
                    log.write(
                        .error,
                        "\(stored.rowsSetAside) damaged rows of the document \(name) were set aside; the rest is served",
                        about: [.document(name.text), .code("unreadable")])
                }
                begin()
                hub.loaded(name, outcome)
            }
        case .history(let number, let request):
            worker.run { [store] () -> Result<[HistoryEntry], StoreFailure> in
                do throws(StoreFailure) {
                    return .success(
                        try store.history(
                            request.document, section: request.section, before: request.before, limit: request.limit,
                            bytesMax: Request.History.bytesMax
                        ).entries)
                } catch {
                    return .failure(error)
                }
            } then: { result in
                begin()
                switch result {
                case .success where isBehind(): hub.answered(history: number, nil, Keeper.behindText)
                case .success(let entries): hub.answered(history: number, entries)
                case .failure(let failure): hub.answered(history: number, nil, failure.message)
                }
            }
        case .ownWrites(let number, let name, let person):
            let node = hub.settings.node
            worker.run { [store] () -> Result<[HistoryEntry], StoreFailure> in
                do throws(StoreFailure) {
                    return .success(
                        try store.ownWrites(name, by: person, node: node, limit: UndoLog.writesMax * 2))
                } catch {
                    return .failure(error)
                }
            } then: { result in
                begin()
                switch result {
                case .success where isBehind():
                    hub.answered(ownWrites: number, name, by: person, nil, Keeper.behindText)
                case .success(let entries): hub.answered(ownWrites: number, name, by: person, entries)
                case .failure(let failure): hub.answered(ownWrites: number, name, by: person, nil, failure.message)
                }
            }
        }
    }

    // MARK: - Care

    /// Takes away history that is older or more than is kept, a bounded step at a time. `wallMilliseconds` is now.
    func retire(wallMilliseconds: Int64, then continuation: @escaping (_ isDone: Bool) -> Void) {
        let (cutoff, entriesMax) = (wallMilliseconds - historyMilliseconds, historyEntriesMax)
        worker.run { [store] () -> Int in
            do throws(StoreFailure) {
                return try store.retire(
                    olderThanMilliseconds: cutoff, entriesMax: entriesMax, rowsMax: 1_000)
            } catch {
                return 0
            }
        } then: {
            continuation($0 == 0)
        }
    }

    /// Empties the log of the database where it has grown, when there is nothing else to do.
    func checkpoint() {
        worker.run { [store] () -> Bool in
            do throws(StoreFailure) {
                try store.checkpoint()
                return true
            } catch {
                return false
            }
        } then: { _ in
        }
    }

    /// Damaged or missing rows met so far.
    var rowsSetAside: Int { store.rowsSetAside }

    /// Notes on disk that answers go out before they are stored.
    func markRelaxed() throws(StoreFailure) { try store.markRelaxed() }

    /// Waits for all that was given, and closes the store. `isClean`, asked then: everything that was told is stored.
    func close(isClean: () -> Bool) {
        worker.shutdown()
        do throws(StoreFailure) {
            if isClean() { try store.markCleanEnd() }
        } catch {
            log.write(.error, "the end could not be noted: \(error.message)")
        }
        store.close()
    }
}
