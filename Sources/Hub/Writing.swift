// Why this file exists: what changes a document, from the request to the turn's list of what must be stored.

import AccordionModel
import Bytes
import Causality
import Wire

extension Hub {
    /// Whoever asks, as of now. The second value says whether `seen` was ahead of what we have.
    private func writer(
        _ session: Session, _ options: Request.WriteOptions, _ state: SharedState
    ) throws(Failure) -> (Writer, isClamped: Bool) {
        guard !options.replicated || settings.isReplicated else {
            throw Failure(.badRequest, "\"replicated\": this daemon is in no cluster")
        }
        if let writesRefused { throw writesRefused }
        if options.replicated, session.replicationWaitCount >= Hub.replicationWaitsMax {
            throw Failure(.tooManyRequests, "\(Hub.replicationWaitsMax) writes wait to be told as replicated already")
        }
        let isClamped = options.seen.map { !state.version.covers($0) } ?? false
        let seen = isClamped ? options.seen?.clamped(to: state.version) : options.seen
        return (
            Writer(
                node: settings.node, milliseconds: moment.wallMilliseconds, by: session.name,
                session: session.writer, seen: seen), isClamped
        )
    }

    func perform(
        _ gesture: Gesture, in room: Room, _ session: Session, _ id: RequestID?, _ options: Request.WriteOptions
    ) throws(Failure) {
        let (writer, isClamped) = try writer(session, options, room.state)
        weigh(gesture, room)
        let changed = try write(room) { state throws(Refusal) in try state.decide(gesture, writer) }
        if !options.isSilent {
            reply(session, id, self.reply(to: gesture, room, changed?.visibleChanges ?? 0), isClamped: isClamped)
        }
        awaitReplication(session, room, options)
    }

    /// A short line can ask for much: a turn that looks at many sections takes fewer requests.
    private func weigh(_ gesture: Gesture, _ room: Room) {
        guard let under = gesture.under, let document = room.state.view?.document else { return }
        let sections =
            under.isTop ? document.sections.count : document.find(under).map { document.inside($0).count } ?? 0
        turn.workBytes += sections * Turn.sectionWorkBytes
    }

    private func reply(to gesture: Gesture, _ room: Room, _ changed: Int) -> Reply {
        let version = room.state.version
        switch gesture {
        case .toggle(let path, _), .set(let path, .open, _): return .flag(version, .open, value(path, .open, room))
        case .set(let path, .done, _): return .flag(version, .done, value(path, .done, room))
        case .openAll, .closeAll, .level, .reset: return .changed(version, changed)
        }
    }

    private func value(_ path: SectionPath, _ field: Field, _ room: Room) -> Bool {
        guard let view = room.state.view, let section = view.document.find(path) else { return false }
        return view.value(section, field)
    }

    func perform(
        batch gestures: [Gesture], in room: Room, _ session: Session, _ id: RequestID?,
        _ options: Request.WriteOptions
    ) throws(Failure) {
        let (writer, isClamped) = try writer(session, options, room.state)
        let limits = settings.limits.content
        for gesture in gestures { weigh(gesture, room) }
        let changed = try write(room) { state throws(Refusal) in
            try state.decide(batch: gestures, limits: limits, writer)
        }
        if !options.isSilent {
            reply(session, id, .changed(room.state.version, changed?.visibleChanges ?? 0), isClamped: isClamped)
        }
        awaitReplication(session, room, options)
    }

    func create(
        _ name: DocumentName, _ document: Document, _ session: Session, _ id: RequestID?,
        _ options: Request.WriteOptions
    ) throws(Failure) {
        let room = rooms[name] ?? Room(name: name)
        decidingRoom = room
        room.usedTurn = turn.number
        let (writer, isClamped) = try writer(session, options, room.state)
        try write(room) { state throws(Refusal) in try state.create(document, writer) }
        if !options.isSilent { reply(session, id, .version(room.state.version), isClamped: isClamped) }
        awaitReplication(session, room, options)
    }

    func replace(
        _ name: DocumentName, _ document: Document, _ session: Session, _ id: RequestID?,
        _ options: Request.WriteOptions
    ) throws(Failure) {
        let room = try room(name)
        let (writer, isClamped) = try writer(session, options, room.state)
        var replacement: Replacement?
        try write(room) { state throws(Refusal) in
            let (operation, counts) = try state.replace(with: document, writer)
            replacement = counts
            return operation
        }
        if !options.isSilent, let replacement {
            reply(session, id, .replaced(room.state.version, replacement), isClamped: isClamped)
        }
        awaitReplication(session, room, options)
    }

