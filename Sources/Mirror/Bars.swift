// Why this file exists: below the document stand a panel, where one was asked for, and the bar, which says in one line what
// this is, how it stands, and what has just happened.

import AccordionModel

extension MirrorView {
    /// The panel's rows, where there is one: as many as it takes, but two are left to the document and the bar.
    var panelLines: [String] {
        let lines: [String]
        switch panel {
        case .none: return []
        case .help: lines = joined(KeyBindings.help + ["commands: " + Self.commands])
        case .people: lines = people.lines(screenColumns)
        }
        return Array(lines.prefix(max(0, screenRows - 2)))
    }

    /// As many entries a row as fit.
    private func joined(_ entries: [String]) -> [String] {
        var lines: [String] = []
        for entry in entries {
            let joined = lines.last.map { "\($0)  ·  \(entry)" } ?? entry
            if lines.isEmpty || DisplayText.columns(of: joined) > screenColumns {
                lines += DisplayText.wrap(entry, toColumns: max(1, screenColumns))
            } else {
                lines[lines.count - 1] = joined
            }
        }
        return lines
    }

    package var title: String {
        guard let title = replica.document?.attributes.title, !title.isEmpty else { return replica.name.text }
        return title
    }

    /// How it stands, what matters most last; where there is little room the first ones are left out.
    package var standing: [String] {
        var parts: [String] = []
        if !address.isEmpty { parts.append(address) }
        if people.count > 1 { parts.append("\(people.count) here") }
        if !replica.conflicts.isEmpty { parts.append("\(replica.conflicts.count) ≠") }
        if tally.taskCount > 0 { parts.append("\(tally.doneCount)/\(tally.taskCount)") }
        if filter != nil { parts.append("filtered") }
        if people.isPresenting { parts.append("presenting") }
        if folds.isPrivate { parts.append("private") }
        if people.isFollowing, let leader = people.leader { parts.append("following \(leader.name)") }
        parts.append(state)
        return parts.map { DisplayText.visible($0) }
    }

    private var state: String {
        let waiting = replica.pending.isEmpty ? "" : ", \(replica.pending.count) to send"
        switch connection {
        case .lost: return "offline" + waiting
        case .connecting: return "connecting" + waiting
        case .connected: break
        }
        switch replica.life {
        case .awaited: return "connected"
        case .deleted(let by): return by.isEmpty ? "not there" : "deleted by \(by)"
        case .live: return "live"
        }
    }
}

extension Painter {
    mutating func paintBars() {
        let lines = view.panelLines
        for (place, line) in lines.enumerated() {
            let row = screen.rows - 1 - lines.count + place
            screen.fill(row: row, columns: 0..<screen.columns, style: .plain)
            screen.put(
                DisplayText.cut(line, toColumns: screen.columns, ending: "…"), row: row, column: 0,
                style: Screen.Style(.dim))
        }
        let row = screen.rows - 1
        let style = Screen.Style(.reverse)
        screen.fill(row: row, columns: 0..<screen.columns, style: style)
        if let prompt = view.prompt { return paintPrompt(prompt, row, style) }
        let (left, right) = barTexts()
        screen.put(left, row: row, column: 0, style: style)
        screen.put(right, row: row, column: screen.columns - DisplayText.columns(of: right), style: style)
    }

    /// Of what is longer than the row its end is shown.
    private mutating func paintPrompt(_ prompt: Prompt, _ row: Int, _ style: Screen.Style) {
        var text = DisplayText.visible(prompt.text)
        let room = screen.columns - 2
        while DisplayText.columns(of: text) > room, !text.isEmpty { text.removeFirst() }
        let end = screen.put(prompt.kind.mark + text, row: row, column: 0, style: style)
        screen.cursor = Screen.Position(row: row, column: min(end, screen.columns - 1))
    }

    /// The two ends of the bar. A message comes first: the title is cut for it, and where that does not help it and then
    /// the standing are left out.
    private func barTexts() -> (left: String, right: String) {
        let titleColumnsMin = 8
        // What has just happened needs the room.
        var parts = view.message == nil ? view.standing : view.standing.suffix(1)
        let titleColumns = min(DisplayText.columns(of: view.title), screen.columns / 2)
        func right() -> String { " " + parts.joined(separator: "  ") + " " }
        while parts.count > 1, DisplayText.columns(of: right()) + titleColumns + 2 > screen.columns {
            parts.removeFirst()
        }
        let standing = DisplayText.cut(right(), toColumns: screen.columns, ending: "")
        let room = screen.columns - DisplayText.columns(of: standing)
        guard let message = view.message else {
            let left = " " + view.title
            let hinted = standing + (isGone ? " q quits " : " F1 help ")
            let fits = DisplayText.columns(of: left) + DisplayText.columns(of: hinted) <= screen.columns
            return (DisplayText.cut(left, toColumns: room, ending: "…"), fits ? hinted : standing)
        }
        let alone = " " + DisplayText.visible(message)
        let messageColumns = DisplayText.columns(of: alone)
        if messageColumns > room { return (DisplayText.cut(alone, toColumns: screen.columns, ending: "…"), "") }
        // The title, a space before it, and the dash behind it with one more.
        let titleRoom = room - messageColumns - 3
        if titleRoom < min(titleColumnsMin, DisplayText.columns(of: view.title)) { return (alone, standing) }
        return (" " + DisplayText.cut(view.title, toColumns: titleRoom, ending: "…") + " –" + alone, standing)
    }

    private var isGone: Bool { if case .deleted = view.replica.life { true } else { false } }
}
