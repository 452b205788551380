// Why this file exists: the stretching rows: of the sections directly inside a single group at most one is open, whatever is
// pressed, and the group is told as a whole.

import AccordionModel
import Causality
import Testing

private func rows(_ change: (inout DocumentAttributes) -> Void = { _ in }) throws -> Document {
    try Document.made([Outline("red"), Outline("green"), Outline("blue")]) {
        $0.mode = .single
        change(&$0)
    }
}

@Suite struct SingleGroupTests {
    var desk: Desk

    init() throws { desk = try Desk(rows()) }

    @Test mutating func `opening a row closes the one before, and both stand in the changes`() throws {
        try desk.ask(.toggle("red"))
        #expect(desk.open == ["red"])
        let applied = try #require(try desk.ask(.toggle("blue")))
        #expect(desk.open == ["blue"])
        #expect(applied.told(desk.state) == ["-red", "blue"] && applied.visibleChanges == 2)
    }

    @Test mutating func `pressing the open row again closes it, and no other appears in its place`() throws {
        try desk.ask(.toggle("red"))
        try desk.ask(.toggle("blue"))
        try desk.ask(.toggle("blue"))
        #expect(desk.open.isEmpty)
    }

    @Test(arguments: [Gesture.open("green"), .toggle("green"), .toggle("green", to: true)])
    mutating func `every way to open a row replaces the open one`(_ gesture: Gesture) throws {
        try desk.ask(.open("red"))
        try desk.ask(gesture)
        #expect(desk.open == ["green"])
    }

    @Test(arguments: [Gesture.close("red"), .toggle("red"), .toggle("red", to: false)])
    mutating func `every way to close the open row leaves none open`(_ gesture: Gesture) throws {
        try desk.ask(.open("red"))
        try desk.ask(gesture)
        #expect(desk.open.isEmpty)
    }

    @Test mutating func `the one that is open initially closes when another opens`() throws {
        var desk = try Desk(
            Document.made([Outline("a") { $0.open = true }, Outline("b")]) { $0.mode = .single })
        let applied = try #require(try desk.ask(.open("b")))
        #expect(desk.open == ["b"] && applied.told(desk.state) == ["-a", "b"])
    }

    @Test mutating func `once one was written, closing leaves none open, not the initial one`() throws {
        var desk = try Desk(
            Document.made([Outline("a") { $0.open = true }, Outline("b")]) { $0.mode = .single })
        try desk.ask(.open("b"))
        try desk.ask(.close("b"))
        #expect(desk.open.isEmpty)
    }

    @Test mutating func `groups are apart from each other, and from the sections inside their own`() throws {
        let inner = [Outline("x"), Outline("y")]
        var desk = try Desk(
            Document.made([
                Outline("a", inner) { $0.mode = .single }, Outline("b", inner) { $0.mode = .single },
                Outline("c", inner),
            ]))
        for path in ["a/x", "b/x", "b/y", "c/x", "c/y", "a", "b"] { try desk.ask(.open(path)) }
        #expect(desk.open == ["a", "a/x", "b", "b/y", "c/x", "c/y"])
    }

    @Test mutating func `a document in single mode has it for every group that says nothing else`() throws {
        let inner = [Outline("x"), Outline("y")]
        var desk = try Desk(
            Document.made([Outline("a", inner), Outline("b", inner) { $0.mode = .multiple }]) { $0.mode = .single })
        for path in ["a/x", "a/y", "b/x", "b/y", "a", "b"] { try desk.ask(.open(path)) }
        #expect(desk.open == ["a/y", "b", "b/x", "b/y"])
    }

    @Test mutating func `opening beside a locked open row is refused, for that can't be closed`() throws {
        var desk = try Desk(
            Document.made([
                Outline("a") {
                    $0.open = true
                    $0.locked = true
                }, Outline("b"),
            ]) { $0.mode = .single })
        #expect(refusal { try desk.ask(.open("b")) } == Refusal(.locked, SectionPath("a")))
        #expect(desk.open == ["a"])
    }

    // MARK: - One must stay

