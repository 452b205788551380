// Why this file exists: laws 3 and 5. What a turn did is written once for each document and handed to each client as one
// range of it; a client that does not read loses its queued events and gets the state when it reads again.
//
// The order on one connection: an event comes before the reply to the request that caused it, and `subscribe`'s reply
// comes before anything of its document. So a session's replies are kept back until the turn ends or its subscriptions
// change; then first its events go out, then its replies.

import AccordionModel
import Bytes
import Wire

extension Hub {
    // MARK: - Within a turn

    /// Notes that the current turn has something for this session.
    func enter(_ session: Session) {
        guard !session.isInTurn else { return }
        session.isInTurn = true
        session.unreleasedTurns += 1
        turn.sessions.append(session)
    }

    func reply(_ session: Session, _ id: RequestID?, _ reply: Reply, isClamped: Bool = false) {
        write(session) { reply.write(id: id, isClamped: isClamped, into: $0) }
    }

    func refuse(_ session: Session, _ failure: Failure) { write(session) { failure.write(into: $0) } }

    private func write(_ session: Session, _ body: (Frame) -> Void) {
        guard !session.isGone else { return }
        enter(session)
        let start = turn.replies.count
        body(turn.replies)
        let range = start..<turn.replies.count
        session.unreleasedReplyBytes += range.count
        if let last = session.turnReplies.last, last.upperBound == start {
            session.turnReplies[session.turnReplies.count - 1] = last.lowerBound..<range.upperBound
        } else {
            session.turnReplies.append(range)
        }
    }

    /// Gives a session what it is due so far in this turn: its events, then its replies.
    func seal(_ session: Session) {
        if !turn.rooms.isEmpty {
            for subscription in session.subscriptions { deliverEvents(to: subscription) }
        }
        for range in session.turnReplies {
            turn.deliveries.append(
                Turn.Delivery(session: session, piece: Piece(turn.replies, range, isDroppable: false)))
        }
        session.turnReplies = []
    }

    /// Hands a piece to a session in this turn.
    func deliver(_ piece: Piece, to session: Session) {
        if !piece.isDroppable { session.unreleasedReplyBytes += piece.count }
        turn.deliveries.append(Turn.Delivery(session: session, piece: piece))
    }

    /// Writes an event of a room. `isDroppable` is false for one that a slow client must get all the same.
    func tell(_ room: Room, isDroppable: Bool = true, _ body: (EventWriter) -> Void) {
        guard !room.subscribers.isEmpty else { return }
        let frame: Frame
        if let events = room.events {
            frame = events
        } else {
            frame = Frame(capacityBytes: 256)
            room.events = frame
            turn.rooms.append(room)
        }
        body(EventWriter(frame))
        if let last = room.segments.last, last.isDroppable, isDroppable {
            room.segments[room.segments.count - 1].end = frame.count
        } else {
            room.segments.append((frame.count, isDroppable))
        }
    }

    /// Gives one subscriber the events of its room that it has not been given in this turn.
    private func deliverEvents(to subscription: Subscription) {
        let room = subscription.room
        guard let events = room.events, subscription.cursor < events.count else { return }
        defer { subscription.cursor = events.count }
        guard subscription.behindSince == nil else { return }
        subscription.givenTurn = turn.number
        var start = 0
        for segment in room.segments {
            if segment.end > subscription.cursor {
                deliver(
                    Piece(
                        events, max(start, subscription.cursor)..<segment.end, isDroppable: segment.isDroppable),
                    to: subscription.session)
            }
            start = segment.end
        }
    }

    /// Tells those who watch the list. `name` is the document that came, went or changed its title.
    func tellList(_ name: DocumentName, _ body: (EventWriter) -> Void) {
        guard !watchers.isEmpty else { return }
        let frame = turn.listings ?? Frame()
        turn.listings = frame
        body(EventWriter(frame))
        turn.listedNames.append(name)
    }

    // MARK: - The end of a turn

    func fanOut(_ turn: Turn) {
        for session in turn.sessions {
            seal(session)
            session.isInTurn = false
        }
        for room in turn.rooms {
            for subscription in room.subscribers {
                deliverEvents(to: subscription)
                subscription.cursor = 0
            }
            room.events?.seal()
            room.events = nil
            room.segments.removeAll(keepingCapacity: true)
        }
        if let listings = turn.listings { fanOut(listings, turn.listedNames) }
        turn.replies.seal()
    }

    private func fanOut(_ listings: Frame, _ names: [DocumentName]) {
        listings.seal()
        for session in watchers {
            if session.listWatch?.missed.isEmpty == false {
                session.listWatch?.missed.formUnion(names)
            } else {
                session.listWatch?.unsent.append(contentsOf: names)
                deliver(Piece(listings, isDroppable: true), to: session)
            }
        }
    }

    // MARK: - Slow clients

    /// Drops the events that wait, and notes of which documents some were lost.
    func fallBehind(_ session: Session) {
        let dropped = session.outbox.dropEvents()
        guard dropped > 0 else { return }
        count { $0.droppedEventBytes += dropped }
        for subscription in session.subscriptions
        where subscription.behindSince == nil && subscription.givenTurn > session.emptyTurn {
            subscription.behindSince = session.emptyTurn + 1
            session.behindCount += 1
        }
        if let watch = session.listWatch {
            session.listWatch?.missed.formUnion(watch.unsent)
            session.listWatch?.unsent = []
        }
    }

    /// Brings a session to the present that has taken all that waited for it.
    func catchUp(_ session: Session) {
        enter(session)
        seal(session)
        count { $0.resyncs += 1 }
        for subscription in session.subscriptions {
            guard let since = subscription.behindSince else { continue }
            subscription.behindSince = nil
            let room = subscription.room
            if max(room.contentTurn, subscription.contentTurn) < since, let frame = room.catchUp(at: moment) {
                give(frame, to: subscription)
            } else if let frame = room.snapshot(.resync, epoch: settings.epoch) {
                give(frame, to: subscription)
                subscription.contentTurn = turn.number
            } else {
                let frame = Frame()
                EventWriter(frame).deleted(room.name, by: room.deletedBy)
                frame.seal()
                give(frame, to: subscription, isDroppable: false)
            }
        }
        session.behindCount = 0
        for name in session.listWatch?.missed.sorted() ?? [] {
            let frame = Frame()
            if let view = rooms[name]?.state.view {
                EventWriter(frame).listed(name, title: view.document.attributes.title)
            } else {
                EventWriter(frame).unlisted(name)
            }
            frame.seal()
            deliver(Piece(frame, isDroppable: true), to: session)
            session.listWatch?.unsent.append(name)
        }
        session.listWatch?.missed = []
    }

    /// Hands a whole state to a subscriber; of this turn it gets only what comes after.
    func give(_ frame: Frame, to subscription: Subscription, isDroppable: Bool = true) {
        deliver(Piece(frame, isDroppable: isDroppable), to: subscription.session)
        subscription.givenTurn = turn.number
        subscription.cursor = subscription.room.events?.count ?? 0
    }
}
