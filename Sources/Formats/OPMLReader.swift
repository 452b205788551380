// Why this file exists: outlines travel between outliners as OPML. Its elements nest as sections do; what an outliner adds
// beyond text, note and check mark is told, not dropped in silence.

import AccordionModel
import Wire

/// One walk over the elements of a file.
struct OPMLReader {
    /// What stands around what is being read.
    private enum Around {
        case root
        case head
        case body
        /// Its text goes nowhere.
        case unknown
        case title
        case expansionState
        case members
        /// `isSection`: it was begun, and is to be ended.
        case outline(isSection: Bool, isVisible: Bool)
    }

    private let xml: XMLText
    private var builder: OutlineBuilder
    private var stack: [Around] = []
    private let fallback: String
    private var title: String?
    private var hasTitle = false
    private var isOPML = false
    private var members: (json: [UInt8], line: Int)?
    private var memberNotes: [ImportNote] = []
    private var name: DocumentName?
    private var attributes = DocumentAttributes()
    private var expansion = ExpansionState()

    static func read(
        _ text: Span<UInt8>, title: String, _ options: ImportOptions
    ) throws(ImportFault) -> Imported {
        if text.indices.allSatisfy({ FileText.isSpace(text[$0]) }) {
            throw ImportFault(reason: "there is nothing in it", line: nil)
        }
        var reader = OPMLReader(
            xml: try XMLText(text), builder: OutlineBuilder(limits: options.limits), fallback: title)
        return try reader.read(options)
    }

    private init(xml: XMLText, builder: OutlineBuilder, fallback: String) {
        self.fallback = fallback
        self.xml = xml
        self.builder = builder
    }

    private mutating func read(_ options: ImportOptions) throws(ImportFault) -> Imported {
        while let event = try xml.next() {
            builder.line = xml.line
            switch event {
            case .begin(let name, let attributes, let isEmpty):
                try begin(name, attributes)
                if isEmpty { try end() }
            case .end: try end()
            case .text(let text): self.text(text)
            case .comment: builder.note("a comment is left out")
            case .instruction(let name): builder.note("the instruction \(JSONEscape.quoted(name)) is left out")
            }
        }
        guard isOPML else { throw ImportFault(reason: "it is no OPML: its root is no \"opml\"", line: (1, 1)) }
        try readMembers()
        if !hasTitle { try settleTitle() }
        options.apply(to: &attributes)
        let notes = memberNotes + builder.notes.all
        return Imported(document: try builder.finish(attributes), name: name, notes: notes)
    }

    // MARK: - Elements

    private mutating func begin(_ name: String, _ attributes: [(name: String, value: String)]) throws(ImportFault) {
        switch (stack.last, name) {
        case (nil, "opml"):
            isOPML = true
            stack.append(.root)
        case (nil, _):
            throw ImportFault(reason: "it is no OPML: its root is \(JSONEscape.quoted(name))", line: (builder.line, 1))
        case (.root, "head"): stack.append(.head)
        case (.root, "body"):
            try readMembers()
            if !hasTitle { try settleTitle() }
            stack.append(.body)
        case (.head, "title"):
            title = ""
            stack.append(.title)
        case (.head, "expansionState"): stack.append(.expansionState)
        case (.head, OPMLNames.members): stack.append(.members)
        case (.body, "outline"): try outline(attributes, isVisible: true)
        case (.outline(_, let isVisible), "outline"): try outline(attributes, isVisible: isVisible)
        default:
            builder.note("the element \(JSONEscape.quoted(name)) is left out")
            stack.append(.unknown)
        }
    }

    private mutating func end() throws(ImportFault) {
        if case .outline(isSection: true, _) = stack.popLast() { builder.end() }
    }

    private mutating func text(_ text: String) {
        switch stack.last {
        case .title: title = (title ?? "") + text
        case .expansionState:
            if !expansion.read(text) { builder.note("numbers of expansionState that are none are left out") }
        case .members: members = ((members?.json ?? []) + Array(text.utf8), members?.line ?? builder.line)
        // Its element is told already.
        case .unknown: break
        default: builder.note("text outside of outlines is left out")
        }
    }

