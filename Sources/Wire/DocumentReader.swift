// Why this file exists: a document comes in as nested JSON, in requests and in files. It is walked with a stack of marks
// and told to the builder, which keeps the limits; the depth of what was sent costs no stack of ours.

import AccordionModel
import Bytes

extension Members {
    /// The document that this object is, its name aside.
    func content(_ limits: Limits) throws(Failure) -> Document {
        do throws(InvalidDocument) {
            var builder = DocumentBuilder(limits: limits)
            let attributes = try attributes()
            try blocks(into: &builder)
            return try builder.finish(attributes)
        } catch {
            throw Failure(error)
        }
    }

    private func attributes() throws(InvalidDocument) -> DocumentAttributes {
        var attributes = DocumentAttributes()
        attributes.title = try text("title") ?? ""
        if let mode = try mode() { attributes.mode = mode }
        if let initially = try word("initially", ["closed", "open"]) { attributes.initiallyOpen = initially == "open" }
        if let headers = try flag("headers") { attributes.headers = headers }
        if let policy = try word("conflicts", ["last", "open", "closed"]) {
            attributes.conflicts = ConflictPolicy(rawValue: policy) ?? .last
        }
        if let collapsible = try flag("collapsible") { attributes.collapsible = collapsible }
        return attributes
    }

    private func mode() throws(InvalidDocument) -> Mode? {
        try word("mode", ["multiple", "single"]).flatMap { Mode(rawValue: $0) }
    }

    private func word(_ name: StaticString, _ words: [String]) throws(InvalidDocument) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.text, text.utf8Count <= 16, words.contains(text.string) else {
            throw invalid("\"\(name)\" must be one of \(words.map { "\"\($0)\"" }.joined(separator: ", "))")
        }
        return text.string
    }

    private func flag(_ name: StaticString) throws(InvalidDocument) -> Bool? {
        guard let value = object[name] else { return nil }
        guard let bool = value.bool else { throw invalid("\"\(name)\" must be true or false") }
        return bool
    }

    private func text(_ name: StaticString) throws(InvalidDocument) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.text else { throw invalid("\"\(name)\" must be a string") }
        return text.string
    }

    private func invalid(_ reason: String) -> InvalidDocument {
        var place: String?
        if let title = object["title"]?.text { place = title.string }
        return InvalidDocument(isTooLarge: false, reason: reason, place: place)
    }

    private func blocks(into builder: inout DocumentBuilder) throws(InvalidDocument) {
        guard let content = object["content"] else { return }
        guard let array = content.array else { throw invalid("\"content\" must be a list of blocks") }
        var stack = [array.elements.mark]
        while let mark = stack.popLast() {
            var elements = JSONElements(at: mark, in: object)
            guard let block = elements.next() else {
                builder.endSection()
                continue
            }
            stack.append(elements.mark)
            if let text = block.text {
                try builder.addText(text.string)
            } else if let inner = block.object {
                let members = Members(inner)
                if let code = try members.text("code"), inner["title"] == nil {
                    try builder.addCode(code, language: try members.text("language"))
                } else if let mark = try members.section(into: &builder) {
                    stack.append(mark)
                }
            } else {
                throw invalid("a block must be a section, a paragraph (a string) or code")
            }
        }
    }

    /// Begins the section that this object is; a row is ended at once. Returns where its content begins.
    private func section(into builder: inout DocumentBuilder) throws(InvalidDocument) -> JSONMark? {
        guard let title = try text("title") else { throw invalid("a section has no \"title\"") }
        var attributes = SectionAttributes()
        attributes.mode = try mode()
        attributes.open = try flag("open")
        attributes.collapsible = try flag("collapsible") ?? true
        attributes.locked = try flag("locked") ?? false
        attributes.task = try flag("task")
        attributes.tint = try text("tint")
        let id = try text("id")
        guard let content = object["content"] else {
            try builder.beginSection(id: id, title: title, attributes: attributes, hasContent: false)
            builder.endSection()
            return nil
        }
        guard let array = content.array else { throw invalid("\"content\" must be a list of blocks") }
        try builder.beginSection(id: id, title: title, attributes: attributes, hasContent: true)
        return array.elements.mark
    }
}

/// A document as JSON by itself, such as a file of `accordion export` holds.
package struct DocumentFile: Sendable {
    /// Where the JSON names it.
    package let name: DocumentName?
    package let document: Document

    /// `text` is one JSON value, line breaks and all.
    package init(reading text: Span<UInt8>, limits: Limits = Limits()) throws(Failure) {
        let parser = JSONParser()
        (name, document) = try parser.parse(text, refuse: { Failure($0) }) { object throws(Failure) in
            let members = Members(object)
            return (object["doc"] == nil ? nil : try members.document(), try members.content(limits))
        }
    }
}
