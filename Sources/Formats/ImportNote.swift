// Why this file exists: nothing that is in a file and not in the document is passed over in silence, and a file that can't
// be understood is told with the place where it can't.

import AccordionModel
import Wire

/// Something that is in the file and not in the document, or stands there otherwise.
package struct ImportNote: Equatable, Sendable {
    package let what: String
    /// The first place: the entry around it, its name or the names from the top; nil for the document itself.
    package let place: String?
    /// The first line, from 1, of a format that has lines; then there is no `place`.
    package let line: Int?
    /// In how many places.
    package var count: Int

    /// Text of the file in it is quoted, controls escaped. With a line it begins with that, as `ImportFault.message` does.
    package var message: String {
        if let line {
            if count == 1 { return "\(line): \(what)" }
            return "\(line): \(what), here and in \(count - 1) more place\(count == 2 ? "" : "s")"
        }
        let place = self.place.map(JSONEscape.quoted) ?? "the top"
        return count == 1 ? "\(what), at \(place)" : "\(what), in \(count) places, first at \(place)"
    }
}

/// Notes being taken: what is the same in many places is told once.
struct ImportNotes {
    private(set) var all: [ImportNote] = []
    private var index: [String: Int] = [:]

    mutating func add(_ what: String, at place: @autoclosure () -> String?) {
        add(what, line: nil, place: place)
    }

    mutating func add(_ what: String, line: Int) { add(what, line: line, place: { nil }) }

    private mutating func add(_ what: String, line: Int?, place: () -> String?) {
        if let index = index[what] {
            all[index].count += 1
        } else {
            index[what] = all.count
            all.append(ImportNote(what: what, place: place(), line: line, count: 1))
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

    /// `line` is the one that was being read.
    init(_ fault: InvalidDocument, line: Int? = nil) {
        let place = fault.place.map { ", at \(JSONEscape.quoted($0))" } ?? ""
        self.init(reason: fault.reason + place, line: line.map { ($0, 1) })
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

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

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
