// Why this file exists: a document leaves as Markdown that people read and edit, and that is read again as the same
// document. Sections are headings as long as that says where they end, list items otherwise; what Markdown has no words for
// stands in comments, and of the whole document in the front matter.

import AccordionModel
import Bytes

/// Writes a document, on a stack of its own.
package struct MarkdownWriter {
    /// Blocks being written.
    private struct Frame {
        let blocks: [Block]
        var next = 0
        let indent: [UInt8]
        /// Of the headings in it; 7 and above where there are none.
        let level: Int
        /// From here on all blocks are sections that may be headings.
        let headingsStart: Int
    }

    private static let levelMax = 6

    private let document: Document
    private let frame: Bytes.Frame
    private let ids: [String?]
    private var stack: [Frame] = []
    /// What was written last.
    private var last = Last.nothing

    private enum Last: Equatable {
        case nothing, block
        /// A list item and nothing inside it yet.
        case item
    }

    /// The number of the list item written last at each indentation, and what stood behind it.
    private var numbers: [Int: (number: Int, delimiter: UInt8)] = [:]

    package static func write(_ document: Document, into frame: Bytes.Frame) {
        var writer = MarkdownWriter(document, frame)
        writer.write()
    }

    private init(_ document: Document, _ frame: Bytes.Frame) {
        self.document = document
        self.frame = frame
        ids = GivenIDs.find(in: document)
    }

    private mutating func write() {
        let attributes = document.attributes
        frontMatter(attributes)
        if !attributes.title.isEmpty {
            separate()
            frame.append("# ")
            MarkdownText.write(attributes.title, as: .heading, into: frame)
            frame.append(0x0A)
            last = .block
        }
        push(document.content, indent: [], level: 2)
        while let top = stack.last {
            guard top.next < top.blocks.count else {
                stack.removeLast()
                continue
            }
            stack[stack.count - 1].next += 1
            switch top.blocks[top.next] {
            case .text(let text): self.text(text, top.indent)
            case .code(let code, let language): self.code(code, language, top.indent)
            case .section(let index):
                let section = document[index]
                if top.next >= top.headingsStart {
                    heading(section, id: ids[Int(index)], top.level)
                } else {
                    item(section, id: ids[Int(index)], top.indent)
                }
            }
        }
    }

    private mutating func push(_ blocks: [Block], indent: [UInt8], level: Int) {
        var start = blocks.count
        if level <= Self.levelMax {
            while start > 0, case .section(let index) = blocks[start - 1] {
                let section = document[index]
                guard !section.isRow, section.attributes.task == nil else { break }
                start -= 1
            }
            // Steps that are counted stay in one list.
            while start > 0, start < blocks.count, isSequel(blocks[start], of: blocks[start - 1]) { start += 1 }
        }
        numbers[indent.count] = nil
        stack.append(Frame(blocks: blocks, indent: indent, level: level, headingsStart: start))
    }

    private func isSequel(_ block: Block, of before: Block) -> Bool {
        guard case .section(let index) = block, case .section(let former) = before,
            let number = NumberedTitle(document[index].title), let last = NumberedTitle(document[former].title)
        else { return false }
        return number.delimiter == last.delimiter && number.number == last.number + 1
    }

    private mutating func frontMatter(_ attributes: DocumentAttributes) {
        let members = DocumentAnnotation.json(attributes)
        guard members != nil || attributes.title.isEmpty else { return }
        frame.append("---\n")
        if attributes.title.isEmpty { frame.append("title: \"\"\n") }
        if let members {
            frame.append("accordion: ")
            frame.append(members)
            frame.append(0x0A)
        }
        frame.append("---\n")
        last = .block
    }

    // MARK: - Blocks

    private mutating func separate() {
        if last != .nothing { frame.append(0x0A) }
    }

    private mutating func text(_ text: String, _ indent: [UInt8]) {
        separate()
        frame.append(indent)
        if text.isEmpty {
            var annotation = Annotation()
            annotation.text = text
            comment(annotation)
        } else {
            MarkdownText.write(text, as: .paragraph(indent: indent), into: frame)
            frame.append(0x0A)
        }
        ended(indent)
    }

    private mutating func code(_ code: String, _ language: String?, _ indent: [UInt8]) {
        separate()
        frame.append(indent)
        guard MarkdownText.canFence(code, language: language) else {
            var annotation = Annotation()
            (annotation.code, annotation.language) = (code, language)
            comment(annotation)
            return ended(indent)
        }
        let fence = MarkdownText.fence(for: code)
        frame.append(fence)
        if let language { frame.append(utf8: language) }
        frame.append(0x0A)
        if !code.isEmpty {
            for line in code.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
                if !line.isEmpty {
                    frame.append(indent)
                    frame.append(utf8: Substring(line))
                }
                frame.append(0x0A)
            }
        }
        frame.append(indent)
        frame.append(fence)
        frame.append(0x0A)
        ended(indent)
    }

    /// A block that is no list item stands between the items before and behind it.
    private mutating func ended(_ indent: [UInt8]) {
        last = .block
        numbers[indent.count] = nil
    }

    private func comment(_ annotation: Annotation) {
        guard let json = annotation.json else { return }
        frame.append("<!-- accordion: ")
        for byte in json {
            // No comment may end before its end.
            if byte == UInt8(ascii: ">") { frame.append("\\u003e") } else { frame.append(byte) }
        }
        frame.append(" -->\n")
    }

    private mutating func heading(_ section: Section, id: String?, _ level: Int) {
        separate()
        for _ in 0..<level { frame.append(UInt8(ascii: "#")) }
        if !section.title.isEmpty {
            frame.append(0x20)
            MarkdownText.write(section.title, as: .heading, into: frame)
        }
        frame.append(0x0A)
        var annotation = Annotation(section.attributes)
        annotation.id = id
        comment(annotation)
        last = .block
        push(section.content ?? [], indent: [], level: level + 1)
    }

    private mutating func item(_ section: Section, id: String?, _ indent: [UInt8]) {
        var annotation = Annotation(section.attributes)
        annotation.id = id
        annotation.isEmptySection = section.content?.isEmpty ?? false
        let number = NumberedTitle(section.title)
        begin(number, indent)
        var width = 2
        if let number {
            frame.append(decimal: number.number)
            frame.append(number.delimiter)
            frame.append(0x20)
            width = String(number.number).utf8.count + 2
        } else {
            frame.append("- ")
        }
        let inner = indent + [UInt8](repeating: 0x20, count: width)
        if section.title.isEmpty {
            annotation.title = ""
            annotation.task = section.attributes.task
            comment(annotation)
        } else {
            if let task = section.attributes.task { frame.append(task ? "[x] " : "[ ] ") }
            MarkdownText.write(number?.rest ?? section.title, as: .item, into: frame)
            frame.append(0x0A)
            if annotation.json != nil {
                frame.append(inner)
                comment(annotation)
            }
        }
        last = .item
        push(section.content ?? [], indent: inner, level: .max)
    }

    /// What stands before an item: nothing between neighbours and below a title, else an empty line; and an empty comment
    /// where its number would go on from the one before it and must not.
    private mutating func begin(_ number: NumberedTitle?, _ indent: [UInt8]) {
        let before = numbers[indent.count]
        let isSequel = before.map { $0.delimiter == number?.delimiter } ?? false
        let isWrong = isSequel && before?.number.advanced(by: 1) != number?.number
        if last != .item || isWrong || (number != nil && !isSequel) { separate() }
        if isWrong {
            frame.append(indent)
            frame.append("<!-- -->\n\n")
        }
        frame.append(indent)
        numbers[indent.count] = number.map { ($0.number, $0.delimiter) }
    }
}

/// A title that an item of a numbered list has: `3. Restart`.
private struct NumberedTitle {
    let number: Int
    let delimiter: UInt8
    let rest: String

    /// Nil where reading the item would give another title.
    init?(_ title: String) {
        let digits = title.utf8.prefix { (0x30...0x39).contains($0) }
        guard (1...9).contains(digits.count), digits.count == 1 || digits.first != 0x30, let text = String(digits),
            let number = Int(text)
        else { return nil }
        let behind = title.utf8.dropFirst(digits.count)
        guard let delimiter = behind.first, delimiter == UInt8(ascii: ".") || delimiter == UInt8(ascii: ")"),
            behind.dropFirst().first == 0x20, let rest = String(behind.dropFirst(2)), !rest.isEmpty
        else { return nil }
        self.number = number
        self.delimiter = delimiter
        self.rest = rest
    }
}
