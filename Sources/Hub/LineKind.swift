// Why this file exists: before a line is read as JSON it is looked at for what it is not: nothing at all, or the beginning
// of a web page's request, which must never be answered.

enum LineKind {
    case blank, foreign, request

    private static let methods = [
        "GET ", "POST ", "PUT ", "HEAD ", "DELETE ", "OPTIONS ", "CONNECT ", "TRACE ", "PATCH ", "Host:",
    ]

    static func of(_ line: Span<UInt8>) -> LineKind {
        guard line.count > 0 else { return .blank }
        if line[0] == UInt8(ascii: "{") { return .request }
        if (0..<line.count).allSatisfy({ isSpace(line[$0]) }) { return .blank }
        return methods.contains { begins(line, with: $0) } ? .foreign : .request
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    /// Without regard to the case of letters.
    private static func begins(_ line: Span<UInt8>, with word: String) -> Bool {
        guard line.count >= word.utf8.count else { return false }
        for (place, byte) in word.utf8.enumerated() {
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            guard line[place] == byte || (isLetter && line[place] | 0x20 == byte | 0x20) else { return false }
        }
        return true
    }
}

/// Looks at the first bytes of a line that is longer than most may be.
enum LongLine {
    /// Whether the beginning names `op` as `create` or `replace`, as a member of the outermost object.
    static func isDocument(_ bytes: Span<UInt8>) -> Bool {
        var depth = 0
        var place = 0
        var name: Range<Int>?
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): name = nil
            case UInt8(ascii: "\""):
                guard let string = string(from: place, in: bytes) else { return false }
                if depth == 1, let named = name, text(bytes, named) == "op" {
                    return ["create", "replace"].contains(text(bytes, string))
                }
                if depth == 1, name == nil { name = string }
                place = string.upperBound
            default: break
            }
            place += 1
        }
        return false
    }

    /// The range between the quotes of the string that begins at `start`; nil where it does not end.
    private static func string(from start: Int, in bytes: Span<UInt8>) -> Range<Int>? {
        var place = start + 1
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "\"") { return (start + 1)..<place }
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        String(decoding: range.map { bytes[$0] }, as: UTF8.self)
    }
}
