// Why this file exists: law 2. A write that could not be stored has not happened. When a commit fails, its turn and the
// one gathered behind it fall: memory is made anew from what the disk has, and only then everybody is answered – a write
// that the disk has after all has succeeded, another has failed, and what was read is read again.

import AccordionModel
import Bytes
import Causality
import Wire

extension Hub {
    /// The commit of the first of these turns has failed; they are all that have ended and are not released, oldest first.
    /// Nothing is decided until `recovered`. Returns the documents that must be read again; the turn gathered meanwhile
    /// falls as well.
    package func fall(_ unreleased: [Turn]) -> [DocumentName] {
        isRecovering = true
        let gathered = turn
        fanOut(gathered)
        turn = Turn(number: gathered.number + 1)
        fallen = unreleased + [gathered]
        for waiting in arrivals.values { waiting.readers.forEach { $0(nil) } }
        arrivals = [:]
        var names: Set<DocumentName> = []
        for turn in fallen {
            for room in turn.writtenRooms {
                room.pending = nil
                room.unstoredTurns = 0
                room.hasFallen = true
                names.insert(room.name)
            }
        }
        return names.sorted()
    }

    /// What the disk has of the documents that `fall` returned. Afterwards there is a turn to end.
    package func recovered(_ documents: [(name: DocumentName, outcome: LoadOutcome)]) {
        guard isRecovering else { return }
        isRecovering = false
        let turns = fallen
        fallen = []
        for (name, outcome) in documents { put(name, outcome) }
        let first = turns.first?.number ?? turn.number
        for turn in turns { forgetDeliveries(of: turn, first) }
        for turn in turns {
            for record in turn.records where !record.session.isGone { answerAgain(record, turn) }
        }
        for turn in turns {
            for room in turn.writtenRooms { room.hasFallen = false }
            for record in turn.records where record.session.isEnding { leaveAll(record.session) }
            for session in turn.resumed where !session.isGone { self.turn.resumed.append(session) }
        }
        if hasSaidGoodbye { sayGoodbyeAgain(turns) }
        for session in sessions.values where isBehind(session) && session.outbox.isEmpty { catchUp(session) }
        unparkAll()
    }

    /// Documents that could not be read are tried again.
    package func retryLost() {
        for name in lostRooms where rooms[name]?.isLost == true && waitingForDocument[name] == nil {
            waitingForDocument[name] = []
            errands.append(.load(name))
        }
        lostRooms = []
    }

    /// Whether `retryLost` has something to do.
    package var hasLost: Bool { !lostRooms.isEmpty }

    /// Puts a document as it is stored into memory, whatever was there.
    func put(_ name: DocumentName, _ outcome: LoadOutcome) {
        let room = rooms[name] ?? Room(name: name)
        room.undoLogs = [:]
        room.awaited = [:]
        for reader in room.readers { reader(nil) }
        room.readers = []
        switch outcome {
        case .found(let stored):
            room.state = stored.state
            room.nextHistoryNumber = stored.nextHistoryNumber
        case .missing:
            room.state = SharedState()
            room.nextHistoryNumber = 1
        case .failed:
            room.state = SharedState()
            room.isLost = true
            rooms[name] = room
            room.stateChanged()
            lostRooms.append(name)
            return account(room)
        }
        let wasListed = catalog[name]?.outline
        room.isLost = false
        room.usedTurn = turn.number
        room.contentTurn = turn.number
        room.stateChanged()
        rooms[name] = room
        account(room)
        let outline = DocumentOutline(name, room.state)
        if case .missing = outcome {
            for subscription in room.subscribers { unsubscribe(subscription) }
            rooms[name] = nil
            documentBytes -= room.countedBytes
        }
        if wasListed?.exists != outline.exists || wasListed?.title != outline.title {
            catalog.put(outline).listedTurn = turn.number
        }
        if case .missing = outcome { catalog[name]?.neverWas = true }
    }

    /// What a fallen turn had for anybody is not sent. Whoever was to be told of a document is behind since.
    private func forgetDeliveries(of fallen: Turn, _ first: UInt64) {
        for session in fallen.sessions { session.unreleasedTurns -= 1 }
        for delivery in fallen.deliveries {
            let session = delivery.session
            uncharge(delivery)
            if session.isGone { continue }
            for subscription in session.subscriptions
            where subscription.behindSince == nil && subscription.givenTurn >= first {
                subscription.behindSince = first
                session.behindCount += 1
                if subscription.deletedTurn >= first { subscription.deletedTurn = 0 }
            }
            guard let watch = session.listWatch, watch.givenTurn >= first else { continue }
            watch.isBehind = true
            watch.missedSince = min(watch.missedSince ?? first, first)
            watch.madeGoodTo = nil
        }
        for room in fallen.rooms { presenceChanged(room) }
    }

    private func answerAgain(_ record: Record, _ fallen: Turn) {
        switch record.basis {
        case .reads(let request): decide(request, record.session)
        case .writes(let room, let counter):
            let isStored = counter > 0 && room.state.version.covers(Dot(node: settings.node, counter: counter))
            if !room.hasFallen || isStored { return repeatReply(record, fallen) }
            let start = turn.replies.count
            count { $0.storageFailures += 1 }
            if counter > 0 { forgetReplication(room.name, counter: counter) }
            refuse(
                record.session,
                Failure(.storageFailed, "the write could not be stored; nothing has changed", id: record.id))
            self.record(record.session, from: start, record.id, .nothing)
        case .nothing: repeatReply(record, fallen)
        }
    }

    private func repeatReply(_ record: Record, _ fallen: Turn) {
        guard !record.reply.isEmpty else { return }
        let start = turn.replies.count
        write(record.session) { frame in
            fallen.replies.withSpan { frame.append($0.extracting(record.reply)) }
        }
        self.record(record.session, from: start, record.id, record.basis)
    }

    private func sayGoodbyeAgain(_ turns: [Turn]) {
        let frame = Frame()
        EventWriter(frame).goodbye("shutting_down")
        frame.seal()
        var told: Set<UInt64> = []
        for turn in turns {
            for session in turn.sessions where !session.isGone && told.insert(session.number).inserted {
                enter(session)
                seal(session)
                deliver(Piece(frame, isDroppable: false), to: session)
            }
        }
    }
}
