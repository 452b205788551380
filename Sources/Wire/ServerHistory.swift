// Why this file exists: a page of history as a client reads it: who did what, and what it took back or overruled.

import AccordionModel

/// An entry of a document's history, as the daemon tells it.
package struct ServerHistoryEntry: Sendable, Equatable {
    package struct Change: Sendable, Equatable {
        package var section: SectionPath
        package var field: Field
        /// As it was shown afterwards.
        package var value: Bool
        /// What was written said otherwise, and was overruled at once.
        package var isLost: Bool

        package init(section: SectionPath, field: Field, value: Bool, isLost: Bool) {
            self.section = section
            self.field = field
            self.value = value
            self.isLost = isLost
        }
    }
    /// What is told of a content: never the content itself.
    package struct Measure: Sendable, Equatable {
        package var title: String
        package var sections: Int
        package var bytes: Int
        package var hash: String

        package init(title: String, sections: Int, bytes: Int, hash: String) {
            self.title = title
            self.sections = sections
            self.bytes = bytes
            self.hash = hash
        }
    }
    /// A content that gave way; without a measure it was a deletion.
    package struct Lost: Sendable, Equatable {
        package var by: String
        package var measure: Measure?

        package init(by: String, measure: Measure?) {
            self.by = by
            self.measure = measure
        }
    }

    package var number: Int64
    /// Since 1970.
    package var milliseconds: Int64
    package var by: String
    package var node: String
    package var counter: Int64
    /// The counter of the write that this one took back, or of the taking back that it took back.
    package var undo: Int64?
    package var redo: Int64?
    package var changes: [Change]
    /// How many changes did not fit.
    package var more: Int
    /// `created`, `replaced` or `deleted`; empty where the content was not written.
    package var effect: String
    package var measure: Measure?
    package var conflicts: [ServerConflict]
    package var lost: [Lost]
}

extension Members {
    func history(_ array: borrowing JSONArray) throws(Failure) -> [ServerHistoryEntry] {
        var entries: [ServerHistoryEntry] = []
        var elements = array.elements
        while let element = elements.next() {
            guard let object = element.object else { throw wrongType("entries", "a list of objects") }
            entries.append(try Members(object).historyEntry())
        }
        return entries
    }

    private func historyEntry() throws(Failure) -> ServerHistoryEntry {
        guard let number = try integer("number") else { throw missing("number") }
        var entry = ServerHistoryEntry(
            number: Int64(number), milliseconds: Int64(try integer("at") ?? 0), by: try string("by") ?? "",
            node: try string("node") ?? "", counter: Int64(try integer("counter") ?? 0),
            undo: try integer("undo").map(Int64.init), redo: try integer("redo").map(Int64.init), changes: [],
            more: try integer("more") ?? 0, effect: "", measure: nil, conflicts: try conflicts(), lost: [])
        if let changes = object["changes"]?.array {
            var elements = changes.elements
            while let element = elements.next() {
                guard let object = element.object else { throw wrongType("changes", "a list of objects") }
                let members = Members(object)
                let isLost = try members.bool("lost") ?? false
                for (name, field) in [("open", Field.open), ("done", .done)] as [(StaticString, Field)] {
                    guard let value = try members.bool(name) else { continue }
                    entry.changes.append(
                        .init(section: try members.section(), field: field, value: value, isLost: isLost))
                }
            }
        }
        if let content = object["content"]?.object {
            let members = Members(content)
            entry.effect = try members.string("effect") ?? ""
            entry.measure = try members.measure()
        }
        if let lost = object["lost"]?.array {
            var elements = lost.elements
            while let element = elements.next() {
                guard let object = element.object else { throw wrongType("lost", "a list of objects") }
                let members = Members(object)
                entry.lost.append(.init(by: try members.string("by") ?? "", measure: try members.measure()))
            }
        }
        return entry
    }

    /// Nil where there is no hash: of a deletion there is nothing to measure.
    private func measure() throws(Failure) -> ServerHistoryEntry.Measure? {
        guard let hash = try string("hash") else { return nil }
        return ServerHistoryEntry.Measure(
            title: try string("title") ?? "", sections: try integer("sections") ?? 0,
            bytes: try integer("bytes") ?? 0, hash: hash)
    }
}
