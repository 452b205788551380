// A terminal draws columns, not characters: a Han character takes two, a combining mark none, a family of four emoji
// two, and a control character, if it were let through, the whole screen. Here text is made safe to draw and measured,
// cut, padded and wrapped in columns, never inside a grapheme cluster. Clusters and widths are utf8proc's; plain ASCII
// and plain Han, kana and Hangul, nearly all of what is drawn, are recognised by their bytes without it.

internal import CUnicode

/// Every function takes any text and gives text that is safe to draw: as `visible(_:)` makes it.
package enum DisplayText {
    /// A grapheme cluster of visible text, as UTF-8 offsets.
    package struct Cluster: Hashable, Sendable {
        package let utf8Range: Range<Int>
        /// At least 1.
        package let columns: Int
        /// Terminals disagree on the width (emoji sequences, spacing marks): the cursor's place after it isn't known.
        package let isUncertain: Bool
    }

    /// The columns that `visible(text)` takes.
    package static func columns(of text: String) -> Int {
        if let columns = plainColumns(text.utf8.span) { return columns }
        let text = visible(text)
        var columns = 0
        eachCluster(of: text) { cluster in
            columns += cluster.columns
            return true
        }
        return columns
    }

    /// Replaces whatever a terminal would obey, reorder by or hide: a C0 control and DEL by its picture (`␛`), every
    /// other (C1, bidi, U+2028, U+FEFF, invisible format characters, noncharacters) by `‹U+202E›`. Joiners, variation
    /// selectors and tags stay where emoji and scripts use them. A mark without a base gets `◌`. Idempotent.
    package static func visible(_ text: String) -> String {
        let bytes = text.utf8.span
        var output: [UInt8]?
        var previous: UInt32?
        var plainBefore: Int?
        var isInTags = false
        var index = 0
        while index < bytes.count {
            let plain = plainScalar(bytes, at: index)
            if plain.length > 0, output == nil {
                plainBefore = index
                isInTags = false
                index += plain.length
                continue
            }
            if let at = plainBefore { previous = decode(bytes, at: at).scalar }
            plainBefore = nil
            let (scalar, length) = decode(bytes, at: index)
            let marks = isMarked(scalar, after: previous, isInTags: isInTags)
            let isBaseless = index == 0 && !marks && isZeroWidth(scalar)
            if (marks || isBaseless) && output == nil { output = copy(bytes, 0..<index) }
            if marks {
                previous = appendMark(of: scalar, to: &output)
            } else {
                if isBaseless { output?.append(contentsOf: [0xE2, 0x97, 0x8C]) }
                for offset in index..<(index + length) { output?.append(bytes[offset]) }
                isInTags = scalar == blackFlag || (isInTags && tags.contains(scalar))
                previous = scalar
            }
            if marks { isInTags = false }
            index += length
        }
        return output.map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// At most `columns` columns from the beginning; where something was cut off, `ending` (`…`) stands last, if it fits.
    package static func cut(_ text: String, toColumns columns: Int, ending: String = "") -> String {
        let text = visible(text)
        if columns <= 0 { return "" }
        if text.utf8.count <= columns || self.columns(of: text) <= columns { return text }
        let endingColumns = self.columns(of: ending)
        let ending = endingColumns <= columns ? visible(ending) : ""
        let room = columns - (ending.isEmpty ? 0 : endingColumns)
        var used = 0
        var end = 0
        eachCluster(of: text) { cluster in
            guard used + cluster.columns <= room else { return false }
            used += cluster.columns
            end = cluster.utf8Range.upperBound
            return true
        }
        return slice(text, 0..<end) + ending
    }

    package enum Alignment: Sendable { case leading, trailing, center }

    /// Exactly `columns` columns: cut as above, then filled with spaces (also where a wide character did not fit).
    package static func pad(
        _ text: String, toColumns columns: Int, alignment: Alignment = .leading, ending: String = ""
    ) -> String {
        let text = cut(text, toColumns: columns, ending: ending)
        let missing = max(0, columns - self.columns(of: text))
        let before = alignment == .leading ? 0 : alignment == .trailing ? missing : missing / 2
        return String(repeating: " ", count: before) + text + String(repeating: " ", count: missing - before)
    }

    /// Tabs become spaces up to the next multiple of `tabColumns`; each LF begins at column 0 again. Other controls stay.
    package static func expandTabs(_ text: String, tabColumns: Int = 8) -> String {
        guard text.utf8.contains(0x09) else { return text }
        let tabColumns = max(1, tabColumns)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var column = 0
            var expanded = ""
            for (index, piece) in line.split(separator: "\t", omittingEmptySubsequences: false).enumerated() {
                let spaces = index == 0 ? 0 : tabColumns - column % tabColumns
                expanded += String(repeating: " ", count: spaces) + piece
                column += spaces + columns(of: String(piece))
            }
            return expanded
        }.joined(separator: "\n")
    }

    /// Lines of at most `columns` columns: broken at spaces (which vanish there), beside any wide character, and inside
    /// a word that is longer than a line. LF and CR LF end a line, tabs are expanded, indentation stays. At least one
    /// cluster stands on a line, however narrow that is; at least one line comes back.
    package static func wrap(_ text: String, toColumns columns: Int, tabColumns: Int = 8) -> [String] {
        var lines: [String] = []
        // "\r\n" is one Character: lines are found in bytes.
        var hard = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        if hard.count > 1, hard.last?.isEmpty ?? false { hard.removeLast() }
        for line in hard {
            let ending = line.last == 0x0D && text.utf8.contains(0x0A) ? line.dropLast() : line
            let text = visible(expandTabs(String(Substring(ending)), tabColumns: tabColumns))
            wrap(line: text, toColumns: max(1, columns), into: &lines)
        }
        return lines
    }

    /// Calls `body` with each cluster of visible text until it returns false.
    package static func eachCluster(of visible: String, _ body: (Cluster) -> Bool) {
        let bytes = visible.utf8.span
        var index = 0
        while index < bytes.count {
            let plain = plainScalar(bytes, at: index)
            let next = index + plain.length
            // Two plain scalars never form one cluster; what follows the last of them might join it.
            if plain.length > 0, next == bytes.count || plainScalar(bytes, at: next).length > 0 {
                let cluster = Cluster(utf8Range: index..<next, columns: plain.columns, isUncertain: false)
                guard body(cluster) else { return }
                index = next
                continue
            }
            let cluster = unicodeCluster(bytes, at: index)
            guard body(cluster) else { return }
            index = cluster.utf8Range.upperBound
        }
    }

    /// The part of a text at UTF-8 offsets that lie between scalars.
    package static func slice(_ text: String, _ range: Range<Int>) -> String {
        let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
        let end = text.utf8.index(start, offsetBy: range.count)
        return String(text[start..<end])
    }
}

