// Why this file exists: a runbook is written in Markdown long before it is an accordion. Headings and list items are its
// sections already; this walk tells them to the builder in their order, and everything between them as text.

import AccordionModel
import Wire

/// One walk over the tree of a text, on a stack of its own.
struct MarkdownReader {
    /// A container that is being walked.
    private struct Frame {
        enum Kind {
            case blocks
            /// The number of the item that comes next, where the list has numbers.
            case list(number: Int?, delimiter: String)
            case item
            case quote
        }

        var next: MarkdownNode?
        let kind: Kind
        /// Levels of the headings whose sections are open in it.
        var levels: [Int] = []
    }

    private let source: SourceText
    /// Lines before the first one of the tree.
    private let lineOffset: Int
    private let frontMatter: FrontMatter?
    private var builder: OutlineBuilder
    private var inline = MarkdownInline()
    private var stack: [Frame] = []
    /// The heading that is the document's title and no section.
    private var titleHeading: MarkdownNode?

    static func read(
        _ text: Span<UInt8>, title: String, _ options: ImportOptions
    ) throws(ImportFault) -> Imported {
        let source = try SourceText(text)
        let frontMatter = FrontMatter(source)
        let lineOffset = frontMatter?.lineCount ?? 0
        let start = lineOffset < source.lineStarts.count ? source.lineStarts[lineOffset] : source.bytes.count
        guard let tree = MarkdownTree(source.bytes.span.extracting(start...)) else {
            throw ImportFault(reason: "there is no memory to read it", line: nil)
        }
        var reader = MarkdownReader(source, lineOffset, frontMatter, options)
        return try reader.read(tree, title: title, options)
    }

    private init(_ source: SourceText, _ lineOffset: Int, _ frontMatter: FrontMatter?, _ options: ImportOptions) {
        self.source = source
        self.lineOffset = lineOffset
        self.frontMatter = frontMatter
        builder = OutlineBuilder(limits: options.limits)
    }

    private mutating func read(
        _ tree: MarkdownTree, title: String, _ options: ImportOptions
    ) throws(ImportFault) -> Imported {
        var attributes = DocumentAttributes()
        var name: DocumentName?
        var notes: [ImportNote] = []
        if let members = frontMatter?.members {
            (name, attributes, notes) = try DocumentAnnotation.read(members.json, line: members.line)
        }
        options.apply(to: &attributes)
        if let note = frontMatter?.note { builder.note(note) }
        if let nul = source.replacedNUL {
            builder.line = nul.line
            for _ in 0..<nul.count { builder.note("a NUL stands as U+FFFD") }
        }
        attributes.title = try self.title(of: tree, or: title)
        stack = [Frame(next: tree.root.firstChild, kind: .blocks)]
        while let frame = stack.last {
            if let node = frame.next {
                stack[stack.count - 1].next = node.next
                if node.line > 0 { builder.line = node.line + lineOffset }
                try read(node, in: frame)
            } else {
                end(frame)
            }
        }
        tellUnusedDefinitions(tree)
        let told = notes + builder.notes.all
        return Imported(document: try builder.finish(attributes), name: name, notes: told)
    }

    /// The document's title: the front matter's, else the first heading of level 1, else `fallback`. Where the only such
    /// heading is the title it is no section.
    private mutating func title(of tree: MarkdownTree, or fallback: String) throws(ImportFault) -> String {
        var first: MarkdownNode?
        var count = 0
        var block = tree.root.firstChild
        while let node = block {
            if node.kind == .heading, node.headingLevel == 1 {
                first = first ?? node
                count += 1
            }
            block = node.next
        }
        let heading = first.map { inline.text(of: $0, .spaces) } ?? ""
        // It is read, and its comments told, when its turn comes.
        inline.commentCount = 0
        if let title = frontMatter?.title {
            if count == 1, heading == title { titleHeading = first }
            return try whole(title, at: 1)
        }
        guard !heading.isEmpty, let first else { return try whole(fallback, at: 1) }
        if count == 1 { titleHeading = first }
        return try whole(heading, at: first.line + lineOffset)
    }

    /// Where a title is too long its rest is the document's first text.
    private mutating func whole(_ title: String, at line: Int) throws(ImportFault) -> String {
        builder.line = line
        let (first, rest) = builder.split(title)
        if let rest { try builder.text(rest) }
        return first
    }

    // MARK: - Blocks

