// What remains of a Swift text when comments and the insides of strings are taken away, so that a check for a word finds
// the word where it is code and not where somebody writes about it. Code inside an interpolation stays.

/// The text with its lines where they were; strings become `""`, a name in backticks keeps only its length.
func swiftCode(_ text: String) -> String {
    var stripper = Stripper(Array(text.utf8))
    return stripper.strip()
}

private enum Mark {
    static let lineComment = Array("//".utf8)
    static let commentOpens = Array("/*".utf8)
    static let commentCloses = Array("*/".utf8)
    static let quote = Array("\"".utf8)
    static let threeQuotes = Array("\"\"\"".utf8)
}

private struct Stripper {
    private enum Context {
        case code(openParentheses: Int)
        case string(hashes: Int, isMultiline: Bool)
    }

    private let bytes: [UInt8]
    private var index = 0
    private var output: [UInt8] = []
    /// The innermost is last; below an interpolation stands the string that it is in.
    private var contexts: [Context] = [.code(openParentheses: 0)]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func strip() -> String {
        while index < bytes.count {
            switch contexts.last ?? .code(openParentheses: 0) {
            case .code(let openParentheses): code(openParentheses)
            case .string(let hashes, let isMultiline): string(hashes, isMultiline)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private func follows(_ wanted: [UInt8], at offset: Int = 0) -> Bool {
        var place = index + offset
        for byte in wanted {
            guard place < bytes.count, bytes[place] == byte else { return false }
            place += 1
        }
        return true
    }

    private func hashes(at start: Int) -> Int {
        var count = 0
        while start + count < bytes.count, bytes[start + count] == UInt8(ascii: "#") { count += 1 }
        return count
    }

    private mutating func keep() {
        output.append(bytes[index])
        index += 1
    }

    private mutating func code(_ openParentheses: Int) {
        let hashCount = hashes(at: index)
        if follows(Mark.lineComment) {
            while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
        } else if follows(Mark.commentOpens) {
            blockComment()
        } else if bytes[index] == UInt8(ascii: "`") {
            quotedName()
        } else if follows(Mark.threeQuotes, at: hashCount) {
            begin(hashCount, isMultiline: true)
        } else if follows(Mark.quote, at: hashCount) {
            begin(hashCount, isMultiline: false)
        } else if bytes[index] == UInt8(ascii: "("), contexts.count > 1 {
            contexts[contexts.count - 1] = .code(openParentheses: openParentheses + 1)
            keep()
        } else if bytes[index] == UInt8(ascii: ")"), contexts.count > 1 {
            if openParentheses == 0 {
                contexts.removeLast()
            } else {
                contexts[contexts.count - 1] = .code(openParentheses: openParentheses - 1)
            }
            keep()
        } else {
            keep()
        }
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if follows(Mark.commentOpens) {
                depth += 1
                index += 2
            } else if follows(Mark.commentCloses) {
                depth -= 1
                index += 2
            } else {
                if bytes[index] == UInt8(ascii: "\n") { output.append(bytes[index]) }
                index += 1
            }
        } while depth > 0 && index < bytes.count
    }

    private mutating func quotedName() {
        keep()
        while index < bytes.count, bytes[index] != UInt8(ascii: "`"), bytes[index] != UInt8(ascii: "\n") {
            output.append(UInt8(ascii: "x"))
            index += 1
        }
        if index < bytes.count { keep() }
    }

    private mutating func begin(_ hashCount: Int, isMultiline: Bool) {
        output.append(UInt8(ascii: "\""))
        index += hashCount + (isMultiline ? 3 : 1)
        contexts.append(.string(hashes: hashCount, isMultiline: isMultiline))
    }

    private mutating func string(_ hashCount: Int, _ isMultiline: Bool) {
        let byte = bytes[index]
        if byte == UInt8(ascii: "\\"), hashes(at: index + 1) >= hashCount {
            index += 1 + hashCount
            guard index < bytes.count else { return }
            if bytes[index] == UInt8(ascii: "(") {
                contexts.append(.code(openParentheses: 0))
                keep()
            } else if bytes[index] != UInt8(ascii: "\n") {
                index += 1
            }
        } else if isMultiline ? follows(Mark.threeQuotes) : byte == UInt8(ascii: "\""),
            hashes(at: index + (isMultiline ? 3 : 1)) >= hashCount
        {
            end(hashCount, isMultiline)
        } else if byte == UInt8(ascii: "\n") {
            // A string on one line can't reach the next: what looks like it is an error, not swallowed further.
            if !isMultiline { contexts.removeLast() }
            keep()
        } else {
            index += 1
        }
    }

    private mutating func end(_ hashCount: Int, _ isMultiline: Bool) {
        output.append(UInt8(ascii: "\""))
        index += (isMultiline ? 3 : 1) + hashCount
        contexts.removeLast()
    }
}

/// True where `word` stands in the line with no letter, digit or underscore at either side of it.
func holdsWord(_ line: String, _ word: String) -> Bool { wordOffset(line, word) != nil }

/// The byte offset of the first such place.
func wordOffset(_ line: String, _ word: String) -> Int? {
    // Most lines don't hold the word at all, and the library searches faster than a test build does.
    guard line.contains(word) else { return nil }
    let bytes = Array(line.utf8)
    let wanted = Array(word.utf8)
    guard !wanted.isEmpty, bytes.count >= wanted.count else { return nil }
    for start in 0...(bytes.count - wanted.count) where bytes[start] == wanted[0] {
        let end = start + wanted.count
        guard bytes[start..<end].elementsEqual(wanted) else { continue }
        let opens = start == 0 || !isWordByte(bytes[start - 1]) || !isWordByte(wanted[0])
        let closes = end == bytes.count || !isWordByte(bytes[end]) || !isWordByte(wanted[wanted.count - 1])
        if opens, closes { return start }
    }
    return nil
}

func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 128...:
        true
    default: false
    }
}

func indentation(_ line: String) -> Int { line.utf8.prefix { $0 == UInt8(ascii: " ") }.count }

/// The words between blanks, attributes with their arguments left out.
func wordsWithoutAttributes(_ line: String) -> [String] {
    var words: [String] = []
    var openParentheses = 0
    for word in line.split(separator: " ") {
        let startsAttribute = openParentheses == 0 && word.hasPrefix("@")
        if startsAttribute || openParentheses > 0 {
            for byte in word.utf8 {
                if byte == UInt8(ascii: "(") { openParentheses += 1 }
                if byte == UInt8(ascii: ")") { openParentheses -= 1 }
            }
        } else {
            words.append(String(word))
        }
    }
    return words
}
