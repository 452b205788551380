// Why this file exists: "open all", "close all", "open to this level" and "back to how the document says" act on many
// sections at once, and each passes over what it must leave alone.

import AccordionModel
import Causality
import Testing

/// Rows, a locked section, single groups inside – one of which must keep one open – and three levels.
private func everything(_ change: (inout DocumentAttributes) -> Void = { _ in }) throws -> Document {
    let pair = [Outline("x", [Outline("deep")]), Outline("y")]
    return try Document.made(
        [
            Outline("a", [Outline("b", [Outline("c"), .row("row")]), .row("row")]),
            Outline("locked", [Outline("in")]) { $0.locked = true },
            Outline("one", pair) { $0.mode = .single },
            Outline("must", pair) {
                $0.mode = .single
                $0.collapsible = false
            },
        ], change)
}

@Suite struct BulkTests {
    var desk: Desk

    init() throws { desk = try Desk(everything()) }

    // MARK: - open_all

    @Test mutating func `open_all opens everything but rows, locked sections and the children of inner single groups`()
        throws
    {
        let applied = try #require(try desk.ask(.openAll("")))
        let expected = [
            "a", "a/b", "a/b/c", "locked/in", "one", "one/x/deep", "must", "must/x", "must/x/deep",
        ]
        #expect(desk.open == expected)
        // The child that must stay was open before.
        #expect(applied.visibleChanges == expected.count - 1)
    }

    @Test mutating func `open_all acts below under, not on it`() throws {
        try desk.ask(.openAll("a"))
        #expect(desk.open == ["a/b", "a/b/c", "must/x"])
    }

    @Test mutating func `open_all below a locked section opens what is inside it`() throws {
        try desk.ask(.openAll("locked"))
        #expect(desk.open == ["locked/in", "must/x"])
    }

    @Test mutating func `open_all is refused where under itself is a single group`() throws {
        #expect(refusal { try desk.ask(.openAll("one")) } == Refusal(.singleMode, SectionPath("one")))
        #expect(refusal { try desk.ask(.openAll("must")) } == Refusal(.singleMode, SectionPath("must")))
        var single = try Desk(everything { $0.mode = .single })
        #expect(refusal { try single.ask(.openAll("")) } == Refusal(.singleMode, .top))
        #expect(refusal { try desk.ask(.openAll("one/x")) } == nil)
    }

    @Test mutating func `open_all inside a row or an empty section finds nothing to do`() throws {
        let inRow = try desk.ask(.openAll("a/row"))
        let inEmpty = try desk.ask(.openAll("a/b/c"))
        #expect(inRow == nil && inEmpty == nil)
    }

    // MARK: - close_all

    @Test mutating func `close_all closes everything but what must stay and locked sections`() throws {
        var desk = try Desk(everything { $0.initiallyOpen = true })
        #expect(desk.open.contains("locked") && desk.open.contains("one/x"))
        try desk.ask(.open("must/y"))
        try desk.ask(.closeAll(""))
        #expect(desk.open == ["locked", "must/y"])
    }

    @Test mutating func `close_all acts below under, not on it`() throws {
        for path in ["a", "a/b", "a/b/c", "one", "one/y"] { try desk.ask(.open(path)) }
        let applied = try #require(try desk.ask(.closeAll("a")))
        #expect(desk.open == ["a", "one", "one/y", "must/x"] && applied.visibleChanges == 2)
        try desk.ask(.closeAll("one"))
        #expect(desk.open == ["a", "one", "must/x"])
    }

    @Test mutating func `close_all leaves a locked section open in a single group`() throws {
        var desk = try Desk(
            Document.made([
                Outline("a") {
                    $0.open = true
                    $0.locked = true
                }, Outline("b"),
            ]) { $0.mode = .single })
        let applied = try desk.ask(.closeAll(""))
        #expect(applied == nil && desk.open == ["a"])
    }

    // MARK: - level

    @Test(
        arguments: [
            (0, ["must/x"]), (1, ["must/x"]),
            (2, ["a", "one", "must", "must/x"]),
            (3, ["a", "a/b", "locked/in", "one", "one/x", "must", "must/x"]),
            (4, ["a", "a/b", "a/b/c", "locked/in", "one", "one/x", "one/x/deep", "must", "must/x", "must/x/deep"]),
            (17, ["a", "a/b", "a/b/c", "locked/in", "one", "one/x", "one/x/deep", "must", "must/x", "must/x/deep"]),
            (.max, ["a", "a/b", "a/b/c", "locked/in", "one", "one/x", "one/x/deep", "must", "must/x", "must/x/deep"]),
        ] as [(Int, [String])])
    mutating func `after level the sections above depth are open, the others closed`(_ depth: Int, _ open: [String])
        throws
    {
        try desk.ask(.level("", depth))
        #expect(desk.open == open)
        try desk.ask(.openAll(""))
        try desk.ask(.level("", depth))
        #expect(desk.open == open, "from all open")
    }

