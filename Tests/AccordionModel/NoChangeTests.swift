// Why this file exists: an operation that changes nothing makes no write, no event and no dot, whatever was seen; asking for
// the visible value of a register in conflict is none of these.

import AccordionModel
import Causality
import Testing

@Suite struct NoChangeTests {
    static let document: @Sendable () throws -> Document = {
        try Document.made([
            Outline("open") {
                $0.open = true
                $0.task = true
            }, Outline("shut", [Outline("in")]) { $0.task = false },
            Outline("group", [Outline("x") { $0.open = true }, Outline("y")]) { $0.mode = .single },
            Outline("must", [Outline("x"), Outline("y")]) {
                $0.mode = .single
                $0.collapsible = false
            },
            Outline("all", [Outline("one") { $0.open = true }, .row("row")]),
        ])
    }

    static let nothing: [Gesture] = [
        .open("open"), .close("shut"), .toggle("open", to: true), .toggle("shut", to: false), .check("open"),
        .uncheck("shut"), .open("group/x"), .close("group/y"), .toggle("group/y", to: false),
        .toggle("group/x", to: true),
        .open("must/x"), .close("must/y"), .toggle("must/y", to: false), .openAll("all"), .closeAll("shut"),
        .closeAll("must"),
        .level("all", 2), .level("group", 2), .level("must", 1), .level("must", 2), .level("shut", 1), .reset(""),
        .reset("group"), .openAll("shut/in"), .closeAll("all/row"),
    ]

    @Test(arguments: nothing.indices)
    func `what stands already is no write, whatever was seen`(_ number: Int) throws {
        var desk = try Desk(NoChangeTests.document())
        for seen in [nil, VersionVector(), desk.state.version] {
            let applied = try desk.ask(NoChangeTests.nothing[number], desk.writer("bob", session: 2, seen: seen))
            #expect(applied == nil, "\(NoChangeTests.nothing[number])")
        }
        #expect(desk.version == "{n1:1}" && desk.state.flags.isEmpty)
    }

    @Test(arguments: [Gesture.open("shut"), .close("open"), .open("group/y"), .check("shut")])
    func `what was written once is no write the second time, whatever was seen`(_ gesture: Gesture) throws {
        var desk = try Desk(NoChangeTests.document())
        try desk.ask(gesture, desk.writer("ann", session: 2))
        for seen in [nil, VersionVector(), desk.state.version] {
            let applied = try desk.ask(gesture, desk.writer("bob", session: 3, seen: seen))
            #expect(applied == nil)
        }
        #expect(desk.version == "{n1:2}")
    }

    @Test func `closing a section of a single group that is not the open one is no write`() throws {
        var desk = try Desk(NoChangeTests.document())
        for path in ["group/x", "group/y"] { try desk.ask(.open(path)) }
        let before = desk.state.version
        let applied = try desk.ask(.close("group/x"))
        #expect(applied == nil && desk.state.version == before && desk.open.contains("group/y"))
    }

    @Test func `a second reset is no write`() throws {
        var desk = try Desk(NoChangeTests.document())
        try desk.ask(.openAll(""))
        let first = try desk.ask(.reset(""))
        let second = try desk.ask(.reset(""))
        #expect(first != nil && second == nil)
    }

    @Test func `reset of what was written and stands as the document says is a write that shows nothing new`() throws {
        var desk = try Desk(NoChangeTests.document())
        try desk.ask(batch: [.open("shut")])
        try desk.ask(.close("shut"))
        let applied = try #require(try desk.ask(.reset("")))
        #expect(applied.visibleChanges == 0 && applied.told(desk.state) == ["-shut"])
    }

    @Test func `a replace by the same content is no write, and keeps all`() throws {
        var desk = try Desk(NoChangeTests.document())
        let replacement = try desk.replace(with: NoChangeTests.document())
        #expect(replacement == Replacement(kept: 12, removed: 0, added: 0) && desk.version == "{n1:1}")
    }

    @Test(arguments: [Gesture.close("shut"), .toggle("shut", to: false)])
    func `asking for the visible value of a register in conflict settles it by a write`(_ gesture: Gesture) throws {
        var desk = try Desk(NoChangeTests.document())
        let seen = desk.state.version
        try desk.ask(.open("shut"), desk.writer("ann", session: 2, seen: seen))
        try desk.ask(.toggle("shut"), desk.writer("bob", session: 3, seen: seen))
        #expect(desk.state.conflicts.map(\.told) == ["shut open: false by bob, not true by ann"])
        let applied = try #require(try desk.ask(gesture, desk.writer("eve", session: 4)))
        #expect(applied.visibleChanges == 0 && applied.told(desk.state) == ["-shut"])
        #expect(desk.state.conflicts.isEmpty)
        let again = try desk.ask(gesture, desk.writer("eve", session: 4))
        #expect(again == nil)
    }

    @Test func `asking for the visible check mark in conflict settles it by a write`() throws {
        var desk = try Desk(NoChangeTests.document())
        let seen = desk.state.version
        try desk.ask(.check("shut"), desk.writer("ann", session: 2, seen: seen))
        try desk.ask(.uncheck("shut"), desk.writer("bob", session: 3, seen: seen))
        #expect(desk.state.conflicts.map(\.told) == ["shut done: false by bob, not true by ann"])
        let applied = try #require(try desk.ask(.uncheck("shut"), desk.writer("eve", session: 4)))
        #expect(applied.visibleChanges == 0 && desk.state.conflicts.isEmpty)
    }
}
