// Why this file exists: the name of a daemon stands in every dot and every version vector, so it is compared and copied
// more often than any other value. Thirty-two bytes held in four integers cost no allocation and no reference count, and
// compare as their bytes do.

/// The name under which a daemon writes: 1 to 32 bytes of `a-z`, `0-9`, `-` and `~`. Ordered by its bytes.
@frozen @usableFromInline
package struct NodeName: Hashable, Comparable, Sendable {
    @usableFromInline let words: (UInt64, UInt64, UInt64, UInt64)

    @usableFromInline package static let bytesMax = 32

    /// `nil` where `text` is empty, longer than 32 bytes, or holds any other character.
    @usableFromInline package init?(_ text: String) {
        var words: [UInt64] = [0, 0, 0, 0]
        var count = 0
        for byte in text.utf8 {
            guard count < NodeName.bytesMax, NodeName.allows(byte) else { return nil }
            words[count / 8] |= UInt64(byte) << UInt64(56 - 8 * (count % 8))
            count += 1
        }
        guard count > 0 else { return nil }
        self.words = (words[0], words[1], words[2], words[3])
    }

    private static func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// The bytes of the name, in order.
    @usableFromInline package func forEachByte(_ body: (UInt8) -> Void) {
        for word in [words.0, words.1, words.2, words.3] {
            for place in 0..<8 {
                let byte = UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * place))
                if byte == 0 { return }
                body(byte)
            }
        }
    }

    @inlinable
    package static func == (left: NodeName, right: NodeName) -> Bool {
        left.words.0 == right.words.0 && left.words.1 == right.words.1 && left.words.2 == right.words.2
            && left.words.3 == right.words.3
    }

    @inlinable
    package static func < (left: NodeName, right: NodeName) -> Bool {
        if left.words.0 != right.words.0 { return left.words.0 < right.words.0 }
        if left.words.1 != right.words.1 { return left.words.1 < right.words.1 }
        if left.words.2 != right.words.2 { return left.words.2 < right.words.2 }
        return left.words.3 < right.words.3
    }

    @inlinable
    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

extension NodeName: CustomStringConvertible {
    @usableFromInline package var description: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(NodeName.bytesMax)
        forEachByte { bytes.append($0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
