// Why this file exists: documents are created and deleted while others write to them on other daemons. A deletion takes
// what it has seen and nothing else, and nothing of one life is shown in the next.

import AccordionModel
import Causality
import Testing

private func titled(_ title: String) throws -> Document {
    try Document.made([Outline("x") { $0.task = false }]) { $0.title = title }
}

extension Desk {
    fileprivate var title: String? { state.view?.document.attributes.title }
}

@Suite struct LifeTests {
    @Test func `the first life is 1, and each later one is one more`() throws {
        var desk = try Desk()
        for life in 1...3 as ClosedRange<Int64> {
            let applied = try desk.create(titled("\(life)"))
            #expect(applied.content == .created && desk.state.view?.born == life)
            try desk.delete()
        }
    }

    @Test func `the version goes on over a deletion, it never starts again`() throws {
        var desk = try Desk(titled("one"))
        try desk.ask(.open("x"))
        try desk.delete()
        #expect(desk.version == "{n1:3}" && desk.state.view == nil)
        try desk.create(titled("two"))
        #expect(desk.version == "{n1:4}")
    }

    @Test func `nothing of a former life is shown in the next`() throws {
        var desk = try Desk(titled("one"))
        try desk.ask(batch: [.open("x"), .check("x")])
        try desk.delete()
        try desk.create(titled("one"))
        #expect(desk.open.isEmpty && desk.done.isEmpty && desk.state.flags.isEmpty)
    }

    @Test func `a creation replaces and erases all that its writer has seen`() throws {
        var desk = try Desk(titled("one"))
        try desk.ask(.open("x"))
        try desk.delete()
        try desk.create(titled("two"))
        #expect(desk.state.content.count == 1 && desk.state.flags.isEmpty)
    }

    @Test func `a press made in a former life, heard in the next, counts for nothing`() throws {
        var pair = try Pair(titled("one"))
        let press = try pair.other.make(.open("x"))
        let deletion = try pair.one.makeDeletion()
        let creation = try pair.one.makeCreation(titled("two"))
        pair.one.hear(press)
        pair.other.hear(deletion, creation)
        for desk in [pair.one, pair.other] {
            #expect(desk.title == "two" && desk.open.isEmpty && desk.state.conflicts.isEmpty)
        }
        #expect(Agreement.registers(of: pair.one.state) == Agreement.registers(of: pair.other.state))
    }

    @Test func `a replace that ran beside a deletion keeps the document`() throws {
        var pair = try Pair(titled("one"))
        let replacement = try pair.one.makeReplacement(titled("two"))
        let deletion = try pair.other.makeDeletion()
        let told = pair.one.hear(deletion)
        pair.other.hear(replacement)
        for desk in [pair.one, pair.other] { #expect(desk.title == "two") }
        #expect(told.first?.content == .replaced)
        #expect(pair.one.state.conflicts.map(\.told) == ["- content: two by alice, not nothing by alice"])
    }

    @Test func `a deletion that has seen the replace takes it`() throws {
        var pair = try Pair(titled("one"))
        pair.other.hear(try pair.one.makeReplacement(titled("two")))
        let deletion = try pair.other.makeDeletion()
        let told = pair.one.hear(deletion)
        #expect(pair.one.title == nil && told.first?.content == .deleted)
    }

    @Test func `a deletion by one who had not seen the last content leaves that`() throws {
        var desk = try Desk(titled("one"))
        let seen = desk.state.version
        try desk.replace(with: titled("two"), desk.writer("ann", session: 2))
        try desk.delete(desk.writer("bob", session: 3, seen: seen))
        #expect(desk.title == "two")
    }

    @Test func `a press beside a deletion is not told, and does not keep the document`() throws {
        var pair = try Pair(titled("one"))
        let press = try pair.one.make(.open("x"))
        let deletion = try pair.other.makeDeletion()
        pair.one.hear(deletion)
        let told = pair.other.hear(press)
        #expect(pair.one.title == nil && pair.other.title == nil)
        #expect(told.count == 1 && told.first?.changes == [] && told.first?.content == ContentChange.none)
    }

    @Test func `two deletions at once are one`() throws {
        var pair = try Pair(titled("one"))
        let (ours, theirs) = (try pair.one.makeDeletion(), try pair.other.makeDeletion())
        let told = pair.one.hear(theirs)
        pair.other.hear(ours)
        #expect(pair.one.title == nil && pair.other.title == nil && told.first?.content == ContentChange.none)
        try pair.one.create(titled("two"))
        #expect(pair.one.state.view?.born == 2)
    }

    @Test func `of two creations side by side the later is shown, the other told`() throws {
        var one = try Desk("n1")
        var other = try Desk("n2")
        other.milliseconds += 1_000
        let (ours, theirs) = (
            try one.makeCreation(titled("one"), by: "ann"), try other.makeCreation(titled("other"), by: "bob")
        )
        one.hear(theirs)
        other.hear(ours)
        for desk in [one, other] {
            #expect(desk.title == "other")
            #expect(desk.state.conflicts.map(\.told) == ["- content: other by bob, not one by ann"])
        }
    }

    @Test func `a later life is shown though the stamp of another is higher`() throws {
        var one = try Desk("n1")
        var other = try Desk("n2")
        let first = try one.makeCreation(titled("first"))
        let deletion = try one.makeDeletion()
        let second = try one.makeCreation(titled("second"))
        other.milliseconds += 30_000
        let apart = try other.makeCreation(titled("apart"))
        other.hear(first, deletion, second)
        one.hear(apart)
        for desk in [one, other] { #expect(desk.title == "second" && desk.state.view?.born == 2) }
    }
}
