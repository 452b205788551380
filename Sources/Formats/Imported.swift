// Why this file exists: what comes of a file is one value for every format: a document, the name that the file gives it,
// and what had to be left out.

import AccordionModel
import Wire

/// What the user wants otherwise than the file says.
package struct ImportOptions: Sendable {
    package var mode: Mode?
    /// Whether a section stands open that nobody has touched.
    package var initiallyOpen: Bool?
    package var limits = Limits()

    package init(mode: Mode? = nil, initiallyOpen: Bool? = nil) {
        self.mode = mode
        self.initiallyOpen = initiallyOpen
    }

    func apply(to attributes: inout DocumentAttributes) {
        if let mode { attributes.mode = mode }
        if let initiallyOpen { attributes.initiallyOpen = initiallyOpen }
    }
}

/// What came of a file.
package struct Imported: Sendable {
    package let document: Document
    /// The name that the file gives the document, where it gives one.
    package let name: DocumentName?
    package let notes: [ImportNote]

    /// Reads a file as `format`. `title` is for files that have no title of their own. A byte order mark at the
    /// beginning is passed over.
    package init(
        reading bytes: Span<UInt8>, as format: Format, title: String, options: ImportOptions = ImportOptions()
    ) throws(ImportFault) {
        let text = bytes.extracting(FileText.start(of: bytes)..<bytes.count)
        switch format {
        case .provinceList:
            let list = try ProvinceList(reading: text, title: title, options: options)
            self.init(document: list.document, name: nil, notes: list.notes)
        case .documentJSON:
            let (document, name) = try Self.documentFile(text, options)
            self.init(document: document, name: name, notes: UnknownMembers.notes(in: text))
        case .markdown: self = try MarkdownReader.read(text, title: title, options)
        case .opml: self = try OPMLReader.read(text, title: title, options)
        }
    }

    init(document: Document, name: DocumentName?, notes: [ImportNote]) {
        self.document = document
        self.name = name
        self.notes = notes
    }

    private static func documentFile(
        _ text: Span<UInt8>, _ options: ImportOptions
    ) throws(ImportFault) -> (Document, DocumentName?) {
        do throws(Failure) {
            let file = try DocumentFile(reading: text, limits: options.limits)
            var attributes = file.document.attributes
            options.apply(to: &attributes)
            return (file.document.with(attributes), file.name)
        } catch {
            if let fault = JSONFault.first(in: text) { throw ImportFault(fault, in: text) }
            throw ImportFault(reason: error.message, line: nil)
        }
    }
}
