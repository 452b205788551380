// Why this file exists: what is known, laid out, becomes a frame here, and nowhere else is decided how anything looks.

import AccordionModel

/// Draws a mirror's lines and its status bar.
struct Painter {
    private static let arrowColumns = 2
    private static let markColumns = 4

    private(set) var screen: Screen
    private let view: MirrorView
    private let conflicting: Set<SectionPath>

    /// `view`'s layout has been measured for this size.
    init(_ view: MirrorView, rows: Int, columns: Int) {
        self.view = view
        screen = Screen(rows: rows, columns: columns)
        conflicting = Set(view.replica.conflicts.map(\.section))
    }

    mutating func paint(_ layout: inout Layout) {
        let rows = layout.rows
        if layout.lines.isEmpty { paintEmpty() }
        var point = layout.top
        var row = 0
        while row < rows, point.line < layout.lines.count {
            let line = layout.lines[point.line]
            let isCurrent = point.line == layout.cursor
            let indent = layout.indent(of: line)
            if line.isSection {
                paintSection(line.owner, row: row, indent: indent, isCurrent: isCurrent)
                row += 1
            } else {
                let block = layout.block(of: line)
                for text in layout.wrapped(line).dropFirst(point.row) where row < rows {
                    paintText(text, block, row: row, indent: indent, isCurrent: isCurrent)
                    row += 1
                }
            }
            point = Layout.Point(line: point.line + 1, row: 0)
        }
        paintBars()
    }

    private mutating func paintEmpty() {
        let text =
            switch view.replica.life {
            case .awaited: "…"
            case .live, .deleted: "(nothing inside)"
            }
        screen.put(text, row: 0, column: 0, style: Screen.Style(.dim))
    }

    // MARK: - Lines

    private mutating func paintSection(_ index: Int32, row: Int, indent: Int, isCurrent: Bool) {
        guard let document = view.replica.document else { return }
        let section = document[index]
        var style = Screen.Style(section.isRow ? [] : .bold, foreground: Screen.Colour(tint: section.attributes.tint))
        if case .deleted = view.replica.life { style.attributes.insert(.dim) }
        if isCurrent { style.attributes.insert(.reverse) }
        if isCurrent { screen.fill(row: row, columns: 0..<screen.columns, style: style) }
        var column = indent
        if document.attributes.headers {
            let arrow = section.isRow ? " " : view.replica.isOpen(index) ? "▾" : "▸"
            screen.put(arrow, row: row, column: column, style: style)
            column += Self.arrowColumns
        }
        if section.attributes.task != nil {
            screen.put(view.replica.isDone(index) ? "[x]" : "[ ]", row: row, column: column, style: style)
            column += Self.markColumns
        }
        let tail = tail(of: index, section)
        let tailColumns = DisplayText.columns(of: tail)
        let room = max(1, screen.columns - column - tailColumns)
        let title = DisplayText.cut(section.title, toColumns: room, ending: "…")
        column = screen.put(title, row: row, column: column, style: style)
        style.attributes.remove(.bold)
        style.foreground = .standard
        if !isCurrent { style.attributes.insert(.dim) }
        screen.put(tail, row: row, column: column, style: style)
    }

    /// What stands behind a title: how much is inside, and what is not settled.
    private func tail(of index: Int32, _ section: Section) -> String {
        var tail = ""
        if !section.isRow {
            let tasks = view.tally.tasks(in: index)
            let children = view.tally.children(of: index)
            if tasks > 0 {
                tail = "  \(view.tally.done(in: index))/\(tasks)"
            } else if children > 0 {
                tail = "  \(children)"
            }
        }
        if section.attributes.locked { tail += "  locked" }
        if view.replica.isPending(index) { tail += "  …" }
        if !conflicting.isEmpty, conflicting.contains(section.path) { tail += "  ≠" }
        return tail
    }

    private mutating func paintText(_ text: String, _ block: Block?, row: Int, indent: Int, isCurrent: Bool) {
        var style = Screen.Style()
        if case .code = block { style.foreground = .ansi(6) }
        if case .deleted = view.replica.life { style.attributes.insert(.dim) }
        if isCurrent {
            style.attributes.insert(.reverse)
            screen.fill(row: row, columns: 0..<screen.columns, style: style)
        }
        screen.put(text, row: row, column: indent, style: style)
    }

    // MARK: - Bars

    private mutating func paintBars() {
        guard screen.rows > 1 else { return }
        let help = view.helpLines
        for (place, line) in help.enumerated() {
            let row = screen.rows - 1 - help.count + place
            screen.fill(row: row, columns: 0..<screen.columns, style: .plain)
            screen.put(
                DisplayText.cut(line, toColumns: screen.columns, ending: "…"), row: row, column: 0,
                style: Screen.Style(.dim))
        }
        let row = screen.rows - 1
        let style = Screen.Style(.reverse)
        screen.fill(row: row, columns: 0..<screen.columns, style: style)
        let (left, right) = barTexts()
        screen.put(left, row: row, column: 0, style: style)
        screen.put(right, row: row, column: screen.columns - DisplayText.columns(of: right), style: style)
    }

    /// The two ends of the bar. A message comes first: the title is cut for it, and where that does not help it and then
    /// the standing are left out.
    private func barTexts() -> (left: String, right: String) {
        let titleColumnsMin = 8
        var right = DisplayText.cut(" " + view.standing + " ", toColumns: screen.columns, ending: "")
        let room = screen.columns - DisplayText.columns(of: right)
        guard let message = view.message else {
            let left = " " + view.title
            let hinted = right + " " + view.hint + " "
            if DisplayText.columns(of: left) + DisplayText.columns(of: hinted) <= screen.columns { right = hinted }
            return (DisplayText.cut(left, toColumns: room, ending: "…"), right)
        }
        let alone = " " + message
        let messageColumns = DisplayText.columns(of: alone)
        if messageColumns > room { return (DisplayText.cut(alone, toColumns: screen.columns, ending: "…"), "") }
        // The title, a space before it, and the dash behind it with one more.
        let titleRoom = room - messageColumns - 3
        if titleRoom < min(titleColumnsMin, DisplayText.columns(of: view.title)) { return (alone, right) }
        return (" " + DisplayText.cut(view.title, toColumns: titleRoom, ending: "…") + " –" + alone, right)
    }
}

extension Screen.Colour {
    /// A name of the eight ANSI colours, the same with `bright-` before it, or `#rrggbb`; the standard colour otherwise.
    init(tint: String?) {
        guard let tint else {
            self = .standard
            return
        }
        if tint.utf8.first == UInt8(ascii: "#"), tint.utf8.count == 7, let number = UInt32(tint.dropFirst(), radix: 16)
        {
            self = .rgb(
                UInt8(truncatingIfNeeded: number >> 16), UInt8(truncatingIfNeeded: number >> 8),
                UInt8(truncatingIfNeeded: number))
            return
        }
        let isBright = tint.hasPrefix("bright-")
        guard let place = Tint.names.firstIndex(of: isBright ? String(tint.dropFirst(7)) : tint) else {
            self = .standard
            return
        }
        self = .ansi(UInt8(place + (isBright ? 8 : 0)))
    }
}
