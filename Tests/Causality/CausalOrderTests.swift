// Why this file exists: what came too early must wait for exactly what it rests on, come free with it, and never be there
// twice.

import Causality
import Testing

/// An operation that rests on its writer's previous dot and on others.
private struct Step: CausalOperation, Equatable {
    let dot: Dot
    var rests: [Dot] = []

    func missing(from version: VersionVector) -> Dot? {
        if dot.counter > version[dot.node] + 1 { return Dot(node: dot.node, counter: dot.counter - 1) }
        return rests.first { !version.covers($0) }
    }
}

@Suite struct CausalOrderTests {
    @Test func `what waits comes free when what it waits for is known, and with nothing else`() throws {
        var order = CausalOrder<Step>()
        let step = Step(dot: try dot("a", 3))
        order.hold(step, for: try dot("a", 2))
        for other in [try dot("a", 1), try dot("a", 3), try dot("b", 2)] {
            let released = order.release(other)
            #expect(released.isEmpty)
        }
        #expect(order.count == 1 && !order.isEmpty)
        let released = order.release(try dot("a", 2))
        #expect(released == [step])
        #expect(order.isEmpty)
        let again = order.release(try dot("a", 2))
        #expect(again.isEmpty)
    }

    @Test func `all that wait for one dot come free together, others stay`() throws {
        var order = CausalOrder<Step>()
        for name in ["b", "c", "d"] { order.hold(Step(dot: try dot(name, 1)), for: try dot("a", 1)) }
        order.hold(Step(dot: try dot("e", 2)), for: try dot("e", 1))
        let released = order.release(try dot("a", 1))
        #expect(released.map(\.dot.node.description) == ["b", "c", "d"])
        #expect(order.operations.map(\.dot) == [try dot("e", 2)])
    }

    @Test func `an operation that waits is not taken twice`() throws {
        var order = CausalOrder<Step>()
        let step = Step(dot: try dot("a", 3))
        order.hold(step, for: try dot("a", 2))
        order.hold(step, for: try dot("a", 2))
        order.hold(step, for: try dot("b", 1))
        #expect(order.count == 1 && order.operations == [step])
        let released = order.release(try dot("a", 2))
        #expect(released == [step])
        let other = order.release(try dot("b", 1))
        #expect(other.isEmpty)
    }

    @Test func `an operation that was released can wait for something else`() throws {
        var order = CausalOrder<Step>()
        let step = Step(dot: try dot("a", 3), rests: [try dot("b", 1)])
        order.hold(step, for: try dot("a", 2))
        _ = order.release(try dot("a", 2))
        order.hold(step, for: try dot("b", 1))
        let released = order.release(try dot("b", 1))
        #expect(released == [step])
    }

    @Test func `everything can be released at once, in the order of dots`() throws {
        var order = CausalOrder<Step>()
        let dots = [try dot("b", 2), try dot("a", 10), try dot("a", 9)]
        for dot in dots { order.hold(Step(dot: dot), for: Dot(node: dot.node, counter: dot.counter - 1)) }
        #expect(order.operations.map(\.dot) == dots.sorted())
        let released = order.releaseAll()
        #expect(released.map(\.dot) == dots.sorted())
        #expect(order.isEmpty && order.operations.isEmpty)
        order.hold(released[0], for: try dot("a", 8))
        #expect(order.count == 1)
    }
}
