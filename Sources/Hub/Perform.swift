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
                let names = catalog.names(prefix: prefix, after: after).lazy.filter { session.rights.allows($0) }
                reply(session, request.id, .documents(names.prefix(limit).compactMap { summary($0) }))
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
            case .history(let history):
                // Of a document that exists, the owner brings the answer.
                _ = try room(history.document)
                reply(session, request.id, .history([]))
            case .undo(let name): try undo(name, session, request.id, .undo)
            case .redo(let name): try undo(name, session, request.id, .redo)
            case .status: reply(session, request.id, .status(status()))
            }
        } catch {
            var failure = error
            failure.id = request.id
            throw failure
        }
    }

    /// The room of a document that exists.
    func room(_ name: DocumentName) throws(Failure) -> Room {
        let found = rooms[name]
        decidingRoom = found
        guard let room = found, room.exists else { throw Failure(Refusal(.unknownDocument), in: name) }
        room.usedTurn = turn.number
        return room
    }

    /// What `list` tells of a document, in memory or not.
    private func summary(_ name: DocumentName) -> DocumentSummary? {
        if let room = rooms[name], !room.isLost { return room.summary }
        return (catalog[name]?.outline).map { DocumentSummary($0, subscribers: rooms[name]?.subscribers.count ?? 0) }
    }

    private func greet(_ session: Session, _ hello: Request.Hello) throws(Failure) -> Greeting {
        guard !session.hasGreeted else { throw Failure(.badRequest, "this connection has said hello already") }
        let isNamed = try admit(session, hello)
        session.hasGreeted = true
        if !isNamed, let name = hello.name, name != session.name {
            session.name = session.user.map { "\(name) (\($0))" } ?? name
            for subscription in session.subscriptions { presenceChanged(subscription.room) }
        }
        return Greeting(
            server: settings.server, node: settings.node, epoch: settings.epoch, session: session.id,
            name: session.name, role: session.rights.role, lineBytesMax: settings.limits.lineBytesMax,
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
}
