// Why this file exists: what other daemons have decided comes in here, beside what clients ask for, and becomes part of the
// same turn: applied, written into the history, told to subscribers and stored in one transaction with all else.

import AccordionModel
import Causality
import Wire

/// What another daemon has sent of one document.
package enum Incoming: Sendable {
    case operation(Operation)
    /// All that it knows.
    case state(SharedState)
}

/// What waits for a document that is not in memory.
struct Arrivals {
    var incoming: [(Incoming, ticket: UInt64)] = []
    /// Who wants the state as it is stored.
    var readers: [(SharedState?) -> Void] = []
}

extension Hub {
    /// Takes what another daemon has sent. `ticket` stands in `Turn.settled` of the turn with which it is done with: applied,
    /// or known already. Between a failed commit and `recovered`, and where the document can't be read, it is dropped and
    /// never settled: its owner must give it again.
    package func merge(_ incoming: Incoming, into name: DocumentName, ticket: UInt64) {
        guard !isRecovering else { return }
        guard let room = mergeRoom(name) else {
            arrivals[name, default: Arrivals()].incoming.append((incoming, ticket))
            return
        }
        merge(incoming, ticket, room)
    }

    /// Documents of which operations wait for others, or were dropped because too many did.
    package var waitingDocuments: [DocumentName] {
        rooms.values.filter { !$0.state.waiting.isEmpty || $0.state.needsWholeState }.map(\.name).sorted()
    }

    /// Gives the state of a document to `take` once all that it holds is stored; nil where there never was one or it can't
    /// be read.
    package func whenStored(_ name: DocumentName, _ take: @escaping (SharedState?) -> Void) {
        guard !isRecovering else { return take(nil) }
        guard let room = mergeRoom(name) else {
            arrivals[name, default: Arrivals()].readers.append(take)
            return
        }
        if room.pending == nil, room.unstoredTurns == 0 {
            take(room.state.version.isEmpty ? nil : room.state)
        } else {
            room.readers.append(take)
        }
    }

    /// The room to merge into, a new one included; nil where it must be loaded first, which is asked for.
    private func mergeRoom(_ name: DocumentName) -> Room? {
        if let room = rooms[name], !room.isLost { return room }
        if rooms[name] == nil, !catalog.isStored(name) { return Room(name: name) }
        if waitingForDocument[name] == nil {
            waitingForDocument[name] = []
            errands.append(.load(name))
        }
        return nil
    }

    /// What had to wait for a document that is in memory now, or can't be read.
    func takeArrivals(_ name: DocumentName, isReadable: Bool) {
        guard let waiting = arrivals.removeValue(forKey: name) else { return }
        if isReadable {
            for (incoming, ticket) in waiting.incoming { merge(incoming, into: name, ticket: ticket) }
        }
        for reader in waiting.readers {
            if isReadable { whenStored(name, reader) } else { reader(nil) }
        }
    }

    /// All that a document holds is stored.
    func serveReaders(_ room: Room) {
        guard !room.readers.isEmpty, room.pending == nil, room.unstoredTurns == 0 else { return }
        let readers = room.readers
        room.readers = []
        for reader in readers { reader(room.state.version.isEmpty ? nil : room.state) }
    }

    private func merge(_ incoming: Incoming, _ ticket: UInt64, _ room: Room) {
        room.usedTurn = turn.number
        switch incoming {
        case .operation(let operation): take([operation], ticket, room)
        case .state(let state): join(state, room)
        }
        if !seenWaits.isEmpty { takeUpSeen(room.name) }
    }

    private func take(_ operations: [Operation], _ ticket: UInt64, _ room: Room) {
        var next = operations
        while let operation = next.popLast() {
            turn.workBytes += (operation.flags.count + 1) * Turn.sectionWorkBytes
            let titleBefore = room.state.view?.document.attributes.title
            let reception = room.state.take(
                operation, at: moment.wallMilliseconds, waitingMax: settings.limits.waitingOperationsMax)
            switch reception {
            case .known:
                settle(room.awaited.removeValue(forKey: operation.dot) ?? ticket)
            case .waits:
                rooms[room.name] = room
                if room.awaited[operation.dot] == nil { room.awaited[operation.dot] = ticket }
            case .applied(let applied, let released):
                settle(room.awaited.removeValue(forKey: operation.dot) ?? ticket)
                took(operation, applied, room, titleBefore: titleBefore)
                next.append(contentsOf: released)
            }
        }
        if room.state.needsWholeState { room.awaited = [:] }
    }

    private func settle(_ ticket: UInt64) {
        if ticket > 0 { turn.settled.append(ticket) }
    }

    /// Joins what another daemon knows of a document. What it brings is told as one event, and stands in the history as far
    /// as its writes still stand in a register.
    private func join(_ other: SharedState, _ room: Room) {
        turn.workBytes += (other.flags.count + room.state.flags.count) * Turn.registerWorkBytes
        let before = room.state
        let waited = room.state.absorb(other, at: moment.wallMilliseconds)
        if !(before.version.covers(other.version) && isSame(before, room.state)) {
            beginWriting(room)
            let entries = HistoryEntry.joined(
                before: before, after: room.state, from: room.nextHistoryNumber,
                measure: { HistoryEntry.ContentWrite($0) })
            room.nextHistoryNumber += Int64(entries.count)
            room.pending?.noteJoin(entries)
            tellJoin(room, before)
        }
        for operation in waited { take([operation], 0, room) }
        for (dot, ticket) in room.awaited where room.state.version.covers(dot) {
            room.awaited[dot] = nil
            settle(ticket)
        }
    }

    /// Whether a join that brought no new version brought nothing at all.
    private func isSame(_ before: SharedState, _ after: SharedState) -> Bool {
        before.version == after.version && before.flags.count == after.flags.count
            && before.content.count == after.content.count
    }

    private func tellJoin(_ room: Room, _ before: SharedState) {
        let (was, now) = (before.view, room.state.view)
        let titleBefore = was?.document.attributes.title
        guard let now else {
            if was != nil { tellContent(room, .replaced, by: room.deletedBy, titleBefore: titleBefore) }
            return
        }
        guard let was, was.born == now.born, was.document.isSame(as: now.document) else {
            return tellContent(room, was == nil ? .created : .replaced, by: "", titleBefore: titleBefore)
        }
        if let applied = room.state.changes(since: before.version) {
            tell(room) { $0.changed(room.name, applied, room.state.version, now, room.state) }
        } else {
            tell(room) { $0.caughtUp(room.name, room.state, now, milliseconds: moment.wallMilliseconds) }
        }
    }
}
