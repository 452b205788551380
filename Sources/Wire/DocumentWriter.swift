// Why this file exists: content goes out in snapshots, replies and exports in one form, with every id in its place, so
// that reading it again gives the same document.

import AccordionModel
import Bytes

extension JSONWriter {
    /// The document as one JSON object. Where `section` is given (-1: all), only the blocks inside it.
    func document(_ document: Document, name: DocumentName, inside section: Int32 = -1) {
        raw("{")
        documentMembers(document, name: name, inside: section)
        raw("}")
    }

    /// The same without the braces, for a request that has the document's members among its own.
    func documentMembers(_ document: Document, name: DocumentName, inside section: Int32 = -1) {
        let attributes = document.attributes
        raw("\"doc\":")
        string(name.text)
        raw(",\"title\":")
        string(attributes.title)
        raw(attributes.mode == .single ? ",\"mode\":\"single\"" : ",\"mode\":\"multiple\"")
        raw(attributes.initiallyOpen ? ",\"initially\":\"open\"" : ",\"initially\":\"closed\"")
        raw(attributes.headers ? ",\"headers\":true" : ",\"headers\":false")
        switch attributes.conflicts {
        case .last: raw(",\"conflicts\":\"last\"")
        case .open: raw(",\"conflicts\":\"open\"")
        case .closed: raw(",\"conflicts\":\"closed\"")
        }
        if !attributes.collapsible { raw(",\"collapsible\":false") }
        raw(",\"content\":[")
        blocks(section < 0 ? document.content : document[section].content ?? [], of: document)
        raw("]")
    }

    /// Nested content, walked with a stack of its own.
    private func blocks(_ blocks: [Block], of document: Document) {
        var stack: [(blocks: [Block], next: Int)] = [(blocks, 0)]
        while let (blocks, next) = stack.popLast() {
            guard next < blocks.count else {
                if !stack.isEmpty { raw("]}") }
                continue
            }
            stack.append((blocks, next + 1))
            if next > 0 { raw(",") }
            switch blocks[next] {
            case .text(let text): string(text)
            case .code(let text, let language):
                raw("{\"code\":")
                string(text)
                if let language {
                    raw(",\"language\":")
                    string(language)
                }
                raw("}")
            case .section(let index):
                let section = document[index]
                header(of: section)
                if let content = section.content {
                    raw(",\"content\":[")
                    stack.append((content, 0))
                } else {
                    raw("}")
                }
            }
        }
    }

    private func header(of section: Section) {
        let attributes = section.attributes
        raw("{\"id\":")
        string(String(section.path.segment))
        raw(",\"title\":")
        string(section.title)
        if let mode = attributes.mode { raw(mode == .single ? ",\"mode\":\"single\"" : ",\"mode\":\"multiple\"") }
        if let open = attributes.open { raw(open ? ",\"open\":true" : ",\"open\":false") }
        if !attributes.collapsible { raw(",\"collapsible\":false") }
        if attributes.locked { raw(",\"locked\":true") }
        if let task = attributes.task { raw(task ? ",\"task\":true" : ",\"task\":false") }
        if let tint = attributes.tint {
            raw(",\"tint\":")
            string(tint)
        }
    }
}

extension DocumentFile {
    /// A document as a file of JSON, one line.
    package static func write(_ document: Document, name: DocumentName, into frame: Frame) {
        let writer = JSONWriter(frame)
        writer.document(document, name: name)
        writer.newline()
    }
}
