// Why this file exists: what goes out on the wire may be shown by a program that knows nothing of JSON, such as `nc` in
// a terminal. So every character that could steer a terminal or turn the direction of its text is written as an escape,
// also where JSON does not ask for it; here is the list of them, for lines as for messages.
// Unsafe in one place: eight bytes are loaded at once, within bounds that the load itself checks.

package enum JSONEscape {
    /// A place in a text where an escape must stand.
    struct Place {
        let index: Int
        let utf8Count: Int
        /// Always below U+10000.
        let scalar: UInt16
    }

    /// The first place at or after `start` in `text` (UTF-8): `"`, `\`, C0, DEL, C1, the line and paragraph separators,
    /// the byte order mark, and the characters that turn the direction of text (Unicode's Bidi_Control).
    static func next(in text: Span<UInt8>, from start: Int) -> Place? {
        var index = start
        while index < text.count {
            while text.count - index >= 8, !mayBeginInWord(of: text, at: index) { index += 8 }
            let end = min(index + 8, text.count)
            while index < end {
                if mayBegin(text[index]), let place = place(in: text, at: index) { return place }
                index += 1
            }
        }
        return nil
    }

    /// Whether `mayBegin` holds for any of eight bytes. (Warren, "Hacker's Delight", 6-1: finding a zero byte.)
    @inline(__always) private static func mayBeginInWord(of text: Span<UInt8>, at index: Int) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs = ones << 7
        let word = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
        @inline(__always) func has(_ byte: UInt64) -> UInt64 {
            let difference = word ^ ones &* byte
            return (difference &- ones) & ~difference
        }
        let found = (word &- ones &* 0x20) & ~word | has(0x22) | has(0x5C) | has(0x7F)
        if word & highs == 0 { return found & highs != 0 }
        return (found | has(0xC2) | has(0xD8) | has(0xE2) | has(0xEF)) & highs != 0
    }

    /// Of the bytes of UTF-8, those with which a character of the list can begin.
    @inline(__always) private static func mayBegin(_ byte: UInt8) -> Bool {
        if byte < 0x7F { return byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }
        return byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2 || byte == 0xEF
    }

    static func place(in text: Span<UInt8>, at index: Int) -> Place? {
        let first = text[index]
        guard first > 0x7F else {
            return mayBegin(first) ? Place(index: index, utf8Count: 1, scalar: UInt16(first)) : nil
        }
        guard index + 1 < text.count else { return nil }
        let second = text[index + 1]
        switch (first, second) {
        case (0xC2, 0x80...0x9F): return Place(index: index, utf8Count: 2, scalar: UInt16(second))
        case (0xD8, 0x9C): return Place(index: index, utf8Count: 2, scalar: 0x061C)
        default: break
        }
        guard index + 2 < text.count else { return nil }
        let third = text[index + 2]
        switch (first, second, third) {
        case (0xE2, 0x80, 0x8E...0x8F), (0xE2, 0x80, 0xA8...0xAE):
            return Place(index: index, utf8Count: 3, scalar: 0x2000 + UInt16(third & 0x3F))
        case (0xE2, 0x81, 0xA6...0xA9):
            return Place(index: index, utf8Count: 3, scalar: 0x2040 + UInt16(third & 0x3F))
        case (0xEF, 0xBB, 0xBF): return Place(index: index, utf8Count: 3, scalar: 0xFEFF)
        default: return nil
        }
    }

    /// The letter of the short escape, where JSON has one.
    static func shortEscape(_ scalar: UInt16) -> UInt8? {
        switch scalar {
        case 0x22: UInt8(ascii: "\"")
        case 0x5C: UInt8(ascii: "\\")
        case 0x08: UInt8(ascii: "b")
        case 0x09: UInt8(ascii: "t")
        case 0x0A: UInt8(ascii: "n")
        case 0x0C: UInt8(ascii: "f")
        case 0x0D: UInt8(ascii: "r")
        default: nil
        }
    }

    /// The digit for the lowest four bits.
    static func hexDigit(_ number: UInt16) -> UInt8 {
        let digit = UInt8(truncatingIfNeeded: number & 0xF)
        return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }

    /// Bytes between the quotes of `quoted`, at most.
    package static let quotedBytesMax = 128

    /// Text from outside as it may stand in a message or a log: in double quotes, on one line, escaped as on the wire,
    /// cut between two characters where it would take over 128 bytes. Takes no longer for a longer text.
    package static func quoted(_ text: String) -> String { quoted(text.utf8.span) }

    /// The same of UTF-8; bytes that are none are shown as U+FFFD.
    package static func quoted(_ text: Span<UInt8>) -> String {
        var quoted = [UInt8(ascii: "\"")]
        quoted.reserveCapacity(quotedBytesMax + 2)
        var index = 0
        while index < text.count {
            let place = place(in: text, at: index)
            let utf8Count = min(place?.utf8Count ?? Self.utf8Count(of: text[index]), text.count - index)
            let written = place.map { shortEscape($0.scalar) == nil ? 6 : 2 } ?? utf8Count
            guard quoted.count - 1 + written <= quotedBytesMax else { break }
            if let scalar = place?.scalar {
                quoted.append(UInt8(ascii: "\\"))
                if let letter = shortEscape(scalar) {
                    quoted.append(letter)
                } else {
                    quoted.append(UInt8(ascii: "u"))
                    for shift in [12, 8, 4, 0] { quoted.append(hexDigit(scalar >> UInt16(shift))) }
                }
            } else {
                for byte in 0..<utf8Count { quoted.append(text[index + byte]) }
            }
            index += utf8Count
        }
        quoted.append(UInt8(ascii: "\""))
        return String(decoding: quoted, as: UTF8.self)
    }

    /// By the first byte of a character; 1 for a byte that begins none.
    private static func utf8Count(of first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}
