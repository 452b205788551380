// Why this file exists: the live view as one value: what is known, where the cursor is, what the bar says. Keys, events and
// replies go in; requests to send come out. The program around it owns the socket and the terminal and decides nothing.

import AccordionModel
import Wire

/// What the program around the view is to do after a key.
package enum MirrorEffect: Sendable {
    /// Send it, and give its reply to `answered(_:)`.
    case ask(Request.Action)
    /// Offer it to the clipboard.
    case copy(String)
    case redraw, suspend, quit
}

package struct MirrorView {
    /// How the connection stands.
    package enum Connection: Sendable, Equatable {
        case connecting
        case connected
        case lost
    }

    enum Panel { case none, help, people }

    /// How long a disagreement is told.
    static let conflictMilliseconds: Int64 = 5_000
    /// More sections than this do not open one by one before one's eyes.
    static let animatedMax = 8

    package internal(set) var replica: Replica
    package private(set) var tally: Tally
    /// Shown in the bar until the next key, or until a moment.
    package internal(set) var message: String?
    var messageEnds: Int64?
    package private(set) var connection = Connection.connecting
    /// By the clock of whoever owns the view; set before each call.
    package var milliseconds: Int64 = 0
    /// Where the daemon is, for the bar.
    package var address = ""
    /// Whether sections open before one's eyes.
    package var isAnimated = false

    var layout: Layout
    var folds = Folds()
    var people = People()
    var bindings = KeyBindings()
    var prompt: Prompt?
    var panel = Panel.none
    var search: Search?
    var filter: Search?
    /// The level that was asked for last.
    var level = 1
    var screenRows: Int
    var screenColumns: Int
    private var transition: Transition?
    private var nextID = 1
    private var toldSelection: SectionPath?

    package init(_ name: DocumentName, rows: Int, columns: Int) {
        replica = Replica(name)
        replica.wantsPresence = true
        tally = Tally(replica)
        screenRows = rows
        screenColumns = columns
        layout = Layout(rows: max(1, rows - 1), columns: columns)
    }

    package mutating func resize(rows: Int, columns: Int) {
        screenRows = rows
        screenColumns = columns
        transition = nil
        fit()
    }

    /// The last row is the status bar's, those above it the panel's where there is one.
    mutating func fit() {
        layout.resize(rows: max(1, screenRows - 1 - panelLines.count), columns: screenColumns)
    }

    /// Fewer columns or rows than this are told to be too few.
    static let (rowsMin, columnsMin) = (2, 8)

    var isTooSmall: Bool { screenRows < Self.rowsMin || screenColumns < Self.columnsMin }

    /// How a section stands for whoever looks: by a fold of one's own, else as for all.
    package func isOpen(_ section: Int32) -> Bool { folds[section] ?? replica.isOpen(section) }

    /// The frame as it stands now.
    package mutating func screen() -> Screen {
        let screen = paint()
        guard let transition else { return screen }
        if transition.isOver(at: milliseconds) {
            self.transition = nil
            return screen
        }
        return transition.frame(screen, at: milliseconds)
    }

    private mutating func paint() -> Screen {
        var painter = Painter(self, rows: screenRows, columns: screenColumns)
        painter.paint(&layout)
        return painter.screen
    }

    /// When the frame changes by itself; nil: not before something happens.
    package var nextChange: Int64? {
        if transition != nil { return milliseconds + Transition.stepMilliseconds }
        return messageEnds
    }

    /// Time has passed.
    package mutating func pass() {
        guard let end = messageEnds, milliseconds >= end else { return }
        message = nil
        messageEnds = nil
    }

    package mutating func tell(_ message: String, forMilliseconds duration: Int64? = nil) {
        self.message = message
        messageEnds = duration.map { milliseconds + $0 }
    }

    // MARK: - The connection

    package mutating func connected() {
        connection = .connected
        replica.connected()
        toldSelection = nil
    }

    /// Who one is to the daemon.
    package mutating func greeted(session: String) { people.own = session }

    package mutating func disconnected(reason: String) {
        let isNew = connection != .lost
        connection = .lost
        people.removeAll()
        apply(replica.disconnected())
        if isNew { tell(reason) }
    }

    /// The daemon knows no such document.
    package mutating func missing() { apply(replica.missing()) }

    package mutating func receive(_ event: ServerEvent) {
        switch event {
        case .presence(let name, let clients, let count) where name == replica.name:
            people.take(clients, count)
            if panel == .people { fit() }
            follow()
        case .changed(let changed) where changed.name == replica.name && !changed.conflicts.isEmpty:
            apply(replica.receive(event))
            if let conflict = changed.conflicts.first { tell(conflict) }
        default: apply(replica.receive(event))
        }
    }

    private mutating func tell(_ conflict: ServerConflict) {
        let lost = conflict.lost.map { "\($0.by): \($0.value)" }.joined(separator: ", ")
        let place = conflict.section.isTop ? "the document" : String(conflict.section.segment)
        tell(
            "≠ \(place): \(conflict.kept.by): \(conflict.kept.value) stands, not \(lost)",
            forMilliseconds: Self.conflictMilliseconds)
    }

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

    /// The reply to what `MirrorEffect.ask` asked for.
    package mutating func answered(_ failure: ServerFailure?) {
        if let failure { tell(failure.message) }
    }

    /// Where one is, if that has changed since it was last taken: others are told.
    package mutating func takeSelection() -> Request.Action? {
        guard connection == .connected, case .live = replica.life, let document = replica.document else { return nil }
        let path = section.map { document[$0].path }
        guard path != toldSelection else { return nil }
        toldSelection = path
        return .select(replica.name, section: path)
    }

    // MARK: - What has changed

    /// Carries out a change of what is shown, so that it is seen to happen where few rows change.
    mutating func change(animated: Bool, _ body: (inout MirrorView) -> Void) {
        guard animated, isAnimated, !isTooSmall, transition == nil else {
            transition = nil
            return body(&self)
        }
        let (before, names) = (paint(), layout.rowNames())
        body(&self)
        transition = Transition(
            from: before, names, to: paint(), layout.rowNames(), rows: layout.rows, at: milliseconds)
    }

    /// The next key is not waited for.
    mutating func cutShort() { transition = nil }

    private mutating func apply(_ changes: [ReplicaChange]) {
        for change in changes {
            switch change {
            case .content(let reason): takeContent(reason)
            case .flags(let flips):
                let turned = flips.filter { $0.field == .open }.map(\.section)
                self.change(animated: !turned.isEmpty && turned.count <= Self.animatedMax) { view in
                    let (folds, replica) = (view.folds, view.replica)
                    view.layout.apply(turned.filter { folds[$0] == nil }) { folds[$0] ?? replica.isOpen($0) }
                    view.revealOpened(turned)
                }
                tally.apply(flips, replica)
            case .deleted: people.removeAll()
            case .takenBack(let intent, let reason): tell("\(intent.section.segment): taken back: \(reason)")
            }
        }
    }

    private mutating func takeContent(_ reason: String) {
        guard let document = replica.document else { return }
        let isFirst = layout.isBlank
        transition = nil
        filter = nil
        folds.place(in: document)
        let (folds, replica) = (folds, replica)
        layout.replace(with: document) { folds[$0] ?? replica.isOpen($0) }
        tally = Tally(replica)
        if reason == "replaced", !isFirst { tell("the content was replaced") }
        if reason == "created", !isFirst { tell("the document was created again") }
    }

    /// Lays out anew after folds or the filter changed.
    mutating func relayout(_ only: Set<Int32>?) {
        let (folds, replica) = (folds, replica)
        layout.show(only: only) { folds[$0] ?? replica.isOpen($0) }
    }

    mutating func turned(_ sections: [Int32]) {
        let (folds, replica) = (folds, replica)
        layout.apply(sections) { folds[$0] ?? replica.isOpen($0) }
    }

    /// Of what has opened under the cursor something is shown.
    mutating func revealOpened(_ sections: [Int32]) {
        guard let line = layout.current, line.isSection, let document = replica.document else { return }
        guard sections.contains(line.owner), isOpen(line.owner) else { return }
        layout.revealInside(line.owner, document)
    }

    /// The section under the cursor or around the text there.
    var section: Int32? {
        guard let line = layout.current, line.owner >= 0 else { return nil }
        return line.owner
    }

    mutating func intend(_ flag: SectionFlag, to value: Bool) {
        do throws(IntentRefusal) {
            let (_, changes) = try replica.intend(flag, to: value, id: nextID)
            nextID += 1
            apply(changes)
        } catch {
            tell(error.rawValue)
        }
    }

    // MARK: - Folds of one's own, kept between runs

    /// What is to be kept; nil where there is nothing.
    package var foldsText: String? { folds.isEmpty && !folds.isPrivate ? nil : folds.text }

    package mutating func takeFolds(text: String) {
        folds = Folds(text: text)
        if let document = replica.document { folds.place(in: document) }
        relayout(nil)
    }
}
