// Why this file exists: operations of other daemons come in any order and more than once. Each waits for what it rests on,
// is applied once, and far clocks do not move ours.

import AccordionModel
import Causality
import Testing

private func pair() throws -> Document {
    try Document.made([Outline("x") { $0.task = false }, Outline("y") { $0.task = false }])
}

@Suite struct DeliveryTests {
    var writer: Desk
    var reader: Desk

    init() throws {
        writer = try Desk("n1")
        reader = try Desk("n2")
    }

    /// Delivers `last` before `first`: nothing is applied until `first` is there, then both are, in their order.
    private mutating func expectOrder(_ first: Operation, _ last: Operation) {
        let version = reader.state.version
        let early = reader.hear(last)
        #expect(early.isEmpty && reader.state.version == version)
        #expect(reader.state.waiting.operations.map(\.dot) == [last.dot])
        let both = reader.hear(first)
        #expect(both.map(\.dot) == [first.dot, last.dot] && reader.state.waiting.isEmpty)
    }

    @Test mutating func `an operation waits until its writer's previous dot is known`() throws {
        reader.hear(try writer.makeCreation(pair()))
        expectOrder(try writer.make(.open("x")), try writer.make(.check("y")))
        #expect(reader.open == ["x"] && reader.done == ["y"])
    }

    @Test mutating func `an operation waits until every dot that it replaces is known`() throws {
        let creation = try writer.makeCreation(pair())
        var third = try Desk("n3")
        reader.hear(creation)
        third.hear(creation)
        let open = try writer.make(.open("x"))
        third.hear(open)
        expectOrder(open, try third.make(.close("x")))
        #expect(reader.open.isEmpty)
    }

    @Test mutating func `a replace waits until every content that it replaces is known`() throws {
        let creation = try writer.makeCreation(pair())
        var third = try Desk("n3")
        let replacement = try writer.makeReplacement(Document.made([Outline("y")]))
        third.hear(creation, replacement)
        reader.hear(creation)
        expectOrder(replacement, try third.makeReplacement(Document.made([Outline("z")])))
        #expect(reader.state.view?.document.paths == ["z"])
    }

    @Test mutating func `an operation waits until every dot that it erases is known`() throws {
        let creation = try writer.makeCreation(pair())
        var third = try Desk("n3")
        third.hear(creation)
        let open = try writer.make(.open("x"))
        third.hear(open)
        reader.hear(creation, try third.makeReplacement(Document.made([Outline("y")])))
        let erasing = try third.makeReplacement(Document.made([Outline("z")]))
        #expect(erasing.erasures.map(\.dots) == [DotSet([open.dot])])
        expectOrder(open, erasing)
        #expect(reader.state.flags.isEmpty)
    }

    @Test mutating func `a creation waits until all that it erases is known`() throws {
        let first = try writer.makeCreation(pair())
        let deletion = try writer.makeDeletion()
        var third = try Desk("n3")
        third.hear(first, deletion)
        let second = try third.makeCreation(pair())
        reader.hear(first)
        expectOrder(deletion, second)
        #expect(reader.state.view?.born == 2)
    }

    @Test mutating func `a long row of operations that comes backwards is applied forwards`() throws {
        var operations = [try writer.makeCreation(pair())]
        for _ in 0..<20 { operations.append(try writer.make(.toggle("x"))) }
        var applied: [Applied] = []
        for operation in operations.reversed() { applied += reader.hear(operation) }
        #expect(applied.map(\.dot) == operations.map(\.dot))
        #expect(reader.state.version == writer.state.version && reader.open == writer.open)
    }

    @Test mutating func `an operation that is known or waits already is not applied again`() throws {
        let creation = try writer.makeCreation(pair())
        let operations = [try writer.make(.open("x")), try writer.make(.close("x"))]
        reader.hear(creation, creation)
        reader.hear(operations[1], operations[1])
        #expect(reader.state.waiting.count == 1)
        let applied = reader.hear(operations[0], operations[0], operations[1])
        #expect(applied.count == 2 && reader.state.version == writer.state.version)
    }

    @Test mutating func `after a join what waited is tried again, and what is known by then is dropped`() throws {
        let creation = try writer.makeCreation(pair())
        reader.hear(creation)
        _ = try writer.make(.open("x"))
        let second = try writer.make(.check("x"))
        let whole = writer.state
        let third = try writer.make(.open("y"))
        reader.hear(third, second)
        #expect(reader.state.waiting.count == 2)
        reader.state.join(whole, at: reader.milliseconds)
        #expect(reader.state.waiting.isEmpty && reader.state.version == writer.state.version)
        #expect(reader.open == ["x", "y"] && reader.done == ["x"])
    }

    @Test mutating func `what waits is no part of what is joined`() throws {
        reader.hear(try writer.makeCreation(pair()))
        _ = try writer.make(.open("x"))
        reader.hear(try writer.make(.open("y")))
        var third = try Desk("n3")
        third.state.join(reader.state, at: third.milliseconds)
        #expect(third.open.isEmpty && third.state.waiting.isEmpty && third.version == "{n1:1}")
    }

    @Test(arguments: [(59_999, true), (60_000, true), (60_001, false)] as [(Int64, Bool)])
    mutating func `a write from up to 60 s ahead moves our clock, one from beyond is kept and does not`(
        _ ahead: Int64, _ isFollowed: Bool
    ) throws {
        let creation = try writer.makeCreation(pair())
        reader.hear(creation)
        let now = reader.milliseconds
        writer.milliseconds = now + ahead - 1
        let open = try writer.make(.open("x"))
        #expect(open.stamp.milliseconds == now + ahead)
        let applied = reader.hear(open)
        #expect(applied.count == 1 && reader.open == ["x"])
        #expect(reader.state.clock.latest == (isFollowed ? open.stamp : creation.stamp))
        var joined = try Desk("n3")
        joined.state.join(writer.state, at: now)
        #expect(joined.open == ["x"] && joined.state.clock.latest == (isFollowed ? open.stamp : creation.stamp))
    }

    @Test mutating func `dots decide, stamps do not: a write with a low stamp replaces what it has seen`() throws {
        reader.hear(try writer.makeCreation(pair()))
        writer.milliseconds += 3_600_000
        let open = try writer.make(.open("x"))
        reader.hear(open)
        let close = try reader.make(.close("x"))
        #expect(close.stamp < open.stamp)
        writer.hear(close)
        #expect(reader.open.isEmpty && writer.open.isEmpty && writer.state.conflicts.isEmpty)
    }
}
