// Why this file exists: two readers judge a line, simdjson and the one that finds faults. They must agree on every line,
// or a fault would be told where there is none, or none where there is one.
import Testing
import Wire

struct JSONAgreementTests {
    let parser = JSONParser()

    /// Nil if both say the same.
    func disagreement(_ line: [UInt8]) -> String? {
        let first = JSONFault.first(in: line.span)
        let said = fault(line, parser)
        if said == first, said != bad(0, .unreadable) { return nil }
        if case .repeatedMember = said, first == nil { return nil }
        let saidText = said.map { "\($0)" } ?? "good"
        let firstText = first.map { "\($0)" } ?? "good"
        return "\(String(decoding: line, as: UTF8.self)) \(line): parser \(saidText), scanner \(firstText)"
    }

    /// Every word of up to `length` letters, between `before` and `after`.
    func disagreements(over letters: [UInt8], length: Int, before: String, after: String) -> [String] {
        var found: [String] = []
        var places = [Int](repeating: 0, count: length)
        let before = Array(before.utf8)
        let after = Array(after.utf8)
        for used in 0...length {
            var isDone = false
            while !isDone {
                let word = places[0..<used].map { letters[$0] }
                if let text = disagreement(before + word + after) { found.append(text) }
                isDone = true
                for place in 0..<used {
                    places[place] = (places[place] + 1) % letters.count
                    if places[place] != 0 {
                        isDone = false
                        break
                    }
                }
            }
        }
        return found
    }

    @Test func `they agree on every short value`() {
        #expect(disagreements(over: Array(#"{}[]",:1 "#.utf8), length: 5, before: "{\"a\":", after: "}") == [])
    }

    @Test func `they agree on every short number`() {
        #expect(disagreements(over: Array("019-+.eE".utf8), length: 5, before: "{\"a\":", after: "}") == [])
    }

    @Test func `they agree on every short string`() {
        let letters = Array(#"\u"bx"#.utf8) + [0, 0x1F, 0x7F]
        #expect(disagreements(over: letters, length: 5, before: "{\"a\":\"", after: "\"}") == [])
    }

    @Test func `they agree on every pair of escapes at the edges`() {
        let units = ["0000", "0001", "d7ff", "D800", "dBfF", "DC00", "dfff", "e000", "ffff", "00g0", "d8", ""]
        for first in units {
            for second in units {
                #expect(disagreement(Array("{\"\\u\(first)\\u\(second)\":1}".utf8)) == nil)
                #expect(disagreement(Array("{\"a\":\"\\u\(first)\(second)\"}".utf8)) == nil)
            }
        }
    }

    @Test func `they agree on every sequence of three bytes at the edges of UTF-8`() {
        let edges: [UInt8] = [
            0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
            0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        #expect(disagreements(over: edges, length: 3, before: "{\"a\":\"", after: "\"}") == [])
        #expect(disagreements(over: edges, length: 2, before: "{\"a\":\"\u{5E7F}", after: "") == [])
        #expect(disagreements(over: [0x80, 0x8F, 0x90, 0xBF], length: 4, before: "{\"a\":\"", after: "\"}") == [])
    }

    @Test func `they agree with any byte at any place of a line`() {
        let line = Array(#" {"op":"toggle","x":[true,null,{"\u00e9":-1.5e3}],"section":"广东省/深圳市","id":5} "#.utf8)
        for place in line.indices {
            for byte in UInt8.min...UInt8.max {
                var spoilt = line
                spoilt[place] = byte
                #expect(disagreement(spoilt) == nil)
            }
        }
    }

    static let samples = [
        #"{"op":"toggle","doc":"provinces","section":"广东省/深圳市","id":5}"#,
        #"{"op":"create","content":[{"title":"a","content":["p",{"code":"x\n\"\\\u0041","open":true}]}],"n":1e400}"#,
        #"{"a":[1,-2,3.5,1e10,123456789012345678901234567890],"b":{"c":null,"d":[[],{}]},"e":"\ud83d\ude00"}"#,
        nested(40, open: "[", close: "]"), nested(20, open: #"[{"a":"#, close: "}]", inside: "1"),
    ]
    static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\udc00", "\\u0000", "0", "-", ".", "e", "1e999",
        "true",
        "null", " ", "\n", "\0", "\u{FEFF}", "é", "\"a\":1", "\"a\":1,", "18446744073709551616", "\u{1}",
    ]

    @Test func `they agree on lines spoilt at random`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed of the spoilt lines: \(seed)")
        var random = SeededRandom(state: seed)
        for _ in 0..<20_000 {
            var line = Array((Self.samples.randomElement(using: &random) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0...line.count, using: &random)
                let end = Int.random(in: place...min(place + 8, line.count), using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: line.removeSubrange(place..<end)
                case 1: line.insert(contentsOf: line[place..<end], at: place)
                case 2: line.insert(contentsOf: (Self.pieces.randomElement(using: &random) ?? "").utf8, at: place)
                case 3: line.replaceSubrange(place..<end, with: (Self.pieces.randomElement(using: &random) ?? "").utf8)
                default: line.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            #expect(disagreement(line) == nil, "seed \(seed)")
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a megabyte of garbage of any kind is judged in bounded work`() {
        let pieces =
            Self.pieces + [
                "[{", "{\"a\":", "{\"a\":{},", "[[],", "{\"a\":1,\"a\":2,", "\"\\", "[1e999,", "{},", "[\"a\",", "\\\"",
            ]
        for piece in pieces {
            let count = (1 << 20) / piece.utf8.count
            let garbage = Array(String(repeating: piece, count: count).utf8)
            for before in ["", "{\"a\":", "{\"a\":[", "{\"a\":\"", "{"] {
                #expect(disagreement(Array(before.utf8) + garbage) == nil)
            }
        }
    }
}
