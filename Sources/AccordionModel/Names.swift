// Why this file exists: a name comes from outside and then stands in registers, logs and terminals. It is checked once,
// where it enters, and is a type of its own from there on.

/// The name of a document: 1 to 128 bytes of letters and digits of any script, `.`, `_` and `-`, not beginning with `.` or
/// `-`; held in NFC and compared by its bytes.
package struct DocumentName: Hashable, Comparable, Sendable {
    package let text: String

    package static let bytesMax = 128

    /// `nil` where `text` breaks a rule of names.
    package init?(_ text: String) {
        guard text.utf8.count <= 4 * DocumentName.bytesMax, let name = Unicode.normalized(text),
            (1...DocumentName.bytesMax).contains(name.utf8.count), let first = name.unicodeScalars.first,
            first != ".", first != "-",
            name.unicodeScalars.allSatisfy({ DocumentName.allows($0) })
        else { return nil }
        self.text = name
    }

    private static func allows(_ scalar: Swift.Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": true
        default: scalar.value >= 0x80 && Unicode.isLetterOrDigit(scalar)
        }
    }

    package static func == (left: DocumentName, right: DocumentName) -> Bool {
        Unicode.equalBytes(left.text, right.text)
    }
    package static func < (left: DocumentName, right: DocumentName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
    package func hash(into hasher: inout Hasher) { Unicode.hashBytes(text, into: &hasher) }
}

extension DocumentName: CustomStringConvertible { package var description: String { text } }

/// Where a section stands: the segments from the top, joined by `/`, in NFC; compared by its bytes. The path of the
/// document itself has no segment.
package struct SectionPath: Hashable, Sendable {
    package let text: String

    package static let top = SectionPath(unchecked: "")

    init(unchecked text: String) { self.text = text }

    /// A path as it came from outside. Whether it names a section is for a document to say, so nothing but its form is
    /// looked at here: no document holds a path longer than `depthMax` segments of 128 bytes.
    package init(_ text: String) { self.text = Unicode.normalized(text) ?? text }

    package var isTop: Bool { text.isEmpty }

    /// The last segment.
    package var segment: Substring {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text[...] }
        return text[text.utf8.index(after: slash)...]
    }

    func appending(_ segment: String) -> SectionPath {
        SectionPath(unchecked: isTop ? segment : text + "/" + segment)
    }

    package static func == (left: SectionPath, right: SectionPath) -> Bool { Unicode.equalBytes(left.text, right.text) }
    package func hash(into hasher: inout Hasher) { Unicode.hashBytes(text, into: &hasher) }
}

extension SectionPath: CustomStringConvertible { package var description: String { text } }

/// The rules of a path's segments, and of people's names, which follow them.
package enum Segment {
    /// `text` in NFC where it is 1 to `bytesMax` bytes with no `/`, no control and no bidi-control character.
    package static func checked(_ text: String, bytesMax: Int) -> String? {
        guard text.utf8.count <= 4 * bytesMax, let segment = Unicode.normalized(text),
            (1...bytesMax).contains(segment.utf8.count),
            segment.unicodeScalars.allSatisfy({ $0 != "/" && !Unicode.isForbiddenInNames($0) })
        else { return nil }
        return segment
    }

    /// The segment that a title gives: in NFC, trimmed, `/` and forbidden characters replaced by `-`, cut at `bytesMax`
    /// bytes on a character; `-` where nothing is left.
    package static func made(from title: String, bytesMax: Int) -> String {
        // A title is bounded by its own limit, but only its beginning can matter here.
        var scalars = (Unicode.normalized(title) ?? title).unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        var text = ""
        for scalar in scalars {
            text.unicodeScalars.append(scalar == "/" || Unicode.isForbiddenInNames(scalar) ? "-" : scalar)
        }
        let segment = cut(text, bytesMax: bytesMax)
        return segment.isEmpty ? "-" : segment
    }

    /// Cut between characters, not inside one; the result is trimmed again and in NFC still.
    static func cut(_ text: String, bytesMax: Int) -> String {
        guard text.utf8.count > bytesMax else { return text }
        var result = ""
        var count = 0
        for character in text {
            count += character.utf8.count
            if count > bytesMax { break }
            result.append(character)
        }
        // One character alone may be longer than the limit (a pile of combining marks).
        if result.isEmpty { result = text.cut(toBytes: bytesMax) }
        while result.unicodeScalars.last?.properties.isWhitespace == true { result.unicodeScalars.removeLast() }
        return result
    }
}
