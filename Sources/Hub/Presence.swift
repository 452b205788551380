// Why this file exists: who is here and where is told to those who asked, but ten thousand clients that move must not make
// ten thousand times ten thousand events: a room tells at most four times a second, and names at most 64.

import AccordionModel
import Bytes
import Wire

/// What a room keeps for presence.
struct RoomPresence {
    /// How many subscribers want to be told.
    var listenerCount = 0
    /// When it was last told, by the steady clock.
    var toldMilliseconds: Int64?
    var isPending = false
}

extension Hub {
    /// Notes that somebody came, went or moved in a room.
    func presenceChanged(_ room: Room) {
        guard room.presence.listenerCount > 0, !room.presence.isPending else { return }
        room.presence.isPending = true
        presenceRooms.append(room)
    }

    /// In how many milliseconds `tellPresence` will have something to tell; nil where nothing waits.
    package var presenceDelayMilliseconds: Int64? {
        presenceRooms.map { presenceDelay($0) }.min()
    }

    private func presenceDelay(_ room: Room) -> Int64 {
        guard let told = room.presence.toldMilliseconds else { return 0 }
        return max(0, told + settings.limits.presenceMilliseconds - moment.steadyMilliseconds)
    }

    /// Tells the presence of every room that has waited long enough, as part of the current turn.
    package func tellPresence() {
        guard !presenceRooms.isEmpty else { return }
        let rooms = presenceRooms
        presenceRooms = []
        for room in rooms {
            guard presenceDelay(room) == 0 else {
                presenceRooms.append(room)
                continue
            }
            room.presence.isPending = false
            room.presence.toldMilliseconds = moment.steadyMilliseconds
            guard room.presence.listenerCount > 0 else { continue }
            let frame = Frame()
            EventWriter(frame).presence(room.name, clients(in: room), count: room.subscribers.count)
            frame.seal()
            turn.workBytes += frame.count
            for subscription in room.subscribers where subscription.wantsPresence && subscription.behindSince == nil {
                // Events of this turn come first, as they were decided first.
                enter(subscription.session)
                seal(subscription.session)
                deliver(Piece(frame, isDroppable: true), to: subscription.session)
                subscription.givenTurn = turn.number
            }
        }
    }

    /// At most as many as an event names: presenters first, then those who have selected something, then the others.
    private func clients(in room: Room) -> [PresentClient] {
        var chosen: [[Subscription]] = [[], [], []]
        for subscription in room.subscribers {
            let selections = subscription.session.selections
            let hasSelected = !selections.isEmpty && selections[room.name] != nil
            let rank = subscription.isPresenting ? 0 : hasSelected ? 1 : 2
            if chosen[rank].count < EventWriter.presentClientsMax { chosen[rank].append(subscription) }
        }
        return chosen.joined().prefix(EventWriter.presentClientsMax).map { subscription in
            let session = subscription.session
            return PresentClient(
                session: session.id, name: session.name, section: session.selections[room.name],
                isPresenting: subscription.isPresenting)
        }
    }

    func select(_ session: Session, _ room: Room, _ section: SectionPath?) throws(Failure) {
        if let section {
            guard room.state.view?.document.find(section) != nil else {
                throw Failure(Refusal(.unknownSection, section), in: room.name)
            }
            guard session.selections[room.name] != nil || session.selections.count < settings.limits.subscriptionsMax
            else {
                throw Failure(
                    .tooManyRequests, "sections selected in \(settings.limits.subscriptionsMax) documents already")
            }
        }
        guard session.selections[room.name] != section else { return }
        session.selections[room.name] = section
        if session.subscription(to: room) != nil { presenceChanged(room) }
    }

    func present(_ session: Session, _ room: Room, _ isPresenting: Bool) throws(Failure) {
        guard let subscription = session.subscription(to: room) else {
            throw Failure(.badRequest, "only a subscriber of \(JSONEscape.quoted(room.name.text)) can present it")
        }
        guard subscription.isPresenting != isPresenting else { return }
        subscription.isPresenting = isPresenting
        presenceChanged(room)
    }
}
