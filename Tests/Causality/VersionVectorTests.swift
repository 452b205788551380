// Why this file exists: "has seen" is a comparison of version vectors, and everything else is built upon it.

import Causality
import Testing

@Suite struct VersionVectorTests {
    @Test(arguments: [(0, true), (1, true), (2, true), (3, true), (4, false)] as [(Int64, Bool)])
    func `a vector covers every dot of a node up to its counter`(_ counter: Int64, _ isCovered: Bool) throws {
        #expect(try vector(["a": 3]).covers(dot("a", counter)) == isCovered)
    }

    @Test func `a node that is not in a vector has no write in it`() throws {
        #expect(try vector(["a": 3])[node("b")] == 0)
        #expect(try !vector(["a": 3]).covers(dot("b", 1)))
        #expect(VersionVector().isEmpty && VersionVector().entries.isEmpty)
    }

    @Test func `entries stand in the order of their nodes, whatever the order in which they came`() throws {
        let names = ["a", "b", "n1", "n10", "n2", "~"]
        for first in names.indices {
            let turned = names[first...] + names[..<first]
            let entries = try turned.map { VersionVector.Entry(node: try node($0), counter: 1) }
            #expect(VersionVector(entries).entries.map(\.node.description) == names)
        }
    }

    @Test func `counters below 1 are left out, and of a node that comes twice the higher counts`() throws {
        #expect(try vector(["a": 0, "b": -1, "c": .min]).isEmpty)
        #expect(try vector(["a": 2, "a": 7, "a": 5]) == vector(["a": 7]))
        var raised = try vector(["a": 1])
        raised.raise(try node("b"), to: 0)
        #expect(try raised == vector(["a": 1]))
    }

    @Test func `raising never lowers`() throws {
        var version = try vector(["a": 3, "b": 1])
        version.raise(try node("a"), to: 2)
        version.include(try dot("b", 1))
        #expect(try version == vector(["a": 3, "b": 1]))
        version.include(try dot("b", 2))
        #expect(try version == vector(["a": 3, "b": 2]))
    }

    @Test func `a join has the higher counter of each node, from either side`() throws {
        let (one, other) = (try vector(["a": 3, "b": 1, "d": 4]), try vector(["a": 1, "b": 5, "c": 2]))
        let whole = try vector(["a": 3, "b": 5, "c": 2, "d": 4])
        for (first, second) in [(one, other), (other, one), (whole, one), (one, whole)] {
            var joined = first
            joined.join(second)
            #expect(joined == whole)
        }
    }

    @Test func `a vector covers another where no counter of that is higher`() throws {
        let (one, other) = (try vector(["a": 3, "b": 1]), try vector(["a": 1, "b": 5]))
        #expect(!one.covers(other) && !other.covers(one) && one.covers(one))
        #expect(try one.covers(vector(["a": 3])) && !vector(["a": 3]).covers(one))
        #expect(one.covers(VersionVector()) && !VersionVector().covers(one))
        #expect(try !one.covers(vector(["c": 1])))
    }

    @Test func `clamping keeps the lower counter of each node and leaves out what the bound lacks`() throws {
        let seen = try vector(["a": 9, "b": 1, "c": 4])
        #expect(try seen.clamped(to: vector(["a": 2, "b": 5, "d": 1])) == vector(["a": 2, "b": 1]))
        #expect(seen.clamped(to: VersionVector()).isEmpty)
        #expect(seen.clamped(to: seen) == seen)
    }

    @Test func `the highest counter there is does no harm`() throws {
        var version = try vector(["a": .max])
        version.join(try vector(["a": 1]))
        #expect(try version.covers(dot("a", .max)))
        #expect(try version.clamped(to: vector(["a": 1])) == vector(["a": 1]))
    }
}
