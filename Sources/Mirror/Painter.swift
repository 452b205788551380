// Why this file exists: what is known, laid out, becomes a frame here, and nowhere else is decided how anything looks.

import AccordionModel

/// Draws a mirror's lines; the bars are in Bars.
struct Painter {
    var screen: Screen
    let view: MirrorView
    private let conflicting: Set<SectionPath>

    /// `view`'s layout has been measured for this size.
    init(_ view: MirrorView, rows: Int, columns: Int) {
        self.view = view
        screen = Screen(rows: rows, columns: columns)
        conflicting = Set(view.replica.conflicts.map(\.section))
    }

    mutating func paint(_ layout: inout Layout) {
        if view.isTooSmall {
            screen.put(DisplayText.cut("too small", toColumns: screen.columns, ending: "…"), row: 0, column: 0)
            return
        }
        let rows = layout.rows
        if layout.lines.isEmpty { paintEmpty() }
        var point = layout.top
        var row = 0
        while row < rows, point.line < layout.lines.count {
            let line = layout.lines[point.line]
            let isCurrent = point.line == layout.cursor
            let texts = layout.wrapped(line)
            for (place, text) in texts.enumerated().dropFirst(point.row) where row < rows {
                if line.isSection {
                    let part = (isFirst: place == 0, isLast: place == texts.count - 1)
                    paintSection(line, text, layout, part, row: row, isCurrent: isCurrent)
                } else {
                    paintText(
                        text, layout.block(of: line), row: row, indent: layout.indent(of: line), isCurrent: isCurrent)
                }
                row += 1
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

    private mutating func paintSection(
        _ line: Layout.Line, _ title: String, _ layout: Layout, _ part: (isFirst: Bool, isLast: Bool), row: Int,
        isCurrent: Bool
    ) {
        guard let document = view.replica.document else { return }
        let section = document[line.owner]
        var style = Screen.Style(section.isRow ? [] : .bold, foreground: Screen.Colour(tint: section.attributes.tint))
        if case .deleted = view.replica.life { style.attributes.insert(.dim) }
        if isCurrent {
            style.attributes.insert(.reverse)
            screen.fill(row: row, columns: 0..<screen.columns, style: style)
        }
        if part.isFirst {
            var column = layout.indent(of: line)
            if document.attributes.headers {
                screen.put(arrow(line.owner, section), row: row, column: column, style: style)
                column += Layout.arrowColumns
            }
            if section.attributes.task != nil {
                screen.put(view.replica.isDone(line.owner) ? "[x]" : "[ ]", row: row, column: column, style: style)
            }
        }
        let column = screen.put(title, row: row, column: layout.titleColumn(of: line), style: style)
        guard part.isLast else { return }
        style.attributes.remove(.bold)
        style.foreground = .standard
        if !isCurrent { style.attributes.insert(.dim) }
        let room = screen.columns - column
        guard room > 2 else { return }
        let names = view.people.names(at: section.path)
        let tail = DisplayText.cut(tail(of: line.owner, section), toColumns: room, ending: "")
        let end = screen.put(tail, row: row, column: column, style: style)
        guard !names.isEmpty, screen.columns - end > 4 else { return }
        let shown = DisplayText.cut(DisplayText.visible(names), toColumns: screen.columns - end - 2, ending: "…")
        style.foreground = .ansi(5)
        style.attributes.remove(.dim)
        screen.put(shown, row: row, column: screen.columns - DisplayText.columns(of: shown), style: style)
    }

    /// Hollow where it stands so for me alone.
    private func arrow(_ index: Int32, _ section: Section) -> String {
        if section.isRow { return " " }
        let isOpen = view.isOpen(index)
        if view.folds[index] != nil, isOpen != view.replica.isOpen(index) { return isOpen ? "▿" : "▹" }
        return isOpen ? "▾" : "▸"
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
