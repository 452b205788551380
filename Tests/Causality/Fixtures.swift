// Why this file exists: tests write dots as `a 3` and vectors as `a 3, b 1`, so that they read as the rules do.

import Causality
import Testing

func node(_ text: String) throws -> NodeName { try #require(NodeName(text)) }

func dot(_ name: String, _ counter: Int64) throws -> Dot { Dot(node: try node(name), counter: counter) }

func vector(_ counters: KeyValuePairs<String, Int64>) throws -> VersionVector {
    VersionVector(try counters.map { VersionVector.Entry(node: try node($0.key), counter: $0.value) })
}

/// A write whose stamp is its counter, unless another is given.
func sibling<Value>(
    _ name: String, _ counter: Int64, _ value: Value, at milliseconds: Int64? = nil, session: UInt64 = 0
) throws -> Sibling<Value> {
    Sibling(
        dot: try dot(name, counter), value: value, stamp: Stamp(milliseconds: milliseconds ?? counter, count: 0),
        by: name, session: session)
}

/// A register that holds `siblings`, none of which replaced another.
func register<Value>(_ siblings: Sibling<Value>...) -> CausalRegister<Value> { register(siblings) }

func register<Value>(_ siblings: [Sibling<Value>]) -> CausalRegister<Value> {
    var register = CausalRegister<Value>()
    for sibling in siblings { register.write(sibling, replacing: DotSet()) }
    return register
}

extension CausalRegister {
    /// The dots of its writes, in their own order.
    var dots: [String] {
        var dots: [Dot] = []
        forEach { dots.append($0.dot) }
        return dots.sorted().map(\.description)
    }
}

extension DotSet {
    var sorted: [String] {
        var dots: [Dot] = []
        forEach { dots.append($0) }
        return dots.sorted().map(\.description)
    }
}
