// Why this file exists: what a good line yields – numbers above all, which must be integers or nothing – and that a
// parser keeps little of what a long line made it take.
import Testing
import Wire

struct JSONReaderTests {
    static let widest = 9_007_199_254_740_991

    @Test func `an integer is one written as such within 2^53-1`() throws {
        let integers: [(String, Int?)] = [
            ("0", 0), ("-0", 0), ("-1", -1), ("5", 5), ("9007199254740990", Self.widest - 1),
            ("9007199254740991", Self.widest), ("9007199254740992", nil), ("-9007199254740991", -Self.widest),
            ("-9007199254740992", nil), ("9223372036854775807", nil), ("9223372036854775808", nil),
            ("-9223372036854775808", nil), ("-9223372036854775809", nil), ("18446744073709551615", nil),
            ("18446744073709551616", nil), (String(repeating: "9", count: 5_000), nil), ("1.0", nil), ("1e3", nil),
            ("1E3", nil), ("-0.0", nil), ("0e0", nil), ("0e400", nil), ("1e300", nil), ("1e400", nil), ("-1e400", nil),
            ("1e-400", nil), ("1e99999999999999999999999", nil), ("0.1", nil), ("1.5e+3", nil),
        ]
        for (text, expected) in integers {
            let line = "{\"before\":7,\"n\":\(text),\"after\":[\(text),8]}"
            try read(line) { root in
                #expect(root["n"]?.kind == .number, "\(text)")
                #expect(root["n"]?.integer == expected, "\(text)")
                #expect(root["before"]?.integer == 7)
                var elements = root["after"]?.array?.elements
                #expect(elements?.next()?.integer == expected)
                #expect(elements?.next()?.integer == 8)
            }
        }
    }

    @Test func `a value is only what it is`() throws {
        try read(#"{"s":"7","t":true,"f":false,"n":null,"a":[],"o":{},"i":7}"#) { root in
            #expect(root.count == 7)
            var members = root.members
            var kinds: [JSONValue.Kind] = []
            while let member = members.next() {
                let value = member.value
                kinds.append(value.kind)
                #expect((value.string != nil) == (member.name == "s"))
                #expect((value.bool != nil) == (member.name == "t" || member.name == "f"))
                #expect(value.isNull == (member.name == "n"))
                #expect((value.array != nil) == (member.name == "a"))
                #expect((value.object != nil) == (member.name == "o"))
                #expect((value.integer != nil) == (member.name == "i"))
            }
            #expect(kinds == [.string, .bool, .bool, .null, .array, .object, .number])
            #expect(root["t"]?.bool == true && root["f"]?.bool == false)
            #expect(root["x"]?.kind == nil)
        }
    }

