// Why this file exists: outlines of other programs know no limits. What is nested deeper than a document may be, and
// titles that are longer, become text in their place, and it is told; the rest of the limits are faults with a line.

import AccordionModel

/// Takes an outline in document order and makes a document of it.
struct OutlineBuilder {
    /// Marks before a line of text, at most: a file may be nested as deep as it is long.
    private static let prefixesMax = 32
    private static let ellipsis = "…"

    private var builder: DocumentBuilder
    private let limits: Limits
    private(set) var notes = ImportNotes()
    /// What stands before each line of what is text because it may not be a section, or is quoted.
    private var prefixes: [String] = []
    /// Quotes among them.
    private var quoteCount = 0
    /// The line that is being read, from 1: where a fault is.
    var line = 1

    init(limits: Limits) {
        self.limits = limits
        builder = DocumentBuilder(limits: limits)
    }

    mutating func note(_ what: String) { notes.add(what, line: line) }

    /// Sections are text here.
    var isFlat: Bool { !prefixes.isEmpty }

    /// Begins a section inside the one that was begun last; `end` ends it.
    mutating func begin(
        title: String, id: String? = nil, attributes: SectionAttributes = SectionAttributes(), hasContent: Bool = false
    ) throws(ImportFault) {
        if isFlat || builder.depth >= limits.depthMax {
            if quoteCount == 0 {
                note("what is nested deeper than \(limits.depthMax) levels stays as text")
            }
            let mark = attributes.task.map { $0 ? "[x] " : "[ ] " } ?? ""
            try add(mark + title, first: "- ", more: "  ")
            return prefixes.append("  ")
        }
        let (first, rest) = split(title)
        try at(line) { builder throws(InvalidDocument) in
            try builder.beginSection(id: id, title: first, attributes: attributes, hasContent: hasContent)
        }
        if let rest { try text(rest) }
    }

    mutating func end() {
        if let prefix = prefixes.popLast() {
            if prefix == Self.quote { quoteCount -= 1 }
        } else {
            builder.endSection()
        }
    }

    private static let quote = "> "

    /// What follows, until `end`, is quoted text.
    mutating func beginQuote() {
        prefixes.append(Self.quote)
        quoteCount += 1
    }

    mutating func text(_ text: String) throws(ImportFault) { try add(text, first: "", more: "") }

    private mutating func add(_ text: String, first: String, more: String) throws(ImportFault) {
        var lines = text
        if isFlat || !first.isEmpty {
            let around = prefixes.prefix(Self.prefixesMax).joined()
            lines = around + first + text.withEach("\n", as: "\n" + around + more)
        }
        try at(line) { builder throws(InvalidDocument) in try builder.addText(lines) }
    }

    mutating func code(_ code: String, language: String?) throws(ImportFault) {
        try at(line) { builder throws(InvalidDocument) in try builder.addCode(code, language: language) }
    }

    /// The document, with every section's path settled.
    consuming func finish(_ attributes: DocumentAttributes) throws(ImportFault) -> Document {
        do throws(InvalidDocument) {
            return try builder.finish(attributes)
        } catch {
            throw ImportFault(error)
        }
    }

    /// A title as long as one may be, and the rest of it.
    mutating func split(_ title: String) -> (title: String, rest: String?) {
        guard title.utf8.count > limits.titleBytesMax else { return (title, nil) }
        note("a title longer than \(limits.titleBytesMax) bytes goes on as text")
        let room = max(0, limits.titleBytesMax - Self.ellipsis.utf8.count)
        var end = title.unicodeScalars.startIndex
        var space: String.Index?
        var count = 0
        for index in title.unicodeScalars.indices {
            let scalar = title.unicodeScalars[index]
            count += UTF8.width(scalar)
            if count > room { break }
            if scalar == " " { space = index }
            end = title.unicodeScalars.index(after: index)
        }
        let cut = space ?? end
        return (String(title[..<cut]) + Self.ellipsis, Self.ellipsis + String(title[cut...]).trimmed)
    }

    private mutating func at(
        _ line: Int, _ body: (inout DocumentBuilder) throws(InvalidDocument) -> Void
    ) throws(ImportFault) {
        do throws(InvalidDocument) {
            try body(&builder)
        } catch {
            throw ImportFault(error, line: line)
        }
    }
}
