// Why this file exists: simdjson says that a line is wrong, not where. When it refuses one, this reader goes over the
// line once more, from left to right, and finds the first fault. It runs on that path alone, so it is written to be
// plain, not fast; a bit a level stands for its stack, so depth costs nothing and nothing recurses.

/// Why a line is no request. Offsets are in bytes from the start of the line.
package enum JSONFault: Error, Equatable, Sendable {
    case badUTF8(offset: Int)
    case badJSON(offset: Int, Reason)
    /// The bracket that opens the 41st level.
    case tooDeep(offset: Int)
    /// The name as it may stand in a message.
    case repeatedMember(quotedName: String)
    case outOfMemory

    package enum Reason: String, Sendable {
        case empty = "there is no JSON"
        case endsEarly = "the line ends inside a value"
        case unexpectedByte = "this byte can't stand here"
        case trailing = "something follows the value"
        case nul = "a NUL"
        case byteOrderMark = "a byte order mark"
        case controlCharacter = "a control character in a string must be escaped"
        case badEscape = "no such escape"
        case loneSurrogate = "half a surrogate pair"
        case notAnObject = "a request is an object"
        case notAList = "it is no list"
        case unreadable = "it can't be read"
    }

    package static let depthMax = 40

    /// The fault of JSON that is well formed.
    var isNoObject: Bool { if case .badJSON(_, .notAnObject) = self { true } else { false } }

    /// For a reply: what is wrong, and where.
    package var message: String {
        switch self {
        case .badUTF8(let offset): "at byte \(offset): no UTF-8"
        case .badJSON(let offset, let reason): "at byte \(offset): \(reason.rawValue)"
        case .tooDeep(let offset): "at byte \(offset): more than \(Self.depthMax) levels"
        case .repeatedMember(let quotedName): "the member \(quotedName) stands twice in one object"
        case .outOfMemory: "there is no memory to read this line"
        }
    }

    /// The first fault of a line, names that repeat aside: bytes that are no UTF-8 anywhere; then what is no JSON, or is
    /// nested too deep, whichever comes first; then JSON that is no object. `wideNumber` is told each number on the way
    /// that has a fraction, an exponent, or 19 digits and more: all that a 64-bit integer or a double may not hold.
    package static func first(in line: Span<UInt8>, wideNumber: (Range<Int>) -> Void = { _ in }) -> JSONFault? {
        do {
            _ = try UTF8Span(validating: line)
        } catch {
            return .badUTF8(offset: error.byteOffsets.lowerBound)
        }
        var scanner = JSONScanner(line)
        do {
            try scanner.scan(wideNumber)
            return nil
        } catch {
            return error
        }
    }
}

/// One pass over one line.
private struct JSONScanner: ~Escapable {
    private enum Expected { case value, elementOrEnd, name, nameOrEnd, commaOrEnd, nothing }

    private let line: Span<UInt8>
    private var at = 0
    private var expected = Expected.value
    private var depth = 0
    /// Bit `depth - 1` says whether the container being read is an object.
    private var objects: UInt64 = 0

    @_lifetime(copy line) init(_ line: Span<UInt8>) { self.line = line }

    mutating func scan(_ wideNumber: (Range<Int>) -> Void) throws(JSONFault) {
        skipSpaces()
        guard at < line.count else { throw .badJSON(offset: at, .empty) }
        let start = at
        while at < line.count {
            try step(wideNumber)
            skipSpaces()
        }
        guard expected == .nothing else { throw endsEarly }
        guard line[start] == UInt8(ascii: "{") else { throw .badJSON(offset: start, .notAnObject) }
    }

    private var endsEarly: JSONFault { .badJSON(offset: line.count, .endsEarly) }

    private mutating func skipSpaces() {
        while at < line.count {
            switch line[at] {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            default: return
            }
        }
    }

    /// Reads one token; `at` is its first byte.
    private mutating func step(_ wideNumber: (Range<Int>) -> Void) throws(JSONFault) {
        switch (expected, line[at]) {
        case (.value, _): try value(wideNumber)
        case (.elementOrEnd, UInt8(ascii: "]")): close()
        case (.elementOrEnd, _): try value(wideNumber)
        case (.nameOrEnd, UInt8(ascii: "}")): close()
        case (.nameOrEnd, UInt8(ascii: "\"")), (.name, UInt8(ascii: "\"")):
            try string()
            skipSpaces()
            guard at < line.count else { throw endsEarly }
            guard line[at] == UInt8(ascii: ":") else { throw unexpected() }
            at += 1
            expected = .value
        case (.commaOrEnd, UInt8(ascii: ",")):
            at += 1
            expected = isInObject ? .name : .value
        case (.commaOrEnd, UInt8(ascii: "}")) where isInObject: close()
        case (.commaOrEnd, UInt8(ascii: "]")) where !isInObject: close()
        default: throw unexpected()
        }
    }

    private var isInObject: Bool { depth > 0 && objects >> UInt64(depth - 1) & 1 == 1 }

