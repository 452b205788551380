// Why this file exists: daemons find out what they lack by comparing short hashes of all that they have, so that nothing
// need be trusted to have arrived: not the broker's memory, not the retention of its stream.

import AccordionModel
import Causality

/// The version of every document as it is stored, in buckets with a hash each.
struct Inventory {
    static let bucketCount = 256

    private(set) var versions: [DocumentName: VersionVector] = [:]
    /// For each bucket the hashes of its (document, version), folded into one that does not depend on their order.
    private(set) var hashes = [UInt64](repeating: 0, count: bucketCount)

    subscript(name: DocumentName) -> VersionVector { versions[name] ?? VersionVector() }

    mutating func set(_ name: DocumentName, _ version: VersionVector) {
        let bucket = Inventory.bucket(of: name)
        if let before = versions[name] { hashes[bucket] ^= Inventory.hash(name, before) }
        versions[name] = version
        hashes[bucket] ^= Inventory.hash(name, version)
    }

    /// Sorted by name.
    func documents(in bucket: Int) -> [(name: DocumentName, version: VersionVector)] {
        versions.lazy.filter { Inventory.bucket(of: $0.key) == bucket }.map { ($0.key, $0.value) }
            .sorted { $0.name < $1.name }
    }

    static func bucket(of name: DocumentName) -> Int { Int(hash(name.text) % UInt64(bucketCount)) }

    /// At most 2^53 - 1, so that it is a whole number in JSON.
    private static func hash(_ name: DocumentName, _ version: VersionVector) -> UInt64 {
        var hash = hash(name.text)
        for entry in version.entries {
            entry.node.forEachByte { add(UInt64($0), to: &hash) }
            add(0x1_00, to: &hash)
            add(UInt64(bitPattern: entry.counter), to: &hash)
        }
        return finish(hash) >> 11
    }

    private static func hash(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { add(UInt64(byte), to: &hash) }
        return finish(hash)
    }

    /// One step of FNV-1a, with more than a byte at a time.
    private static func add(_ value: UInt64, to hash: inout UInt64) { hash = (hash ^ value) &* 0x100_0000_01B3 }

    /// Spreads what FNV leaves in the low bits. Source: Steele, Lea, Flood (2014), the last steps of SplitMix.
    private static func finish(_ hash: UInt64) -> UInt64 {
        var mixed = hash
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
