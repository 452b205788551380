// Why this file exists: libxml2 reads XML as a stream of nodes, and knows how to do more than a file from anywhere should
// make it do. Here it is a walk over elements and texts, with everything refused that makes XML dangerous. Unsafe because
// the library takes and gives pointers.

internal import CXML
import Wire

/// One pass over an XML text. No document type is accepted, so there are no entities but XML's five and nothing to fetch.
@safe final class XMLText {
    enum Event {
        /// `isEmpty`: written as `<name/>`, with no end of its own to come.
        case begin(name: String, attributes: [(name: String, value: String)], isEmpty: Bool)
        case end(name: String)
        /// Text that is not white space alone.
        case text(String)
        case comment
        case instruction(name: String)
    }

    /// Elements inside elements, at most.
    static let depthMax = 1_000
    /// Those that hold ASCII as it is, so that a document type can't hide in another one.
    private static let encodings: Set<String> = [
        "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "iso-8859-15", "windows-1252",
    ]

    private let text: UnsafeMutableBufferPointer<UInt8>
    private let reader: xmlTextReaderPtr

    init(_ file: Span<UInt8>) throws(ImportFault) {
        try Self.checkBeginning(file)
        let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, file.count))
        for index in file.indices { unsafe text[index] = file[index] }
        let count = Int32(exactly: file.count) ?? 0
        let reader = unsafe UnsafeRawBufferPointer(text).withMemoryRebound(to: CChar.self) { characters in
            unsafe cx_reader(characters.baseAddress, count)
        }
        guard let reader = unsafe reader else {
            unsafe text.deallocate()
            throw ImportFault(reason: "there is no memory to read it", line: nil)
        }
        unsafe self.text = unsafe text
        unsafe self.reader = unsafe reader
    }

    deinit {
        unsafe xmlFreeTextReader(reader)
        unsafe text.deallocate()
    }

    /// The line, from 1, of what was read last.
    var line: Int {
        // The node's own line ends at 65,535; the parser's is a little ahead of it.
        let known = unsafe xmlTextReaderCurrentNode(reader).map { unsafe Int(xmlGetLineNo($0)) } ?? 0
        return (1..<65_535).contains(known) ? known : max(1, unsafe Int(xmlTextReaderGetParserLineNumber(reader)))
    }

    /// The next event, nil at the end of a whole text.
    func next() throws(ImportFault) -> Event? {
        while true {
            let result = unsafe xmlTextReaderRead(reader)
            if result == 0 { return nil }
            guard result == 1 else { throw fault() }
            guard unsafe xmlTextReaderDepth(reader) < Self.depthMax else {
                throw ImportFault(reason: "elements nested deeper than \(Self.depthMax)", line: (line, 1))
            }
            if let event = try event() { return event }
        }
    }

    private func event() throws(ImportFault) -> Event? {
        let type = unsafe xmlTextReaderNodeType(reader)
        switch xmlReaderTypes(UInt32(bitPattern: type)) {
        case XML_READER_TYPE_ELEMENT:
            let name = name
            let isEmpty = unsafe xmlTextReaderIsEmptyElement(reader) == 1
            return .begin(name: name, attributes: attributes(), isEmpty: isEmpty)
        case XML_READER_TYPE_END_ELEMENT: return .end(name: name)
        case XML_READER_TYPE_TEXT, XML_READER_TYPE_CDATA: return .text(value)
        case XML_READER_TYPE_COMMENT: return .comment
        case XML_READER_TYPE_PROCESSING_INSTRUCTION: return .instruction(name: name)
        case XML_READER_TYPE_DOCUMENT_TYPE: throw Self.documentType(line)
        case XML_READER_TYPE_ENTITY_REFERENCE:
            throw ImportFault(reason: "an entity beyond XML's five: \(JSONEscape.quoted(name))", line: (line, 1))
        default: return nil
        }
    }

    private func attributes() -> [(name: String, value: String)] {
        var attributes: [(name: String, value: String)] = []
        while unsafe xmlTextReaderMoveToNextAttribute(reader) == 1 { attributes.append((name, value)) }
        unsafe xmlTextReaderMoveToElement(reader)
        return attributes
    }

    private var name: String { unsafe string(xmlTextReaderConstName(reader)) }
    private var value: String { unsafe string(xmlTextReaderConstValue(reader)) }
    private func string(_ text: UnsafePointer<xmlChar>?) -> String {
        unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    /// What the library has last refused.
    private func fault() -> ImportFault {
        guard let error = unsafe xmlGetLastError() else { return ImportFault(reason: "it is no XML", line: (line, 1)) }
        let message = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? "it is no XML"
        let words = message.utf8.last == 0x0A ? String(message.dropLast()) : message
        let number = unsafe Int(error.pointee.line)
        // The message quotes the file.
        let quoted = JSONEscape.quoted(words).dropFirst().dropLast()
        return ImportFault(
            reason: "no XML: \(quoted)", line: number > 0 ? (number, max(1, unsafe Int(error.pointee.int2))) : nil)
    }

    // MARK: - What may stand before the first element

    private static func documentType(_ line: Int) -> ImportFault {
        ImportFault(reason: "a DOCTYPE is refused: it could name entities without end", line: (line, 1))
    }

    /// Looks for a document type before the library does anything with it, and for an encoding in which it could hide.
    private static func checkBeginning(_ file: Span<UInt8>) throws(ImportFault) {
        guard file.count < Int32.max else { throw ImportFault(reason: "it is too long", line: nil) }
        var index = 0
        func begins(_ word: StaticString, at start: Int) -> Bool {
            guard file.count - start >= word.utf8CodeUnitCount else { return false }
            return word.withUTF8Buffer { word in
                for place in 0..<word.count where unsafe file[start + place] != word[place] { return false }
                return true
            }
        }
        func end(_ word: StaticString, from start: Int) -> Int? {
            var place = start
            while place < file.count {
                if begins(word, at: place) { return place + word.utf8CodeUnitCount }
                place += 1
            }
            return nil
        }
        while index < file.count {
            if FileText.isSpace(file[index]) {
                index += 1
            } else if begins("<?", at: index) {
                guard let next = end("?>", from: index) else { return }
                try checkEncoding(file.extracting(index..<next))
                index = next
            } else if begins("<!--", at: index) {
                guard let next = end("-->", from: index + 4) else { return }
                index = next
            } else if begins("<!DOCTYPE", at: index) {
                throw documentType(FileText.place(index, in: file).number)
            } else if file[index] == UInt8(ascii: "<") {
                return
            } else {
                throw ImportFault(reason: "it is no XML", line: FileText.place(index, in: file))
            }
        }
    }

    private static func checkEncoding(_ declaration: Span<UInt8>) throws(ImportFault) {
        let words = String(decoding: declaration.indices.map { declaration[$0] }, as: UTF8.self)
        guard words.hasPrefix("<?xml"), let start = words[...].firstPlace(of: "encoding") else { return }
        let value = words[start.upperBound...].drop { $0 == " " || $0 == "=" || $0 == "\"" || $0 == "'" }
        let name = String(value.prefix { $0 != "\"" && $0 != "'" && $0 != " " && $0 != "?" })
        guard encodings.contains(name.lowercased()) else {
            throw ImportFault(reason: "the encoding \(JSONEscape.quoted(name)) is not read; UTF-8 is", line: (1, 1))
        }
    }
}