    @Test func `numbers that are none are refused`() {
        let numbers: [(String, JSONFault)] = [
            ("01", bad(6, .unexpectedByte)), ("-", bad(6, .unexpectedByte)), ("-01", bad(7, .unexpectedByte)),
            ("+1", bad(5, .unexpectedByte)), (".5", bad(5, .unexpectedByte)), ("1.", bad(7, .unexpectedByte)),
            ("1.e3", bad(7, .unexpectedByte)), ("1e", bad(7, .unexpectedByte)), ("1e+", bad(8, .unexpectedByte)),
            ("0x1", bad(6, .unexpectedByte)), ("Infinity", bad(5, .unexpectedByte)), ("-x", bad(6, .unexpectedByte)),
            ("1_0", bad(6, .unexpectedByte)), ("1e400x", bad(10, .unexpectedByte)),
        ]
        for (text, expected) in numbers { #expect(fault("{\"a\":\(text)}") == expected, "\(text)") }
    }

    @Test func `one pass with a switch meets every member in order, and passes over what is inside`() throws {
        let line = #"{"op":"toggle","x":{"op":[1,{"op":2}],"y":[[],{}]},"doc":"provinces","id":5,"section":"广东省/深圳市"}"#
        try read(line) { root in
            var seen: [String] = []
            var members = root.members
            while let member = members.next() {
                switch member.name {
                case "op": seen.append("op=" + (member.value.string ?? "?"))
                case "doc": seen.append("doc=" + (member.value.string ?? "?"))
                case "section": seen.append("section=\(member.value.text?.utf8Count ?? -1)")
                case "id": seen.append("id=\(member.value.integer ?? -1)")
                default: seen.append("unknown " + member.name.string)
                }
            }
            #expect(seen == ["op=toggle", "unknown x", "doc=provinces", "id=5", "section=19"])
        }
    }

    @Test func `arrays inside arrays are walked element by element`() throws {
        try read(#"{"a":[1,[2,[3],[]],{"b":[4]},"x",5]}"#) { root in
            var sum = 0
            var kinds: [JSONValue.Kind] = []
            #expect(root["a"]?.array?.count == 5)
            var elements = root["a"]?.array?.elements
            while let element = elements?.next() {
                kinds.append(element.kind)
                sum += element.integer ?? 0
                sum += element.array?.count ?? 0
            }
            #expect(sum == 1 + 3 + 5)
            #expect(kinds == [.number, .array, .object, .string, .number])
        }
    }

    @Test func `a text is compared byte for byte`() throws {
        try read(#"{"e\u0301":"toggle"}"#) { root in
            #expect(root["é"]?.kind == nil)
            guard let text = root["e\u{301}"]?.text else {
                Issue.record("the member is not found")
                return
            }
            let equal = [text == "toggle", text == "toggl", text == "toggles", text == "Toggle", text == ""]
            #expect(equal == [true, false, false, false, false])
        }
    }

    @Test func `one parser reads good and bad lines by turns`() throws {
        let parser = JSONParser()
        for number in 0..<200 {
            let padding = String(repeating: "é", count: number * 97 % 5_000)
            let line = Array("{\"id\":\(number),\"x\":\"\(padding)\"}".utf8)
            #expect(fault(Array(line.dropLast()), parser) == bad(line.count - 1, .endsEarly))
            let (id, text) = try parser.parse(line.span, refuse: { $0 }) { root throws(JSONFault) in
                (root["id"]?.integer, root["x"]?.string)
            }
            #expect(id == number && text == padding)
        }
    }

    @Test func `an error of the reading passes through, and the parser can be used again`() {
        struct Unwanted: Error { let why: String }
        let parser = JSONParser()
        let line = Array(#"{"a":1}"#.utf8)
        for _ in 0..<2 {
            #expect(throws: Unwanted.self) {
                try parser.parse(line.span, refuse: { Unwanted(why: $0.message) }) { _ throws(Unwanted) in
                    throw Unwanted(why: "unwanted")
                }
            }
        }
        #expect(fault(line, parser) == nil)
    }

    @Test(.timeLimit(.minutes(1))) func `after a line of 16 MiB an idle parser holds less than 4 MiB`() throws {
        let parser = JSONParser()
        let heldAtFirst = parser.heldBytes
        #expect(heldAtFirst < 4 << 10)
        for unit in ["0,", "\"a\",", "{\"a\":1},", "[],"] {
            let count = (16 << 20) / unit.utf8.count
            var line = Array("{\"a\":[".utf8)
            for _ in 0..<count { line += unit.utf8 }
            line += "null]}".utf8
            let (elements, held) = try parser.parse(line.span, refuse: { $0 }) { root throws(JSONFault) in
                (root["a"]?.array?.count, parser.heldBytes)
            }
            #expect(elements == count + 1)
            #expect(held > 16 << 20)
            #expect(parser.heldBytes < 4 << 20)
        }
        let names = (0..<1_000_000).map { "\"\($0)\":0" }.joined(separator: ",")
        #expect(fault(Array(("{" + names + "}").utf8), parser) == nil)
        #expect(parser.heldBytes < 4 << 20)
    }
}
