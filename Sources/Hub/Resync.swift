// Why this file exists: law 5. A client that does not read loses the events that wait for it; when it reads again it gets
// what it missed as state, a bounded part at a time, whatever happened in between.

import AccordionModel
import Bytes
import Wire

extension Hub {
    /// Drops the events that wait, released or not, and notes of which documents some were lost.
    func fallBehind(_ session: Session) {
        // The first piece stays, begun or not: when it has left, the client is known to read again.
        _ = session.outbox.beginFirst()
        let dropped = session.outbox.dropEvents()
        guard dropped > 0 || session.unreleasedEventBytes > 0 else { return }
        session.unreleasedEventBytes = 0
        count {
            $0.droppedEventBytes += dropped
            $0.eventDrops += 1
        }
        session.dropCount &+= 1
        let since = session.emptyTurn + 1
        for subscription in session.subscriptions where subscription.givenTurn >= since {
            // It may have been behind for a turn that fell, and what came before that is lost only now.
            if subscription.behindSince == nil { session.behindCount += 1 }
            subscription.behindSince = min(subscription.behindSince ?? since, since)
        }
        if let watch = session.listWatch, watch.givenTurn > session.emptyTurn {
            watch.isBehind = true
            // What was being made good may be lost again.
            let missed = watch.goodTurn > session.emptyTurn ? watch.goodSince : since
            watch.missedSince = min(watch.missedSince ?? missed, missed)
            watch.madeGoodTo = nil
        }
    }

    func isBehind(_ session: Session) -> Bool {
        session.behindCount > 0 || session.listWatch?.missedSince != nil
    }

    /// Brings a session that has taken all that waited for it to the present. Once more bytes are given than may wait, the
    /// rest stays for the next time; those who have waited longest come first.
    func catchUp(_ session: Session) {
        enter(session)
        seal(session)
        count { $0.resyncs += 1 }
        var givenBytes = 0
        if session.behindCount > 0 {
            let behind = session.subscriptions.filter { $0.behindSince != nil }
                .sorted { ($0.behindSince ?? 0) < ($1.behindSince ?? 0) }
            for subscription in behind where givenBytes <= settings.limits.queuedEventBytesMax {
                givenBytes += catchUp(subscription)
            }
        }
        if let watch = session.listWatch, let since = watch.missedSince,
            givenBytes <= settings.limits.queuedEventBytesMax
        {
            catchUp(session, watch, since)
        }
    }

    /// Returns how many bytes it was given.
    private func catchUp(_ subscription: Subscription) -> Int {
        guard let since = subscription.behindSince, !subscription.room.isLost else { return 0 }
        subscription.behindSince = nil
        subscription.session.behindCount -= 1
        let room = subscription.room
        if subscription.wantsPresence { presenceChanged(room) }
        if max(room.contentTurn, subscription.contentTurn) < since, let frame = room.catchUp(at: moment, turn) {
            give(frame, to: subscription)
            return frame.count
        }
        if let frame = room.snapshot(.resync, epoch: settings.epoch, turn) {
            give(frame, to: subscription)
            subscription.contentTurn = turn.number
            return frame.count
        }
        // `deleted` is never dropped: it may have been told already.
        guard subscription.deletedTurn < room.contentTurn else { return 0 }
        let frame = Frame()
        EventWriter(frame).deleted(room.name, by: room.deletedBy)
        frame.seal()
        subscription.deletedTurn = turn.number
        give(frame, to: subscription, isDroppable: false)
        return frame.count
    }

    /// Tells how every document stands whose place in the list has changed since, in the order of their names.
    private func catchUp(_ session: Session, _ watch: ListWatch, _ since: UInt64) {
        watch.isBehind = false
        let frame = Frame()
        let due = catalog.listed(since: since, after: watch.madeGoodTo).filter {
            session.rights.allows($0.outline.name)
        }
        watch.missedSince = nil
        watch.madeGoodTo = nil
        for entry in due {
            if frame.count > settings.limits.queuedEventBytesMax {
                watch.missedSince = since
                break
            }
            let outline = entry.outline
            if outline.exists {
                EventWriter(frame).listed(outline.name, title: outline.title)
            } else {
                EventWriter(frame).unlisted(outline.name)
            }
            watch.madeGoodTo = outline.name
        }
        if watch.missedSince == nil { watch.madeGoodTo = nil }
        frame.seal()
        turn.workBytes += frame.count + catalog.entryCount * Turn.registerWorkBytes
        watch.givenTurn = turn.number
        watch.goodTurn = turn.number
        watch.goodSince = since
        deliver(Piece(frame, isDroppable: true), to: session)
    }
}
