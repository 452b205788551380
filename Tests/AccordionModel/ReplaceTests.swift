// Why this file exists: new content keeps what people did to the sections that stay, one mistaken replace costs nothing,
// and what was not seen is never erased.

import AccordionModel
import Causality
import Testing

private func sections(_ names: String..., title: String = "") throws -> Document {
    try Document.made(names.map { name in Outline(name) { $0.task = false } }) { $0.title = title }
}

@Suite struct ReplaceTests {
    var desk: Desk

    init() throws {
        desk = try Desk(sections("a", "b", "c"))
        try desk.ask(batch: [.open("a"), .check("a"), .open("b"), .check("b")])
    }

    @Test mutating func `a replace keeps the shared state of every section whose path stays`() throws {
        try desk.replace(with: sections("b", "x", "a"))
        #expect(desk.open == ["b", "a"] && desk.done == ["b", "a"])
    }

    @Test mutating func `a path that comes back with the next replace comes back as it was`() throws {
        try desk.replace(with: sections("x"))
        #expect(desk.open.isEmpty)
        try desk.replace(with: sections("a", "b", "x"))
        #expect(desk.open == ["a", "b"] && desk.done == ["a", "b"])
    }

    @Test mutating func `a path that is in neither of two contents is erased`() throws {
        try desk.replace(with: sections("b"))
        try desk.replace(with: sections("b", title: "again"))
        #expect(desk.state.flags.keys.map(\.path.text).contains("a") == false)
        try desk.replace(with: sections("a", "b"))
        #expect(desk.open == ["b"] && desk.done == ["b"])
    }

    @Test mutating func `what the author of a replace had not seen is not erased`() throws {
        let seen = desk.state.version
        try desk.replace(with: sections("b"), desk.writer("ann", session: 2))
        let writer = desk.writer("bob", session: 3, seen: VersionVector([.init(node: desk.node, counter: 1)]))
        try desk.replace(with: sections("b", title: "again"), writer)
        #expect(desk.state.flags.keys.map(\.path.text).contains("a"))
        try desk.replace(with: sections("b", title: "and again"), desk.writer("eve", session: 4, seen: seen))
        #expect(desk.state.flags.keys.map(\.path.text).contains("a") == false)
    }

    @Test mutating func `a press on another daemon that the replace had not seen comes back with its section`() throws {
        var other = try Desk("n2")
        other.state.join(desk.state, at: desk.milliseconds)
        let press = try other.make(.open("c"))
        try desk.replace(with: sections("a"))
        try desk.replace(with: sections("a", title: "again"))
        desk.hear(press)
        #expect(desk.open == ["a"])
        try desk.replace(with: sections("a", "c"))
        #expect(desk.open == ["a", "c"])
    }

    @Test mutating func `a replace counts the sections that it kept, removed and added`() throws {
        let replacement = try desk.replace(with: Document.made([Outline("b", [.row("b"), .row("y")]), Outline("x")]))
        #expect(replacement == Replacement(kept: 1, removed: 2, added: 3))
    }

    @Test mutating func `a path that stays but can't be opened or checked any more shows neither`() throws {
        try desk.replace(with: Document.made([.row("a"), Outline("b")]))
        #expect(desk.open == ["b"] && desk.done.isEmpty)
        #expect(refusal { try desk.ask(.close("a")) } == Refusal(.notOpenable, SectionPath("a")))
        try desk.replace(with: sections("a", "b"))
        #expect(desk.open == ["a", "b"] && desk.done == ["a", "b"])
    }

    @Test mutating func `a replace is one write, told as one`() throws {
        let before = desk.state.version[desk.node]
        let writer = desk.writer()
        let document = try sections("b", title: "new")
        let operation = try #require(try desk.state.replace(with: document, writer).operation)
        let applied = desk.state.applyOwn(operation)
        #expect(applied.content == .replaced && applied.changes.isEmpty)
        #expect(desk.state.version[desk.node] == before + 1)
        #expect(desk.state.view?.document.attributes.title == "new")
    }

    @Test mutating func `a replace that has not seen the last one stands beside it`() throws {
        let seen = desk.state.version
        try desk.replace(with: sections("a", title: "one"), desk.writer("ann", session: 2, seen: seen))
        try desk.replace(with: sections("a", title: "two"), desk.writer("bob", session: 3, seen: seen))
        #expect(desk.state.conflicts.map(\.told) == ["- content: two by bob, not one by ann"])
        // One that has seen both settles it, though it says what is shown.
        try desk.replace(with: sections("a", title: "two"))
        #expect(desk.state.conflicts.isEmpty)
    }

    @Test mutating func `a replace may turn what is shown by what it says is initial, not what was written`() throws {
        try desk.ask(.close("c"))
        try desk.replace(
            with: Document.made([Outline("a"), Outline("b"), Outline("c"), Outline("d")]) { $0.initiallyOpen = true })
        #expect(desk.open == ["a", "b", "c", "d"])
        try desk.ask(.close("d"))
        try desk.replace(
            with: Document.made([Outline("a"), Outline("d")]) {
                $0.initiallyOpen = true
                $0.title = "again"
            })
        #expect(desk.open == ["a"])
    }

    @Test mutating func `of more than 8 replaces that have not seen each other the oldest is dropped`() throws {
        let seen = desk.state.version
        for number in 1...9 {
            let writer = desk.writer("p\(number)", session: UInt64(10 + number), seen: seen)
            try desk.replace(with: sections("a", title: "\(number)"), writer)
            // What was there before was seen by all of them.
            #expect(desk.state.content.count == min(number, 8))
        }
        #expect(desk.state.content.latestFirst.map(\.by) == (2...9).reversed().map { "p\($0)" })
        #expect(desk.state.conflicts.first?.lost.count == 7)
    }

    @Test mutating func `two replaces by the same content stand side by side and do not disagree`() throws {
        var other = try Desk("n2")
        other.state.join(desk.state, at: desk.milliseconds)
        let ours = try desk.makeReplacement(sections("a", title: "new"))
        let theirs = try other.makeReplacement(sections("a", title: "new"))
        desk.hear(theirs)
        other.hear(ours)
        for desk in [desk, other] { #expect(desk.state.content.count == 2 && desk.state.conflicts.isEmpty) }
    }
}
