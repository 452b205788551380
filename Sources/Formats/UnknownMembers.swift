// Why this file exists: the protocol passes over members that it does not know, so that clients may be newer than daemons;
// but who imports a file must learn what of it was not taken: a misspelt member, or one of another program.

import AccordionModel
import Wire

/// Finds what a document in JSON holds and the document made of it does not.
enum UnknownMembers {
    /// `content` is none of these: it is walked.
    private static let ofDocument: Set<String> = [
        "doc", "title", "mode", "initially", "headers", "conflicts", "collapsible",
    ]
    private static let ofSection: Set<String> = [
        "id", "title", "mode", "open", "collapsible", "locked", "task", "tint",
    ]
    private static let ofCode: Set<String> = ["code", "language"]

    private enum Step {
        /// What is left of a section's content.
        case blocks(JSONMark)
        case end
    }

    /// `text` has been read as a document already.
    static func notes(in text: Span<UInt8>) -> [ImportNote] {
        let parser = JSONParser()
        do throws(Failure) {
            return try parser.parse(text, refuse: { Failure($0) }) { object throws(Failure) in walk(object) }
        } catch {
            return []
        }
    }

    private static func walk(_ document: borrowing JSONObject) -> [ImportNote] {
        var notes = ImportNotes()
        var around: [String] = []
        add(document, known: ofDocument, isSection: true, around, &notes)
        guard let content = document["content"]?.array else { return notes.all }
        var stack: [Step] = [.blocks(content.elements.mark)]
        while let step = stack.popLast() {
            guard case .blocks(let mark) = step else {
                around.removeLast()
                continue
            }
            var elements = JSONElements(at: mark, in: document)
            guard let block = elements.next() else { continue }
            stack.append(.blocks(elements.mark))
            guard let inner = block.object else { continue }
            guard let title = inner["title"]?.text else {
                add(inner, known: ofCode, isSection: false, around, &notes)
                continue
            }
            around.append(title.string)
            add(inner, known: ofSection, isSection: true, around, &notes)
            guard let content = inner["content"]?.array else {
                around.removeLast()
                continue
            }
            stack.append(.end)
            stack.append(.blocks(content.elements.mark))
        }
        return notes.all
    }

    private static func add(
        _ object: borrowing JSONObject, known: Set<String>, isSection: Bool, _ around: [String],
        _ notes: inout ImportNotes
    ) {
        var members = object.members
        while let member = members.next() {
            let name = member.name.string
            if known.contains(name) || (isSection && name == "content") { continue }
            notes.add(
                "the member \(JSONEscape.quoted(name)) is left out",
                at: around.isEmpty ? nil : around.joined(separator: "/"))
        }
    }
}
