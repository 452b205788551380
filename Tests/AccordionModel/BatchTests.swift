// Why this file exists: a batch is one request: its steps see each other, all of it is applied or none, and only what it
// comes to is written and told. (Batches inside batches are flattened where requests are read.)

import AccordionModel
import Causality
import Testing

@Suite struct BatchTests {
    var desk: Desk

    init() throws {
        desk = try Desk(
            Document.made([
                Outline("a") { $0.task = false }, Outline("b"), .row("row"),
                Outline("group", [Outline("x"), Outline("y"), Outline("z")]) { $0.mode = .single },
            ]))
    }

    @Test mutating func `a batch is one operation with one dot, and is told as one`() throws {
        let applied = try #require(try desk.ask(batch: [.open("a"), .check("a"), .open("group/x")]))
        #expect(desk.version == "{n1:2}" && applied.dot.description == "n1:2")
        #expect(Set(applied.told(desk.state)) == ["a", "+a", "group/x"] && applied.visibleChanges == 3)
    }

    @Test mutating func `steps see what those before them did`() throws {
        try desk.ask(batch: [.toggle("a"), .toggle("a"), .toggle("a"), .toggle("group/x"), .toggle("group/x")])
        #expect(desk.open == ["a"])
    }

    @Test mutating func `only each register's last value is written`() throws {
        let writer = desk.writer()
        let operation = try #require(
            try desk.state.decide(
                batch: [.open("a"), .close("a"), .open("a"), .check("a"), .uncheck("a"), .check("a")], limits: Limits(),
                writer))
        #expect(operation.flags.map(\.register.field) == [.open, .done] && operation.flags.map(\.value) == [.on, .on])
    }

    @Test mutating func `a batch that comes to nothing writes nothing`() throws {
        for batch in [
            [], [.open("a"), .close("a")], [.check("a"), .uncheck("a")], [.open("group/x"), .close("group/x")],
            [.openAll(""), .closeAll("")], [.level("", 3), .level("", 1)], [.open("a"), .reset("")],
        ] as [[Gesture]] {
            let applied = try desk.ask(batch: batch)
            #expect(applied == nil && desk.version == "{n1:1}", "\(batch)")
        }
    }

    @Test mutating func `in a single group a batch leaves the last one open`() throws {
        let applied = try #require(try desk.ask(batch: [.open("group/x"), .open("group/z"), .open("group/y")]))
        #expect(desk.open == ["group/y"] && applied.visibleChanges == 1)
        try desk.ask(batch: [.open("group/x"), .close("group/x")])
        #expect(desk.open.isEmpty)
    }

    @Test mutating func `in a single group where one must stay, a batch may close what it opened before another`()
        throws
    {
        var desk = try Desk(
            Document.made([Outline("x"), Outline("y")]) {
                $0.mode = .single
                $0.collapsible = false
            })
        let failing = refusal { try desk.ask(batch: [.open("y"), .close("y")]) }
        #expect(failing == Refusal(.mustStayOpen, SectionPath("y"), at: 1))
        try desk.ask(batch: [.open("y"), .close("x")])
        #expect(desk.open == ["y"])
    }

    @Test(arguments: 0..<4)
    mutating func `of a batch in which one fails nothing is applied, and the error says which`(_ place: Int) throws {
        var batch: [Gesture] = [.open("a"), .check("a"), .open("group/x")]
        batch.insert(.open("row"), at: place)
        let before = desk.state.version
        #expect(refusal { try desk.ask(batch: batch) } == Refusal(.notOpenable, SectionPath("row"), at: place))
        #expect(desk.state.version == before && desk.open.isEmpty && desk.done.isEmpty)
    }

    @Test mutating func `the first that fails is the one that is told`() throws {
        let refused = refusal { try desk.ask(batch: [.open("a"), .check("b"), .open("row")]) }
        #expect(refused == Refusal(.notATask, SectionPath("b"), at: 1))
    }

    @Test(arguments: [(999, false), (1_000, false), (1_001, true)])
    mutating func `a batch holds at most 1,000 operations`(_ count: Int, _ isRefused: Bool) throws {
        let batch = (0..<count).map { Gesture.toggle("a", to: $0 % 2 == 1) }
        let refused = refusal { try desk.ask(batch: batch) }
        if case .tooLarge = refused?.reason { #expect(isRefused) } else { #expect(refused == nil && !isRefused) }
    }

    @Test(arguments: [(13, false), (14, false), (15, true)])
    mutating func `bulk operations of a batch count the sections that they pass over, rows and all`(
        _ passed: Int, _ isRefused: Bool
    ) throws {
        // The whole document holds 7 sections and the group 3; single presses count for nothing.
        #expect(desk.state.view?.document.sections.count == 7)
        desk.limits.sectionsMax = 14
        let batches: [Int: [Gesture]] = [
            13: [.openAll(""), .level("group", 2), .reset("group"), .open("a")],
            14: [.closeAll(""), .openAll(""), .open("a"), .check("a")],
            15: [
                .closeAll(""), .level("group", 1), .reset("group"), .open("a"), .openAll("b"), .closeAll("a"),
                .level("", 1),
            ],
        ]
        let refused = refusal { try desk.ask(batch: batches[passed] ?? []) }
        if case .tooLarge = refused?.reason {
            #expect(isRefused && refused?.at == 6)
        } else {
            #expect(refused == nil && !isRefused)
        }
    }

    @Test mutating func `a single bulk operation is not bounded, for no document has more sections`() throws {
        desk.limits.sectionsMax = 1
        try desk.ask(.openAll(""))
        #expect(desk.open.count == 3)
    }

    @Test mutating func `a batch by one who has not seen a claim leaves it, one who has replaces it`() throws {
        let seen = desk.state.version
        try desk.ask(.open("group/x"), desk.writer("bob", session: 2))
        let batch = [Gesture.open("group/y"), .open("a")]
        try desk.ask(batch: batch, desk.writer("ann", session: 3, seen: seen))
        #expect(desk.open == ["a", "group/y"])
        #expect(desk.state.conflicts.map(\.told) == ["group single: group/y by ann, not group/x by bob"])
        try desk.ask(batch: batch, desk.writer("ann", session: 3))
        #expect(desk.state.conflicts.isEmpty && desk.open == ["a", "group/y"])
    }

    @Test mutating func `a batch counts what its own steps claimed as seen, though another claims it too`() throws {
        let seen = desk.state.version
        try desk.ask(.open("group/x"), desk.writer("bob", session: 2))
        let batch = [Gesture.open("group/y"), .open("group/x"), .open("group/y")]
        try desk.ask(batch: batch, desk.writer("ann", session: 3, seen: seen))
        #expect(desk.open == ["group/y"])
        #expect(desk.state.conflicts.map(\.told) == ["group/x open: false by ann, not true by bob"])
    }

    @Test(arguments: [Gesture.close("x"), .toggle("x"), .closeAll("")])
    mutating func `in a single group a step sees what a reset before it brought back`(_ gesture: Gesture) throws {
        var desk = try Desk(Document.made([Outline("x") { $0.open = true }, Outline("y")]) { $0.mode = .single })
        try desk.ask(.open("y"))
        try desk.ask(.close("y"))
        #expect(desk.open.isEmpty)
        try desk.ask(batch: [.reset(""), gesture])
        #expect(desk.open.isEmpty)
        try desk.ask(batch: [.reset("")])
        #expect(desk.open == ["x"])
    }
}
