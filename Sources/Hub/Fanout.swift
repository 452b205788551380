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

    func refuse(_ session: Session, _ failure: Failure) {
        count { $0.refusals[failure.code, default: 0] += 1 }
        write(session) { failure.write(into: $0) }
    }

    func write(_ session: Session, _ body: (Frame) -> Void) {
        guard !session.isGone else { return }
        enter(session)
        let start = turn.replies.count
        body(turn.replies)
        let range = start..<turn.replies.count
        chargeReply(session, range.count)
        turn.workBytes += range.count
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
        deliverListings(to: session)
        for range in session.turnReplies {
            turn.deliveries.append(Turn.Delivery(session, Piece(turn.replies, range, isDroppable: false)))
        }
        session.turnReplies = []
    }

    /// Hands a piece to a session in this turn.
    func deliver(_ piece: Piece, to session: Session) {
        charge(piece, to: session)
        turn.deliveries.append(Turn.Delivery(session, piece))
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
        let start = frame.count
        body(EventWriter(frame))
        turn.workBytes += frame.count - start
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
                if !segment.isDroppable { subscription.deletedTurn = turn.number }
                deliver(
                    Piece(
                        events, max(start, subscription.cursor)..<segment.end, isDroppable: segment.isDroppable),
                    to: subscription.session)
            }
            start = segment.end
        }
    }

    /// Tells those who watch the list that a document came, went or changed its title.
    func tellList(_ entry: Catalog.Entry, _ body: (EventWriter) -> Void) {
        entry.listedTurn = turn.number
        guard !watchers.isEmpty else { return }
        let frame = turn.listings ?? Frame()
        turn.listings = frame
        let start = frame.count
        body(EventWriter(frame))
        turn.listed.append((entry.outline.name, frame.count))
        turn.workBytes += frame.count - start
    }

    /// Gives a session that watches the list the events of this turn that it has not been given.
    private func deliverListings(to session: Session) {
        guard let watch = session.listWatch, let listings = turn.listings, watch.cursor < listings.count else { return }
        let range = watch.cursor..<listings.count
        watch.cursor = listings.count
        guard !watch.isBehind else { return }
        watch.givenTurn = turn.number
        guard session.rights.documents != nil else {
            return deliver(Piece(listings, range, isDroppable: true), to: session)
        }
        var start = 0
        for (name, end) in turn.listed {
            if start >= range.lowerBound, session.rights.allows(name) {
                deliver(Piece(listings, start..<end, isDroppable: true), to: session)
            }
            start = end
        }
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
        if let listings = turn.listings {
            for session in watchers {
                deliverListings(to: session)
                session.listWatch?.cursor = 0
            }
            listings.seal()
        }
        turn.replies.seal()
        dropForSlow(turn)
    }

    /// Hands a whole state to a subscriber; of this turn it gets only what comes after.
    func give(_ frame: Frame, to subscription: Subscription, isDroppable: Bool = true) {
        deliver(Piece(frame, isDroppable: isDroppable), to: subscription.session)
        subscription.givenTurn = turn.number
        subscription.cursor = subscription.room.events?.count ?? 0
    }
}
