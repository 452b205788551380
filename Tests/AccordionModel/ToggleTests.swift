// Why this file exists: the press on a header – toggle, open, close – and the check mark, in groups where any number may be
// open.

import AccordionModel
import Causality
import Testing

private func provinces() throws -> Document {
    try Document.made([
        Outline("Guangdong", [.row("Guangzhou"), Outline("Shenzhen", [.row("Nanshan")])]),
        Outline("Shandong", [.row("Jinan")]),
        Outline("Notes") { $0.open = true },
    ])
}

@Suite struct ToggleTests {
    var desk: Desk

    init() throws { desk = try Desk(provinces()) }

    @Test mutating func `toggle without to turns what stands`() throws {
        try desk.ask(.toggle("Shandong"))
        #expect(desk.open == ["Shandong", "Notes"])
        try desk.ask(.toggle("Notes"))
        try desk.ask(.toggle("Shandong"))
        #expect(desk.open.isEmpty)
    }

    @Test mutating func `toggle without to turns what the daemon has at that moment, not what the screen showed`()
        throws
    {
        let seen = desk.state.version
        try desk.ask(.open("Shandong"), desk.writer("bob", session: 2))
        try desk.ask(.toggle("Shandong"), desk.writer("ann", session: 3, seen: seen))
        #expect(desk.open == ["Notes"])
    }

    @Test(arguments: [true, false])
    mutating func `toggle with to sets that state, however it stands`(_ to: Bool) throws {
        try desk.ask(.toggle("Shandong", to: to))
        try desk.ask(.toggle("Notes", to: to))
        #expect(desk.open == (to ? ["Shandong", "Notes"] : []))
    }

    @Test mutating func `two people who press at once with to both get what they meant`() throws {
        let seen = desk.state.version
        try desk.ask(.toggle("Shandong", to: true), desk.writer("bob", session: 2, seen: seen))
        let second = try desk.ask(.toggle("Shandong", to: true), desk.writer("ann", session: 3, seen: seen))
        #expect(desk.open == ["Shandong", "Notes"] && second == nil)
    }

    @Test mutating func `any number of sections stay open in a multiple group, and a press turns that section alone`()
        throws
    {
        let applied = try #require(try desk.ask(.toggle("Guangdong")))
        #expect(applied.told(desk.state) == ["Guangdong"] && applied.visibleChanges == 1)
        try desk.ask(.toggle("Shandong"))
        #expect(desk.open == ["Guangdong", "Shandong", "Notes"])
    }

    @Test mutating func `opening a section says nothing of its parents, closing one nothing of what is inside`() throws
    {
        try desk.ask(.open("Guangdong/Shenzhen"))
        #expect(desk.open == ["Guangdong/Shenzhen", "Notes"])
        try desk.ask(.open("Guangdong"))
        try desk.ask(.close("Guangdong"))
        #expect(desk.open == ["Guangdong/Shenzhen", "Notes"])
    }

    @Test mutating func `open opens and close closes`() throws {
        try desk.ask(.open("Guangdong"))
        try desk.ask(.close("Notes"))
        #expect(desk.open == ["Guangdong"])
    }

    @Test mutating func `the version grows by one for a request that changes something`() throws {
        #expect(desk.version == "{n1:1}")
        let applied = try #require(try desk.ask(.open("Guangdong")))
        #expect(desk.version == "{n1:2}" && applied.dot.description == "n1:2")
        try desk.ask(.openAll(""))
        #expect(desk.version == "{n1:3}")
        try desk.ask(batch: [.close("Guangdong"), .close("Shandong")])
        #expect(desk.version == "{n1:4}")
        try desk.ask(.close("Guangdong"))
        #expect(desk.version == "{n1:4}")
    }

    @Test mutating func `what was applied names who asked, and when`() throws {
        let writer = desk.writer("bob")
        let applied = try #require(try desk.ask(.open("Guangdong"), writer))
        #expect(applied.by == "bob" && applied.stamp == Stamp(milliseconds: writer.milliseconds, count: 0))
        #expect(applied.content == .none && applied.conflicts.isEmpty)
    }

    @Test mutating func `collapsible false means nothing for a multiple group`() throws {
        var desk = try Desk(Document.made([Outline("a") { $0.open = true }]) { $0.collapsible = false })
        try desk.ask(.close("a"))
        #expect(desk.open.isEmpty)
    }

    @Test mutating func `a path is taken in any spelling that NFC makes the same`() throws {
        var desk = try Desk(Document.made([Outline("Caf\u{E9}")]))
        try desk.ask(.open("Cafe\u{301}"))
        #expect(desk.open == ["Caf\u{E9}"])
    }
}

@Suite struct CheckTests {
    var desk: Desk

    init() throws {
        desk = try Desk(
            Document.made([
                Outline("task") { $0.task = false }, .row("row") { $0.task = false },
                Outline("done") { $0.task = true },
                Outline("locked") {
                    $0.task = false
                    $0.locked = true
                },
                Outline("none"),
            ]))
    }

    @Test mutating func `check sets a task's mark and uncheck takes it away, of rows as well`() throws {
        try desk.ask(.check("task"))
        try desk.ask(.check("row"))
        #expect(desk.done == ["task", "row", "done"])
        try desk.ask(.uncheck("task"))
        try desk.ask(.uncheck("done"))
        #expect(desk.done == ["row"])
    }

    @Test mutating func `a check mark and the open state of a section are apart`() throws {
        let applied = try #require(try desk.ask(.check("task")))
        #expect(applied.told(desk.state) == ["+task"] && desk.open.isEmpty)
        try desk.ask(.open("task"))
        try desk.ask(.uncheck("task"))
        #expect(desk.open == ["task"] && desk.done == ["done"])
    }

    @Test mutating func `a locked task can be checked, for locked is about opening and closing`() throws {
        try desk.ask(.check("locked"))
        #expect(desk.done == ["done", "locked"])
    }

    @Test mutating func `hidden headers hide no check marks`() throws {
        var desk = try Desk(Document.made([Outline("a") { $0.task = false }]) { $0.headers = false })
        try desk.ask(.check("a"))
        #expect(desk.done == ["a"])
    }

    @Test mutating func `in a single group any number of tasks can be done`() throws {
        var desk = try Desk(
            Document.made([Outline("a") { $0.task = false }, Outline("b") { $0.task = false }]) { $0.mode = .single })
        try desk.ask(.check("a"))
        try desk.ask(.check("b"))
        #expect(desk.done == ["a", "b"] && desk.open.isEmpty)
    }
}
