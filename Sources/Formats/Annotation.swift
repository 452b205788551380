// Why this file exists: neither Markdown nor OPML has words for all that a section can be: its id, its tint, that it is
// locked. What they lack is written as one JSON object where other programs pass over it, and read from there again. The
// members are those of a section in a document's JSON, so that there is one thing to learn.

import AccordionModel
import Bytes
import Wire

/// What a section says of itself beyond what its format can say; or a whole block that the format can't hold.
struct Annotation {
    var id: String?
    var title: String?
    var mode: Mode?
    var open: Bool?
    var collapsible: Bool?
    var locked: Bool?
    var task: Bool?
    var tint: String?
    /// A section with nothing inside rather than a row.
    var isEmptySection = false
    var text: String?
    var code: String?
    var language: String?
    /// Members that are none of these.
    private(set) var unknown: [String] = []

    init() {}

    /// It stands for a paragraph or for code, not for a section.
    var isBlock: Bool { text != nil || code != nil }

    /// What the section is, where the format itself has told whether it is a task.
    func attributes(task: Bool? = nil) -> SectionAttributes {
        var attributes = SectionAttributes()
        attributes.mode = mode
        attributes.open = open
        attributes.collapsible = collapsible ?? true
        attributes.locked = locked ?? false
        attributes.task = self.task ?? task
        attributes.tint = tint
        return attributes
    }

    // MARK: - Reading

    struct Fault: Error {
        let reason: String
    }

    init(reading json: Span<UInt8>) throws(Fault) {
        let parser = JSONParser()
        do throws(Failure) {
            self = try parser.parse(json, refuse: { Failure($0) }) { object throws(Failure) in
                try Annotation(object)
            }
        } catch {
            throw Fault(reason: error.message)
        }
    }

    private init(_ object: borrowing JSONObject) throws(Failure) {
        var members = object.members
        while let member = members.next() {
            let name = member.name.string
            switch name {
            case "id": id = try Self.string(member)
            case "title": title = try Self.string(member)
            case "tint": tint = try Self.string(member)
            case "text": text = try Self.string(member)
            case "code": code = try Self.string(member)
            case "language": language = try Self.string(member)
            case "open": open = try Self.bool(member)
            case "collapsible": collapsible = try Self.bool(member)
            case "locked": locked = try Self.bool(member)
            case "task": task = try Self.bool(member)
            case "mode":
                guard let mode = Mode(rawValue: try Self.string(member)) else {
                    throw Self.wrong(member, "\"multiple\" or \"single\"")
                }
                self.mode = mode
            case "content":
                guard let array = member.value.array, array.count == 0 else {
                    throw Self.wrong(member, "an empty list")
                }
                isEmptySection = true
            default: unknown.append(name)
            }
        }
    }

    private static func string(_ member: borrowing JSONMember) throws(Failure) -> String {
        guard let text = member.value.string else { throw wrong(member, "a string") }
        return text
    }
    private static func bool(_ member: borrowing JSONMember) throws(Failure) -> Bool {
        guard let bool = member.value.bool else { throw wrong(member, "true or false") }
        return bool
    }
    private static func wrong(_ member: borrowing JSONMember, _ what: String) -> Failure {
        Failure(.badRequest, "\(JSONEscape.quoted(member.name.string)) must be \(what)")
    }

    // MARK: - Writing

    /// What a section says of itself besides its title and whether it is a task.
    init(_ attributes: SectionAttributes) {
        mode = attributes.mode
        open = attributes.open
        collapsible = attributes.collapsible ? nil : false
        locked = attributes.locked ? true : nil
        tint = attributes.tint
    }

    /// The JSON, one line that holds no control character; nil where there is nothing to say.
    var json: [UInt8]? {
        let object = JSONObjectText()
        object.add("id", id)
        object.add("title", title)
        object.add("mode", mode?.rawValue)
        object.add("open", open)
        object.add("collapsible", collapsible)
        object.add("locked", locked)
        object.add("task", task)
        object.add("tint", tint)
        if isEmptySection { object.addEmptyList("content") }
        object.add("text", text)
        object.add("code", code)
        object.add("language", language)
        return object.finished()
    }
}

/// What a document says of itself, as a JSON object: the members of a document's JSON that differ from their defaults.
enum DocumentAnnotation {
    static func json(_ attributes: DocumentAttributes, title: String? = nil) -> [UInt8]? {
        let object = JSONObjectText()
        object.add("title", title)
        if attributes.mode == .single { object.add("mode", attributes.mode.rawValue) }
        if attributes.initiallyOpen { object.add("initially", "open") }
        if !attributes.headers { object.add("headers", false) }
        if attributes.conflicts != .last { object.add("conflicts", attributes.conflicts.rawValue) }
        if !attributes.collapsible { object.add("collapsible", false) }
        return object.finished()
    }

    /// The name, the attributes (the title empty where it has none), and members that are not taken.
    static func read(
        _ json: [UInt8], line: Int
    ) throws(ImportFault) -> (name: DocumentName?, attributes: DocumentAttributes, notes: [ImportNote]) {
        do throws(Failure) {
            let file = try DocumentFile(reading: json.span)
            var notes = UnknownMembers.notes(in: json.span)
            if !file.document.content.isEmpty {
                notes.append(ImportNote(what: "content among a document's members is left out", at: line))
            }
            return (file.name, file.document.attributes, notes)
        } catch {
            throw ImportFault(reason: "the document's members can't be read: \(error.message)", line: (line, 1))
        }
    }
}

extension ImportNote {
    fileprivate init(what: String, at line: Int) { self.init(what: what, place: nil, line: line, count: 1) }
}

/// Members of one object being written.
private final class JSONObjectText {
    private let frame = Frame()
    private var writer: JSONWriter { JSONWriter(frame) }

    func add(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        begin(name)
        writer.string(text)
    }
    func add(_ name: StaticString, _ flag: Bool?) {
        guard let flag else { return }
        begin(name)
        writer.bool(flag)
    }
    func addEmptyList(_ name: StaticString) {
        begin(name)
        writer.raw("[]")
    }

    private func begin(_ name: StaticString) {
        frame.append(frame.count == 0 ? UInt8(ascii: "{") : UInt8(ascii: ","))
        writer.raw("\"")
        writer.raw(name)
        writer.raw("\":")
    }

    func finished() -> [UInt8]? {
        guard frame.count > 0 else { return nil }
        frame.append(UInt8(ascii: "}"))
        return frame.withSpan { span in span.indices.map { span[$0] } }
    }
}
