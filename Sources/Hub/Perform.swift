// Why this file exists: what each request does, in one place, in the words of the protocol. A request either replies, or
// throws the failure that is its reply.

import AccordionModel
import Bytes
import Causality
import Wire

extension Hub {
    func perform(_ request: Request, _ session: Session) throws(Failure) {
        do throws(Failure) {
            try session.allow(request.action)
            switch request.action {
            case .hello(let hello): reply(session, request.id, .greeting(try greet(session, hello)))
            case .ping: reply(session, request.id, .time(milliseconds: moment.wallMilliseconds))
            case .list(let prefix, let after, let limit):
                let names = catalog.names(prefix: prefix, after: after).prefix(limit)
                reply(session, request.id, .documents(names.compactMap { rooms[$0]?.summary }))
            case .get(let name, let section): try get(session, request.id, name, section)
            case .subscribe(let subscribe):
                try self.subscribe(session, request.id, subscribe, try room(subscribe.document))
            case .unsubscribe(let name):
                if let subscription = rooms[name].flatMap({ session.subscription(to: $0) }) {
                    enter(session)
                    unsubscribe(subscription)
                }
                reply(session, request.id, .done)
            case .watchList(let isOn):
                watchList(session, isOn)
                reply(session, request.id, .done)
            case .select(let name, let section):
                try select(session, try room(name), section)
                reply(session, request.id, .done)
            case .present(let name, let isOn):
                try present(session, try room(name), isOn)
                reply(session, request.id, .done)
            case .gesture(let name, let gesture, let options):
                try perform(gesture, in: try room(name), session, request.id, options)
            case .batch(let name, let gestures, let options):
                try perform(batch: gestures, in: try room(name), session, request.id, options)
            case .create(let name, let document, let options):
                try create(name, document, session, request.id, options)
            case .replace(let name, let document, let options):
                try replace(name, document, session, request.id, options)
            case .delete(let name, let options): try delete(name, session, request.id, options)
            }
        } catch {
            var failure = error
            failure.id = request.id
            throw failure
        }
    }

    /// The room of a document that exists.
    private func room(_ name: DocumentName) throws(Failure) -> Room {
        guard let room = rooms[name], room.exists else { throw Failure(Refusal(.unknownDocument), in: name) }
        return room
    }

    private func greet(_ session: Session, _ hello: Request.Hello) throws(Failure) -> Greeting {
        guard !session.hasGreeted else { throw Failure(.badRequest, "this connection has said hello already") }
        session.hasGreeted = true
        if let name = hello.name, name != session.name {
            session.name = session.user.map { "\(name) (\($0))" } ?? name
            for subscription in session.subscriptions { presenceChanged(subscription.room) }
        }
        return Greeting(
            server: settings.server, node: settings.node, epoch: settings.epoch, session: session.id,
            name: session.name, role: session.role, lineBytesMax: settings.limits.lineBytesMax,
            documentBytesMax: settings.limits.documentBytesMax, limits: settings.limits.content)
    }

    private func get(
        _ session: Session, _ id: RequestID?, _ name: DocumentName, _ section: SectionPath
    ) throws(Failure) {
        let room = try room(name)
        guard let view = room.state.view else { return }
        var start: Int32 = -1
        if !section.isTop {
            guard let found = view.document.find(section) else {
                throw Failure(Refusal(.unknownSection, section), in: name)
            }
            start = found
        }
        turn.workBytes += room.state.flags.count * Turn.registerWorkBytes
        reply(session, id, .document(name, room.state, view, section: start))
    }

    // MARK: - Writing

    /// Whoever asks, as of now. The second value says whether `seen` was ahead of what we have.
    private func writer(
        _ session: Session, _ options: Request.WriteOptions, _ state: SharedState
    ) throws(Failure) -> (Writer, isClamped: Bool) {
        guard !options.replicated else {
            throw Failure(.badRequest, "\"replicated\": this daemon is in no cluster")
        }
        let isClamped = options.seen.map { !state.version.covers($0) } ?? false
        let seen = isClamped ? options.seen?.clamped(to: state.version) : options.seen
        return (
            Writer(
                node: settings.node, milliseconds: moment.wallMilliseconds, by: session.name,
                session: session.number, seen: seen), isClamped
        )
    }

