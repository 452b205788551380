// Why this file exists: names that repeat are refused at any depth, however they are spelt and however many there are.
import Testing
import Wire

struct JSONNameTests {
    static func repeated(_ name: String) -> JSONFault { .repeatedMember(quotedName: "\"\(name)\"") }

    @Test func `a name that repeats is refused at every depth`() {
        for depth in 1...39 {
            let open = String(repeating: #"{"x":"#, count: depth - 1)
            let close = String(repeating: "}", count: depth - 1)
            #expect(fault(open + #"{"a":1,"b":2,"a":1}"# + close) == Self.repeated("a"), "\(depth)")
            #expect(fault(open + #"{"a":1,"b":2,"c":1}"# + close) == nil, "\(depth)")
        }
        #expect(fault(#"{"x":[[{"a":{}},{"a":[]}],{"b":1,"b":2}]}"#) == Self.repeated("b"))
    }

    @Test func `names are compared as they are meant, not as they are spelt`() {
        #expect(fault(#"{"a":1,"\u0061":2}"#) == Self.repeated("a"))
        #expect(fault(#"{"😀":1,"\ud83d\ude00":2}"#) == Self.repeated("😀"))
        #expect(fault(#"{"":1,"":2}"#) == Self.repeated(""))
        #expect(fault(#"{"/":1,"\/":2}"#) == Self.repeated("/"))
        #expect(fault(#"{"a":1,"A":2,"ä":3,"a\u0308":4,"aa":5}"#) == nil)
    }

    @Test func `the same name in different objects, or as a value, is no repetition`() {
        #expect(fault(#"{"a":{"a":{"a":"a"}},"b":["a","a",{"a":1},{"a":1}]}"#) == nil)
    }

    @Test func `the first repetition of the line is told, also from an outer object`() {
        #expect(fault(#"{"a":1,"a":2,"x":{"b":1,"b":2}}"#) == Self.repeated("a"))
        #expect(fault(#"{"a":1,"x":{"b":1,"b":2},"a":2}"#) == Self.repeated("b"))
        #expect(fault(#"{"a":1,"b":1,"b":1,"a":1}"#) == Self.repeated("b"))
        for count in [2, 20] {
            let others = (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",")
            #expect(fault("{\"a\":1,\"z\":1,\(others),\"a\":2,\"z\":2}") == Self.repeated("a"))
            #expect(fault("{\"a\":1,\"z\":1,\(others),\"z\":2,\"a\":2}") == Self.repeated("z"))
            #expect(fault("{\"a\":1,\"a\":2,\"x\":{\"b\":1,\(others),\"b\":1}}") == Self.repeated("a"))
        }
    }

    @Test func `a line that is no JSON is told as such, repetition or not`() {
        #expect(fault(#"{"a":1,"a":2"#) == bad(12, .endsEarly))
        #expect(fault(#"{"a":1,"a":"\u0000"}"#) == bad(12, .nul))
    }

    @Test func `objects of every size up to forty find a repetition at every pair of places`() {
        let parser = JSONParser()
        for count in 1...40 {
            let names = (0..<count).map { "n\($0)" }
            func line(_ names: [String]) -> [UInt8] {
                Array(("{" + names.map { "\"\($0)\":[{\"n0\":0}]" }.joined(separator: ",") + "}").utf8)
            }
            #expect(fault(line(names), parser) == nil)
            for second in 1..<max(count, 1) {
                for first in [0, second / 2, second - 1] {
                    var spoilt = names
                    spoilt[second] = names[first]
                    #expect(fault(line(spoilt), parser) == Self.repeated(names[first]))
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a megabyte of names is no more than a sort`() {
        let parser = JSONParser()
        let prefix = String(repeating: "k", count: 20)
        let names = (0..<32_000).map { "\"\(prefix)\(100_000 + $0)\":0" }
        let line = Array(("{" + names.joined(separator: ",") + "}").utf8)
        #expect(line.count > 900_000)
        #expect(fault(line, parser) == nil)
        let spoilt = Array(("{" + (names + [names[7]]).joined(separator: ",") + "}").utf8)
        #expect(fault(spoilt, parser) == Self.repeated(prefix + "100007"))
        let same = Array(("{" + Array(repeating: "\"\":0", count: 200_000).joined(separator: ",") + "}").utf8)
        #expect(fault(same, parser) == Self.repeated(""))
    }

    @Test func `a long name is cut in the message, and cannot steer a terminal`() {
        let name = String(repeating: "é", count: 500)
        #expect(fault("{\"\(name)\":1,\"\(name)\":1}") == Self.repeated(String(repeating: "é", count: 64)))
        #expect(fault("{\"\u{9B}2J\":1,\"\u{9B}2J\":1}") == Self.repeated(#"\u009b2J"#))
    }
}
