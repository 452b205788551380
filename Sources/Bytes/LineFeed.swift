// Why this file exists: the two things about a span of bytes that the framer does to every byte, and that a loop with a
// check at each step does eight times slower: looking for the end of a line, and copying.

extension Span where Element == UInt8 {
    /// The index of the first byte 0x0A in `range`, or nil. Eight bytes are looked at together: a byte is zero exactly
    /// where subtracting one from it borrows and its top bit was not set (Mycroft's test), so the lowest bit found is exact.
    @usableFromInline func firstLineFeed(in range: Range<Int>) -> Int? {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range of this span")
        return unsafe withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var index = range.lowerBound
            let lastWord = range.upperBound &- 8
            while index <= lastWord {
                let word = UInt64(littleEndian: unsafe base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let marked = word ^ 0x0a0a_0a0a_0a0a_0a0a
                let zeros = (marked &- 0x0101_0101_0101_0101) & ~marked & 0x8080_8080_8080_8080
                if zeros != 0 { return index &+ zeros.trailingZeroBitCount &>> 3 }
                index &+= 8
            }
            while index < range.upperBound {
                if unsafe base.load(fromByteOffset: index, as: UInt8.self) == 0x0a { return index }
                index &+= 1
            }
            return nil
        }
    }
}

extension Array where Element == UInt8 {
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
