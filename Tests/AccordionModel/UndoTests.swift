// Why this file exists: taking back one's own slip must never touch what somebody else has done since, in a list as in a
// single group, and what was taken back can be made again.
import AccordionModel
import Causality
import Testing

/// People at one daemon, each with the log of their own changes.
private struct Table {
    var desk: Desk
    private var logs: [String: UndoLog] = [:]
    private var number: Int64 = 0

    init(_ document: Document) throws { desk = try Desk(document) }

    private mutating func apply(
        _ operation: Operation, _ kind: HistoryEntry.Kind = .write, _ target: Int64 = 0
    ) {
        var operation = operation
        (operation.kind, operation.target) = (kind, target)
        let applied = desk.state.applyOwn(operation)
        number += 1
        let entry = HistoryEntry(
            number: number, operation, applied, desk.state.view, measure: { HistoryEntry.ContentWrite($0) })
        logs[operation.by, default: UndoLog()].add(entry)
    }

    mutating func press(_ person: String, _ gestures: Gesture...) throws {
        let operation = try desk.state.decide(batch: gestures, limits: Limits(), desk.writer(person))
        if let operation { apply(operation) }
    }

    /// Whether something was left.
    mutating func take(_ kind: HistoryEntry.Kind, _ person: String) -> Bool {
        for entry in log(person).candidates(for: kind) {
            if let operation = desk.state.takeBack(entry, desk.writer(person)) {
                apply(operation, kind, entry.dot.counter)
                return true
            }
        }
        return false
    }

    mutating func undo(_ person: String) -> Bool { take(.undo, person) }
    mutating func redo(_ person: String) -> Bool { take(.redo, person) }

    func log(_ person: String) -> UndoLog { logs[person] ?? UndoLog() }
}

/// What changes its subject can't stand in the macro.
private func check(_ holds: Bool, at location: SourceLocation = #_sourceLocation) {
    #expect(holds, sourceLocation: location)
}

@Suite struct UndoTests {
    private var list: Table
    private var rows: Table

    init() throws {
        list = try Table(.made([Outline("a"), Outline("b"), .row("t") { $0.task = false }]))
        rows = try Table(.made([Outline("x") { $0.open = true }, Outline("y"), Outline("z")]) { $0.mode = .single })
    }

    @Test mutating func `an undo restores what was shown before, a redo what was shown after`() throws {
        try list.press("alice", .open("a"), .check("t"))
        check(list.undo("alice"))
        #expect(list.desk.open.isEmpty && list.desk.done.isEmpty)
        check(list.redo("alice"))
        #expect(list.desk.open == ["a"] && list.desk.done == ["t"])
    }

    @Test mutating func `undos go back one change after the other, redos forward in the same steps`() throws {
        for gesture in [Gesture.open("a"), .open("b"), .close("a")] { try list.press("alice", gesture) }
        var shown: [[String]] = [list.desk.open]
        while list.undo("alice") { shown.append(list.desk.open) }
        #expect(shown == [["b"], ["a", "b"], ["a"], []])
        var again: [[String]] = [list.desk.open]
        while list.redo("alice") { again.append(list.desk.open) }
        #expect(again == shown.reversed())
    }

    @Test mutating func `what somebody else has written since stays, the rest is taken back`() throws {
        try list.press("alice", .open("a"), .open("b"))
        try list.press("bob", .close("a"))
        check(list.undo("alice"))
        #expect(list.desk.open.isEmpty)
        try list.press("bob", .open("a"))
        check(!list.undo("alice"))
        #expect(list.desk.open == ["a"])
    }

    @Test mutating func `a change of which nothing is left is passed over for the one before it`() throws {
        try list.press("alice", .open("a"))
        try list.press("alice", .open("b"))
        try list.press("bob", .close("b"))
        check(list.undo("alice"))
        #expect(list.desk.open.isEmpty)
        check(!list.undo("alice"))
    }

    @Test mutating func `another write clears what could be made again`() throws {
        try list.press("alice", .open("a"))
        check(list.undo("alice"))
        try list.press("alice", .open("b"))
        check(!list.redo("alice"))
    }

    @Test mutating func `nobody takes back what another has done`() throws {
        try list.press("alice", .open("a"))
        check(!list.undo("bob"))
    }

    @Test mutating func `in a single group an undo brings back the one that was open, touched or not`() throws {
        try rows.press("alice", .open("y"))
        #expect(rows.desk.open == ["y"])
        check(rows.undo("alice"))
        #expect(rows.desk.open == ["x"])
        check(rows.redo("alice"))
        #expect(rows.desk.open == ["y"])
    }

    @Test mutating func `in a single group an undo closes nothing that another has opened`() throws {
        try rows.press("alice", .open("y"))
        try rows.press("bob", .open("z"))
        check(!rows.undo("alice"))
        #expect(rows.desk.open == ["z"])
    }

    @Test mutating func `in a single group an undo opens nothing that another has closed`() throws {
        try rows.press("alice", .open("y"))
        try rows.press("bob", .close("y"))
        check(!rows.undo("alice"))
        #expect(rows.desk.open.isEmpty)
    }

    @Test mutating func `a section that is locked, hidden or gone by now stays as it is`() throws {
        try list.press("alice", .open("a"), .open("b"))
        try list.desk.replace(with: .made([Outline("a") { $0.locked = true }, .row("t") { $0.task = false }]))
        check(!list.undo("alice"))
        #expect(list.desk.open == ["a"])
    }

    @Test mutating func `a change in another life of the document is not taken back`() throws {
        try list.press("alice", .open("a"))
        try list.desk.delete()
        try list.desk.create(.made([Outline("a") { $0.open = true }]))
        check(!list.undo("alice"))
        #expect(list.desk.open == ["a"])
    }

    @Test mutating func `the last hundred changes are kept`() throws {
        for _ in 0..<60 {
            try list.press("alice", .open("a"))
            try list.press("alice", .close("a"))
        }
        #expect(list.log("alice").done.count == 100)
        var count = 0
        while list.undo("alice") { count += 1 }
        #expect(count == 100)
    }

    @Test mutating func `large changes are kept as far as they name no more flags than all together may`() throws {
        let outlines = (0..<(UndoLog.flagsMax / 2)).map { Outline("s\($0)") }
        var table = try Table(.made(outlines))
        for _ in 0..<2 {
            try table.press("alice", .openAll(""))
            try table.press("alice", .closeAll(""))
        }
        #expect(table.log("alice").done.count == 2)
    }

    @Test mutating func `a log made of the history's entries is the log that was kept`() throws {
        var entries: [HistoryEntry] = []
        try list.press("alice", .open("a"))
        try list.press("alice", .open("b"))
        entries += list.log("alice").done
        _ = list.undo("alice")
        entries += list.log("alice").undone
        var made = UndoLog()
        for entry in entries { made.add(entry) }
        #expect(made.done == list.log("alice").done)
        #expect(made.undone == list.log("alice").undone)
    }
}
