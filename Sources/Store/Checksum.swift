// Why this file exists: a disk may give back something else than it took. Each row carries a number made of its key and its
// values; a row whose number does not fit is set aside, so that no wrong value is ever served.

/// A checksum of values, one after the other. FNV-1a (Fowler, Noll, Vo) taken eight bytes at a time, with the upper half
/// folded down after each step: every step is reversible, so two inputs that differ in one word only never have the same
/// sum; otherwise by chance of 1 in 2^64. It is no defence against somebody who means to forge it.
struct Checksum {
    private var value: UInt64 = 0xcbf2_9ce4_8422_2325

    var sum: Int64 { Int64(bitPattern: value) }

    private mutating func add(word: UInt64) {
        value = (value ^ word) &* 0x0000_0100_0000_01b3
        value ^= value >> 32
    }

    mutating func add(_ number: Int64) { add(word: UInt64(bitPattern: number)) }

    mutating func add(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        add(text.utf8.span)
    }

    mutating func add(_ bytes: [UInt8]) { add(bytes.span) }

    /// The count stands before the bytes, so that values can't flow into each other.
    mutating func add(_ bytes: Span<UInt8>) {
        add(word: UInt64(bytes.count))
        var place = 0
        while place + 8 <= bytes.count {
            var word: UInt64 = 0
            for offset in 0..<8 { word |= UInt64(bytes[place + offset]) << UInt64(8 * offset) }
            add(word: word)
            place += 8
        }
        guard place < bytes.count else { return }
        var word: UInt64 = 0
        for offset in 0..<(bytes.count - place) { word |= UInt64(bytes[place + offset]) << UInt64(8 * offset) }
        add(word: word)
    }

    /// NULL is no empty value.
    mutating func add(optional bytes: [UInt8]?) {
        add(bytes == nil ? 0 : 1)
        if let bytes { add(bytes) }
    }
}