    @Test(arguments: [Gesture.close("red"), .toggle("red"), .toggle("red", to: false)])
    mutating func `where one must stay open, the open one can't be closed`(_ gesture: Gesture) throws {
        var desk = try Desk(rows { $0.collapsible = false })
        #expect(desk.open == ["red"])
        #expect(refusal { try desk.ask(gesture) } == Refusal(.mustStayOpen, SectionPath("red")))
        try desk.ask(.open("blue"))
        #expect(refusal { try desk.ask(.close("blue")) } == Refusal(.mustStayOpen, SectionPath("blue")))
        #expect(desk.open == ["blue"])
    }

    @Test mutating func `where one must stay open, it can be replaced`() throws {
        var desk = try Desk(rows { $0.collapsible = false })
        let applied = try #require(try desk.ask(.toggle("green")))
        #expect(desk.open == ["green"] && applied.told(desk.state) == ["-red", "green"])
    }

    @Test mutating func `where one must stay open one is, even if every one was closed before that was said`() throws {
        var desk = try Desk(rows { $0.mode = .multiple })
        try desk.ask(.openAll(""))
        try desk.ask(.closeAll(""))
        try desk.replace(with: rows { $0.collapsible = false })
        #expect(desk.open == ["red"])
    }

    @Test mutating func `opening writes true to the row and false to the one that claims to be open, to no other`()
        throws
    {
        try desk.ask(.open("red"))
        try desk.ask(.open("blue"))
        let writer = desk.writer()
        let operation = try #require(try desk.state.decide(.open("green"), writer))
        let written = Dictionary(uniqueKeysWithValues: operation.flags.map { ($0.register.path.text, $0.value) })
        #expect(written == ["green": .on, "blue": .off])
    }

    // MARK: - A replace that changes the mode

    @Test mutating func `when a replace makes a group single, the one that was opened last stays`() throws {
        var desk = try Desk(rows { $0.mode = .multiple })
        for path in ["blue", "red", "green"] { try desk.ask(.open(path)) }
        try desk.replace(with: rows())
        #expect(desk.open == ["green"])
    }

    @Test mutating func `several that claim to be open are a conflict, settled by the next opening`() throws {
        var desk = try Desk(rows { $0.mode = .multiple })
        for path in ["red", "green"] { try desk.ask(.open(path)) }
        try desk.replace(with: rows())
        #expect(desk.state.conflicts.map(\.told) == ["- single: green by alice, not red by alice"])
        let applied = try #require(try desk.ask(.open("green")))
        #expect(applied.told(desk.state) == ["-red", "green"] && applied.visibleChanges == 0)
        #expect(desk.state.conflicts.isEmpty)
        try desk.replace(with: rows { $0.mode = .multiple })
        #expect(desk.open == ["green"])
    }

    @Test mutating func `closing the open one of several that claim it leaves none open`() throws {
        var desk = try Desk(rows { $0.mode = .multiple })
        for path in ["red", "green"] { try desk.ask(.open(path)) }
        try desk.replace(with: rows())
        try desk.ask(.close("green"))
        #expect(desk.open.isEmpty && desk.state.conflicts.isEmpty)
    }

    @Test mutating func `when a replace makes a group multiple again, all that were not closed are open`() throws {
        var desk = try Desk(rows { $0.mode = .multiple })
        for path in ["red", "green"] { try desk.ask(.open(path)) }
        try desk.replace(with: rows())
        try desk.replace(with: rows { $0.mode = .multiple })
        #expect(desk.open == ["red", "green"])
    }

    @Test
    mutating func `of sections that one operation opened the one with the highest path stays open in a single group`()
        throws
    {
        let outlines = (0..<20).map { Outline("s\($0)") }
        var desk = try Desk(.made(outlines))
        try desk.ask(.openAll(""))
        try desk.replace(with: .made(outlines) { $0.mode = .single })
        #expect(desk.open == ["s9"])
        let stored = SharedState(
            version: desk.state.version, clock: desk.state.clock, content: desk.state.content, flags: desk.state.flags)
        #expect(stored.openPaths == ["s9"])
        #expect(stored.conflicts == desk.state.conflicts)
    }
}
