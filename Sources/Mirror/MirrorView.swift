// Why this file exists: the live view as one value: what is known, where the cursor is, what the bar says. Keys, events and
// replies go in; requests to send come out. The program around it owns the socket and the terminal and decides nothing.

import AccordionModel
import Wire

/// What a key means.
package enum MirrorGesture: Sendable, Equatable {
    case down, up, home, end, pageDown, pageUp, halfPageDown, halfPageUp
    /// Turns the section under the cursor, or the one around the text under it.
    case toggle
    /// Opens, then goes into.
    case open
    /// Closes, then goes out.
    case close
    case check
    case help
    /// The mouse: the arrow toggles, the title selects.
    case press(row: Int, column: Int)
    case scroll(Int)
}

package struct MirrorView {
    /// How the connection stands.
    package enum Connection: Sendable, Equatable {
        case connecting
        case connected
        case lost
    }

    /// Keys and what they do, in the order in which they are shown.
    package static let help = [
        "j k move", "l h open, close", "Space toggle", "x check", "g G first, last", "PgDn PgUp page",
        "Ctrl-d Ctrl-u half",
        "R redraw", "? this help", "q quit",
    ]
    private static let wheelRows = 3

    package private(set) var replica: Replica
    package private(set) var tally: Tally
    package private(set) var showsHelp = false
    /// Shown in the bar until the next key.
    package private(set) var message: String?
    package private(set) var connection = Connection.connecting
    private var layout: Layout
    private var screenRows: Int
    private var screenColumns: Int
    private var nextID = 1

    package init(_ name: DocumentName, rows: Int, columns: Int) {
        replica = Replica(name)
        tally = Tally(replica)
        screenRows = rows
        screenColumns = columns
        layout = Layout(rows: max(1, rows - 1), columns: columns)
    }

    package mutating func resize(rows: Int, columns: Int) {
        screenRows = rows
        screenColumns = columns
        fit()
    }

    /// The last row is the status bar's, those above it the help's where it shows.
    private mutating func fit() {
        layout.resize(rows: max(1, screenRows - 1 - helpLines.count), columns: screenColumns)
    }

    /// The help's rows, where it shows: as many as it takes, but one is left to the document.
    var helpLines: [String] {
        guard showsHelp else { return [] }
        var lines: [String] = []
        for entry in Self.help {
            let joined = lines.last.map { "\($0)  \(entry)" } ?? entry
            if lines.isEmpty || DisplayText.columns(of: joined) > screenColumns {
                lines.append(entry)
            } else {
                lines[lines.count - 1] = joined
            }
        }
        return Array(lines.prefix(max(0, screenRows - 2)))
    }

    /// The frame as it stands.
    package mutating func screen() -> Screen {
        var painter = Painter(self, rows: screenRows, columns: screenColumns)
        painter.paint(&layout)
        return painter.screen
    }

    // MARK: - The bar

    package var title: String {
        guard let title = replica.document?.attributes.title, !title.isEmpty else { return replica.name.text }
        return title
    }

    /// How it stands, for the right end of the bar.
    package var standing: String {
        let waiting = replica.pending.isEmpty ? "" : ", \(replica.pending.count) to send"
        if connection == .lost { return "offline" + waiting }
        if connection == .connecting { return "connecting" + waiting }
        switch replica.life {
        case .awaited: return "connected"
        case .deleted(let by): return by.isEmpty ? "not there" : "deleted by \(by)"
        case .live: break
        }
        var parts: [String] = []
        if !replica.conflicts.isEmpty { parts.append("\(replica.conflicts.count) ≠") }
        if tally.taskCount > 0 { parts.append("\(tally.doneCount)/\(tally.taskCount)") }
        return (parts + ["live"]).joined(separator: "  ")
    }

    /// What to do next, behind the standing where there is room for it.
    var hint: String {
        if case .deleted = replica.life { return "q quits" }
        return "? help"
    }

    package mutating func tell(_ message: String) { self.message = message }

    // MARK: - The connection

    package mutating func connected() {
        connection = .connected
        replica.connected()
    }

    package mutating func disconnected(reason: String) {
        let isNew = connection != .lost
        connection = .lost
        apply(replica.disconnected())
        if isNew { message = reason }
    }

    /// The daemon knows no such document.
    package mutating func missing() { apply(replica.missing()) }

    package mutating func receive(_ event: ServerEvent) { apply(replica.receive(event)) }

    /// The presses that are to be sent now.
    package mutating func takeUnsent() -> [Intent] {
        replica.takeUnsent {
            defer { nextID += 1 }
            return nextID
        }
    }

    package mutating func answered(id: Int, failure: ServerFailure?) {
        apply(replica.answered(id: id, failure: failure))
    }

    private mutating func apply(_ changes: [ReplicaChange]) {
        for change in changes {
            switch change {
            case .content(let reason):
                let isFirst = layout.isBlank
                layout.replace(with: replica)
                tally = Tally(replica)
                if reason == "replaced", !isFirst { message = "the content was replaced" }
                if reason == "created", !isFirst { message = "the document was created again" }
            case .flags(let flips):
                layout.apply(flips, replica)
                revealOpened(flips)
                tally.apply(flips, replica)
            case .deleted: break
            case .takenBack(let intent, let reason): message = "\(intent.section.segment): taken back: \(reason)"
            }
        }
    }

    /// Of what has opened under the cursor something is shown.
    private mutating func revealOpened(_ flips: [SectionFlag]) {
        guard let line = layout.current, line.isSection, let document = replica.document else { return }
        guard flips.contains(SectionFlag(line.owner, .open)), replica.isOpen(line.owner) else { return }
        layout.revealInside(line.owner, document)
    }

    // MARK: - Keys

    /// Returns the intent to be sent, where the key is one.
    package mutating func perform(_ command: MirrorGesture) -> Intent? {
        message = nil
        switch command {
        case .down: layout.down()
        case .up: layout.up()
        case .home: layout.home()
        case .end: layout.end()
        case .pageDown: layout.page(1)
        case .pageUp: layout.page(-1)
        case .halfPageDown: layout.page(1, isHalf: true)
        case .halfPageUp: layout.page(-1, isHalf: true)
        case .scroll(let direction): layout.scroll(by: direction * Self.wheelRows)
        case .help:
            showsHelp.toggle()
            fit()
        case .toggle: return toggle()
        case .open: return open()
        case .close: return close()
        case .check: return check()
        case .press(let row, let column): return press(row: row, column: column)
        }
        return nil
    }

    /// The section under the cursor or around the text there.
    private var section: Int32? {
        guard let line = layout.current, line.owner >= 0 else { return nil }
        return line.owner
    }

    private mutating func toggle() -> Intent? {
        guard let section, let document = replica.document else { return nil }
        if document[section].isRow {
            // A row is named and released.
            message = "nothing to open: \(document[section].path.text)"
            return nil
        }
        return intend(SectionFlag(section, .open), to: !replica.isOpen(section))
    }

    private mutating func check() -> Intent? {
        guard let section else { return nil }
        return intend(SectionFlag(section, .done), to: !replica.isDone(section))
    }

    private mutating func open() -> Intent? {
        guard let line = layout.current, line.isSection, let document = replica.document else { return nil }
        guard !document[line.owner].isRow, document.attributes.headers else { return nil }
        guard replica.isOpen(line.owner) else { return intend(SectionFlag(line.owner, .open), to: true) }
        let next = layout.cursor + 1
        if next < layout.lines.count, isInside(layout.lines[next], line.owner, document) { layout.down() }
        return nil
    }

    private func isInside(_ line: Layout.Line, _ section: Int32, _ document: Document) -> Bool {
        (section..<document[section].end).contains(line.owner)
    }

    private mutating func close() -> Intent? {
        guard let line = layout.current, let document = replica.document, document.attributes.headers else {
            return nil
        }
        let around: Int32
        if line.isSection {
            if !document[line.owner].isRow, replica.isOpen(line.owner) {
                return intend(SectionFlag(line.owner, .open), to: false)
            }
            around = document[line.owner].parent
        } else {
            around = line.owner
        }
        if around >= 0, let place = layout.place(ofSection: around) { layout.select(place) }
        return nil
    }

    private mutating func press(row: Int, column: Int) -> Intent? {
        guard let (place, _) = layout.place(onRow: row) else { return nil }
        layout.select(place)
        let line = layout.lines[place]
        guard line.isSection, let document = replica.document else { return nil }
        let section = document[line.owner]
        let start = layout.indent(of: line)
        if document.attributes.headers, (start..<start + 2).contains(column), !section.isRow { return toggle() }
        let markStart = start + (document.attributes.headers ? 2 : 0)
        if section.attributes.task != nil, (markStart..<markStart + 3).contains(column) { return check() }
        if section.isRow { message = section.path.text }
        return nil
    }

    private mutating func intend(_ flag: SectionFlag, to value: Bool) -> Intent? {
        do throws(IntentRefusal) {
            let (intent, changes) = try replica.intend(flag, to: value, id: nextID)
            nextID += 1
            apply(changes)
            return intent
        } catch {
            message = error.rawValue
            return nil
        }
    }
}
