// Why this file exists: a random test must be repeatable from the seed that it prints, in every room alike.

/// A sequence that follows from its seed alone.
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
package struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, `bound`.
    package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// True once in `times`.
    package mutating func once(in times: Int) -> Bool { below(times) == 0 }

    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// A seed that nobody chose, to be printed with what it made wrong.
package func freshSeed() -> UInt64 { UInt64.random(in: 0...UInt64.max) }
