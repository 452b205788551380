// Why this file exists: what goes into one column together – the writes of a register, a turn's history – is packed tightly,
// since it is written for every toggle; and what comes out may have been damaged, so nothing is read beyond its end and
// no number is believed.

/// Writes values one after the other.
struct Packer {
    private(set) var bytes: [UInt8] = []

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    /// Seven bits a byte, the lowest first; small numbers take one byte.
    mutating func number(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Small numbers of either sign take one byte.
    mutating func signed(_ number: Int64) {
        self.number(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    mutating func text(_ text: String) {
        number(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}

/// What was packed is not what was packed.
struct Unreadable: Error {}

/// Reads what a `Packer` wrote, and throws where it can't be that.
struct Unpacker {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func byte() throws(Unreadable) -> UInt8 {
        guard place < bytes.count else { throw Unreadable() }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func number() throws(Unreadable) -> UInt64 {
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let byte = try self.byte()
            guard shift < 63 || byte <= 1 else { throw Unreadable() }
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
        }
        throw Unreadable()
    }

    mutating func signed() throws(Unreadable) -> Int64 {
        let number = try self.number()
        return Int64(bitPattern: number >> 1) ^ -Int64(number & 1)
    }

    /// How many of something follow; each takes at least a byte, so no more can than bytes are left.
    mutating func count() throws(Unreadable) -> Int {
        let number = try self.number()
        guard number <= UInt64(bytes.count - place) else { throw Unreadable() }
        return Int(number)
    }

    mutating func text() throws(Unreadable) -> String {
        let count = try self.count()
        defer { place += count }
        guard let text = String(validating: bytes[place..<(place + count)], as: UTF8.self) else { throw Unreadable() }
        return text
    }
}
