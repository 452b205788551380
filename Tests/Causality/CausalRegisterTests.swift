// Why this file exists: what a write replaces, and what a join keeps, is the whole of "nobody's write is lost unless its
// loser has seen it".

import Causality
import Testing

@Suite struct CausalRegisterTests {
    // MARK: - What a write replaces

    @Test func `a write replaces what it has seen`() throws {
        let held = register(try sibling("a", 1, 1), try sibling("b", 1, 2), try sibling("b", 2, 3))
        #expect(held.replaced(by: 9, seen: try vector(["b": 1]), session: 0).sorted == ["b:1"])
        #expect(held.replaced(by: 9, seen: try vector(["a": 1, "b": 2]), session: 0).sorted == ["a:1", "b:1", "b:2"])
        #expect(held.replaced(by: 9, seen: VersionVector(), session: 0).isEmpty)
    }

    @Test func `a writer that names nothing has seen everything`() throws {
        let held = register(try sibling("a", 1, 1), try sibling("b", 1, 2))
        #expect(held.replaced(by: 9, seen: nil, session: 0).sorted == ["a:1", "b:1"])
    }

    @Test func `a write replaces those of its own session, seen or not`() throws {
        let held = register(
            try sibling("a", 1, 1, session: 7), try sibling("a", 2, 2, session: 8), try sibling("b", 1, 3))
        #expect(held.replaced(by: 9, seen: VersionVector(), session: 7).sorted == ["a:1"])
        #expect(held.replaced(by: 9, seen: VersionVector(), session: 6).isEmpty)
    }

    @Test func `session 0 is nobody's, so its writes are not one's own`() throws {
        #expect(register(try sibling("a", 1, 1)).replaced(by: 9, seen: VersionVector(), session: 0).isEmpty)
    }

    @Test func `a write replaces those of the same value, unless equal ones are kept`() throws {
        let held = register(try sibling("a", 1, 5), try sibling("b", 1, 6), try sibling("c", 1, 5))
        #expect(held.replaced(by: 5, seen: VersionVector(), session: 0).sorted == ["a:1", "c:1"])
        #expect(held.replaced(by: 5, seen: VersionVector(), session: 0, keepsEqual: true).isEmpty)
    }

    @Test(arguments: [(6, 0), (7, 0), (8, 1), (9, 2), (20, 13)])
    func `of more than 8 siblings the oldest are replaced`(_ count: Int, _ replaced: Int) throws {
        // Counters run against the stamps: age is told by the stamp.
        let siblings = try (1...count).map { try sibling("a", Int64(100 - $0), $0, at: Int64($0)) }
        for held in [register(siblings), register(siblings.reversed())] {
            let oldest = DotSet(siblings.prefix(replaced).map(\.dot))
            #expect(held.replaced(by: 0, seen: VersionVector(), session: 0) == oldest)
            var after = held
            after.write(
                try sibling("b", 1, 0, at: 1_000),
                replacing: held.replaced(by: 0, seen: VersionVector(), session: 0))
            #expect(after.count == min(count + 1, CausalRegister<Int>.siblingsMax))
        }
    }

    @Test func `what is replaced for another reason makes room first`() throws {
        let siblings = try (1...8).map { try sibling("a", Int64($0), $0) }
        #expect(register(siblings).replaced(by: 8, seen: VersionVector(), session: 0).sorted == ["a:8"])
    }

    // MARK: - What it holds

    @Test func `a write stands beside those that it does not replace`() throws {
        var held = register(try sibling("a", 1, 1), try sibling("b", 1, 2))
        held.write(try sibling("a", 2, 3), replacing: DotSet([try dot("a", 1)]))
        #expect(held.dots == ["a:2", "b:1"])
        #expect(try held.contains(dot("b", 1)) && !held.contains(dot("a", 1)))
        held.write(try sibling("a", 3, 4), replacing: DotSet([try dot("a", 2), try dot("b", 1)]))
        #expect(held.dots == ["a:3"] && held.count == 1)
    }

