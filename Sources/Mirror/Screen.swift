// What the terminal shows, as a value. The mirror lays out a whole frame, compares it with the one before and draws
// only what differs, so a frame that was skipped costs nothing and no drawing code has to know what was there. Pure:
// the edge that owns the terminal carries the operations out.

/// A frame of `rows` × `columns` cells.
package struct Screen: Hashable, Sendable {
    package enum Colour: Hashable, Sendable {
        case standard
        /// 0 to 7 are the ANSI colours from black to white, 8 to 15 the same bright.
        case ansi(UInt8)
        case rgb(UInt8, UInt8, UInt8)
    }

    package struct Attributes: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let bold = Attributes(rawValue: 1)
        package static let dim = Attributes(rawValue: 2)
        package static let reverse = Attributes(rawValue: 4)
        package static let underline = Attributes(rawValue: 8)
    }

    package struct Style: Hashable, Sendable {
        package var attributes: Attributes
        package var foreground: Colour
        package var background: Colour
        package init(
            _ attributes: Attributes = [], foreground: Colour = .standard, background: Colour = .standard
        ) {
            self.attributes = attributes
            self.foreground = foreground
            self.background = background
        }
        package static let plain = Style()
    }

    package struct Cell: Hashable, Sendable {
        /// A grapheme cluster; empty in the further columns of a wide one.
        package let text: String
        /// How many columns the cluster takes; 0 in its further columns.
        package let columns: Int
        package let style: Style
        let isUncertain: Bool

        static let blank = Cell(text: " ", columns: 1, style: .plain, isUncertain: false)
        static func space(_ style: Style) -> Cell { Cell(text: " ", columns: 1, style: style, isUncertain: false) }
    }

    package struct Position: Hashable, Sendable {
        package var row: Int
        package var column: Int
        package init(row: Int, column: Int) {
            self.row = row
            self.column = column
        }
    }

    /// A larger terminal is drawn on up to here.
    package static let rowsMax = 1024
    package static let columnsMax = 4096

    package let rows: Int
    package let columns: Int
    private var cells: [Cell]
    /// Where the cursor is seen; nil where it is hidden. Not drawn outside the screen.
    package var cursor: Position?

    package init(rows: Int, columns: Int) {
        self.rows = min(max(0, rows), Self.rowsMax)
        self.columns = min(max(0, columns), Self.columnsMax)
        cells = [Cell](repeating: .blank, count: self.rows * self.columns)
    }

    /// The cell at a place inside the screen.
    package subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

    func contains(_ position: Position) -> Bool {
        (0..<rows).contains(position.row) && (0..<columns).contains(position.column)
    }

    /// The text of a row without its trailing spaces.
    package func line(_ row: Int) -> String {
        let all = cells[(row * columns)..<((row + 1) * columns)].map(\.text).joined()
        let end = all.utf8.reversed().prefix { $0 == 0x20 }.count
        return DisplayText.slice(all, 0..<(all.utf8.count - end))
    }

    /// Puts text, made visible, at a row and column, either of which may lie outside: only what is inside is drawn, and
    /// of `columnsMax` columns at most. A wide character cut by an edge becomes spaces, as does the rest of one that is
    /// partly overwritten. Returns the column after the text, were it not clipped.
    @discardableResult
    package mutating func put(
        _ text: String, row: Int, column: Int, style: Style = .plain, columnsMax: Int = Self.columnsMax
    ) -> Int {
        let placeMax = 1 << 30
        let text = DisplayText.visible(text)
        let column = min(max(column, -placeMax), placeMax)
        let limit = min(columns, column + min(max(0, columnsMax), Self.columnsMax))
        guard (0..<rows).contains(row), column < limit else { return column + DisplayText.columns(of: text) }
        var place = column
        let base = row * columns
        DisplayText.eachCluster(of: text) { cluster in
            let end = place + cluster.columns
            defer { place = end }
            guard place < limit else { return true }
            if place >= 0 && end <= limit {
                clearSplit(row: row, from: place, to: end)
                let text = DisplayText.slice(text, cluster.utf8Range)
                cells[base + place] = Cell(
                    text: text, columns: cluster.columns, style: style, isUncertain: cluster.isUncertain)
                for rest in (place + 1)..<max(end, place + 1) {
                    cells[base + rest] = Cell(text: "", columns: 0, style: style, isUncertain: false)
                }
            } else if end > 0 && limit > 0 {
                fill(row: row, columns: max(0, place)..<min(limit, end), style: style)
            }
            return true
        }
        return place
    }

    /// Spaces in a style, where the columns lie inside the screen.
    package mutating func fill(row: Int, columns range: Range<Int>, style: Style) {
        let range = range.clamped(to: 0..<columns)
        guard (0..<rows).contains(row), !range.isEmpty else { return }
        clearSplit(row: row, from: range.lowerBound, to: range.upperBound)
        for column in range { cells[row * columns + column] = .space(style) }
    }

    /// Wide characters that cross either end of a stretch about to be overwritten leave spaces outside it.
    private mutating func clearSplit(row: Int, from start: Int, to end: Int) {
        let base = row * columns
        for edge in [start, end] where edge < columns && cells[base + edge].columns == 0 {
            var first = edge
            while first > 0 && cells[base + first].columns == 0 { first -= 1 }
            let wide = cells[base + first]
            for column in first..<min(columns, first + wide.columns) { cells[base + column] = .space(wide.style) }
        }
    }

    /// Takes over a row of another screen of the same width.
    mutating func copy(row: Int, of other: Screen, to target: Int) {
        guard other.columns == columns, (0..<other.rows).contains(row), (0..<rows).contains(target) else { return }
        cells.replaceSubrange((target * columns)..<((target + 1) * columns), with: other.row(row))
    }

    fileprivate func row(_ index: Int) -> ArraySlice<Cell> { cells[(index * columns)..<((index + 1) * columns)] }
}

