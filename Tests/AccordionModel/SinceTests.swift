// Why this file exists: a client that was away is told what changed after its version, and not the whole document unless
// nothing else helps.

import AccordionModel
import Causality
import Testing

@Suite struct SinceTests {
    var desk: Desk

    init() throws {
        desk = try Desk(
            Document.made([
                Outline("a") { $0.task = false }, Outline("b"), .row("row") { $0.task = false },
                Outline("group", [.row("row"), Outline("x"), Outline("y")]) { $0.mode = .single },
            ]))
    }

    private func told(since version: VersionVector) -> [String]? {
        desk.state.changes(since: version)?.told(desk.state)
    }

    @Test mutating func `every flag that was written since is told as it is shown now`() throws {
        try desk.ask(.open("b"))
        let seen = desk.state.version
        for gesture in [Gesture.open("a"), .close("a"), .check("row"), .check("a"), .uncheck("a")] {
            try desk.ask(gesture)
        }
        #expect(told(since: seen) == ["-a", "?a", "+row"])
    }

    @Test mutating func `nothing is told to one who has seen everything`() throws {
        try desk.ask(.open("a"))
        #expect(told(since: desk.state.version) == [])
    }

    @Test mutating func `of a single group that was touched all sections are told, rows aside`() throws {
        try desk.ask(.open("group/x"))
        let seen = desk.state.version
        try desk.ask(.open("group/y"))
        #expect(told(since: seen) == ["-group/x", "group/y"])
        try desk.ask(.close("group/y"))
        #expect(told(since: seen) == ["-group/x", "-group/y"])
    }

    @Test mutating func `where the content itself is newer only the whole document helps`() throws {
        let seen = desk.state.version
        try desk.replace(with: Document.made([Outline("a")]))
        #expect(told(since: seen) == nil)
        #expect(told(since: desk.state.version) == [])
        #expect(told(since: VersionVector()) == nil)
        try desk.delete()
        #expect(told(since: desk.state.version) == nil)
    }

    @Test mutating func `conflicts that stand are told with what changed`() throws {
        let seen = desk.state.version
        try desk.ask(.open("a"), desk.writer("ann", session: 2, seen: seen))
        try desk.ask(.close("a"), desk.writer("bob", session: 3, seen: seen))
        let applied = try #require(desk.state.changes(since: seen))
        #expect(applied.conflicts.map(\.told) == ["a open: false by bob, not true by ann"])
    }

    @Test mutating func `what was written on another daemon is told to one who has not seen that`() throws {
        var other = try Desk("n2")
        other.state.join(desk.state, at: desk.milliseconds)
        let press = try other.make(.open("b"))
        try desk.ask(.open("a"))
        let seen = desk.state.version
        desk.hear(press)
        #expect(told(since: seen) == ["b"])
    }
}
