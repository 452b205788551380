// Why this file exists: content comes from the wire, from four file formats and from disk. All of them tell the same few
// events to one builder, so that identifiers, limits and refusals are the same wherever a document comes from.

/// Why content was refused.
package struct InvalidDocument: Error, Equatable, Sendable {
    /// Whether a limit was passed (`too_large`) rather than a rule broken (`invalid_document`).
    package let isTooLarge: Bool
    /// What was wrong and where; text of the document's is not quoted in it raw, only named by `place`.
    package let reason: String
    /// Title of the section at fault, where it has one that can be told, else of the one around it.
    package let place: String?

    package init(isTooLarge: Bool, reason: String, place: String?) {
        self.isTooLarge = isTooLarge
        self.reason = reason
        self.place = place
    }
}

/// Makes a `Document` from events in document order. Nesting is the builder's own stack, never the caller's.
package struct DocumentBuilder {
    private struct Draft {
        let explicit: String?
        let title: String
        let parent: Int32
        let depth: Int
        var end: Int32
        var content: [Block]?
        let attributes: SectionAttributes
    }

    private let limits: Limits
    private var drafts: [Draft] = []
    private var top: [Block] = []
    private var stack: [Int32] = []
    private var textBytes = 0

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// How many sections are open around what comes next.
    package var depth: Int { stack.count }

    /// Begins a section inside the one that was begun last. `id` is its segment where the source gives one. It is a row
    /// unless `hasContent`, or something is put into it.
    package mutating func beginSection(
        id: String?, title: String, attributes: SectionAttributes = SectionAttributes(), hasContent: Bool
    ) throws(InvalidDocument) {
        guard drafts.count < limits.sectionsMax else {
            throw tooLarge("more than \(limits.sectionsMax) sections")
        }
        guard stack.count < limits.depthMax else {
            throw InvalidDocument(
                isTooLarge: true, reason: "sections nested deeper than \(limits.depthMax)", place: title)
        }
        guard title.utf8.count <= limits.titleBytesMax else {
            throw tooLarge("a title longer than \(limits.titleBytesMax) bytes")
        }
        if let tint = attributes.tint, !Tint.isValid(tint) { throw invalid("an unknown tint", in: title) }
        var explicit: String?
        if let id {
            guard let checked = Segment.checked(id, bytesMax: limits.segmentBytesMax) else {
                throw invalid(
                    "an id that is not 1 to \(limits.segmentBytesMax) bytes without \"/\" and control characters",
                    in: title)
            }
            explicit = checked
            try count(checked)
        }
        try count(title)
        let index = Int32(drafts.count)
        put(.section(index))
        drafts.append(
            Draft(
                explicit: explicit, title: title, parent: stack.last ?? -1, depth: stack.count + 1, end: index + 1,
                content: hasContent ? [] : nil, attributes: attributes))
        stack.append(index)
    }

    /// Ends the section that was begun last.
    package mutating func endSection() {
        guard let index = stack.popLast() else { return }
        drafts[Int(index)].end = Int32(drafts.count)
    }

    package mutating func addText(_ text: String) throws(InvalidDocument) {
        try count(text)
        put(.text(text))
    }

    package mutating func addCode(_ text: String, language: String?) throws(InvalidDocument) {
        try count(text)
        if let language { try count(language) }
        put(.code(text, language: language))
    }

    /// The document, with every section's path settled.
    package consuming func finish(_ attributes: DocumentAttributes) throws(InvalidDocument) -> Document {
        guard attributes.title.utf8.count <= limits.titleBytesMax else {
            throw tooLarge("a title longer than \(limits.titleBytesMax) bytes")
        }
        while !stack.isEmpty { endSection() }
        try count(attributes.title)
        let segments = try segments()
        var sections: [Section] = []
        sections.reserveCapacity(drafts.count)
        var index: [SectionPath: Int32] = [:]
        index.reserveCapacity(drafts.count)
        for (number, draft) in drafts.enumerated() {
            let around = draft.parent < 0 ? SectionPath.top : sections[Int(draft.parent)].path
            let path = around.appending(segments[number])
            index[path] = Int32(number)
            sections.append(
                Section(
                    path: path, title: draft.title, parent: draft.parent, end: draft.end, depth: draft.depth,
                    content: draft.content, attributes: draft.attributes))
        }
        return Document(
            attributes: attributes, sections: sections, content: top, textBytes: textBytes, index: index)
    }

    private mutating func put(_ block: Block) {
        guard let around = stack.last else { return top.append(block) }
        if drafts[Int(around)].content == nil { drafts[Int(around)].content = [] }
        drafts[Int(around)].content?.append(block)
    }

    private mutating func count(_ text: String) throws(InvalidDocument) {
        textBytes += text.utf8.count
        guard textBytes <= limits.textBytesMax else {
            throw tooLarge("more than \(limits.textBytesMax) bytes of text")
        }
    }

    private struct Sibling: Hashable {
        let parent: Int32
        let segment: SectionPath

        init(_ parent: Int32, _ segment: String) {
            self.parent = parent
            self.segment = SectionPath(unchecked: segment)
        }
    }

    /// The segment of each section: its own `id`, else made from its title and told apart from its siblings'. All given
    /// ids count before the first is made, so that a made one never takes the name that a later sibling was given.
    private func segments() throws(InvalidDocument) -> [String] {
        var taken: Set<Sibling> = []
        taken.reserveCapacity(drafts.count)
        for draft in drafts {
            guard let explicit = draft.explicit else { continue }
            guard taken.insert(Sibling(draft.parent, explicit)).inserted else {
                throw invalid("two sections with the same id side by side", in: draft.title)
            }
        }
        var numbers: [Sibling: Int] = [:]
        var result: [String] = []
        result.reserveCapacity(drafts.count)
        for draft in drafts {
            if let explicit = draft.explicit {
                result.append(explicit)
                continue
            }
            let base = Segment.made(from: draft.title, bytesMax: limits.segmentBytesMax)
            let isFree = taken.insert(Sibling(draft.parent, base)).inserted
            result.append(isFree ? base : numbered(base, inside: draft.parent, &numbers, &taken))
        }
        return result
    }

    /// `base` with the first number behind it that is free. Long bases are cut to make room, and then share `numbers`
    /// with all others that are cut to the same: so no number of theirs is tried twice.
    private func numbered(
        _ base: String, inside parent: Int32, _ numbers: inout [Sibling: Int], _ taken: inout Set<Sibling>
    ) -> String {
        var number = 2
        while true {
            let suffix = "~\(number)"
            let stem = Segment.cut(base, bytesMax: limits.segmentBytesMax - suffix.utf8.count)
            let next = numbers[Sibling(parent, stem), default: 2]
            if next > number {
                number = next
                continue
            }
            number += 1
            numbers[Sibling(parent, stem)] = number
            if taken.insert(Sibling(parent, stem + suffix)).inserted { return stem + suffix }
        }
    }

    private func invalid(_ reason: String, in title: String) -> InvalidDocument {
        InvalidDocument(isTooLarge: false, reason: reason, place: title)
    }
    private func tooLarge(_ reason: String) -> InvalidDocument {
        let place = stack.last.map { drafts[Int($0)].title }
        return InvalidDocument(isTooLarge: true, reason: reason, place: place)
    }
}