// MARK: - Wrapping

extension DisplayText {
    private static func wrap(line text: String, toColumns columns: Int, into lines: inout [String]) {
        if text.utf8.count <= columns || self.columns(of: text) <= columns {
            lines.append(text)
            return
        }
        var line = LineState()
        let bytes = text.utf8.span
        eachCluster(of: text) { cluster in
            let start = cluster.utf8Range.lowerBound
            let isSpace = bytes[start] == 0x20 && cluster.utf8Range.count == 1
            if isSpace && line.hasContent {
                if !line.endsInSpace { line.breakEnd = start }
                line.columns += 1
                line.breakNext = cluster.utf8Range.upperBound
                line.columnsAtBreak = line.columns
                line.endsInSpace = true
                return true
            }
            if (cluster.columns >= 2 || line.endsInWide) && !line.endsInSpace && start > line.start {
                line.breakEnd = start
                line.breakNext = start
                line.columnsAtBreak = line.columns
            }
            while line.columns + cluster.columns > columns, start > line.start {
                // Where spaces hang over the edge and this cluster begins the next line, nothing is left to carry over.
                let end = line.breakNext == nil ? start : line.breakEnd
                lines.append(slice(text, line.start..<end))
                line = LineState(
                    start: line.breakNext ?? start,
                    columns: line.breakNext == nil ? 0 : line.columns - line.columnsAtBreak)
            }
            line.columns += cluster.columns
            line.endsInSpace = false
            line.endsInWide = cluster.columns >= 2
            line.hasContent = line.hasContent || !isSpace
            return true
        }
        lines.append(slice(text, line.start..<(line.endsInSpace ? line.breakEnd : bytes.count)))
    }

    private struct LineState {
        var start = 0
        var columns = 0
        /// Where the line would end, and where the next would begin, if it were broken at the last chance.
        var breakEnd = 0
        var breakNext: Int?
        var columnsAtBreak = 0
        var endsInSpace = false
        var endsInWide = false
        /// Something other than indentation.
        var hasContent = false
    }
}

// MARK: - Clusters and widths

