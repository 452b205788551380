// Why this file exists: a table is read in columns, so it becomes preformatted text whose columns stand under each other.

/// The rows of a table, as text.
struct MarkdownTable {
    private var rows: [[String]] = []

    init(_ table: MarkdownNode, in source: SourceText, line offset: Int, _ inline: inout MarkdownInline) {
        var row = table.firstChild
        while let current = row {
            var cells: [String] = []
            var cell = current.firstChild
            while let content = cell {
                cells.append(inline.text(of: content, .spaces).withEach("\n", as: " "))
                cell = content.next
            }
            // The library leaves out cells that no column is there for.
            let written = Self.cells(of: source.line(current.line + offset, fromColumn: current.column))
            if written.count > cells.count { cells += written[cells.count...] }
            rows.append(cells)
            row = current.next
        }
    }

    /// The cells of a row as they are written: what stands between bars that no backslash is before.
    private static func cells(of line: ArraySlice<UInt8>) -> [String] {
        let bar = UInt8(ascii: "|")
        var cells: [[UInt8]] = [[]]
        var isEscaped = false
        for byte in line {
            if byte == bar, !isEscaped {
                cells.append([])
            } else {
                cells[cells.count - 1].append(byte)
            }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        var texts = cells.map { String(decoding: $0, as: UTF8.self).trimmed }
        if texts.first == "" { texts.removeFirst() }
        if texts.last == "" { texts.removeLast() }
        return texts
    }

    /// A line a row, a rule under the first.
    var text: String {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            max(rows.map { $0.count > column ? Self.columns(of: $0[column]) : 0 }.max() ?? 0, 1)
        }
        var lines: [String] = []
        for (number, row) in rows.enumerated() {
            var line = ""
            for (column, cell) in row.enumerated() {
                let isLast = column == row.count - 1
                let missing = max(0, widths[column] - Self.columns(of: cell))
                line += cell + (isLast ? "" : String(repeating: " ", count: missing) + " | ")
            }
            while line.last == " " { line.removeLast() }
            lines.append(line)
            guard number == 0 else { continue }
            lines.append(widths.map { String(repeating: "-", count: $0) }.joined(separator: "-|-"))
        }
        return lines.joined(separator: "\n")
    }

    /// About how wide a text is drawn: Han, kana, Hangul and full-width forms twice, marks not at all.
    private static func columns(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { sum, scalar in
            switch scalar.value {
            case 0x0300...0x036F, 0x200B...0x200F, 0xFE00...0xFE0F: sum
            case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
                0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
                sum + 2
            default: sum + 1
            }
        }
    }
}
