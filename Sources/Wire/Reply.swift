// Why this file exists: every request gets exactly one reply, and here is what each can say and how it is written.

import AccordionModel
import Bytes
import Causality

/// What `list` tells of a document.
package struct DocumentSummary: Sendable, Equatable {
    package var name: DocumentName
    package var title: String
    package var sections: Int
    package var open: Int
    package var tasks: Int
    package var done: Int
    package var subscribers: Int
    package var version: VersionVector

    package init(
        name: DocumentName, title: String, sections: Int, open: Int, tasks: Int, done: Int, subscribers: Int,
        version: VersionVector
    ) {
        self.name = name
        self.title = title
        self.sections = sections
        self.open = open
        self.tasks = tasks
        self.done = done
        self.subscribers = subscribers
        self.version = version
    }

    package init(_ outline: DocumentOutline, subscribers: Int) {
        self.init(
            name: outline.name, title: outline.title, sections: outline.sections, open: outline.open,
            tasks: outline.tasks, done: outline.done, subscribers: subscribers, version: outline.version)
    }
}

/// What the daemon says of itself to one who greets.
package struct Greeting: Sendable {
    package var server: String
    package var node: NodeName
    package var epoch: String
    package var session: String
    package var name: String
    package var role: Role
    package var lineBytesMax: Int
    package var documentBytesMax: Int
    package var limits: Limits

    package init(
        server: String, node: NodeName, epoch: String, session: String, name: String, role: Role, lineBytesMax: Int,
        documentBytesMax: Int, limits: Limits
    ) {
        self.server = server
        self.node = node
        self.epoch = epoch
        self.session = session
        self.name = name
        self.role = role
        self.lineBytesMax = lineBytesMax
        self.documentBytesMax = documentBytesMax
        self.limits = limits
    }
}

/// What a request that succeeded is answered.
package enum Reply: Sendable {
    case done
    case greeting(Greeting)
    case time(milliseconds: Int64)
    case documents([DocumentSummary])
    /// `section` is where the part begins that was asked for; -1 for the whole.
    case document(DocumentName, SharedState, View, section: Int32)
    case version(VersionVector)
    case flag(VersionVector, Field, Bool)
    case changed(VersionVector, Int)
    case replaced(VersionVector, Replacement)
    /// Newest first; those that would make the reply longer than `Request.History.bytesMax` are left out, but never the
    /// first.
    case history([HistoryEntry])
    case status(DaemonStatus)

    /// Writes the reply as a line. `isClamped`: the request's `seen` was ahead of what the daemon has.
    package func write(id: RequestID?, isClamped: Bool = false, into frame: Frame) {
        let writer = JSONWriter(frame)
        writer.begin(id: id)
        writer.raw("\"ok\":true")
        write(to: writer)
        if isClamped { writer.raw(",\"clamped\":true") }
        writer.raw("}\n")
    }

    private func write(to writer: JSONWriter) {
        switch self {
        case .done: break
        case .greeting(let greeting): greeting.write(to: writer)
        case .time(let milliseconds):
            writer.raw(",\"time\":")
            writer.integer(Int(milliseconds))
        case .documents(let documents):
            writer.raw(",\"documents\":")
            writer.array(documents) { $0.write(to: writer) }
        case .document(let name, let state, let view, let section):
            writer.version(member: state.version)
            writer.raw(",\"document\":")
            writer.document(view.document, name: name, inside: section)
            writer.raw(",\"state\":")
            writer.state(state, view, inside: section)
        case .version(let version): writer.version(member: version)
        case .flag(let version, let field, let value):
            writer.version(member: version)
            writer.raw(field == .open ? ",\"open\":" : ",\"done\":")
            writer.bool(value)
        case .changed(let version, let count):
            writer.version(member: version)
            writer.raw(",\"changed\":")
            writer.integer(count)
        case .replaced(let version, let replacement):
            writer.version(member: version)
            writer.raw(",\"kept\":")
            writer.integer(replacement.kept)
            writer.raw(",\"removed\":")
            writer.integer(replacement.removed)
            writer.raw(",\"added\":")
            writer.integer(replacement.added)
        case .history(let entries): writer.history(entries)
        case .status(let status): status.write(to: writer)
        }
    }
}

extension Failure {
    package func write(into frame: Frame) {
        let writer = JSONWriter(frame)
        writer.begin(id: id)
        writer.raw("\"ok\":false,\"error\":{\"code\":\"")
        frame.append(utf8: code.rawValue)
        writer.raw("\",\"message\":")
        writer.string(message)
        if let at {
            writer.raw(",\"at\":")
            writer.integer(at)
        }
        writer.raw("}}\n")
    }
}

extension JSONWriter {
    func begin(id: RequestID?) {
        switch id {
        case nil: raw("{")
        case .text(let text):
            raw("{\"id\":")
            string(text)
            raw(",")
        case .number(let number):
            raw("{\"id\":")
            integer(number)
            raw(",")
        }
    }

    package func version(member version: VersionVector) {
        raw(",\"version\":")
        self.version(version)
    }
}

extension Greeting {
    fileprivate func write(to writer: JSONWriter) {
        writer.raw(",\"server\":")
        writer.string(server)
        writer.raw(",\"node\":")
        writer.string(node.description)
        writer.raw(",\"epoch\":")
        writer.string(epoch)
        writer.raw(",\"session\":")
        writer.string(session)
        writer.raw(",\"name\":")
        writer.string(name)
        writer.raw(",\"role\":")
        writer.string(role.name)
        writer.raw(",\"protocol\":1,\"limits\":{\"max_line_bytes\":")
        writer.integer(lineBytesMax)
        writer.raw(",\"max_document_bytes\":")
        writer.integer(documentBytesMax)
        writer.raw(",\"max_sections\":")
        writer.integer(limits.sectionsMax)
        writer.raw(",\"max_depth\":")
        writer.integer(limits.depthMax)
        writer.raw("}")
    }
}

extension DocumentSummary {
    fileprivate func write(to writer: JSONWriter) {
        writer.raw("{\"doc\":")
        writer.string(name.text)
        writer.raw(",\"title\":")
        writer.string(title)
        writer.raw(",\"sections\":")
        writer.integer(sections)
        writer.raw(",\"open\":")
        writer.integer(open)
        writer.raw(",\"tasks\":")
        writer.integer(tasks)
        writer.raw(",\"done\":")
        writer.integer(done)
        writer.raw(",\"subscribers\":")
        writer.integer(subscribers)
        writer.version(member: version)
        writer.raw("}")
    }
}

extension Failure {
    /// The reply as bytes by itself, for a client that no session serves.
    package var line: [UInt8] {
        let frame = Frame()
        write(into: frame)
        return Array(frame.text.utf8)
    }
}