extension DisplayText {
    /// The columns of a text of plain scalars only, else nil.
    private static func plainColumns(_ bytes: Span<UInt8>) -> Int? {
        var columns = 0
        var index = 0
        while index < bytes.count {
            let plain = plainScalar(bytes, at: index)
            if plain.length == 0 { return nil }
            columns += plain.columns
            index += plain.length
        }
        return columns
    }

    /// Length in bytes and columns of a scalar that is safe to draw, joins no other plain scalar and has one width
    /// everywhere: ASCII, Latin-1 and extended letters, Cyrillic, general punctuation, line and block drawing, and,
    /// two columns wide, kana, Han, Hangul syllables, full-width forms. Length 0 for any other.
    @inline(__always)
    static func plainScalar(_ bytes: Span<UInt8>, at index: Int) -> (length: Int, columns: Int) {
        let first = bytes[index]
        if first < 0x80 { return first >= 0x20 && first != 0x7F ? (1, 1) : (0, 0) }
        let second = bytes[index + 1]
        switch first {
        case 0xC3...0xCA, 0xD0, 0xD1: return (2, 1)
        case 0xE4: return second >= 0xB8 ? (3, 2) : (0, 0)
        case 0xE5...0xE9, 0xEB, 0xEC: return (3, 2)
        case 0xEA: return second >= 0xB0 ? (3, 2) : (0, 0)
        case 0xE2, 0xE3, 0xED, 0xEF: return plainScalar(first, second, bytes[index + 2])
        default: return (0, 0)
        }
    }

    private static func plainScalar(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> (length: Int, columns: Int) {
        let columns: Int
        switch (first, second) {
        case (0xE2, 0x80): columns = (0x90...0xA7).contains(third) ? 1 : 0
        case (0xE2, 0x94), (0xE2, 0x95), (0xE2, 0x96): columns = third == 0xB6 ? 0 : 1
        case (0xE3, 0x80): columns = third <= 0xA0 ? 2 : 0
        case (0xE3, 0x81): columns = third > 0x80 ? 2 : 0
        case (0xE3, 0x82): columns = (0x97...0x9A).contains(third) ? 0 : 2
        case (0xE3, 0x83), (0xE3, 0x90...0xBF): columns = 2
        case (0xED, 0x80...0x9D): columns = 2
        case (0xEF, 0xBC): columns = third > 0x80 ? 2 : 0
        case (0xEF, 0xBD): columns = third <= 0xA0 ? 2 : 0
        default: columns = 0
        }
        return columns == 0 ? (0, 0) : (3, columns)
    }

    /// The scalar at an offset where one begins, in UTF-8 that a String vouches for.
    private static func decode(_ bytes: Span<UInt8>, at index: Int) -> (scalar: UInt32, length: Int) {
        let first = UInt32(bytes[index])
        if first < 0x80 { return (first, 1) }
        let second = UInt32(bytes[index + 1] & 0x3F)
        if first < 0xE0 { return ((first & 0x1F) << 6 | second, 2) }
        let third = UInt32(bytes[index + 2] & 0x3F)
        if first < 0xF0 { return ((first & 0x0F) << 12 | second << 6 | third, 3) }
        return ((first & 0x07) << 18 | second << 12 | third << 6 | UInt32(bytes[index + 3] & 0x3F), 4)
    }

    private static func copy(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count + 16)
        for index in range { copy.append(bytes[index]) }
        return copy
    }

    /// Width by cluster: a flag, an emoji sequence and whatever a variation selector turns into an emoji take 2, a Hangul
    /// block 2, anything else what its scalars take together: spacing marks count, as they do in terminals.
    private static func unicodeCluster(_ bytes: Span<UInt8>, at start: Int) -> Cluster {
        let columnsMax = 8
        let (base, length) = decode(bytes, at: start)
        var end = start + length
        var last = base
        var state: Int32 = 0
        var columns = scalarColumns(base)
        var isEmoji = false
        var isUncertain = isRegional(base)
        while end < bytes.count {
            let (scalar, length) = decode(bytes, at: end)
            if unsafe utf8proc_grapheme_break_stateful(Int32(last), Int32(scalar), &state) { break }
            let more = scalarColumns(scalar)
            isEmoji = isEmoji || scalar == 0xFE0F || (more > 0 && (isPictographic(base) || isRegional(base)))
            isUncertain = isUncertain || more > 0 || !isNonspacingMark(scalar) || (0xFE00...0xFE0F).contains(scalar)
            columns = min(columnsMax, columns + more)
            last = scalar
            end += length
        }
        let isHangul = isLeadingJamo(base) && last != base
        if isEmoji || isHangul { columns = 2 }
        return Cluster(
            utf8Range: start..<end, columns: max(1, columns), isUncertain: isUncertain || columns == 0)
    }

