// Why this file exists: where the cursor goes and what the screen then shows. Only lines near the screen are measured, so
// no movement costs more in a longer document.

import AccordionModel

extension Layout {
    // MARK: - Rows of the screen

    /// The point `count` rows below (above, where negative), within the document.
    mutating func advance(_ point: Point, by count: Int) -> Point {
        var point = point
        var left = count
        while left > 0 {
            let below = height(of: point.line) - 1 - point.row
            if left <= below {
                point.row += left
                return point
            }
            guard point.line + 1 < lines.count else {
                point.row += below
                return point
            }
            left -= below + 1
            point = Point(line: point.line + 1, row: 0)
        }
        while left < 0 {
            if -left <= point.row {
                point.row += left
                return point
            }
            guard point.line > 0 else { return Point(line: 0, row: 0) }
            left += point.row + 1
            point = Point(line: point.line - 1, row: height(of: point.line - 1) - 1)
        }
        return point
    }

    /// The first row that can be shown at the top without leaving the bottom empty.
    private mutating func lastTop() -> Point {
        guard !lines.isEmpty else { return Point(line: 0, row: 0) }
        let last = lines.count - 1
        return advance(Point(line: last, row: height(of: last) - 1), by: 1 - rows)
    }

    private func isBefore(_ one: Point, _ other: Point) -> Bool { (one.line, one.row) < (other.line, other.row) }

    private mutating func clampTop() {
        let last = lastTop()
        if isBefore(last, top) { top = last }
    }

    /// The row of the screen on which the cursor's line begins, where it is on it: else the nearest.
    var cursorRow: Int {
        mutating get {
            guard cursor < lines.count, top.line < lines.count, cursor >= top.line else { return 0 }
            if cursor - top.line > rows { return rows - 1 }
            var row = -top.row
            for place in top.line..<cursor { row += height(of: place) }
            return min(max(0, row), rows - 1)
        }
    }

    /// What the rows of the screen show, from the first to the last that shows a line.
    mutating func rowNames() -> [RowName] {
        var names: [RowName] = []
        var point = top
        while names.count < rows, point.line < lines.count {
            let height = height(of: point.line)
            for row in point.row..<max(height, point.row + 1) where names.count < rows {
                names.append(RowName(line: lines[point.line], row: row))
            }
            point = Point(line: point.line + 1, row: 0)
        }
        return names
    }

    /// What a row of the screen shows: the place in `lines`, and the row within that line.
    package mutating func place(onRow row: Int) -> (line: Int, row: Int)? {
        guard row >= 0, row < rows, !lines.isEmpty else { return nil }
        let point = advance(top, by: row)
        // A clamped walk ends at the last row of the document.
        if row > 0, point.line == lines.count - 1, distance(from: top, to: point, max: row) < row { return nil }
        return (point.line, point.row)
    }

    private mutating func distance(from start: Point, to end: Point, max limit: Int) -> Int {
        var rows = end.row - start.row
        var place = start.line
        while place < end.line, rows < limit {
            rows += height(of: place)
            place += 1
        }
        return rows
    }

    // MARK: - Keeping the cursor in sight

    /// Scrolls so that the cursor's line begins on that row, as far as the document allows it.
    mutating func putCursor(onRow row: Int) {
        cursor = min(cursor, max(0, lines.count - 1))
        guard !lines.isEmpty else { return top = Point(line: 0, row: 0) }
        top = advance(Point(line: cursor, row: 0), by: -row)
        reveal()
    }

    /// Scrolls as little as needed to show the cursor's line; of one that is higher than the screen the beginning, or
    /// its end where `atEnd`.
    mutating func reveal(atEnd: Bool = false) {
        guard !lines.isEmpty else { return }
        top.line = min(top.line, lines.count - 1)
        let height = height(of: cursor)
        let first = Point(line: cursor, row: height > rows && atEnd ? height - rows : 0)
        if isBefore(first, top) {
            top = first
        } else {
            let least = advance(Point(line: cursor, row: min(height, first.row + rows) - 1), by: 1 - rows)
            if isBefore(top, least) { top = least }
        }
        clampTop()
    }

    /// Scrolls so that below the cursor's section, which is open, at least so many rows of its inside are on the screen
    /// as there are, or as half of the screen holds. The cursor stays in sight.
    mutating func revealInside(_ section: Int32, _ document: Document) {
        let wanted = rows / 2
        guard cursor < lines.count, wanted > 0 else { return }
        let owners = section..<document[section].end
        var inside = 0
        var place = cursor + 1
        while inside < wanted, place < lines.count, owners.contains(lines[place].owner) {
            inside += height(of: place)
            place += 1
        }
        let lastRow = cursorRow + min(inside, wanted)
        if lastRow >= rows { putCursor(onRow: max(0, cursorRow - (lastRow - rows + 1))) }
    }

    // MARK: - Movements

    /// To the next line; through one that is higher than the screen row by row.
    package mutating func down() {
        guard !lines.isEmpty else { return }
        let bottom = advance(top, by: rows - 1)
        if bottom.line == cursor, bottom.row < height(of: cursor) - 1 { return top = advance(top, by: 1) }
        guard cursor + 1 < lines.count else { return }
        cursor += 1
        reveal()
    }

    package mutating func up() {
        guard !lines.isEmpty else { return }
        if top.line == cursor, top.row > 0 { return top = advance(top, by: -1) }
        guard cursor > 0 else { return }
        cursor -= 1
        reveal(atEnd: true)
    }

    package mutating func home() {
        cursor = 0
        reveal()
    }

    package mutating func end() {
        cursor = max(0, lines.count - 1)
        reveal(atEnd: true)
    }

    /// By a screen less one row, `pages` times half of that; the cursor keeps its row.
    package mutating func page(_ direction: Int, isHalf: Bool = false) {
        guard !lines.isEmpty else { return }
        let step = max(1, isHalf ? rows / 2 : rows - 1) * direction
        let row = cursorRow
        let before = top
        top = advance(top, by: step)
        clampTop()
        if top == before {
            // There is no further to scroll: the cursor itself goes on.
            cursor = advance(Point(line: cursor, row: 0), by: step).line
            return reveal()
        }
        cursor = advance(top, by: row).line
    }

    /// The cursor stays where it is unless it would leave the screen.
    package mutating func scroll(by count: Int) {
        guard !lines.isEmpty else { return }
        top = advance(top, by: count)
        clampTop()
        let bottom = advance(top, by: rows - 1)
        if cursor < top.line { cursor = top.row > 0 && top.line < bottom.line ? top.line + 1 : top.line }
        if cursor > bottom.line { cursor = bottom.line }
    }

    package mutating func select(_ place: Int) {
        guard lines.indices.contains(place) else { return }
        cursor = place
        reveal()
    }
}
