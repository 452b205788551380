// Why this file exists: law 4. What waits for a client is charged to its connection from the moment it is decided: while it
// waits for the disk it stands in no outbox yet, and a disk that stalls must not be a way around the limits.

import Bytes
import Wire

extension Session {
    /// Events that wait for it, released or not, those aside that were dropped and not released yet.
    var chargedEventBytes: Int { outbox.queuedEventBytes + unreleasedEventBytes }
    var chargedReplyBytes: Int { outbox.queuedReplyBytes + unreleasedReplyBytes }

    /// Whether replies wait beyond their limit, so that no more requests are taken.
    func isOverReplyLimit(_ limits: HubLimits) -> Bool { chargedReplyBytes > limits.queuedReplyBytesMax }

    /// Whether events wait beyond their limit. One that has taken all it was given is not slow, however much a turn has
    /// for it.
    func isOverEventLimit(_ limits: HubLimits) -> Bool {
        chargedEventBytes > limits.queuedEventBytesMax && !outbox.isEmpty
    }
}

extension Hub {
    func chargeReply(_ session: Session, _ bytes: Int) {
        let before = session.chargedReplyBytes
        session.unreleasedReplyBytes += bytes
        let most = settings.limits.queuedReplyBytesMax
        if before <= most, before + bytes > most { count { $0.replyLimitWaits += 1 } }
    }

    func charge(_ piece: Piece, to session: Session) {
        guard piece.isDroppable else { return chargeReply(session, piece.count) }
        session.unreleasedEventBytes += piece.count
        guard !session.isSlow, session.isOverEventLimit(settings.limits) else { return }
        session.isSlow = true
        turn.slow.append(session)
    }

    /// A delivery is released, or falls.
    func uncharge(_ delivery: Turn.Delivery) {
        let session = delivery.session
        if !delivery.piece.isDroppable {
            session.unreleasedReplyBytes -= delivery.piece.count
        } else if delivery.dropCount == session.dropCount {
            session.unreleasedEventBytes -= delivery.piece.count
        }
    }

    /// Those who read too slowly for what the turn has for them lose their events, once the turn has given them all.
    func dropForSlow(_ ended: Turn) {
        for session in ended.slow {
            session.isSlow = false
            if !session.isGone, session.isOverEventLimit(settings.limits) { fallBehind(session) }
        }
        ended.slow = []
    }
}
