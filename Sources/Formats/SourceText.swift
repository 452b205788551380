// Why this file exists: text comes with line ends of three kinds, a byte that is no text here and there, or in another
// encoding altogether. Before it is parsed it is made one kind, so that a line number means the same to all.

import Wire

/// A text of valid UTF-8 without NUL, whose lines end with LF.
struct SourceText {
    let bytes: [UInt8]
    /// Where each line begins.
    let lineStarts: [Int]
    /// The first line that held a NUL, which stands there as U+FFFD, and how many of them there were.
    private(set) var replacedNUL: (line: Int, count: Int)?

    /// Refuses what is no UTF-8, and a text of white space alone: an editor leaves such a file for a moment when it saves.
    init(_ file: Span<UInt8>) throws(ImportFault) {
        if file.count >= 2, (file[0] == 0xFF && file[1] == 0xFE) || (file[0] == 0xFE && file[1] == 0xFF) {
            throw ImportFault(reason: "it is UTF-16; only UTF-8 is read", line: nil)
        }
        do {
            _ = try UTF8Span(validating: file)
        } catch {
            let offset = error.byteOffsets.lowerBound
            throw ImportFault(reason: "bytes that are no UTF-8", line: FileText.place(offset, in: file))
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(file.count + 1)
        var lineStarts = [0]
        var isBlank = true
        for index in file.indices {
            var byte = file[index]
            if byte == 0x0D {
                if index + 1 < file.count, file[index + 1] == 0x0A { continue }
                byte = 0x0A
            }
            if byte == 0 {
                replacedNUL = (replacedNUL?.line ?? lineStarts.count, (replacedNUL?.count ?? 0) + 1)
                bytes += [0xEF, 0xBF, 0xBD]
            } else {
                bytes.append(byte)
            }
            if byte == 0x0A { lineStarts.append(bytes.count) }
            isBlank = isBlank && FileText.isSpace(byte)
        }
        if isBlank { throw ImportFault(reason: "there is nothing in it", line: nil) }
        self.bytes = bytes
        self.lineStarts = lineStarts
    }

    /// The bytes of a line, from 1, without its end, from a column, from 1; empty where there is none.
    func line(_ number: Int, fromColumn column: Int = 1) -> ArraySlice<UInt8> {
        guard number >= 1, number <= lineStarts.count, column >= 1 else { return [] }
        let start = lineStarts[number - 1]
        let end = number < lineStarts.count ? lineStarts[number] - 1 : bytes.count
        return column - 1 < end - start ? bytes[(start + column - 1)..<end] : []
    }

    func text(ofLine number: Int) -> String { String(decoding: line(number), as: UTF8.self) }
}
