// Why this file exists: a person hands over a file and expects it to be understood. What it is, is seen from its first
// character; what came of it, and what had to be left out, is one value for every format.

import AccordionModel
import Wire

/// What a document can be made of.
package enum Format: String, CaseIterable, Sendable {
    /// `[{"name":…,"city":[{"name":…}]}]`
    case provinceList = "provinces"
    /// A document as `export` writes it and as `create` takes it.
    case documentJSON = "json"

    /// By the first character that is no white space; nil where it begins neither.
    package static func detect(_ bytes: Span<UInt8>) -> Format? {
        for index in FileText.start(of: bytes)..<bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "["): return .provinceList
            case UInt8(ascii: "{"): return .documentJSON
            default: return nil
            }
        }
        return nil
    }
}

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

/// Something that is in the file and not in the document.
package struct ImportNote: Equatable, Sendable {
    package let what: String
    /// The first place: the entry around it, its name or the names from the top; nil for the document itself.
    package let place: String?
    /// In how many places.
    package var count: Int

    package var message: String {
        let place = self.place.map(JSONEscape.quoted) ?? "the top"
        return count == 1 ? "\(what), at \(place)" : "\(what), in \(count) places, first at \(place)"
    }
}

/// Notes being taken: what is the same in many places is told once.
struct ImportNotes {
    private(set) var all: [ImportNote] = []
    private var index: [String: Int] = [:]

    mutating func add(_ what: String, at place: @autoclosure () -> String?) {
        if let index = index[what] {
            all[index].count += 1
        } else {
            index[what] = all.count
            all.append(ImportNote(what: what, place: place(), count: 1))
        }
    }
}

/// What came of a file.
package struct Imported: Sendable {
    package let document: Document
    /// The name that the file gives the document, where it gives one.
    package let name: DocumentName?
    package let notes: [ImportNote]

    /// Reads a file as `format`. `title` is for formats that have no title of their own. A byte order mark at the
    /// beginning is passed over.
    package init(
        reading bytes: Span<UInt8>, as format: Format, title: String, options: ImportOptions = ImportOptions()
    ) throws(ImportFault) {
        let text = bytes.extracting(FileText.start(of: bytes)..<bytes.count)
        switch format {
        case .provinceList:
            let list = try ProvinceList(reading: text, title: title, options: options)
            (document, name, notes) = (list.document, nil, list.notes)
        case .documentJSON:
            (document, name) = try Self.documentFile(text, options)
            notes = UnknownMembers.notes(in: text)
        }
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

/// Why a file can't be understood.
package struct ImportFault: Error, Equatable, Sendable {
    package let reason: String
    /// Where in the file, where that is known; both count from 1, the column in bytes.
    package let line: (number: Int, column: Int)?

    package init(reason: String, line: (number: Int, column: Int)?) {
        self.reason = reason
        self.line = line
    }

    init(_ fault: JSONFault, in text: Span<UInt8>) {
        switch fault {
        case .badUTF8(let offset): self.init(reason: "bytes that are no UTF-8", line: FileText.place(offset, in: text))
        case .badJSON(let offset, let reason):
            let words = reason == .notAnObject ? "it is no JSON object" : reason.inFile
            self.init(reason: words, line: FileText.place(offset, in: text))
        case .tooDeep(let offset):
            self.init(reason: "more than \(JSONFault.depthMax) levels", line: FileText.place(offset, in: text))
        case .repeatedMember(let name): self.init(reason: "the member \(name) stands twice in one object", line: nil)
        case .outOfMemory: self.init(reason: "there is no memory to read it", line: nil)
        }
    }

    init(_ fault: InvalidDocument) {
        let place = fault.place.map { ", at \(JSONEscape.quoted($0))" } ?? ""
        self.init(reason: fault.reason + place, line: nil)
    }

    /// `3:14: no such escape`
    package var message: String { line.map { "\($0.number):\($0.column): \(reason)" } ?? reason }

    package static func == (left: ImportFault, right: ImportFault) -> Bool { left.message == right.message }
}

extension JSONFault.Reason {
    fileprivate var inFile: String {
        switch self {
        case .empty: "there is nothing in it"
        case .endsEarly: "the file ends inside a value"
        default: rawValue
        }
    }
}

enum FileText {
    /// 3 where the file begins with a byte order mark.
    static func start(of bytes: Span<UInt8>) -> Int {
        bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
    }

    static func place(_ offset: Int, in text: Span<UInt8>) -> (number: Int, column: Int) {
        var number = 1
        var lineStart = 0
        for index in 0..<min(offset, text.count) where text[index] == 0x0A {
            number += 1
            lineStart = index + 1
        }
        return (number, offset - lineStart + 1)
    }
}
