// Why this file exists: between a line and its answer stands the question whether what it asks for is at hand. Where it is
// not – a document that is not in memory, a page of history – the owner is sent for it, and the session's further requests
// wait, since replies come in the order of the requests. Nobody else waits.

import AccordionModel
import Bytes
import Wire

/// What the hub asks of whoever keeps what is stored. Answered, after all that was given before is stored, by `learn`,
/// `loaded` or `answered`.
package enum Errand: Sendable {
    case load(DocumentName)
    case history(number: UInt64, Request.History)
    /// The last writes of one person at this daemon, for `UndoLog`.
    case ownWrites(number: UInt64, DocumentName, by: String)
}

/// What came of a `load`.
package enum LoadOutcome: Sendable {
    case found(StoredDocument)
    /// There never was such a document.
    case missing
    /// It can't be read; why.
    case failed(String)
}

extension Hub {
    /// What is asked for since this was last called.
    package func takeErrands() -> [Errand] {
        defer { errands = [] }
        return errands
    }

    /// Decides a request, or sends for what it needs.
    func begin(_ request: Request, _ session: Session) {
        if needsErrand(request, session) {
            session.parked = request
        } else {
            decide(request, session)
        }
    }

    private func needsErrand(_ request: Request, _ session: Session) -> Bool {
        if let needed = request.action.roleNeeded, session.rights.role < needed { return false }
        if let name = request.action.document, !session.rights.allows(name) { return false }
        switch request.action {
        case .hello, .ping, .watchList, .unsubscribe, .status: return false
        case .list: return waitsForCatalog(session)
        default: break
        }
        guard let name = request.action.document else { return false }
        guard let room = rooms[name], !room.isLost else {
            guard catalog.isStored(name) else { return waitsForSeen(request, session) }
            if waitingForDocument[name] == nil { errands.append(.load(name)) }
            waitingForDocument[name, default: []].append(session)
            return true
        }
        if waitsForSeen(request, session) { return true }
        guard room.exists else { return false }
        switch request.action {
        case .history(let history):
            answerNumber += 1
            waitingForAnswer[answerNumber] = session
            errands.append(.history(number: answerNumber, history))
            return true
        case .undo, .redo:
            let known = room.undoLogs[session.name]
            if known?.isLoaded == true { return false }
            if known == nil {
                if room.undoLogs.count >= Hub.undoLogsMax { room.undoLogs = [:] }
                room.undoLogs[session.name] = Room.OwnWrites(flagsMax: settings.limits.undoFlagsMax)
            }
            answerNumber += 1
            waitingForAnswer[answerNumber] = session
            errands.append(.ownWrites(number: answerNumber, name, by: session.name))
            return true
        default: return false
        }
    }

    /// How many people's own changes are kept of a document; they can be read again.
    private static var undoLogsMax: Int { 64 }

    private func waitsForCatalog(_ session: Session) -> Bool {
        guard !catalog.isKnown else { return false }
        waitingForCatalog.append(session)
        return true
    }

    /// Decides a request for which everything is at hand.
    func decide(_ request: Request, _ session: Session) {
        let start = turn.replies.count
        decidingRoom = nil
        decidedCounter = 0
        session.hasWaitedForSeen = false
        do throws(Failure) {
            try perform(request, session)
        } catch {
            refuse(session, error)
            if error.code == .unauthorized {
                session.strikes += 1
                if session.strikes >= Hub.strikesMax { end(session) }
            }
        }
        record(session, from: start, request.id, basis(of: request))
    }

    private func basis(of request: Request) -> Record.Basis {
        switch request.action {
        case .hello, .ping, .watchList, .unsubscribe, .status: .nothing
        case .list, .get, .subscribe, .select, .present, .history: .reads(request)
        case .gesture, .batch, .create, .replace, .delete, .undo, .redo:
            decidingRoom.map { .writes($0, counter: decidedCounter) } ?? .nothing
        }
    }

    func record(_ session: Session, from start: Int, _ id: RequestID?, _ basis: Record.Basis) {
        guard !session.isGone else { return }
        turn.records.append(Record(session: session, reply: start..<turn.replies.count, id: id, basis: basis))
    }

    // MARK: - Answers

    /// The next part of the documents that are stored, sorted by name.
    package func learn(_ outlines: [DocumentOutline], isLast: Bool = true) {
        catalog.learn(outlines, isLast: isLast)
        guard isLast else { return }
        let waiting = waitingForCatalog
        waitingForCatalog = []
        waiting.forEach(unpark)
    }

    package func loaded(_ name: DocumentName, _ outcome: LoadOutcome) {
        let waiting = waitingForDocument.removeValue(forKey: name) ?? []
        if case .failed(let reason) = outcome {
            if rooms[name]?.isLost == true { lostRooms.append(name) }
            for session in waiting {
                refuseParked(session, "\(JSONEscape.quoted(name.text)) can't be read: \(reason)")
            }
            takeArrivals(name, isReadable: false)
            return
        }
        // Meanwhile a turn that fell may have brought it back.
        let wasLost = rooms[name]?.isLost == true
        if wasLost || rooms[name] == nil { put(name, outcome) }
        count { $0.documentsLoaded += 1 }
        if wasLost, let room = rooms[name] {
            for subscription in room.subscribers where !isRecovering && subscription.session.outbox.isEmpty {
                catchUp(subscription.session)
            }
        }
        takeArrivals(name, isReadable: !isRecovering)
        waiting.forEach(unpark)
    }

    /// The answer to `history`, newest first; nil with the reason where it can't be read.
    package func answered(history number: UInt64, _ entries: [HistoryEntry]?, _ reason: String = "") {
        guard let session = waitingForAnswer.removeValue(forKey: number), let request = session.parked else { return }
        guard let entries else { return refuseParked(session, "the history can't be read: \(reason)") }
        session.parked = nil
        let start = turn.replies.count
        reply(session, request.id, .history(entries))
        record(session, from: start, request.id, .nothing)
        takeUp(session)
    }

    /// The answer to `ownWrites`, newest first; nil with the reason where they can't be read.
    package func answered(
        ownWrites number: UInt64, _ name: DocumentName, by person: String, _ entries: [HistoryEntry]?,
        _ reason: String = ""
    ) {
        if let entries { rooms[name]?.undoLogs[person]?.load(entries) } else { rooms[name]?.undoLogs[person] = nil }
        guard let session = waitingForAnswer.removeValue(forKey: number) else { return }
        if entries == nil {
            refuseParked(session, "your own changes can't be read: \(reason)")
        } else {
            unpark(session)
        }
    }

    /// Decides the request that waited, if it can be decided now, and those after it.
    func unpark(_ session: Session) {
        guard let request = session.parked else { return }
        if isRecovering { return unparked.append(session) }
        session.parked = nil
        begin(request, session)
        takeUp(session)
    }

    func unparkAll() {
        let waiting = unparked
        unparked = []
        waiting.forEach(unpark)
    }

    private func refuseParked(_ session: Session, _ message: String) {
        guard let request = session.parked else { return }
        session.parked = nil
        let start = turn.replies.count
        count { $0.storageFailures += 1 }
        refuse(session, Failure(.storageFailed, message, id: request.id))
        record(session, from: start, request.id, .nothing)
        takeUp(session)
    }

    private func takeUp(_ session: Session) {
        resume(session)
        turn.resumed.append(session)
    }
}
