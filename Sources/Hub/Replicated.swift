// Why this file exists: a write is safe once it is on this daemon's disk, and safe from the loss of this machine once the
// cluster's broker has it. Whoever wants to wait for the second is told of it here.

import AccordionModel
import Bytes
import Causality
import Wire

/// A write whose session wants to be told when the broker has it.
struct ReplicationWait {
    let counter: Int64
    let session: Session
    /// The document's version with the write.
    let version: VersionVector
}

extension Hub {
    /// Writes of one session that may wait to be told; past it such a request is refused.
    static var replicationWaitsMax: Int { 1_000 }

    /// Whether `replicated` would tell anybody.
    package var awaitsReplication: Bool { !replicationWaits.isEmpty }

    /// The broker has a write of this daemon: whoever waits for that is told.
    package func replicated(_ name: DocumentName, counter: Int64) {
        guard let index = replicationWaits[name]?.firstIndex(where: { $0.counter == counter }),
            let wait = replicationWaits[name]?.remove(at: index)
        else { return }
        if replicationWaits[name]?.isEmpty == true { replicationWaits[name] = nil }
        wait.session.replicationWaitCount -= 1
        tellReplicated(wait.session, name, wait.version)
    }

    /// After the reply to a request that asked for it. What changed nothing has nothing to wait for, and is told at once.
    func awaitReplication(_ session: Session, _ room: Room, _ options: Request.WriteOptions) {
        guard options.replicated else { return }
        guard decidedCounter > 0 else { return tellReplicated(session, room.name, room.state.version) }
        replicationWaits[room.name, default: []].append(
            ReplicationWait(counter: decidedCounter, session: session, version: room.state.version))
        session.replicationWaitCount += 1
        session.replicationNames.insert(room.name)
    }

    /// The write was not stored: its counter may come again for another.
    func forgetReplication(_ name: DocumentName, counter: Int64) {
        guard let index = replicationWaits[name]?.firstIndex(where: { $0.counter == counter }),
            let wait = replicationWaits[name]?.remove(at: index)
        else { return }
        wait.session.replicationWaitCount -= 1
        if replicationWaits[name]?.isEmpty == true { replicationWaits[name] = nil }
    }

    func forgetReplication(of session: Session) {
        for name in session.replicationNames where replicationWaits[name] != nil {
            replicationWaits[name]?.removeAll { $0.session === session }
            if replicationWaits[name]?.isEmpty == true { replicationWaits[name] = nil }
        }
        session.replicationNames = []
        session.replicationWaitCount = 0
    }

    private func tellReplicated(_ session: Session, _ name: DocumentName, _ version: VersionVector) {
        let start = turn.replies.count
        write(session) { EventWriter($0).replicated(name, version) }
        record(session, from: start, nil, .nothing)
    }
}
