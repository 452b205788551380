// Why this file exists: law 1 asks that words wait for the commit that they rest on, and for no other. While a commit takes
// long – a disk that hangs, somebody else's lock – the turn gathered behind it can't end; replies in it that rest on nothing
// of what waits leave all the same, so that reading goes on (law 2).

import AccordionModel
import Bytes
import Wire

extension Hub {
    /// Lets those replies of the current turn leave that no commit can take back, of sessions for which nothing else waits;
    /// returns the sessions, as `release` does. It looks at the whole turn: for when the disk is slow.
    package func releaseIndependent() -> [Session] {
        if isRecovering { return [] }
        var bound: Set<UInt64> = []
        for delivery in turn.deliveries { bound.insert(delivery.session.number) }
        for record in turn.records where !isIndependent(record.basis) { bound.insert(record.session.number) }
        var free: [Session] = []
        for session in turn.sessions
        where session.unreleasedTurns == 1 && !session.turnReplies.isEmpty && !session.isGone
            && !bound.contains(session.number)
        {
            handOver(session)
            free.append(session)
        }
        if free.isEmpty { return [] }
        let numbers = Set(free.lazy.map(\.number))
        turn.records.removeAll { numbers.contains($0.session.number) }
        return free
    }

    /// The turn's frame still grows, so what leaves early is copied.
    private func handOver(_ session: Session) {
        let frame = Frame(capacityBytes: session.turnReplies.reduce(0) { $0 + $1.count })
        turn.replies.withSpan { span in
            for range in session.turnReplies { frame.append(span.extracting(range)) }
        }
        frame.seal()
        session.unreleasedReplyBytes -= frame.count
        session.turnReplies = []
        session.outbox.append(Piece(frame, isDroppable: false))
    }

    private func isIndependent(_ basis: Record.Basis) -> Bool {
        switch basis {
        case .nothing: return true
        case .reads(let request):
            // A list tells of every document.
            guard let name = request.action.document else { return false }
            return rooms[name]?.waitsForDisk != true
        case .writes(let room, let counter): return counter == 0 && !room.waitsForDisk
        }
    }

    /// The goodbye of those whose last words wait for a disk that does not answer.
    package func sayGoodbyeAtOnce() -> [Session] {
        let frame = Frame()
        EventWriter(frame).goodbye("shutting_down")
        frame.seal()
        let waiting = sessions.values.filter { $0.unreleasedTurns > 0 && !$0.isGone }
        for session in waiting { session.outbox.append(Piece(frame, isDroppable: false)) }
        return waiting
    }
}

extension Room {
    /// Whether the state tells of something that is not stored yet.
    fileprivate var waitsForDisk: Bool { pending != nil || unstoredTurns > 0 || isLost || hasFallen }
}
