// Why this file exists: a session comes into a room and leaves it. What it is given first decides whether all that follows
// makes sense to it.

import AccordionModel
import Bytes
import Causality
import Wire

extension Hub {
    func subscribe(_ session: Session, _ id: RequestID?, _ request: Request.Subscribe, _ room: Room) throws(Failure) {
        let known = session.subscription(to: room)
        guard known != nil || session.subscriptions.count < settings.limits.subscriptionsMax else {
            throw Failure(
                .tooManyRequests, "a connection has at most \(settings.limits.subscriptionsMax) subscriptions")
        }
        reply(session, id, .version(room.state.version))
        // The reply goes out before anything of the document: what this turn brings next stands behind it.
        seal(session)
        let subscription = known ?? Subscription(session: session, room: room, wantsPresence: false)
        if known == nil {
            session.subscriptions.append(subscription)
            room.add(subscription)
        }
        if subscription.behindSince != nil {
            subscription.behindSince = nil
            session.behindCount -= 1
        }
        if subscription.wantsPresence != request.presence {
            subscription.wantsPresence = request.presence
            listen(room, request.presence ? 1 : -1)
        }
        giveState(to: subscription, request)
        if request.presence || known == nil { presenceChanged(room) }
    }

    /// Only what changed since, where the client knows this run of the daemon and has the content; else everything.
    private func giveState(to subscription: Subscription, _ request: Request.Subscribe) {
        let room = subscription.room
        if let since = request.since, request.epoch == settings.epoch, room.state.version.covers(since),
            let applied = room.state.changes(since: since), let view = room.state.view
        {
            let frame = Frame()
            EventWriter(frame).changed(room.name, applied, room.state.version, view, room.state)
            frame.seal()
            turn.workBytes += frame.count + room.state.flags.count * Turn.registerWorkBytes
            give(frame, to: subscription)
        } else if let frame = room.snapshot(.subscribed, epoch: settings.epoch, turn) {
            give(frame, to: subscription)
            subscription.contentTurn = turn.number
        }
    }

    func unsubscribe(_ subscription: Subscription) {
        let (session, room) = (subscription.session, subscription.room)
        if !session.isGone, session.isInTurn { seal(session) }
        room.remove(subscription)
        session.subscriptions.removeAll { $0 === subscription }
        if subscription.behindSince != nil { session.behindCount -= 1 }
        if subscription.wantsPresence { listen(room, -1) }
        presenceChanged(room)
    }

    func watchList(_ session: Session, _ isOn: Bool) {
        guard isOn else {
            enter(session)
            seal(session)
            return stopWatching(session)
        }
        guard session.listWatch == nil else { return }
        session.listWatch = ListWatch(index: watchers.count, cursor: turn.listings?.count ?? 0)
        watchers.append(session)
    }

    private func stopWatching(_ session: Session) {
        guard let watch = session.listWatch else { return }
        session.listWatch = nil
        guard let last = watchers.popLast(), last !== session else { return }
        watchers[watch.index] = last
        last.listWatch?.index = watch.index
    }

    /// The session is told of nothing any more. What it is due by now, it still gets.
    func leaveAll(_ session: Session) {
        while let subscription = session.subscriptions.last { unsubscribe(subscription) }
        if !session.isGone, session.isInTurn { seal(session) }
        stopWatching(session)
    }
}
