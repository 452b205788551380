// Why this file exists: when a turn is committed and when its words leave is decided beside the hub; here are the disk, the
// timer and the log that these decisions need.

import AccordionModel
import EventLoop
import Hub
import Store
import Wire

extension Daemon: CommitsOwner {
    func commit(
        _ deltas: [DocumentDelta], settled: [UInt64], then continuation: @escaping (CommitOutcome) -> Void
    ) {
        guard let clustering else { return keeper.commit(deltas, ReplicationDelta(), then: continuation) }
        let record = clustering.record(deltas, settled: settled)
        keeper.commit(deltas, record.delta) { outcome in
            clustering.committed(record, deltas, outcome)
            continuation(outcome)
            clustering.act()
        }
    }

    func settle(_ tickets: [UInt64]) { clustering?.settle(tickets) }

    func recover(
        _ names: [DocumentName], then continuation: @escaping ([(name: DocumentName, outcome: LoadOutcome)]) -> Void
    ) {
        keeper.recover(names) { [clustering] documents in
            continuation(documents)
            clustering?.recovered(documents)
        }
    }

    func probe(then continuation: @escaping (Bool) -> Void) { keeper.probe(then: continuation) }

    func run(_ errand: Errand) {
        keeper.run(errand, for: hub) { [unowned self] in
            commits?.isDiskBehind ?? false
        } _: { [unowned self] in
            beginTurn()
        }
    }

    /// What the turn's words rest on is stored, or need not be.
    func release(_ turn: Turn) {
        beginTurn()
        for session in hub.release(turn) { session.owner?.sessionIsDue(session) }
    }

    func wakeCommits(afterMilliseconds: Int) { commitsTimer?.start(afterMilliseconds: afterMilliseconds) }

    func commitFailed(_ reason: String) {
        log.fault("storage_failed", level: .error, "a write could not be stored: \(reason)")
        supervision?.changed()
    }

    func commitsResumed(afterFailures failures: Int) {
        log.write(.notice, "writes are stored again, after \(failures) failed commits")
        supervision?.changed()
        clustering?.resumed()
    }
}
