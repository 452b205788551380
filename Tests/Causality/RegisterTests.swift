// Why this file exists: the algebra below everything: names and vectors order as they must, a register keeps what nobody
// has knowingly overwritten, and what waits comes free when what it waited for is known.

import Causality
import Testing

private func node(_ text: String) throws -> NodeName { try #require(NodeName(text)) }

@Suite struct CausalityTests {
    @Test func `a node's name is 1 to 32 of its characters, and orders by its bytes`() throws {
        #expect(NodeName("") == nil && NodeName("N1") == nil && NodeName("n 1") == nil)
        #expect(NodeName(String(repeating: "a", count: 32)) != nil)
        #expect(NodeName(String(repeating: "a", count: 33)) == nil)
        let names = ["-", "0", "a", "aaaaaaaaa", "ab", "n1", "n10", "n1~abcdefgh", "n2", "~"]
        #expect(try names.map(node).sorted().map(\.description) == names)
    }

    @Test func `a vector covers what it was raised to, and joins to the higher of both`() throws {
        let (a, b) = (try node("a"), try node("b"))
        var one = VersionVector()
        one.raise(b, to: 2)
        one.raise(a, to: 3)
        one.raise(a, to: 1)
        var other = VersionVector([.init(node: a, counter: 1), .init(node: b, counter: 5)])
        #expect(one.covers(Dot(node: a, counter: 3)) && !one.covers(Dot(node: a, counter: 4)))
        #expect(!one.covers(other) && !other.covers(one))
        #expect(other.clamped(to: one) == VersionVector([.init(node: a, counter: 1), .init(node: b, counter: 2)]))
        other.join(one)
        #expect(other == VersionVector([.init(node: a, counter: 3), .init(node: b, counter: 5)]))
    }

    @Test func `a write replaces what was seen, the session's own and what says the same, and nothing else`() throws {
        let n = try node("n")
        var register = CausalRegister<Bool>()
        for (counter, value, session) in [(1, true, 1), (2, false, 2), (3, true, 3)] as [(Int64, Bool, UInt64)] {
            let stamp = Stamp(milliseconds: counter, count: 0)
            register.write(
                Sibling(dot: Dot(node: n, counter: counter), value: value, stamp: stamp, by: "", session: session),
                replacing: DotSet())
        }
        let seen = VersionVector([.init(node: n, counter: 1)])
        #expect(
            register.replaced(by: false, seen: seen, session: 9) == DotSet([1, 2].map { Dot(node: n, counter: $0) }))
        #expect(register.replaced(by: true, seen: VersionVector(), session: 2).count == 3)
        #expect(register.replaced(by: false, seen: VersionVector(), session: 9) == DotSet([Dot(node: n, counter: 2)]))
        #expect(register.replaced(by: false, seen: nil, session: 0).count == 3)
        #expect(!register.agrees)
        #expect(register.latest()?.dot.counter == 3)
    }

    @Test func `of more than eight siblings the oldest are replaced`() throws {
        let n = try node("n")
        var register = CausalRegister<Int>()
        for counter in 1...8 {
            register.write(
                Sibling(
                    dot: Dot(node: n, counter: Int64(counter)), value: counter,
                    stamp: Stamp(milliseconds: Int64(counter), count: 0), by: ""), replacing: DotSet())
        }
        let replaced = register.replaced(by: 9, seen: VersionVector(), session: 0)
        #expect(replaced == DotSet([Dot(node: n, counter: 1)]))
    }

    @Test func `a stamp never comes twice, and one a minute ahead is followed, one beyond is not`() {
        var clock = HybridClock()
        let first = clock.tick(at: 1_000)
        let second = clock.tick(at: 1_000)
        let third = clock.tick(at: 500)
        #expect(first < second && second < third)
        let followed = clock.observe(Stamp(milliseconds: 61_000, count: 0), at: 1_000)
        let ignored = clock.observe(Stamp(milliseconds: 61_001, count: 0), at: 1_000)
        #expect(followed && !ignored)
        #expect(clock.latest == Stamp(milliseconds: 61_000, count: 0))
    }
}
