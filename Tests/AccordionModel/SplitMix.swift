// Why this file exists: a random test that fails must be told how to fail again. The sequence follows from its seed alone;
// the seed is drawn anew each time and printed, or given by ACCORDION_SEED.
// Source of the generator: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (2014).

import Glibc

struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
    mutating func oneIn(_ bound: Int) -> Bool { below(bound) == 0 }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

enum Environment {
    static func value(_ name: String) -> String? {
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(cString: text)
    }

    /// Whether the long forms of the tests are asked for.
    static var isLong: Bool { value("ACCORDION_LONG") == "1" }

    /// The seed of a random test, printed under the test's name.
    static func seed(for test: String) -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        let seed = value("ACCORDION_SEED").flatMap { UInt64($0) } ?? generator.next()
        print("\(test): ACCORDION_SEED=\(seed)")
        return seed
    }

    /// All bytes of a file, as text; nil where it can't be read.
    static func text(ofFile path: String) -> String? {
        guard let file = unsafe fopen(path, "r") else { return nil }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe fread($0.baseAddress, 1, $0.count, file) }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
