// Why this file exists: packed bytes are read from a disk that may have changed them, so reading them must end in what was
// packed or in a refusal, never in a trap.

import AccordionModel
import Causality
import TestSupport
import Testing

@testable import Store

@Suite struct CodingTests {
    @Test func `history entries come back as they were packed`() throws {
        let seed = freshSeed()
        var states = try RandomStates(seed: seed)
        for _ in 0..<300 {
            let first = Int64(1 + states.random.below(1_000))
            let entries = (0..<(1 + states.random.below(20))).map { states.entry(first + Int64($0)) }
            var packer = Packer()
            #expect(packer.history(entries[...]) == entries.count)
            var unpacker = Unpacker(packer.bytes)
            #expect(try unpacker.history(first: first, count: Int64(entries.count)) == entries, "seed \(seed)")
        }
    }

    @Test func `numbers at every edge come back`() throws {
        let edges: [Int64] = [.min, .min + 1, -1 << 53, -65, -64, -1, 0, 1, 63, 64, 127, 128, 1 << 53, .max - 1, .max]
        var packer = Packer()
        for edge in edges {
            packer.signed(edge)
            packer.number(UInt64(bitPattern: edge))
        }
        var unpacker = Unpacker(packer.bytes)
        for edge in edges {
            #expect(try unpacker.signed() == edge)
            #expect(try unpacker.number() == UInt64(bitPattern: edge))
        }
        #expect(unpacker.isAtEnd)
    }

    @Test func `stamps and counters that jump to and fro come back`() throws {
        let node = try nodeName("n1")
        let edges: [Int64] = [.max, .min, 0, .min, .max, -1, 1]
        let entries = edges.enumerated().map { place, edge in
            HistoryEntry(
                number: Int64(place + 1), dot: Dot(node: node, counter: edge),
                stamp: Stamp(milliseconds: edge, count: edge), by: "a", born: edge)
        }
        var packer = Packer()
        _ = packer.history(entries[...])
        var unpacker = Unpacker(packer.bytes)
        #expect(try unpacker.history(first: 1, count: Int64(entries.count)) == entries)
    }

    @Test func `what is cut off is refused at every place`() throws {
        var states = try RandomStates(seed: 7)
        let entries = (1...12).map { states.entry($0) }
        var packer = Packer()
        _ = packer.history(entries[...])
        for count in packer.bytes.indices {
            var unpacker = Unpacker(Array(packer.bytes.prefix(count)))
            #expect(throws: Unreadable.self) { try unpacker.history(first: 1, count: 12) }
        }
        packer.removeAll()
        packer.siblings(states.siblings(8) { $0.random.pick([.on, .off]) })
        for count in packer.bytes.indices {
            var unpacker = Unpacker(Array(packer.bytes.prefix(count)))
            #expect(throws: Unreadable.self) { try unpacker.siblings() }
        }
    }

    @Test func `random and changed bytes are read or refused, and never trap`() throws {
        let seed = freshSeed()
        var states = try RandomStates(seed: seed)
        var outcomes = (read: 0, refused: 0)
        func attempt(_ bytes: [UInt8]) {
            func count(_ body: (inout Unpacker) throws -> Void) {
                var unpacker = Unpacker(bytes)
                do {
                    try body(&unpacker)
                    outcomes.read += 1
                } catch { outcomes.refused += 1 }
            }
            count { _ = try $0.history(first: .max - 3, count: 5) }
            count { _ = try $0.history(first: 1, count: .max) }
            count { _ = try $0.siblings() }
            count { _ = try $0.version() }
        }
        for _ in 0..<(isLong ? 200_000 : 5_000) {
            attempt((0..<states.random.below(200)).map { _ in UInt8(truncatingIfNeeded: states.random.next()) })
            // The right form byte, so that more than that is read.
            attempt([1] + (0..<states.random.below(60)).map { _ in UInt8(states.random.below(12)) })
            var packer = Packer()
            switch states.random.below(3) {
            case 0: _ = packer.history((0..<5).map { states.entry(Int64($0) + 1) }[...])
            case 1: packer.siblings(states.siblings(3) { $0.random.pick([.on, .off, .initial]) })
            default: packer.version(states.version())
            }
            var bytes = packer.bytes
            bytes[states.random.below(bytes.count)] ^= 1 << UInt8(states.random.below(8))
            attempt(bytes)
        }
        #expect(outcomes.read > 0 && outcomes.refused > 0, "seed \(seed)")
    }

    @Test func `a checksum changes with every bit of what it is made of`() {
        let bytes = (0..<67).map { UInt8($0) }
        func sum(_ bytes: [UInt8]) -> Int64 {
            var checksum = Checksum()
            checksum.add(bytes)
            return checksum.sum
        }
        var sums: Set<Int64> = [sum(bytes)]
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                sums.insert(sum(changed))
            }
        }
        #expect(sums.count == 1 + 67 * 8)
        #expect(Set((0..<40).map { sum([UInt8](repeating: 0, count: $0)) }).count == 40)
    }
}