    private mutating func read(_ node: MarkdownNode, in frame: Frame) throws(ImportFault) {
        switch node.kind {
        case .heading: try heading(node)
        case .paragraph: try paragraph(node)
        case .code: try builder.code(Self.body(node.literal), language: node.fenceInfo.isEmpty ? nil : node.fenceInfo)
        case .html: try html(node)
        case .rule: builder.note("a rule between parts is left out")
        case .table:
            let table = MarkdownTable(node, in: source, line: lineOffset, &inline)
            try builder.code(table.text, language: nil)
            tellComments()
        case .quote:
            builder.beginQuote()
            stack.append(Frame(next: node.firstChild, kind: .quote))
        case .list:
            let numbering = node.numbering
            stack.append(
                Frame(
                    next: node.firstChild,
                    kind: .list(number: numbering?.start, delimiter: numbering?.delimiter ?? "")))
        case .item: try item(node, in: frame)
        default: stack.append(Frame(next: node.firstChild, kind: .blocks))
        }
    }

    private mutating func end(_ frame: Frame) {
        for _ in frame.levels { builder.end() }
        switch frame.kind {
        case .item, .quote: builder.end()
        case .blocks, .list: break
        }
        stack.removeLast()
    }

    private mutating func heading(_ node: MarkdownNode) throws(ImportFault) {
        let top = stack.count - 1
        let level = node.headingLevel
        while let open = stack[top].levels.last, open >= level {
            builder.end()
            stack[top].levels.removeLast()
        }
        let title = inline.text(of: node, .spaces)
        tellComments()
        if let titleHeading, titleHeading == node { return }
        if builder.isFlat { return try builder.text(title) }
        let annotation = try takeAnnotation(node.next)
        try builder.begin(
            title: annotation?.title ?? title, id: annotation?.id,
            attributes: annotation?.attributes() ?? SectionAttributes(), hasContent: true)
        stack[top].levels.append(level)
    }

    private mutating func paragraph(_ node: MarkdownNode) throws(ImportFault) {
        let text = inline.text(of: node, .lines)
        tellComments()
        if !text.isEmpty { try builder.text(text) }
    }

    private mutating func item(_ node: MarkdownNode, in frame: Frame) throws(ImportFault) {
        var number = ""
        if case .list(let next?, let delimiter) = frame.kind {
            number = "\(next)\(delimiter)"
            stack[stack.count - 1] = Frame(
                next: stack[stack.count - 1].next, kind: .list(number: next + 1, delimiter: delimiter))
        }
        var title = ""
        var task: Bool?
        var rest = node.firstChild
        if let first = rest, first.kind == .paragraph || first.kind == .heading {
            title = inline.text(of: first, .spaces)
            tellComments()
            if first.kind == .paragraph, let mark = mark(of: first, title) {
                task = mark.isDone
                title = String(title.utf8.dropFirst(mark.utf8Count)) ?? title
            }
            rest = first.next
        }
        let annotation = try takeAnnotation(rest)
        if annotation != nil { rest = rest?.next }
        if !number.isEmpty { title = title.isEmpty ? number : "\(number) \(title)" }
        try builder.begin(
            title: annotation?.title ?? title, id: annotation?.id,
            attributes: annotation?.attributes(task: task) ?? Annotation().attributes(task: task),
            hasContent: annotation?.isEmptySection ?? false)
        stack.append(Frame(next: rest, kind: .item))
    }

    /// The check mark that a paragraph begins with as it is written, and how much of its text that is; escaped brackets are
    /// none.
    private func mark(of paragraph: MarkdownNode, _ text: String) -> (isDone: Bool, utf8Count: Int)? {
        let written =
            paragraph.line > 0
            ? Array(source.line(paragraph.line + lineOffset, fromColumn: paragraph.column)) : Array(text.utf8)
        guard written.count >= 3, written[0] == UInt8(ascii: "["), written[2] == UInt8(ascii: "]"),
            written.count == 3 || FileText.isSpace(written[3]), text.utf8.starts(with: written[..<3])
        else { return nil }
        var end = 3
        while end < written.count, FileText.isSpace(written[end]) { end += 1 }
        // Of a mark alone on its line the text has one space before the next line.
        let utf8Count = min(end == written.count ? 4 : end, text.utf8.count)
        switch written[1] {
        case UInt8(ascii: " "): return (false, utf8Count)
        case UInt8(ascii: "x"), UInt8(ascii: "X"): return (true, utf8Count)
        default: return nil
        }
    }