// MARK: - Difference

extension Screen {
    /// What a terminal is told to do. `write` begins where the last `move` or `write` left off.
    package enum Operation: Hashable, Sendable {
        /// The whole screen becomes spaces of the plain style; the cursor is hidden, its place and the style unknown.
        case clear
        case move(row: Int, column: Int)
        case style(Style)
        /// Text that fits the row; the place after it is unknown where it ends at the last column.
        case write(String)
        /// From the cursor's place on, spaces; the style is `.plain` when this comes.
        case clearToEndOfLine
        /// The place at which the cursor is seen from now on, or nil to hide it.
        case cursor(Position?)
    }

    /// Operations that turn what shows `old` into what shows `new`: for each row the runs that differ, small gaps
    /// between them written through. Nothing for equal screens; after a change of size everything is drawn. A row that
    /// has or had a cluster of uncertain width is drawn whole, each such cluster followed by a move.
    package static func difference(from old: Screen, to new: Screen) -> [Operation] {
        var difference = Difference()
        var shown = old
        if old.rows != new.rows || old.columns != new.columns {
            difference.operations.append(.clear)
            shown = Screen(rows: new.rows, columns: new.columns)
        }
        for row in 0..<new.rows {
            difference.compare(row, shown.row(row), new.row(row))
        }
        difference.flush()
        let cursor = new.cursor.flatMap { new.contains($0) ? $0 : nil }
        let shownCursor = shown.cursor.flatMap { shown.contains($0) ? $0 : nil }
        if cursor != shownCursor || (cursor != nil && !difference.operations.isEmpty) {
            difference.operations.append(.cursor(cursor))
        }
        return difference.operations
    }

    /// Everything, on a terminal of which nothing is known.
    package static func drawing(_ new: Screen) -> [Operation] {
        var all = difference(from: Screen(rows: 0, columns: 0), to: new)
        if all.first != .clear { all.insert(.clear, at: 0) }
        return all
    }
}

/// The operations so far, and what the terminal is known to be like after them.
private struct Difference {
    /// A gap of unchanged cells up to this is cheaper written again than jumped over.
    static let gapColumnsMax = 4

    var operations: [Screen.Operation] = []
    private var style: Screen.Style?
    private var place: Screen.Position?
    private var run = ""

    mutating func compare(_ row: Int, _ old: ArraySlice<Screen.Cell>, _ new: ArraySlice<Screen.Cell>) {
        if old == new { return }
        let start = new.startIndex
        let shift = old.startIndex - start
        let tail = (new.lastIndex { $0 != .blank } ?? start - 1) + 1
        let isWhole = old.contains { $0.isUncertain } || new.contains { $0.isUncertain }
        if isWhole { clearLine(row, from: 0) }
        var next = start
        var written = start
        while next < tail {
            guard isWhole || old[next + shift] != new[next] else {
                next += 1
                continue
            }
            if next > written && next - written <= Self.gapColumnsMax && canWriteThrough(row, new, written..<next) {
                for index in written..<next { write(new[index], row, index - start, in: new.count) }
            }
            write(new[next], row, next - start, in: new.count)
            next += max(1, new[next].columns)
            written = next
        }
        if !isWhole && (tail..<new.endIndex).contains(where: { old[$0 + shift] != .blank }) {
            clearLine(row, from: tail - start)
        }
    }

    private func canWriteThrough(_ row: Int, _ new: ArraySlice<Screen.Cell>, _ gap: Range<Int>) -> Bool {
        place == Screen.Position(row: row, column: gap.lowerBound - new.startIndex)
            && gap.allSatisfy { new[$0].style == style }
    }

    private mutating func write(_ cell: Screen.Cell, _ row: Int, _ column: Int, in columns: Int) {
        if cell.columns == 0 { return }
        go(to: Screen.Position(row: row, column: column))
        set(cell.style)
        run += cell.text
        let end = column + cell.columns
        place = cell.isUncertain || end >= columns ? nil : Screen.Position(row: row, column: end)
    }

    private mutating func clearLine(_ row: Int, from column: Int) {
        go(to: Screen.Position(row: row, column: column))
        set(.plain)
        flush()
        operations.append(.clearToEndOfLine)
    }

    private mutating func go(to position: Screen.Position) {
        if place == position { return }
        flush()
        operations.append(.move(row: position.row, column: position.column))
        place = position
    }

    private mutating func set(_ wanted: Screen.Style) {
        if style == wanted { return }
        flush()
        operations.append(.style(wanted))
        style = wanted
    }

    mutating func flush() {
        if run.isEmpty { return }
        operations.append(.write(run))
        run = ""
    }
}
