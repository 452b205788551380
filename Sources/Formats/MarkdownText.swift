// Why this file exists: a document's text may hold anything, and Markdown gives a meaning to much of it. Here text is
// written so that reading it gives the same text, with as few marks in it as that takes: a person reads the file, too.

import Bytes

enum MarkdownText {
    /// What a comment begins with that holds members of a section.
    static let annotationMark = "accordion:"

    enum Place {
        /// Lines end in a backslash, Markdown's mark for a line that ends here, and begin with an indentation.
        case paragraph(indent: [UInt8])
        /// One line, its line ends entities.
        case item
        /// The same, where the beginning of the line means nothing any more.
        case heading
    }

    /// Writes a text that is not empty. What could steer a terminal becomes an entity.
    static func write(_ text: String, as place: Place, into frame: Frame) {
        var escaping = Escaping(Array(text.utf8), as: place, into: frame)
        escaping.write()
    }

    /// Whether code and its language can stand between fences: no line end but LF, nothing that steers, and a language that
    /// is not taken for anything else.
    static func canFence(_ code: String, language: String?) -> Bool {
        let bytes = code.utf8.span
        var index = 0
        while index < bytes.count {
            if let steering = Steering.scalar(in: bytes, at: index), steering.value != 0x09, steering.value != 0x0A {
                return false
            }
            index += 1
        }
        guard let language else { return true }
        let excluded = "`&\\".utf8
        return !language.isEmpty && language == language.trimmed && language.utf8.first != UInt8(ascii: "~")
            && language.utf8.allSatisfy { (0x20...0x7E).contains($0) && !excluded.contains($0) }
    }

    /// A fence that no line of the code ends.
    static func fence(for code: String) -> [UInt8] {
        var longest = 0
        var run = 0
        for byte in code.utf8 {
            run = byte == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        return [UInt8](repeating: UInt8(ascii: "`"), count: max(3, longest + 1))
    }
}

/// One text being written.
private struct Escaping {
    private let bytes: [UInt8]
    private let indent: [UInt8]
    private let isOneLine: Bool
    private let isHeading: Bool
    private let frame: Frame
    /// A bar means something only where a line of dashes can follow.
    private let hasLines: Bool

    init(_ bytes: [UInt8], as place: MarkdownText.Place, into frame: Frame) {
        self.bytes = bytes
        self.frame = frame
        switch place {
        case .paragraph(let indent): (self.indent, isOneLine, isHeading) = (indent, false, false)
        case .item: (indent, isOneLine, isHeading) = ([], true, false)
        case .heading: (indent, isOneLine, isHeading) = ([], true, true)
        }
        hasLines = !isOneLine && bytes.contains(0x0A)
    }

    private func byte(_ index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }

    private func isAlphanumeric(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }
    private func isSpaceOrEnd(_ index: Int) -> Bool {
        guard let byte = byte(index) else { return true }
        return byte == 0x20 || byte == 0x09 || byte == 0x0A
    }

    mutating func write() {
        var index = 0
        var isLineStart = !isHeading
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x0A, isRealBreak(index) {
                frame.append(UInt8(ascii: "\\"))
                frame.append(0x0A)
                frame.append(indent)
                index += 1
                isLineStart = true
                continue
            }
            if let (value, count) = Steering.scalar(in: bytes.span, at: index) {
                entity(value)
                index += count
            } else if byte == 0x20, isLineStart || index == 0 || index + 1 == bytes.count || isRealBreak(index + 1) {
                entity(0x20)
                index += 1
            } else if isLineStart, let end = numberEnd(index) {
                for digit in bytes[index..<end] { frame.append(digit) }
                frame.append(UInt8(ascii: "\\"))
                frame.append(bytes[end])
                index = end + 1
            } else {
                if isEscaped(byte, index, isLineStart) { frame.append(UInt8(ascii: "\\")) }
                frame.append(byte)
                index += 1
            }
            isLineStart = false
        }
    }

    /// A line end between two others, or at an end of the text, is an entity: no line of the file may be empty.
    private func isRealBreak(_ index: Int) -> Bool {
        guard !isOneLine, byte(index) == 0x0A, index > 0, index + 1 < bytes.count else { return false }
        return bytes[index - 1] != 0x0A && bytes[index + 1] != 0x0A
    }

    private func entity(_ value: UInt32) {
        frame.append("&#")
        frame.append(decimal: UInt64(value))
        frame.append(UInt8(ascii: ";"))
    }

    /// Where the digits end that a list's item could begin with.
    private func numberEnd(_ start: Int) -> Int? {
        var end = start
        while let digit = byte(end), (0x30...0x39).contains(digit), end - start < 10 { end += 1 }
        guard end > start, end - start < 10, let mark = byte(end),
            mark == UInt8(ascii: ".") || mark == UInt8(ascii: ")"),
            isSpaceOrEnd(end + 1)
        else { return nil }
        return end
    }

    private func isEscaped(_ byte: UInt8, _ index: Int, _ isLineStart: Bool) -> Bool {
        let next = self.byte(index + 1)
        switch Character(Unicode.Scalar(byte)) {
        case "\\": return !isAlphanumeric(next)
        case "*", "`", "[": return true
        case "_":
            var (first, last) = (index, index)
            while self.byte(first) == byte { first -= 1 }
            while self.byte(last) == byte { last += 1 }
            return !isAlphanumeric(self.byte(first)) || !isAlphanumeric(self.byte(last))
        case "<":
            return next.map { (0x41...0x5A).contains($0 & 0xDF) || "/!?".utf8.contains($0) } ?? false
        case "&": return next.map { (0x41...0x5A).contains($0 & 0xDF) || $0 == UInt8(ascii: "#") } ?? false
        case "|": return hasLines
        case "#": return isLineStart || (isOneLine && next == nil)
        case ">", "=": return isLineStart
        case "~": return isLineStart && next == byte
        case "+": return isLineStart && isSpaceOrEnd(index + 1)
        case "-", ":":
            return isLineStart
                && (isSpaceOrEnd(index + 1) || next.map { "-:|".utf8.contains($0) } ?? true)
        default: return false
        }
    }
}