    private mutating func open(isObject: Bool) throws(JSONFault) {
        guard depth < JSONFault.depthMax else { throw .tooDeep(offset: at) }
        let bit = UInt64(1) << UInt64(depth)
        objects = isObject ? objects | bit : objects & ~bit
        depth += 1
        at += 1
        expected = isObject ? .nameOrEnd : .elementOrEnd
    }

    private mutating func close() {
        depth -= 1
        at += 1
        valueEnded()
    }

    private mutating func valueEnded() { expected = depth == 0 ? .nothing : .commaOrEnd }

    /// The fault of a byte that fits nothing here.
    private func unexpected() -> JSONFault {
        if line[at] == 0 { return .badJSON(offset: at, .nul) }
        if line.count - at >= 3, line[at] == 0xEF, line[at + 1] == 0xBB, line[at + 2] == 0xBF {
            return .badJSON(offset: at, .byteOrderMark)
        }
        return .badJSON(offset: at, expected == .nothing ? .trailing : .unexpectedByte)
    }

    private mutating func value(_ wideNumber: (Range<Int>) -> Void) throws(JSONFault) {
        switch line[at] {
        case UInt8(ascii: "{"): return try open(isObject: true)
        case UInt8(ascii: "["): return try open(isObject: false)
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let start = at
            if try number() { wideNumber(start..<at) }
        default: throw unexpected()
        }
        valueEnded()
    }

    private mutating func word(_ letters: String) throws(JSONFault) {
        for letter in letters.utf8 {
            guard at < line.count else { throw endsEarly }
            guard line[at] == letter else { throw unexpected() }
            at += 1
        }
    }

    /// Says whether the number is wide.
    private mutating func number() throws(JSONFault) -> Bool {
        if line[at] == UInt8(ascii: "-") { at += 1 }
        var isWide = false
        if at < line.count, line[at] == UInt8(ascii: "0") {
            at += 1
        } else {
            isWide = try digits() > 18
        }
        if at < line.count, line[at] == UInt8(ascii: ".") {
            at += 1
            _ = try digits()
            isWide = true
        }
        if at < line.count, line[at] | 0x20 == UInt8(ascii: "e") {
            at += 1
            if at < line.count, line[at] == UInt8(ascii: "+") || line[at] == UInt8(ascii: "-") { at += 1 }
            _ = try digits()
            isWide = true
        }
        return isWide
    }

    /// One digit or more; gives their number.
    private mutating func digits() throws(JSONFault) -> Int {
        let start = at
        while at < line.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(line[at]) { at += 1 }
        guard at > start else { throw at < line.count ? unexpected() : endsEarly }
        return at - start
    }

    private mutating func string() throws(JSONFault) {
        at += 1
        while at < line.count {
            switch line[at] {
            case UInt8(ascii: "\""):
                at += 1
                return
            case UInt8(ascii: "\\"): try escape()
            case 0: throw .badJSON(offset: at, .nul)
            case 1..<0x20: throw .badJSON(offset: at, .controlCharacter)
            default: at += 1
            }
        }
        throw endsEarly
    }

    private mutating func escape() throws(JSONFault) {
        let start = at
        guard start + 1 < line.count else { throw endsEarly }
        switch line[start + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 2
        case UInt8(ascii: "u"):
            switch try unit(escapedAt: start, orElse: .badEscape, start) {
            case 0: throw .badJSON(offset: start, .nul)
            case 0xD800..<0xDC00:
                let low = try unit(escapedAt: start + 6, orElse: .loneSurrogate, start)
                guard (0xDC00..<0xE000).contains(low) else { throw .badJSON(offset: start, .loneSurrogate) }
            case 0xDC00..<0xE000: throw .badJSON(offset: start, .loneSurrogate)
            default: break
            }
        default: throw .badJSON(offset: start, .badEscape)
        }
    }

    /// The UTF-16 unit of a `\uXXXX` at `index`, which is passed over; what else stands there is a fault of `reason` at
    /// `start`.
    private mutating func unit(
        escapedAt index: Int, orElse reason: JSONFault.Reason, _ start: Int
    ) throws(JSONFault) -> UInt32 {
        var unit: UInt32 = 0
        for place in 0..<6 {
            guard index + place < line.count else { throw endsEarly }
            let byte = line[index + place]
            switch (place, byte) {
            case (0, UInt8(ascii: "\\")), (1, UInt8(ascii: "u")): continue
            case (2..., UInt8(ascii: "0")...UInt8(ascii: "9")): unit = unit << 4 | UInt32(byte & 0xF)
            case (2..., UInt8(ascii: "a")...UInt8(ascii: "f")), (2..., UInt8(ascii: "A")...UInt8(ascii: "F")):
                unit = unit << 4 | UInt32(byte & 0xF) + 9
            default: throw .badJSON(offset: start, reason)
            }
        }
        at = index + 6
        return unit
    }
}
