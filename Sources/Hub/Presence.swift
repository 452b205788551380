// Why this file exists: who is here and where is told to those who asked, but ten thousand clients that move must not make
// ten thousand times ten thousand events: a room tells at most four times a second, and names at most 64.

import AccordionModel
import Bytes
import Causality
import Wire

/// What a room keeps for presence.
struct RoomPresence {
    /// How many subscribers want to be told.
    var listenerCount = 0
    /// When it was last told, by the steady clock.
    var toldMilliseconds: Int64?
    var isPending = false
    /// What is here has changed and other daemons want to know.
    var isReportDue = false
    /// Who is there at other daemons, by run.
    var elsewhere: [String: (clients: [PresentClient], count: Int)] = [:]
}

/// Who is at a document here, for other daemons.
package struct PresenceHere: Sendable, Equatable {
    package let name: DocumentName
    package let clients: [PresentClient]
    package let count: Int
}

extension Hub {
    /// Notes that somebody came, went or moved in a room.
    func presenceChanged(_ room: Room) {
        let isWantedElsewhere = !presenceWantedElsewhere.isEmpty && presenceWantedElsewhere.contains(room.name)
        if isWantedElsewhere { room.presence.isReportDue = true }
        guard room.presence.listenerCount > 0 || isWantedElsewhere else { return }
        presenceIsPending(room)
    }

    private func presenceIsPending(_ room: Room) {
        guard !room.presence.isPending else { return }
        room.presence.isPending = true
        presenceRooms.append(room)
    }

    /// More or fewer of a room's subscribers want to know who is there.
    func listen(_ room: Room, _ change: Int) {
        room.presence.listenerCount += change
        if room.presence.listenerCount > 0 {
            if presenceWantedHere.insert(room.name).inserted { presenceWantedChanges += 1 }
        } else {
            if presenceWantedHere.remove(room.name) != nil { presenceWantedChanges += 1 }
            room.presence.elsewhere = [:]
        }
    }

    // MARK: - Other daemons

    /// Whether other daemons want to know who is at a document; each time they ask they are told anew.
    package func presenceIsWanted(_ name: DocumentName, _ isWanted: Bool) {
        guard isWanted else {
            presenceWantedElsewhere.remove(name)
            return
        }
        presenceWantedElsewhere.insert(name)
        if let room = rooms[name], !room.subscribers.isEmpty { presenceChanged(room) }
    }

    /// Who is at a document at another daemon, whose sessions are told apart from ours by its name; nobody where `count` is
    /// not positive.
    package func presenceElsewhere(
        _ name: DocumentName, node: NodeName, run: String, _ clients: [PresentClient], count: Int
    ) {
        guard let room = rooms[name], room.presence.listenerCount > 0 else { return }
        if count <= 0 {
            guard room.presence.elsewhere.removeValue(forKey: run) != nil else { return }
        } else {
            let named = clients.prefix(EventWriter.presentClientsMax).filter {
                $0.session.utf8.count <= 64 && $0.name.utf8.count <= 160
            }
            room.presence.elsewhere[run] = (
                named.map {
                    PresentClient(
                        session: "\(node)/\($0.session)", name: $0.name, section: $0.section,
                        isPresenting: $0.isPresenting)
                }, min(count, 1 << 24)
            )
        }
        presenceIsPending(room)
    }

    /// What has been noted for other daemons since this was last called.
    package func takePresenceHere() -> [PresenceHere] {
        defer { presenceHere = [] }
        return presenceHere
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
            if room.presence.isReportDue {
                room.presence.isReportDue = false
                presenceHere.append(
                    PresenceHere(name: room.name, clients: clientsHere(in: room), count: room.subscribers.count))
            }
            guard room.presence.listenerCount > 0 else { continue }
            let frame = Frame()
            EventWriter(frame).presence(room.name, clients(in: room), count: count(in: room))
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

    private func count(in room: Room) -> Int {
        room.presence.elsewhere.values.reduce(room.subscribers.count) { $0 + $1.count }
    }

    /// Here and elsewhere, in the same order.
    private func clients(in room: Room) -> [PresentClient] {
        let here = clientsHere(in: room)
        if room.presence.elsewhere.isEmpty { return here }
        let all = here + room.presence.elsewhere.sorted { $0.key < $1.key }.flatMap(\.value.clients)
        let ranked = [
            all.filter(\.isPresenting), all.filter { !$0.isPresenting && $0.section != nil },
            all.filter { !$0.isPresenting && $0.section == nil },
        ]
        return Array(ranked.joined().prefix(EventWriter.presentClientsMax))
    }

    /// At most as many as an event names: presenters first, then those who have selected something, then the others.
    private func clientsHere(in room: Room) -> [PresentClient] {
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