    /// The literal of a block without its last line end.
    private static func body(_ literal: String) -> String {
        literal.utf8.last == 0x0A ? String(literal.utf8.dropLast()) ?? literal : literal
    }

    // MARK: - HTML

    private mutating func html(_ node: MarkdownNode) throws(ImportFault) {
        var rest = Self.body(node.literal)
        while let (comment, after) = Self.comment(rest) {
            rest = after
            guard let json = Self.annotation(comment) else {
                if !comment.trimmed.isEmpty { builder.note("an HTML comment is left out") }
                continue
            }
            let annotation = try self.annotation(json)
            if let text = annotation.text {
                try builder.text(text)
            } else if let code = annotation.code {
                try builder.code(code, language: annotation.language)
            } else {
                builder.note("members that stand behind no title are left out")
            }
        }
        let isSpace = rest.utf8.allSatisfy(FileText.isSpace)
        if !isSpace { try builder.code(rest, language: "html") }
    }

    /// A comment that a text begins with, and what follows it.
    private static func comment(_ text: String) -> (body: String, rest: String)? {
        guard let start = text.utf8.firstIndex(where: { !FileText.isSpace($0) }) else { return nil }
        let beginning = text[start...]
        guard beginning.hasPrefix("<!--"), let end = beginning.dropFirst(4).firstPlace(of: "-->") else { return nil }
        return (String(beginning.dropFirst(4)[..<end.lowerBound]), String(beginning[end.upperBound...]))
    }

    /// The JSON in a comment that is ours.
    private static func annotation(_ comment: String) -> [UInt8]? {
        let words = comment.drop { $0.isWhitespace }
        guard words.hasPrefix(MarkdownText.annotationMark) else { return nil }
        return Array(words.utf8.dropFirst(MarkdownText.annotationMark.utf8.count))
    }

    private mutating func annotation(_ json: [UInt8]) throws(ImportFault) -> Annotation {
        do throws(Annotation.Fault) {
            let annotation = try Annotation(reading: json.span)
            for name in annotation.unknown { builder.note("the member \(JSONEscape.quoted(name)) is left out") }
            return annotation
        } catch {
            throw ImportFault(
                reason: "the comment for accordion can't be read: \(error.reason)", line: (builder.line, 1))
        }
    }

    /// What the block says of the title before it; it is taken from the walk then.
    private mutating func takeAnnotation(_ block: MarkdownNode?) throws(ImportFault) -> Annotation? {
        guard let block, block.kind == .html, let (comment, rest) = Self.comment(block.literal),
            rest.utf8.allSatisfy(FileText.isSpace), let json = Self.annotation(comment)
        else { return nil }
        let line = builder.line
        builder.line = block.line + lineOffset
        defer { builder.line = line }
        let annotation = try self.annotation(json)
        if annotation.isBlock { return nil }
        if let next = stack.last?.next, next == block { stack[stack.count - 1].next = block.next }
        return annotation
    }

    // MARK: - What is told

    private mutating func tellComments() {
        for _ in 0..<inline.commentCount { builder.note("an HTML comment is left out") }
        inline.commentCount = 0
    }

    /// A link's address stands where the link is; that of a definition without a link stands nowhere.
    private mutating func tellUnusedDefinitions(_ tree: MarkdownTree) {
        let unused = tree.definitions.filter { !inline.links.contains(MarkdownInline.key($0.address, $0.title)) }
        guard !unused.isEmpty else { return }
        var lines: [String: Int] = [:]
        for number in stride(from: source.lineStarts.count, to: lineOffset, by: -1) {
            let line = source.line(number)
            guard let open = line.firstIndex(of: UInt8(ascii: "[")),
                let close = line[open...].firstIndex(of: UInt8(ascii: "]")), close + 1 < line.endIndex,
                line[close + 1] == UInt8(ascii: ":")
            else { continue }
            lines[String(decoding: line[(open + 1)..<close], as: UTF8.self).lowercased()] = number
        }
        for definition in unused {
            builder.line = lines[definition.label.lowercased()] ?? lineOffset + 1
            let title = definition.title.isEmpty ? "" : " \(JSONEscape.quoted(definition.title))"
            builder.note(
                "the link \(JSONEscape.quoted(definition.label)) to \(JSONEscape.quoted(definition.address))\(title) "
                    + "is used nowhere and left out")
        }
    }
}