    func delete(
        _ name: DocumentName, _ session: Session, _ id: RequestID?, _ options: Request.WriteOptions
    ) throws(Failure) {
        let room = try room(name)
        let (writer, isClamped) = try writer(session, options, room.state)
        try write(room) { state throws(Refusal) in try state.delete(writer) }
        if !options.isSilent { reply(session, id, .done, isClamped: isClamped) }
        awaitReplication(session, room, options)
    }

    /// Decides a write, applies it, tells everyone, and puts it on the turn's list of what must be stored.
    @discardableResult
    private func write(
        _ room: Room, kind: HistoryEntry.Kind = .write, target: Int64 = 0,
        _ decide: (borrowing SharedState) throws(Refusal) -> Operation?
    ) throws(Failure) -> Applied? {
        let decided: Operation?
        do throws(Refusal) {
            decided = try decide(room.state)
        } catch {
            throw Failure(error, in: room.name)
        }
        guard var operation = decided else { return nil }
        (operation.kind, operation.target) = (kind, target)
        let titleBefore = room.state.view?.document.attributes.title
        let applied = room.state.applyOwn(operation)
        decidingRoom = room
        decidedCounter = operation.dot.counter
        count { $0.writes += 1 }
        took(operation, applied, room, titleBefore: titleBefore)
        return applied
    }

    /// Tells everyone of an operation that the room's state has taken in, and puts it on the turn's list of what must be
    /// stored.
    func took(_ operation: Operation, _ applied: Applied, _ room: Room, titleBefore: String?) {
        beginWriting(room)
        let isOwn = operation.dot.node == settings.node
        let entry = HistoryEntry(
            number: room.nextHistoryNumber, operation, applied, room.state.view,
            measure: { HistoryEntry.ContentWrite($0) })
        room.nextHistoryNumber += 1
        room.pending?.note(operation, entry, { room.state }, isToBeSent: isOwn && settings.isReplicated)
        if isOwn { room.undoLogs[entry.by]?.add(entry) }
        tell(room, applied, titleBefore: titleBefore)
    }

    /// The turn writes to the room.
    func beginWriting(_ room: Room) {
        if room.pending == nil {
            rooms[room.name] = room
            room.pending = PendingWrites()
            turn.writtenRooms.append(room)
        }
        room.stateChanged()
    }

    private func tell(_ room: Room, _ applied: Applied, titleBefore: String?) {
        if applied.content == .none {
            guard let view = room.state.view else { return }
            return tell(room) { $0.changed(room.name, applied, room.state.version, view, room.state) }
        }
        tellContent(room, applied.content == .created ? .created : .replaced, by: applied.by, titleBefore: titleBefore)
    }

    /// Tells that the content is another, or that there is none any more.
    func tellContent(_ room: Room, _ reason: SnapshotReason, by: String, titleBefore: String?) {
        room.contentTurn = turn.number
        let entry = catalog.put(DocumentOutline(room.name, room.state))
        guard let view = room.state.view else {
            guard titleBefore != nil else { return }
            tell(room, isDroppable: false) { $0.deleted(room.name, by: by) }
            return tellList(entry) { $0.unlisted(room.name) }
        }
        tell(room) { $0.snapshot(room.name, reason, epoch: settings.epoch, room.state, view) }
        let title = view.document.attributes.title
        if titleBefore != title { tellList(entry) { $0.listed(room.name, title: title) } }
    }

    // MARK: - Taking back

    /// Takes the caller's last change back, or makes it again. Where others have written since, their writes stay; a
    /// change of which nothing is left is passed over for the one before it.
    func undo(_ name: DocumentName, _ session: Session, _ id: RequestID?, _ kind: HistoryEntry.Kind) throws(Failure) {
        let room = try room(name)
        if let writesRefused { throw writesRefused }
        let writer = Writer(
            node: settings.node, milliseconds: moment.wallMilliseconds, by: session.name, session: session.writer,
            seen: nil)
        let log = room.undoLogs[session.name]?.log ?? UndoLog()
        for entry in log.candidates(for: kind) {
            turn.workBytes += entry.flags.count * Turn.sectionWorkBytes
            guard let operation = room.state.takeBack(entry, writer) else { continue }
            let applied = try write(room, kind: kind, target: entry.dot.counter) { _ throws(Refusal) in operation }
            return reply(session, id, .changed(room.state.version, applied?.visibleChanges ?? 0))
        }
        throw Failure(
            .nothingToUndo,
            kind == .undo
                ? "no change of yours in \(JSONEscape.quoted(name.text)) is left to take back"
                : "nothing of yours in \(JSONEscape.quoted(name.text)) that was taken back is left to be made again")
    }
}
