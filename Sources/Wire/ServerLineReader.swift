// Why this file exists: the client's side of the wire. A daemon is trusted no further than a client is: what it sends is
// checked the same way, and a line that makes no sense is an error, never a trap.

import AccordionModel
import Bytes
import Causality

package final class ServerLineReader {
    private let parser = JSONParser()
    /// What a document may hold; wider than the daemon's, so that a daemon with larger limits can still be read.
    private let limits: Limits

    package init() {
        var limits = Limits()
        limits.sectionsMax = 10_000_000
        limits.textBytesMax = 1 << 30
        limits.titleBytesMax = 1 << 20
        self.limits = limits
    }

    package func read(_ line: Span<UInt8>) throws(Failure) -> ServerLine {
        let limits = limits
        return try parser.parse(line, refuse: { Failure($0) }) { object throws(Failure) in
            let members = Members(object)
            if object["event"] != nil { return .event(try members.event(limits)) }
            guard object["ok"] != nil else { throw Failure(.badRequest, "a line that is no reply and no event") }
            return .reply(try members.reply(limits))
        }
    }
}

extension Members {
    fileprivate func reply(_ limits: Limits) throws(Failure) -> ServerReply {
        var reply = ServerReply()
        reply.id = try id()
        guard try requiredBool("ok") else {
            reply.failure = try failure()
            return reply
        }
        reply.version = try version("version")
        reply.open = try bool("open")
        reply.done = try bool("done")
        reply.changed = try integer("changed")
        if let kept = try integer("kept"), let removed = try integer("removed"), let added = try integer("added") {
            reply.replacement = Replacement(kept: kept, removed: removed, added: added)
        }
        if let documents = object["documents"]?.array { reply.documents = try summaries(documents) }
        if let document = object["document"]?.object {
            let members = Members(document)
            reply.document = (try members.document(), try members.content(limits))
        }
        if let state = object["state"]?.object { reply.state = try Members(state).state() }
        if object["session"] != nil { reply.greeting = try greeting() }
        if let status = object["status"]?.object { reply.status = try Members(status).status() }
        if let entries = object["entries"]?.array { reply.history = try history(entries) }
        return reply
    }

    private func failure() throws(Failure) -> ServerFailure {
        guard let error = object["error"]?.object else { throw missing("error") }
        let members = Members(error)
        return ServerFailure(
            code: try members.string("code") ?? "", message: try members.string("message") ?? "",
            at: try members.integer("at"))
    }

    private func greeting() throws(Failure) -> ServerGreeting {
        ServerGreeting(
            server: try string("server") ?? "", node: try string("node") ?? "", epoch: try string("epoch") ?? "",
            session: try string("session") ?? "", name: try string("name") ?? "", role: try string("role") ?? "")
    }

    private func summaries(_ array: borrowing JSONArray) throws(Failure) -> [DocumentSummary] {
        var summaries: [DocumentSummary] = []
        var elements = array.elements
        while let element = elements.next() {
            guard let object = element.object else { throw wrongType("documents", "a list of objects") }
            let members = Members(object)
            summaries.append(
                DocumentSummary(
                    name: try members.document(), title: try members.string("title") ?? "",
                    sections: try members.integer("sections") ?? 0, open: try members.integer("open") ?? 0,
                    tasks: try members.integer("tasks") ?? 0, done: try members.integer("done") ?? 0,
                    subscribers: try members.integer("subscribers") ?? 0,
                    version: try members.version("version") ?? VersionVector()))
        }
        return summaries
    }

    func integer(_ name: StaticString) throws(Failure) -> Int? {
        guard let value = object[name] else { return nil }
        guard let number = value.integer else { throw wrongType(name, "a whole number") }
        return number
    }

    // MARK: - Events

    fileprivate func event(_ limits: Limits) throws(Failure) -> ServerEvent {
        let event = try string("event") ?? ""
        switch event {
        case "snapshot":
            guard let document = object["document"]?.object else { throw missing("document") }
            guard let state = object["state"]?.object else { throw missing("state") }
            return .snapshot(
                ServerEvent.Snapshot(
                    name: try self.document(), reason: try string("reason") ?? "", epoch: try string("epoch") ?? "",
                    version: try version("version") ?? VersionVector(),
                    document: try Members(document).content(limits), state: try Members(state).state()))
        case "changed": return .changed(try changed())
        case "deleted": return .deleted(try document(), by: try string("by") ?? "")
        case "listed": return .listed(try document(), title: try string("title") ?? "")
        case "unlisted": return .unlisted(try document())
        case "presence":
            let (clients, count) = try PresentClient.read(object)
            return .presence(try document(), clients: clients, count: count)
        case "goodbye": return .goodbye(reason: try string("reason") ?? "")
        default: return .other(event)
        }
    }

