// Why this file exists: operations whose predecessors never come must not fill the memory. Past a limit none waits any more,
// and the document says that it needs another replica's whole state.

import AccordionModel
import Causality
import Testing

@Suite struct WaitingLimitTests {
    private var writer: Desk
    private var reader: Desk
    private var operations: [Operation] = []

    /// The reader has heard of the creation, and not of the operation after it.
    init() throws {
        writer = try Desk("n1")
        reader = try Desk("n2")
        reader.hear(try writer.makeCreation(try Document.made([Outline("x")])))
        for number in 0..<8 { operations.append(try writer.make(number % 2 == 0 ? .open("x") : .close("x"))) }
    }

    private mutating func hear(_ operations: some Sequence<Operation>, _ most: Int) -> Int {
        operations.reduce(0) { $0 + reader.state.receive($1, at: 1, waitingMax: most).count }
    }

    @Test(arguments: [-1, 0, 1])
    mutating func `past the limit nothing waits, and a whole state is needed`(excess: Int) {
        #expect(hear(operations.dropFirst(), 7 - excess) == 0)
        #expect(reader.state.waiting.count == (excess <= 0 ? 7 : 0))
        #expect(reader.state.needsWholeState == (excess > 0))
        #expect(hear(operations.prefix(1), 7) == (excess <= 0 ? 8 : 1))
        #expect((reader.state.version == writer.state.version) == (excess <= 0))
        reader.state.join(writer.state, at: 1)
        #expect(!reader.state.needsWholeState && reader.state.version == writer.state.version)
        #expect(reader.open == writer.open)
    }

    @Test mutating func `the limit is ten thousand a document`() throws {
        var many = operations
        while many.count < 10_002 { many.append(try writer.make(many.count % 2 == 0 ? .open("x") : .close("x"))) }
        for operation in many[1...10_000] { _ = reader.state.receive(operation, at: 1) }
        #expect(reader.state.waiting.count == 10_000 && !reader.state.needsWholeState)
        _ = reader.state.receive(many[10_000], at: 1)
        #expect(reader.state.waiting.count == 10_000, "one that waits already is not counted twice")
        _ = reader.state.receive(many[10_001], at: 1)
        #expect(reader.state.waiting.isEmpty && reader.state.needsWholeState)
    }
}
