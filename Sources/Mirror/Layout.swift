// Why this file exists: which lines of a document are visible follows from what is open. In a document of a hundred
// thousand sections it can't be worked out anew for each key, so the list is kept, in document order, and a section that
// opens or closes puts in or takes out its own stretch. How high a text is, is found out only where it is on the screen.

import AccordionModel

/// The visible lines of a document, where the cursor is among them, and which of them the screen shows.
package struct Layout {
    /// A header, a row, or a block of text, which may take several rows of the screen.
    package struct Line: Hashable, Sendable {
        /// How many sections have begun up to here, this one included: never falls from one line to the next.
        let order: Int32
        /// The section, or the one around the text (-1: the document).
        package let owner: Int32
        /// Which block of the owner's content; -1 where the line is the section itself.
        package let block: Int32

        package var isSection: Bool { block < 0 }
    }

    /// A row of the screen's within a line.
    struct Point: Equatable {
        var line: Int
        var row: Int
    }

    /// How many sections may open or close at once before it is cheaper to begin anew.
    static let splicesMax = 64
    static let indentColumns = 2

    package internal(set) var lines: [Line] = []
    /// Index in `lines`; 0 where there are none.
    package internal(set) var cursor = 0
    /// What the first row of the screen shows.
    var top = Point(line: 0, row: 0)
    /// Rows of the screen that lines are shown in, at least 1.
    package private(set) var rows: Int
    package private(set) var columns: Int
    private(set) var document: Document?
    /// The sections that are shown, where not all are.
    private(set) var filter: Set<Int32>?
    private var wraps: [Line: [String]] = [:]

    package init(rows: Int, columns: Int) {
        self.rows = max(1, rows)
        self.columns = max(1, columns)
    }

    package mutating func resize(rows: Int, columns: Int) {
        let row = cursorRow
        if columns != self.columns { wraps = [:] }
        self.rows = max(1, rows)
        self.columns = max(1, columns)
        top.row = 0
        putCursor(onRow: min(row, self.rows - 1))
    }

    /// Nothing has been laid out yet.
    var isBlank: Bool { document == nil }

    /// The line under the cursor.
    package var current: Line? { cursor < lines.count ? lines[cursor] : nil }

    // MARK: - From the replica

    /// Lays out other content, the cursor on the section on which it was; where that is gone, on the nearest before it.
    /// `isOpen` says how each section stands for whoever looks.
    package mutating func replace(with new: Document, isOpen: (Int32) -> Bool) {
        let row = cursorRow
        let old = document
        let oldLines = lines[..<min(cursor + 1, lines.count)]
        document = new
        filter = nil
        wraps = [:]
        lines = Self.visible(inside: -1, of: new, isOpen: isOpen)
        cursor = 0
        top = Point(line: 0, row: 0)
        guard let old else { return }
        for line in oldLines.reversed() where line.owner >= 0 {
            guard let section = new.find(old[line.owner].path) else { continue }
            cursor = nearest(to: section)
            if !line.isSection, line == oldLines.last { cursor = text(line.block, of: section) ?? cursor }
            break
        }
        putCursor(onRow: row)
    }

    /// Brings the lines up to date after sections opened or closed. The cursor stays on its line, and that on its row of the
    /// screen where it can; a line that vanishes leaves it on the section that closed.
    package mutating func apply(_ turned: [Int32], isOpen: (Int32) -> Bool) {
        guard let document, document.attributes.headers, !turned.isEmpty else { return }
        let row = cursorRow
        if turned.count > Self.splicesMax || filter != nil {
            rebuild(document, isOpen)
        } else {
            for section in turned { splice(section, document, isOpen) }
        }
        putCursor(onRow: row)
    }

    /// Shows these sections alone, with what is around them; nil: all.
    mutating func show(only filter: Set<Int32>?, isOpen: (Int32) -> Bool) {
        guard let document else { return }
        self.filter = filter
        rebuild(document, isOpen)
        putCursor(onRow: rows / 2)
    }

    private mutating func rebuild(_ document: Document, _ isOpen: (Int32) -> Bool) {
        let line = current
        lines = Self.visible(inside: -1, of: document, only: filter, isOpen: isOpen)
        cursor = 0
        guard let line else { return }
        if let place = place(of: line) {
            cursor = place
        } else if line.owner >= 0 {
            cursor = nearest(to: line.owner)
        }
    }

    private mutating func splice(_ section: Int32, _ document: Document, _ isOpen: (Int32) -> Bool) {
        guard let header = place(ofSection: section) else { return }
        let inside = stretch(inside: section, document, from: header + 1)
        if isOpen(section) {
            guard inside.isEmpty else { return }
            let new = Self.visible(inside: section, of: document, isOpen: isOpen)
            lines.insert(contentsOf: new, at: header + 1)
            if cursor > header { cursor += new.count }
        } else {
            guard !inside.isEmpty else { return }
            lines.removeSubrange(inside)
            if cursor >= inside.upperBound {
                cursor -= inside.count
            } else if cursor > header {
                cursor = header
            }
        }
    }

    // MARK: - Finding lines

    /// The first line whose order is at least that.
    func firstPlace(order: Int32) -> Int {
        var low = 0
        var high = lines.count
        while low < high {
            let middle = (low + high) / 2
            if lines[middle].order < order { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Where the section itself stands; nil where it is not visible.
    package func place(ofSection section: Int32) -> Int? {
        let place = firstPlace(order: section + 1)
        guard place < lines.count, lines[place].isSection, lines[place].owner == section else { return nil }
        return place
    }

    private func place(of line: Line) -> Int? {
        var place = firstPlace(order: line.order)
        while place < lines.count, lines[place].order == line.order {
            if lines[place] == line { return place }
            place += 1
        }
        return nil
    }

    /// The section where it is visible, else the nearest around it that is; where headers are hidden, the nearest line
    /// before it.
    private func nearest(to section: Int32) -> Int {
        guard let document else { return 0 }
        var section = section
        while section >= 0 {
            if let place = place(ofSection: section) { return place }
            if !document.attributes.headers { return max(0, firstPlace(order: section + 1) - 1) }
            section = document[section].parent
        }
        return 0
    }

    private func text(_ block: Int32, of section: Int32) -> Int? {
        guard let document, let header = place(ofSection: section) else { return nil }
        return stretch(inside: section, document, from: header + 1).first {
            lines[$0].owner == section && lines[$0].block == block
        }
    }

    /// The lines inside a section whose first would stand at `start`.
    private func stretch(inside section: Int32, _ document: Document, from start: Int) -> Range<Int> {
        let owners = section..<document[section].end
        guard start < lines.count, owners.contains(lines[start].owner) else { return start..<start }
        var end = firstPlace(order: document[section].end + 1)
        // Texts behind the section are of the same order as those at its end.
        while end > start, !owners.contains(lines[end - 1].owner) { end -= 1 }
        return start..<end
    }

    // MARK: - Which lines there are

    /// All visible lines inside `parent`, -1 for the document, without its own; where `only` is given, of its sections, and
    /// what is around them counts as open.
    package static func visible(
        inside parent: Int32, of document: Document, only: Set<Int32>? = nil, isOpen: (Int32) -> Bool
    ) -> [Line] {
        let hasHeaders = document.attributes.headers
        var lines: [Line] = []
        var begun = parent + 1
        var stack: [(owner: Int32, blocks: [Block], next: Int)] = [
            (parent, parent < 0 ? document.content : document[parent].content ?? [], 0)
        ]
        while let (owner, blocks, next) = stack.last {
            guard next < blocks.count else {
                stack.removeLast()
                if owner >= 0 { begun = document[owner].end }
                continue
            }
            stack[stack.count - 1].next = next + 1
            guard case .section(let section) = blocks[next] else {
                if only == nil || owner < 0 || isOpen(owner) {
                    lines.append(Line(order: begun, owner: owner, block: Int32(next)))
                }
                continue
            }
            if let only, !only.contains(section) {
                begun = document[section].end
                continue
            }
            begun = section + 1
            let content = document[section].content
            if hasHeaders || content == nil { lines.append(Line(order: begun, owner: section, block: -1)) }
            if let content, !hasHeaders || only != nil || isOpen(section) {
                stack.append((section, content, 0))
            } else {
                begun = document[section].end
            }
        }
        return lines
    }

    // MARK: - Heights

    /// Columns before a line's own text.
    package func indent(of line: Line) -> Int {
        guard let document, document.attributes.headers else { return 0 }
        let depth = line.owner < 0 ? 0 : document[line.owner].depth - (line.isSection ? 1 : 0)
        return min(depth * Self.indentColumns, columns / 2)
    }

    /// The arrow before a title, the check mark of a task, and room behind a title for how much is inside.
    static let arrowColumns = 2
    static let markColumns = 4
    private var tailColumns: Int { columns >= 30 ? 8 : columns >= 12 ? 4 : 0 }

    /// Columns before a section's title.
    func titleColumn(of line: Line) -> Int {
        guard let document, line.isSection else { return indent(of: line) }
        return indent(of: line) + (document.attributes.headers ? Self.arrowColumns : 0)
            + (document[line.owner].attributes.task == nil ? 0 : Self.markColumns)
    }

    /// The rows of a title or of a block of text.
    package mutating func wrapped(_ line: Line) -> [String] {
        let cachedMax = 512
        if let rows = wraps[line] { return rows }
        guard let document else { return [""] }
        let rows: [String]
        if line.isSection {
            let section = document[line.owner]
            let hasTail = !section.isRow || section.attributes.locked
            let width = columns - titleColumn(of: line) - (hasTail ? tailColumns : 0)
            rows = DisplayText.wrap(section.title, toColumns: max(1, width))
        } else {
            switch block(of: line) {
            case .text(let text)?, .code(let text, _)?:
                rows = DisplayText.wrap(text, toColumns: columns - indent(of: line))
            default: rows = [""]
            }
        }
        if wraps.count >= cachedMax { wraps = [:] }
        wraps[line] = rows
        return rows
    }

    package func block(of line: Line) -> Block? {
        guard let document, line.block >= 0 else { return nil }
        let content = line.owner < 0 ? document.content : document[line.owner].content ?? []
        return Int(line.block) < content.count ? content[Int(line.block)] : nil
    }

    mutating func height(of place: Int) -> Int {
        max(1, wrapped(lines[place]).count)
    }
}