    /// The document's own members: before the first outline, which may depend on them.
    private mutating func readMembers() throws(ImportFault) {
        guard let members else { return }
        self.members = nil
        (name, attributes, memberNotes) = try DocumentAnnotation.read(members.json, line: members.line)
    }

    /// Where a title is too long its rest is the document's first text.
    private mutating func settleTitle() throws(ImportFault) {
        hasTitle = true
        let whole = attributes.title.isEmpty ? title?.trimmedOfSpace ?? fallback : attributes.title
        let (first, rest) = builder.split(whole)
        attributes.title = first
        if let rest { try builder.text(rest) }
    }

    private mutating func outline(
        _ attributes: [(name: String, value: String)], isVisible: Bool
    ) throws(ImportFault) {
        let isExpanded = isVisible && expansion.nextLine()
        var outline = OPMLOutline(attributes)
        for name in outline.unknown { builder.note("the attribute \(JSONEscape.quoted(name)) is left out") }
        let annotation = try annotation(outline.members)
        for name in annotation.unknown { builder.note("the member \(JSONEscape.quoted(name)) is left out") }
        switch outline.kind {
        case .text: try builder.text(annotation.text ?? outline.title)
        case .code:
            try builder.code(annotation.code ?? outline.title, language: annotation.language ?? outline.language)
        case .section:
            outline.note = annotation.text ?? outline.note
            var attributes = annotation.attributes(task: outline.task)
            if attributes.open == nil, isExpanded, !self.attributes.initiallyOpen { attributes.open = true }
            try builder.begin(
                title: annotation.title ?? outline.title, id: annotation.id, attributes: attributes,
                hasContent: annotation.isEmptySection)
            if let note = outline.note { try builder.text(note) }
        }
        stack.append(.outline(isSection: outline.kind == .section, isVisible: isExpanded))
    }

    private func annotation(_ json: String?) throws(ImportFault) -> Annotation {
        guard let json else { return Annotation() }
        let bytes = Array(json.utf8)
        do throws(Annotation.Fault) {
            return try Annotation(reading: bytes.span)
        } catch {
            throw ImportFault(
                reason: "\(OPMLNames.members) can't be read: \(error.reason)", line: (builder.line, 1))
        }
    }
}

/// Names that are ours: attributes and an element that other programs pass over, kinds that they show as text.
enum OPMLNames {
    /// Members that OPML lacks, as JSON.
    static let members = "_accordion"
    static let language = "_language"
    static let text = "accordion-text"
    static let code = "accordion-code"
}

/// What the attributes of an outline say.
private struct OPMLOutline {
    enum Kind { case section, text, code }

    var kind = Kind.section
    var title = ""
    /// A paragraph; nil where there is none or nothing in it.
    var note: String?
    var task: Bool?
    var language: String?
    var members: String?
    var unknown: [String] = []

    init(_ attributes: [(name: String, value: String)]) {
        var text: String?
        var other: String?
        for (name, value) in attributes {
            switch name {
            case "text": text = value
            case "title": other = value
            case "_note": note = value.isEmpty ? nil : value
            case "_complete":
                switch value.lowercased() {
                case "true", "1", "yes": task = true
                case "false", "0", "no", "": task = false
                default: unknown.append(name)
                }
            case OPMLNames.language: language = value
            case OPMLNames.members: members = value
            case "type" where value == OPMLNames.text: kind = .text
            case "type" where value == OPMLNames.code: kind = .code
            default: unknown.append(name)
            }
        }
        title = text ?? other ?? ""
        // Feeds say the same in both.
        if let text, let other, text != other { unknown.append("title") }
    }
}

/// Which lines of an outline are expanded: numbers of the lines that are to be seen, each counted with those before it
/// expanded.
private struct ExpansionState {
    private var lines: Set<Int> = []
    private var line = 0

    /// False where something in it is no number of a line.
    mutating func read(_ text: String) -> Bool {
        var isWhole = true
        for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            if let number = Int(word), number >= 0 { lines.insert(number) } else { isWhole = false }
        }
        return isWhole
    }

    /// Whether the next visible line is expanded. Lines count from 1; where a program has counted from 0, from there.
    mutating func nextLine() -> Bool {
        line += 1
        return lines.contains(lines.contains(0) ? line - 1 : line)
    }
}