    @Test mutating func `level counts from under, and leaves alone what is not below it`() throws {
        try desk.ask(.level("a", 2))
        #expect(desk.open == ["a/b", "must/x"])
        try desk.ask(.open("a"))
        try desk.ask(.level("a", 1))
        #expect(desk.open == ["a", "must/x"])
    }

    @Test mutating func `in a single group level leaves the open child open`() throws {
        for path in ["one/y", "must/y"] { try desk.ask(.open(path)) }
        try desk.ask(.level("", 3))
        #expect(desk.open == ["a", "a/b", "locked/in", "one", "one/y", "must", "must/y"])
    }

    @Test mutating func `in a single group of which none is open level opens the first that can be opened`() throws {
        let children = [Outline.row("row"), Outline("locked") { $0.locked = true }, Outline("x"), Outline("y")]
        var desk = try Desk(Document.made(children) { $0.mode = .single })
        try desk.ask(.level("", 2))
        #expect(desk.open == ["x"])
        try desk.ask(.level("", 1))
        #expect(desk.open.isEmpty)
    }

    // MARK: - reset

    @Test mutating func `reset brings everything back to how the document says, check marks of rows too`() throws {
        var desk = try Desk(
            Document.made([
                Outline("a") { $0.open = true }, Outline("b"), .row("c") { $0.task = true },
                .row("d") { $0.task = false },
            ]))
        for gesture in [Gesture.close("a"), .open("b"), .uncheck("c"), .check("d")] { try desk.ask(gesture) }
        let applied = try #require(try desk.ask(.reset("")))
        #expect(desk.open == ["a"] && desk.done == ["c"])
        #expect(applied.visibleChanges == 4 && applied.told(desk.state) == ["a", "-b", "+c", "?d"])
    }

    @Test mutating func `reset acts below under, not on it`() throws {
        for path in ["a", "a/b", "one"] { try desk.ask(.open(path)) }
        try desk.ask(.reset("a"))
        #expect(desk.open == ["a", "one", "must/x"])
    }

    @Test mutating func `reset leaves a locked section as open as it is, and takes back its check mark`() throws {
        func document(locked: Bool) throws -> Document {
            try Document.made([
                Outline("a") {
                    $0.locked = locked
                    $0.task = false
                }
            ])
        }
        var desk = try Desk(document(locked: false))
        try desk.ask(batch: [.open("a"), .check("a")])
        try desk.replace(with: document(locked: true))
        try desk.ask(.reset(""))
        #expect(desk.open == ["a"] && desk.done.isEmpty)
    }

    @Test mutating func `reset opens the initial child of a single group again`() throws {
        var desk = try Desk(Document.made([Outline("a"), Outline("b") { $0.open = true }]) { $0.mode = .single })
        try desk.ask(.open("a"))
        let applied = try #require(try desk.ask(.reset("")))
        #expect(desk.open == ["b"] && applied.visibleChanges == 2)
        try desk.ask(.close("b"))
        try desk.ask(.reset(""))
        #expect(desk.open == ["b"])
    }

    @Test mutating func `what was reset follows the document, what was set does not`() throws {
        var desk = try Desk(Document.made([Outline("a") { $0.open = true }, Outline("b") { $0.open = true }]))
        for path in ["a", "b"] { try desk.ask(.close(path)) }
        try desk.ask(.open("a"))
        try desk.ask(.reset(""))
        try desk.ask(.open("b"))
        try desk.ask(.close("b"))
        try desk.replace(with: Document.made([Outline("a"), Outline("b") { $0.open = true }]))
        #expect(desk.open.isEmpty)
        try desk.replace(with: Document.made([Outline("a") { $0.open = true }, Outline("b") { $0.open = true }]))
        #expect(desk.open == ["a"])
    }

    @Test mutating func `reset is taken where headers are hidden`() throws {
        var desk = try Desk(Document.made([Outline("a") { $0.task = false }]) { $0.headers = false })
        try desk.ask(.check("a"))
        try desk.ask(.reset(""))
        #expect(desk.done.isEmpty)
    }
}