    private func changed() throws(Failure) -> ServerEvent.Changed {
        var event = ServerEvent.Changed(
            name: try document(), version: try version("version") ?? VersionVector(), by: try string("by") ?? "",
            milliseconds: Int64(try integer("at") ?? 0), changes: [], conflicts: [], state: nil)
        if let array = object["changes"]?.array {
            var elements = array.elements
            while let element = elements.next() {
                guard let object = element.object else { throw wrongType("changes", "a list of objects") }
                let members = Members(object)
                if let value = try members.bool("open") {
                    event.changes.append(ServerChange(section: try members.section(), field: .open, value: value))
                }
                if let value = try members.bool("done") {
                    event.changes.append(ServerChange(section: try members.section(), field: .done, value: value))
                }
            }
        }
        event.conflicts = try conflicts()
        if let state = object["state"]?.object { event.state = try Members(state).state() }
        return event
    }

    // MARK: - State

    fileprivate func state() throws(Failure) -> ServerState {
        ServerState(open: try paths("open"), done: try paths("done"), conflicts: try conflicts())
    }

    private func paths(_ name: StaticString) throws(Failure) -> [SectionPath] {
        guard let array = object[name]?.array else { throw missing(name) }
        var paths: [SectionPath] = []
        paths.reserveCapacity(array.count)
        var elements = array.elements
        while let element = elements.next() {
            guard let text = element.text else { throw wrongType(name, "a list of paths") }
            paths.append(SectionPath(ofAnyLength: text.string))
        }
        return paths
    }

    func conflicts() throws(Failure) -> [ServerConflict] {
        guard let array = object["conflicts"]?.array else { return [] }
        var conflicts: [ServerConflict] = []
        var elements = array.elements
        while let element = elements.next() {
            guard let object = element.object else { throw wrongType("conflicts", "a list of objects") }
            let members = Members(object)
            let field = try members.string("field") ?? ""
            guard let kept = object["kept"]?.object else { throw missing("kept") }
            var lost: [ServerConflict.Claim] = []
            if let claims = object["lost"]?.array {
                var elements = claims.elements
                while let element = elements.next() {
                    guard let claim = element.object else { throw wrongType("lost", "a list of objects") }
                    lost.append(try Members(claim).claim(field))
                }
            }
            conflicts.append(
                ServerConflict(
                    section: try members.section(), field: field, kept: try Members(kept).claim(field), lost: lost))
        }
        return conflicts
    }

    private func claim(_ field: String) throws(Failure) -> ServerConflict.Claim {
        let by = try string("by") ?? ""
        guard let value = object["value"] else { throw missing("value") }
        if let flag = value.bool {
            let words = field == "done" ? ("done", "not done") : ("open", "closed")
            return ServerConflict.Claim(value: flag ? words.0 : words.1, by: by)
        }
        if let path = value.text { return ServerConflict.Claim(value: path.string, by: by) }
        if let content = value.object {
            return ServerConflict.Claim(value: try Members(content).string("title") ?? "", by: by)
        }
        return ServerConflict.Claim(value: "deleted", by: by)
    }
}

extension PresentClient {
    /// The members `clients` and `count` of an object.
    package static func read(_ object: JSONObject) throws(Failure) -> (clients: [PresentClient], count: Int) {
        let count = try Members(object).integer("count") ?? 0
        guard let array = object["clients"]?.array else { return ([], count) }
        var clients: [PresentClient] = []
        var elements = array.elements
        while let element = elements.next() {
            guard let object = element.object else {
                throw Failure(.badRequest, "\"clients\" must be a list of objects")
            }
            let members = Members(object)
            var section: SectionPath?
            if let path = object["section"]?.text { section = SectionPath(ofAnyLength: path.string) }
            clients.append(
                PresentClient(
                    session: try members.string("session") ?? "", name: try members.string("name") ?? "",
                    section: section, isPresenting: try members.bool("presenting") ?? false))
        }
        return (clients, count)
    }
}
