// Why this file exists: a document leaves as OPML that outliners open, and that is read again as the same document.

import AccordionModel
import Bytes

/// Writes a document, on a stack of its own.
package struct OPMLWriter {
    private struct Step {
        let blocks: [Block]
        var next: Int
        /// Whether what is in it is to be seen in an outliner that expands what is open.
        let isVisible: Bool
        let isSection: Bool
    }

    private let document: Document
    private let frame: Frame
    private let ids: [String?]
    /// By section: whether a reader finds it expanded by the number of its line.
    private var expanded: [Bool] = []
    private var expandedLines: [Int] = []

    package static func write(_ document: Document, into frame: Frame) {
        var writer = OPMLWriter(document, frame)
        writer.write()
    }

    private init(_ document: Document, _ frame: Frame) {
        self.document = document
        self.frame = frame
        ids = GivenIDs.find(in: document)
    }

    private mutating func write() {
        findExpanded()
        frame.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n<head>\n")
        head()
        frame.append("</head>\n<body>\n")
        var stack = [Step(blocks: document.content, next: 0, isVisible: true, isSection: false)]
        while let top = stack.last {
            guard top.next < top.blocks.count else {
                stack.removeLast()
                if top.isSection {
                    indent(stack.count)
                    frame.append("</outline>\n")
                }
                continue
            }
            stack[stack.count - 1].next += 1
            indent(stack.count)
            switch top.blocks[top.next] {
            case .text(let text): self.text(text)
            case .code(let code, let language): self.code(code, language)
            case .section(let index):
                let rest = section(index)
                if let rest {
                    stack.append(Step(blocks: rest, next: 0, isVisible: true, isSection: true))
                }
            }
        }
        frame.append("</body>\n</opml>\n")
    }

    private func head() {
        let attributes = document.attributes
        let isExact = XMLEscape.holds(attributes.title) && attributes.title == attributes.title.trimmedOfSpace
        frame.append("<title>")
        XMLEscape.write(attributes.title, into: frame)
        frame.append("</title>\n")
        if !expandedLines.isEmpty {
            frame.append("<expansionState>")
            for (place, line) in expandedLines.enumerated() {
                if place > 0 { frame.append(UInt8(ascii: ",")) }
                frame.append(decimal: line)
            }
            frame.append("</expansionState>\n")
        }
        if let json = DocumentAnnotation.json(attributes, title: isExact ? nil : attributes.title) {
            frame.append("<_accordion>")
            XMLEscape.write(json: json, into: frame)
            frame.append("</_accordion>\n")
        }
    }

    private func indent(_ levels: Int) { for _ in 1..<max(1, levels) { frame.append("  ") } }

    /// Which sections a reader finds expanded by the numbers of their lines.
    private mutating func findExpanded() {
        expanded = [Bool](repeating: false, count: document.sections.count)
        var line = 0
        var stack = [Step(blocks: document.content, next: 0, isVisible: true, isSection: false)]
        while let top = stack.last {
            guard top.next < top.blocks.count else {
                stack.removeLast()
                continue
            }
            stack[stack.count - 1].next += 1
            if top.isVisible { line += 1 }
            guard case .section(let index) = top.blocks[top.next] else { continue }
            let isOpen = top.isVisible && document.opensInitially(index)
            if isOpen {
                expanded[Int(index)] = true
                expandedLines.append(line)
            }
            let (_, rest) = noted(index)
            stack.append(Step(blocks: rest, next: 0, isVisible: isOpen, isSection: true))
        }
    }

    /// A section's note, and the blocks behind it.
    private func noted(_ index: Int32) -> (note: String?, rest: [Block]) {
        let content = document[index].content ?? []
        guard case .text(let text)? = content.first, !text.isEmpty else { return (nil, content) }
        return (text, Array(content.dropFirst()))
    }

    // MARK: - Outlines

    private func attribute(_ name: StaticString, _ text: String) {
        frame.append(name)
        frame.append("=\"")
        XMLEscape.write(text, into: frame)
        frame.append("\"")
    }

    private func members(_ annotation: Annotation) {
        guard let json = annotation.json else { return }
        frame.append(" _accordion='")
        XMLEscape.write(json: json, into: frame)
        frame.append("'")
    }

    private func text(_ text: String) {
        frame.append("<outline type=\"accordion-text\"")
        attribute(" text", text)
        var annotation = Annotation()
        if !XMLEscape.holds(text) { annotation.text = text }
        members(annotation)
        frame.append("/>\n")
    }

    private func code(_ code: String, _ language: String?) {
        frame.append("<outline type=\"accordion-code\"")
        attribute(" text", code)
        var annotation = Annotation()
        if !XMLEscape.holds(code) { annotation.code = code }
        if let language {
            if XMLEscape.holds(language) { attribute(" _language", language) } else { annotation.language = language }
        }
        members(annotation)
        frame.append("/>\n")
    }

    /// Writes its beginning; what goes inside, or nil where it is ended already.
    private func section(_ index: Int32) -> [Block]? {
        let section = document[index]
        frame.append("<outline")
        attribute(" text", section.title)
        if let task = section.attributes.task { frame.append(task ? " _complete=\"true\"" : " _complete=\"false\"") }
        var annotation = Annotation(section.attributes)
        annotation.id = ids[Int(index)]
        if expanded[Int(index)], annotation.open == true, !document.attributes.initiallyOpen { annotation.open = nil }
        if !XMLEscape.holds(section.title) { annotation.title = section.title }
        annotation.isEmptySection = section.content?.isEmpty ?? false
        let (note, rest) = noted(index)
        if let note {
            attribute(" _note", note)
            if !XMLEscape.holds(note) { annotation.text = note }
        }
        members(annotation)
        frame.append(rest.isEmpty ? "/>\n" : ">\n")
        return rest.isEmpty ? nil : rest
    }
}