    private func perform(
        _ gesture: Gesture, in room: Room, _ session: Session, _ id: RequestID?, _ options: Request.WriteOptions
    ) throws(Failure) {
        let (writer, isClamped) = try writer(session, options, room.state)
        weigh(gesture, room)
        let changed = try write(room) { state throws(Refusal) in try state.decide(gesture, writer) }
        guard !options.isSilent else { return }
        reply(session, id, self.reply(to: gesture, room, changed?.visibleChanges ?? 0), isClamped: isClamped)
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

    private func perform(
        batch gestures: [Gesture], in room: Room, _ session: Session, _ id: RequestID?,
        _ options: Request.WriteOptions
    ) throws(Failure) {
        let (writer, isClamped) = try writer(session, options, room.state)
        let limits = settings.limits.content
        for gesture in gestures { weigh(gesture, room) }
        let changed = try write(room) { state throws(Refusal) in
            try state.decide(batch: gestures, limits: limits, writer)
        }
        guard !options.isSilent else { return }
        reply(session, id, .changed(room.state.version, changed?.visibleChanges ?? 0), isClamped: isClamped)
    }

    private func create(
        _ name: DocumentName, _ document: Document, _ session: Session, _ id: RequestID?,
        _ options: Request.WriteOptions
    ) throws(Failure) {
        let room = rooms[name] ?? Room(name: name)
        let (writer, isClamped) = try writer(session, options, room.state)
        try write(room) { state throws(Refusal) in try state.create(document, writer) }
        if !options.isSilent { reply(session, id, .version(room.state.version), isClamped: isClamped) }
    }

    private func replace(
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
        guard !options.isSilent, let replacement else { return }
        reply(session, id, .replaced(room.state.version, replacement), isClamped: isClamped)
    }

    private func delete(
        _ name: DocumentName, _ session: Session, _ id: RequestID?, _ options: Request.WriteOptions
    ) throws(Failure) {
        let room = try room(name)
        let (writer, isClamped) = try writer(session, options, room.state)
        try write(room) { state throws(Refusal) in try state.delete(writer) }
        if !options.isSilent { reply(session, id, .done, isClamped: isClamped) }
    }

    /// Decides a write, applies it, tells everyone, and puts it on the turn's list of what must be stored.
    @discardableResult
    private func write(
        _ room: Room, _ decide: (borrowing SharedState) throws(Refusal) -> Operation?
    ) throws(Failure) -> Applied? {
        let decided: Operation?
        do throws(Refusal) {
            decided = try decide(room.state)
        } catch {
            throw Failure(error, in: room.name)
        }
        guard let operation = decided else { return nil }
        let titleBefore = room.state.view?.document.attributes.title
        let applied = room.state.applyOwn(operation)
        turn.writes.append(Turn.Write(document: room.name, operation: operation))
        room.stateChanged()
        tell(room, applied, titleBefore: titleBefore)
        return applied
    }

    private func tell(_ room: Room, _ applied: Applied, titleBefore: String?) {
        rooms[room.name] = room
        switch applied.content {
        case .none:
            guard let view = room.state.view else { return }
            tell(room) { $0.changed(room.name, applied, room.state, view) }
            return
        case .deleted:
            room.deletedBy = applied.by
            catalog.remove(room.name)
            tell(room, isDroppable: false) { $0.deleted(room.name, by: applied.by) }
            tellList(room) { $0.unlisted(room.name) }
        case .created, .replaced:
            guard let view = room.state.view else { return }
            catalog.insert(room.name)
            tell(room) {
                $0.snapshot(
                    room.name, applied.content == .created ? .created : .replaced, epoch: settings.epoch, room.state,
                    view)
            }
            let title = view.document.attributes.title
            if titleBefore != title { tellList(room) { $0.listed(room.name, title: title) } }
        }
        room.contentTurn = turn.number
    }
}
