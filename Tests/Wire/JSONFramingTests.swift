// Why this file exists: the rows of PROTOCOL's framing table that are about JSON, each with its code and its offset.
import Testing
import Wire

struct JSONFramingTests {
    @Test func `an object is read, whatever spaces stand around it`() {
        for line in ["{}", " {} ", "\t{ }\r", "{\"op\" : \"ping\" , \"id\":\t5}", #"{"":{"":[{}]}}"#] {
            #expect(fault(line) == nil, "\(line)")
        }
    }

    @Test func `no JSON is told with the offset of the first byte that fits nothing`() {
        let lines: [(String, JSONFault)] = [
            ("", bad(0, .empty)), ("   ", bad(3, .empty)), ("hello", bad(0, .unexpectedByte)),
            ("nul", bad(3, .endsEarly)), ("{", bad(1, .endsEarly)), (#"{"a"#, bad(3, .endsEarly)),
            (#"{"a""#, bad(4, .endsEarly)), (#"{"a":"#, bad(5, .endsEarly)), (#"{"a":1"#, bad(6, .endsEarly)),
            (#"{"a":1,"#, bad(7, .endsEarly)), (#"{"a":"\"#, bad(7, .endsEarly)), (#"{"a":"\u00"#, bad(10, .endsEarly)),
            (#"{"a":1,}"#, bad(7, .unexpectedByte)), (#"{"a" 1}"#, bad(5, .unexpectedByte)),
            (#"{"a":1 "b":2}"#, bad(7, .unexpectedByte)), ("{a:1}", bad(1, .unexpectedByte)),
            ("{'a':1}", bad(1, .unexpectedByte)), (#"{"a":[1,]}"#, bad(8, .unexpectedByte)),
            (#"{"a":[1}"#, bad(7, .unexpectedByte)), (#"{"a":{]}"#, bad(6, .unexpectedByte)),
            (#"{"a":tru}"#, bad(8, .unexpectedByte)), (#"{"a":nan}"#, bad(6, .unexpectedByte)),
            (#"{"a":"\x"}"#, bad(6, .badEscape)), (#"{"a":"\u12g4"}"#, bad(6, .badEscape)),
            ("{\"a\":\"x\ty\"}", bad(7, .controlCharacter)), ("{\"a\u{1F}\":1}", bad(3, .controlCharacter)),
            ("{\u{0B}}", bad(1, .unexpectedByte)), ("{\u{A0}}", bad(1, .unexpectedByte)),
        ]
        for (line, expected) in lines { #expect(fault(line) == expected, "\(line)") }
    }

    @Test func `what follows the object is told`() {
        #expect(fault(#"{"a":1} {}"#) == bad(8, .trailing))
        #expect(fault("{}x") == bad(2, .trailing))
        #expect(fault("{}}") == bad(2, .trailing))
        #expect(fault("{}\0") == bad(2, .nul))
    }

    @Test func `anything but an object is refused where it begins`() {
        for value in ["[]", "[{}]", "1", "-0.5", "1e400", "\"{}\"", "true", "null", #"[{"a":1,"a":2}]"#] {
            #expect(fault(value) == bad(0, .notAnObject), "\(value)")
            #expect(fault("  " + value) == bad(2, .notAnObject), "\(value)")
        }
    }

    @Test func `a NUL is refused, raw and escaped, in names and in strings`() {
        #expect(fault("\0{}") == bad(0, .nul))
        #expect(fault("{\"a\":\0}") == bad(5, .nul))
        #expect(fault("{\"a\0\":1}") == bad(3, .nul))
        #expect(fault("{\"a\":\"\0\"}") == bad(6, .nul))
        #expect(fault(#"{"a\u0000":1}"#) == bad(3, .nul))
        #expect(fault(#"{"zzz":["x\u0000y"]}"#) == bad(10, .nul))
        #expect(fault(#"{"a":"\\u0000"}"#) == nil)
    }

    @Test func `a BOM before the object is refused, inside a string it is text`() throws {
        #expect(fault("\u{FEFF}{}") == bad(0, .byteOrderMark))
        #expect(fault(" \u{FEFF}{}") == bad(1, .byteOrderMark))
        #expect(fault("{}\u{FEFF}") == bad(2, .byteOrderMark))
        #expect(try read("{\"a\":\"\u{FEFF}\"}") { $0["a"]?.string } == "\u{FEFF}")
    }

    @Test func `half a surrogate pair is refused, a whole one is one character`() throws {
        #expect(fault(#"{"a":"x\ud83d"}"#) == bad(7, .loneSurrogate))
        #expect(fault(#"{"a":"\udc1b"}"#) == bad(6, .loneSurrogate))
        #expect(fault(#"{"\ud83d\ud83d":1}"#) == bad(2, .loneSurrogate))
        #expect(fault(#"{"a":"\ud83dx"}"#) == bad(6, .loneSurrogate))
        #expect(fault(#"{"a":"\ud83d\n"}"#) == bad(6, .loneSurrogate))
        #expect(fault(#"{"a":"\ud83d\u0041"}"#) == bad(6, .loneSurrogate))
        #expect(try read(#"{"a":"\ud83d\uDE00"}"#) { $0["a"]?.string } == "😀")
    }

    @Test func `every escape of four digits means its unit, or is half a pair, or is NUL`() {
        let parser = JSONParser()
        for unit in UInt32(0)...0xFFFF {
            let digits = String(unit, radix: 16, uppercase: unit & 1 == 0)
            let line = #"{"a":"\u"# + String(repeating: "0", count: 4 - digits.count) + digits + #""}"#
            var scalars: [Unicode.Scalar] = []
            var refusal: JSONFault?
            do throws(JSONFault) {
                scalars = try parser.parse(Array(line.utf8).span, refuse: { $0 }) { root throws(JSONFault) in
                    Array((root["a"]?.string ?? "").unicodeScalars)
                }
            } catch { refusal = error }
            if unit == 0 {
                #expect(refusal == bad(6, .nul))
            } else if let scalar = Unicode.Scalar(unit) {
                #expect(scalars == [scalar] && refusal == nil)
            } else {
                #expect(refusal == bad(6, .loneSurrogate))
            }
        }
    }

    @Test func `bytes that are no UTF-8 are refused anywhere, before any other fault`() {
        let broken: [[UInt8]] = [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE],
            [0xE5, 0xB9], [0xC3],
        ]
        for bytes in broken {
            #expect(fault(Array(#"{"a":""#.utf8) + bytes + Array(#""}"#.utf8)) == .badUTF8(offset: 6), "\(bytes)")
            #expect(fault(Array(#"{""#.utf8) + bytes + Array(#"":1}"#.utf8)) == .badUTF8(offset: 2), "\(bytes)")
            #expect(fault(Array("{}".utf8) + bytes) == .badUTF8(offset: 2), "\(bytes)")
            #expect(fault(Array("nonsense \0".utf8) + bytes) == .badUTF8(offset: 10), "\(bytes)")
            let deep = Array(String(repeating: "[", count: 50).utf8)
            #expect(fault(deep + bytes) == .badUTF8(offset: 50), "\(bytes)")
        }
    }

    @Test func `UTF-16 is refused, with a mark and without`() {
        let units = Array(#"{"op":"ping"}"#.utf16)
        let little = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let big = units.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        #expect(fault(little) == bad(1, .nul))
        #expect(fault(big) == bad(0, .nul))
        #expect(fault([0xFF, 0xFE] + little) == .badUTF8(offset: 0))
        #expect(fault([0xFE, 0xFF] + big) == .badUTF8(offset: 0))
    }

    @Test func `the line separators of Unicode are text in a string and nothing outside`() throws {
        #expect(try read("{\"a\":\"\u{2028}\u{2029}\u{7F}\"}") { $0["a"]?.string } == "\u{2028}\u{2029}\u{7F}")
        #expect(fault("{\u{2028}}") == bad(1, .unexpectedByte))
    }

    /// Where the bracket stands that opens that level, in a line without brackets in strings.
    func offset(ofLevel level: Int, in line: String) -> Int {
        var opened = 0
        for (offset, byte) in line.utf8.enumerated() where byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
            opened += 1
            if opened == level { return offset }
        }
        return -1
    }

    @Test func `forty levels are read, one more is not, in unknown members too`() {
        for (open, close, levels) in [("[", "]", 1), (#"{"a":"#, "}", 1), (#"[{"a":"#, "}]", 2), (#"{"a":["#, "]}", 2)]
        {
            for depth in 38...42 where (depth - 1) % levels == 0 {
                let line = nested((depth - 1) / levels + 1, open: open, close: close, inside: "1")
                let expected: JSONFault? = depth <= 40 ? nil : .tooDeep(offset: offset(ofLevel: 41, in: line))
                #expect(fault(line) == expected, "\(depth) \(open)")
            }
        }
        #expect(fault(nested(40, open: "[", close: "]")) == nil)
        #expect(fault(nested(41, open: "[", close: "]")) == .tooDeep(offset: 7 + 39))
        #expect(fault(nested(41, open: "[", close: "]", inside: "1")) == .tooDeep(offset: 7 + 39))
        #expect(fault(nested(40, open: "[", close: "]", inside: "{}")) == .tooDeep(offset: 7 + 39))
        #expect(fault(nested(39, open: "[", close: "]", inside: "{}")) == nil)
    }

    @Test func `of depth and other faults the one that is met first is told`() {
        let deep = #"{"a":"# + String(repeating: "[", count: 100_000)
        #expect(fault(deep) == .tooDeep(offset: 5 + 39))
        #expect(fault(String(repeating: "[", count: 100_000)) == .tooDeep(offset: 40))
        #expect(fault(String(repeating: #"{"a":"#, count: 100_000)) == .tooDeep(offset: 40 * 5))
        #expect(fault(#"{"b":tru,"a":"# + String(repeating: "[", count: 100)) == bad(8, .unexpectedByte))
        #expect(fault(deep + "\0") == .tooDeep(offset: 5 + 39))
        #expect(fault(#"{"b":"\u0000","a":"# + String(repeating: "[", count: 41)) == bad(6, .nul))
    }

    @Test func `a message says what is wrong and where`() {
        #expect(fault("{}x")?.message == "at byte 2: something follows the value")
        #expect(fault([0xFF])?.message == "at byte 0: no UTF-8")
        #expect(fault(nested(41, open: "[", close: "]"))?.message == "at byte 46: more than 40 levels")
        #expect(
            fault(#"{"\u001b[2J":1,"\u001b[2J":1}"#)?.message
                == #"the member "\u001b[2J" stands twice in one object"#)
    }
}
