// Why this file exists: dots name writes, and sets of them say what was replaced.

import Causality
import Testing

@Suite struct DotTests {
    @Test func `dots order by node, then by counter`() throws {
        let dots = [try dot("a", 1), try dot("a", 2), try dot("a", 10), try dot("a1", 1), try dot("b", 1)]
        #expect(dots.reversed().sorted() == dots)
        #expect(try dot("n1", 7).description == "n1:7")
    }

    @Test func `a set holds each dot once, however often it comes`() throws {
        let set = DotSet([try dot("a", 1), try dot("b", 1), try dot("a", 1), try dot("b", 1)])
        #expect(set.count == 2)
        #expect(set.sorted == ["a:1", "b:1"])
    }

    @Test func `sets are equal whatever the order in which their dots came`() throws {
        let (one, two, three) = (try dot("a", 1), try dot("a", 2), try dot("b", 1))
        #expect(DotSet([one, two, three]) == DotSet([three, one, two]))
        #expect(DotSet([one, two]) != DotSet([one, three]))
        #expect(DotSet([one]) != DotSet([one, two]))
        #expect(DotSet() == DotSet([]) && DotSet() != DotSet([one]))
    }

    @Test func `a set of none, of one and of more says what it holds`() throws {
        let dots = [try dot("a", 1), try dot("a", 2), try dot("b", 3)]
        for count in 0...3 {
            let set = DotSet(dots.prefix(count))
            #expect(set.isEmpty == (count == 0) && set.count == count)
            for (place, dot) in dots.enumerated() { #expect(set.contains(dot) == (place < count)) }
            #expect(set.allSatisfy { $0.counter < 3 } == (count < 3))
        }
    }
}