    private static func scalarColumns(_ scalar: UInt32) -> Int {
        if scalar < 0x7F { return 1 }
        let columns = Int(utf8proc_charwidth(Int32(scalar)))
        if columns > 0 { return columns }
        return category(scalar) == UTF8PROC_CATEGORY_MC || prependedMarks.contains(scalar) ? 1 : 0
    }

    private static func category(_ scalar: UInt32) -> utf8proc_category_t { utf8proc_category(Int32(scalar)) }

    private static func isNonspacingMark(_ scalar: UInt32) -> Bool {
        let category = category(scalar)
        return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME
    }

    private static func isZeroWidth(_ scalar: UInt32) -> Bool {
        category(scalar) == UTF8PROC_CATEGORY_MC || scalarColumns(scalar) == 0
    }

    private static func isRegional(_ scalar: UInt32) -> Bool { (0x1F1E6...0x1F1FF).contains(scalar) }
    private static func isLeadingJamo(_ scalar: UInt32) -> Bool { (0x1100...0x115E).contains(scalar) }

    private static func isPictographic(_ scalar: UInt32) -> Bool {
        let property = unsafe utf8proc_get_property(Int32(scalar))
        return unsafe property?.pointee.boundclass == UInt32(UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC.rawValue)
    }
}

// MARK: - What is not drawn as it is

extension DisplayText {
    private static let blackFlag: UInt32 = 0x1F3F4
    private static let tags: ClosedRange<UInt32> = 0xE0020...0xE007F
    /// Format characters that are drawn: the signs written before Arabic, Syriac and Kaithi numbers.
    private static let prependedMarks: Set<UInt32> = [
        0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD,
    ]

    private static func isMarked(_ scalar: UInt32, after previous: UInt32?, isInTags: Bool) -> Bool {
        switch scalar {
        case 0x00...0x1F, 0x7F...0x9F: return true
        case 0x20...0x7E: return false
        case 0x200C, 0x200D: return previous.map { !joins($0) } ?? true
        case 0xFE00...0xFE0F, 0xE0100...0xE01EF: return previous.map { !takesSelector($0) } ?? true
        case 0x180B...0x180D, 0x180F: return previous.map { !(0x1800...0x18AF).contains($0) } ?? true
        case tags: return !isInTags
        // Letters and marks that draw nothing, and code points set aside for such.
        case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2065, 0x3164, 0xFFA0, 0xFFF0...0xFFF8, 0xE0000...0xE0FFF,
            0xFDD0...0xFDEF:
            return true
        default: break
        }
        if scalar & 0xFFFE == 0xFFFE { return true }
        switch category(scalar) {
        case UTF8PROC_CATEGORY_CF: return !prependedMarks.contains(scalar)
        case UTF8PROC_CATEGORY_ZL, UTF8PROC_CATEGORY_ZP, UTF8PROC_CATEGORY_CC: return true
        default: return false
        }
    }

    /// Whether a joiner or non-joiner has a meaning after this: an emoji, or a script that joins or stacks its letters.
    private static func joins(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xFE0F, 0x1F3FB...0x1F3FF, tags: return true
        case 0x0600...0x1CFF, 0xA800...0xABFF, 0x10A00...0x11FFF, 0x1E900...0x1E95F:
            switch category(scalar) {
            case UTF8PROC_CATEGORY_LO, UTF8PROC_CATEGORY_LM, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC,
                UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LL:
                return true
            default: return false
            }
        default: return isPictographic(scalar)
        }
    }

    /// Digits, `#` and `*` (keycaps), and anything drawn beyond ASCII.
    private static func takesSelector(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x23, 0x2A, 0x30...0x39: return true
        case 0x00...0xA8, 0x203A, 0x2400...0x2421, 0xFE00...0xFE0F, 0xE0100...0xE01EF: return false
        default: return category(scalar) != UTF8PROC_CATEGORY_ZS
        }
    }

    /// Appends the mark and returns its last scalar.
    private static func appendMark(of scalar: UInt32, to output: inout [UInt8]?) -> UInt32 {
        if scalar < 0x20 || scalar == 0x7F {
            let picture = scalar == 0x7F ? 0x21 : UInt8(scalar)
            output?.append(contentsOf: [0xE2, 0x90, 0x80 + picture])
            return 0x2400 + UInt32(picture)
        }
        let digits = String(scalar, radix: 16, uppercase: true)
        let mark = "‹U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits + "›"
        output?.append(contentsOf: mark.utf8)
        return 0x203A
    }
}
