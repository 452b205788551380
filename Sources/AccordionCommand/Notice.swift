// Why this file exists: what `watch` has to tell is told three ways: as a line for people or for a pipe, as a JSON object,
// and in the environment of a command. All three are readings of one value.

import Bytes
import Mirror
import Wire

/// One thing that is told of a document.
struct Notice {
    enum Fact {
        case open(Bool)
        case done(Bool)
        /// What happened to the whole: `replaced`, `created`, `deleted`, …
        case document(String)
        case conflict(String)
    }

    let milliseconds: Int64
    /// Empty where it is not known, or nobody did anything.
    let by: String
    /// The path; empty for the whole document.
    let section: String
    let fact: Fact
    /// How it stands, rather than what has changed.
    let isStanding: Bool

    private var words: String {
        switch fact {
        case .open(let value): value ? "open" : "closed"
        case .done(let value): value ? "done" : "not done"
        case .document(let word): "document \(word)"
        case .conflict(let text): "conflict \(text)"
        }
    }

    private var field: StaticString {
        switch fact {
        case .open: "open"
        case .done: "done"
        case .document: "document"
        case .conflict: "conflict"
        }
    }

    /// `Deploy open`, for a message.
    func summary(of document: String) -> String { "\(section.isEmpty ? document : section) \(words)" }

    func write(to output: Output, document: String) {
        if output.isJSON { return output.object(write) }
        guard output.isTerminal else {
            return output.fields([Standard.time(milliseconds, .utc), by, section, words])
        }
        let time = Standard.time(milliseconds, .localClock)
        let name = DisplayText.pad(by, toColumns: 12, ending: "…")
        output.line("\(time)  \(name)  \(DisplayText.visible(summary(of: document)))")
    }

    private func write(to writer: JSONWriter) {
        writer.raw("\"at\":")
        writer.integer(Int(milliseconds))
        writer.raw(",\"by\":")
        writer.string(by)
        writer.raw(",\"section\":")
        writer.string(section)
        writer.raw(",\"")
        writer.raw(field)
        writer.raw("\":")
        switch fact {
        case .open(let value), .done(let value): writer.bool(value)
        case .document(let text), .conflict(let text): writer.string(text)
        }
        if isStanding { writer.raw(",\"standing\":true") }
    }

    /// What a command finds in its environment, in place of what is there under these names. Texts are as they are: a
    /// variable is data, and nothing reads it as anything else.
    func variables(document: String) -> [(name: String, value: String)] {
        let value =
            switch fact {
            case .open(let value), .done(let value): value ? "true" : "false"
            case .document(let text), .conflict(let text): text
            }
        return [
            ("ACCORDION_DOC", document), ("ACCORDION_SECTION", section), ("ACCORDION_FIELD", "\(field)"),
            ("ACCORDION_VALUE", value), ("ACCORDION_BY", by),
        ]
    }
}
