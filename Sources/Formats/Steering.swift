// Why this file exists: what is exported may be printed to a terminal as it is. The characters that a terminal obeys, or
// that turn the direction of text, are known here by their bytes.

enum Steering {
    /// The character that begins at `index`, with its length in bytes, where it is a control character (C0, DEL, C1), a
    /// separator of lines or paragraphs, a byte order mark, or turns the direction of text.
    static func scalar(in text: Span<UInt8>, at index: Int) -> (value: UInt32, utf8Count: Int)? {
        let first = text[index]
        if first < 0x20 || first == 0x7F { return (UInt32(first), 1) }
        guard first == 0xC2 || first == 0xD8 || first == 0xE2 || first == 0xEF, index + 1 < text.count else {
            return nil
        }
        let second = text[index + 1]
        if first == 0xC2 { return second < 0xA0 ? (UInt32(second), 2) : nil }
        if first == 0xD8 { return second == 0x9C ? (0x061C, 2) : nil }
        guard index + 2 < text.count else { return nil }
        let third = text[index + 2]
        switch (first, second, third) {
        case (0xE2, 0x80, 0x8E...0x8F), (0xE2, 0x80, 0xA8...0xAE): return (0x2000 + UInt32(third & 0x3F), 3)
        case (0xE2, 0x81, 0xA6...0xA9): return (0x2040 + UInt32(third & 0x3F), 3)
        case (0xEF, 0xBB, 0xBF): return (0xFEFF, 3)
        default: return nil
        }
    }
}