    @Test func `a dot is held once, however often it is written`() throws {
        for count in 1...3 {
            let siblings = try (1...count).map { try sibling("a", Int64($0), $0) }
            var held = register(siblings)
            for sibling in siblings { held.write(sibling, replacing: DotSet()) }
            #expect(held.count == count)
        }
    }

    @Test func `the latest is the one with the highest stamp, and of one moment the highest dot`() throws {
        let held = register(
            try sibling("b", 1, 1, at: 5), try sibling("a", 9, 2, at: 7), try sibling("c", 1, 3, at: 7),
            try sibling("c", 2, 4, at: 6))
        #expect(held.latest()?.value == 3)
        #expect(held.latestFirst.map(\.value) == [3, 2, 4, 1])
        #expect(held.latest { $0.value != 3 }?.value == 2)
        #expect(held.latest { $0.value > 9 } == nil)
        #expect(CausalRegister<Int>().latest() == nil && CausalRegister<Int>().latestFirst.isEmpty)
    }

    @Test func `writes agree where all say the same`() throws {
        #expect(CausalRegister<Int>().agrees)
        #expect(register(try sibling("a", 1, 1)).agrees)
        #expect(register(try sibling("a", 1, 1), try sibling("b", 1, 1)).agrees)
        #expect(!register(try sibling("a", 1, 1), try sibling("b", 1, 1), try sibling("c", 1, 2)).agrees)
    }

    @Test func `erasing takes away the named dots, or those that a vector covers, and no other`() throws {
        let held = register(try sibling("a", 1, 1), try sibling("a", 2, 2), try sibling("b", 1, 3))
        var one = held
        one.erase(DotSet([try dot("a", 1), try dot("c", 1)]))
        #expect(one.dots == ["a:2", "b:1"])
        var other = held
        other.erase(coveredBy: try vector(["a": 2]))
        #expect(other.dots == ["b:1"])
        other.erase(coveredBy: try vector(["b": 1]))
        #expect(other.isEmpty)
    }

    // MARK: - Joining

    /// Joined from either side, the same is held.
    private func joined(
        _ one: CausalRegister<Int>, _ version: VersionVector, _ other: CausalRegister<Int>,
        _ otherVersion: VersionVector
    ) -> [String] {
        var (left, right) = (one, other)
        left.join(other, version: version, otherVersion: otherVersion)
        right.join(one, version: otherVersion, otherVersion: version)
        #expect(left.dots == right.dots)
        return left.dots
    }

    @Test func `a join keeps a write that both have`() throws {
        let held = register(try sibling("a", 1, 1))
        #expect(joined(held, try vector(["a": 1]), held, try vector(["a": 1, "b": 4])) == ["a:1"])
    }

    @Test func `a join keeps a write that the other does not know of`() throws {
        let (one, other) = (register(try sibling("a", 1, 1)), register(try sibling("b", 1, 2)))
        #expect(joined(one, try vector(["a": 1]), other, try vector(["b": 1])) == ["a:1", "b:1"])
        #expect(joined(one, try vector(["a": 1]), CausalRegister(), VersionVector()) == ["a:1"])
    }

    @Test func `a join drops a write that the other knows and has no more`() throws {
        let (one, other) = (register(try sibling("a", 1, 1)), register(try sibling("b", 1, 2)))
        #expect(joined(one, try vector(["a": 1]), other, try vector(["a": 1, "b": 1])) == ["b:1"])
        #expect(joined(one, try vector(["a": 1]), CausalRegister(), try vector(["a": 1])).isEmpty)
    }

    @Test func `a join never brings back what was replaced here`() throws {
        let (old, new) = (register(try sibling("a", 1, 1)), register(try sibling("a", 2, 2)))
        #expect(joined(old, try vector(["a": 1]), new, try vector(["a": 2])) == ["a:2"])
    }
}
