// Why this file exists: names are compared by their bytes after NFC, while Swift compares strings by canonical
// equivalence, which is slower and not the rule of the wire. The tables of Unicode are utf8proc's. This is the one file of
// the room that reads memory through pointers.

internal import CUnicode

enum Unicode {
    /// `text` in normalization form C; `nil` where utf8proc refuses it.
    static func normalized(_ text: String) -> String? {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        var copy = text
        return copy.withUTF8 { bytes in
            var result: UnsafeMutablePointer<UInt8>?
            let options = UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue
            let count = unsafe utf8proc_map(
                bytes.baseAddress, bytes.count, &result, utf8proc_option_t(rawValue: options))
            defer { unsafe free(result) }
            guard count >= 0, let result = unsafe result else { return nil }
            return unsafe String(decoding: UnsafeBufferPointer(start: result, count: count), as: UTF8.self)
        }
    }

    static func equalBytes(_ left: String, _ right: String) -> Bool {
        let leftCount = left.utf8.count
        guard leftCount == right.utf8.count else { return false }
        let equal = unsafe left.utf8.withContiguousStorageIfAvailable { leftBytes in
            unsafe right.utf8.withContiguousStorageIfAvailable { rightBytes in
                guard leftCount > 0, let one = leftBytes.baseAddress, let other = rightBytes.baseAddress else {
                    return true
                }
                return unsafe memcmp(one, other, leftCount) == 0
            }
        }
        return (equal ?? nil) ?? left.utf8.elementsEqual(right.utf8)
    }

    static func hashBytes(_ text: String, into hasher: inout Hasher) {
        let done: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if done == nil { for byte in text.utf8 { hasher.combine(byte) } }
        hasher.combine(text.utf8.count)
    }

    /// Letters, marks and decimal digits of any script.
    static func isLetterOrDigit(_ scalar: Swift.Unicode.Scalar) -> Bool {
        switch Int(utf8proc_category(utf8proc_int32_t(bitPattern: scalar.value)).rawValue) {
        case 1...5, 6...8, 9: true
        default: false
        }
    }

    /// What no name may hold: it would move the cursor, hide text or turn its direction where it is shown.
    static func isForbiddenInNames(_ scalar: Swift.Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        case 0x2028, 0x2029, 0xFEFF: true
        default: false
        }
    }
}

extension String {
    /// The longest beginning of at most `bytesMax` bytes that ends between two characters' scalars.
    func cut(toBytes bytesMax: Int) -> String {
        guard utf8.count > bytesMax else { return self }
        var count = 0
        var result = ""
        for scalar in unicodeScalars {
            count += UTF8.width(scalar)
            if count > bytesMax { break }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
