// Why this file exists: most documents give no ids, and their sections' paths – to which all shared state is tied – are made
// from titles, always in the same way.

import AccordionModel
import Testing

@Suite struct MadeIdTests {
    private func made(_ title: String) -> String { Segment.made(from: title, bytesMax: Limits().segmentBytesMax) }

    private func paths(_ outlines: Outline...) throws -> [String] { try Document.made(outlines).paths }

    @Test func `an id is made from the title where none is given`() throws {
        #expect(try paths(Outline("Welcome", id: "w"), Outline("Figures")) == ["w", "Figures"])
    }

    @Test func `a made id is in NFC`() throws {
        #expect(Array(made("Cafe\u{301}").utf8) == Array("Caf\u{E9}".utf8))
        #expect(try Array(paths(Outline("Cafe\u{301}"))[0].utf8) == Array("Caf\u{E9}".utf8))
    }

    @Test(arguments: [" a ", "\t\na\r\n", "\u{3000}a\u{A0}", "a\u{2028}"])
    func `a made id is trimmed`(_ title: String) { #expect(made(title) == "a") }

    @Test func `spaces inside a title stay`() { #expect(made(" a  b ") == "a  b") }

    @Test func `slashes and forbidden characters become hyphens`() {
        #expect(made("TCP/IP") == "TCP-IP" && made("/") == "-" && made("a//b") == "a--b")
        for scalar in forbiddenScalars {
            #expect(made("a" + String(scalar) + "b") == "a-b", "\(scalar.escaped(asASCII: true))")
        }
    }

    @Test(arguments: ["", " ", "\n\t", "\u{3000}"])
    func `a title of which nothing is left gives a hyphen`(_ title: String) { #expect(made(title) == "-") }

    @Test(arguments: [(127, 127), (128, 128), (129, 128), (1_024, 128)])
    func `a made id is cut at 128 bytes`(_ count: Int, _ expected: Int) {
        #expect(made(String(repeating: "a", count: count)).utf8.count == expected)
    }

    @Test func `a made id is cut between characters, not inside one`() {
        let stem = String(repeating: "a", count: 127)
        #expect(made(stem + "\u{E9}") == stem)
        #expect(made(String(stem.dropLast()) + "\u{E9}") == stem.dropLast() + "\u{E9}")
        // One character of several scalars, of which the first would have found room.
        #expect(made(String(stem.dropLast(5)) + "👩‍👩‍👧") == stem.dropLast(5))
        // What is cut is trimmed again.
        #expect(made(stem.dropLast(1) + "  b") == stem.dropLast(1))
    }

    @Test func `one character longer than the limit is cut between its scalars`() {
        let id = made("a" + String(repeating: "\u{323}", count: 100))
        #expect(id.utf8.count <= 128 && id.utf8.count > 100)
        #expect(Segment.checked(id, bytesMax: 128) == id)
    }

    @Test func `whatever the title, the made id is a segment`() throws {
        var random = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: .min ... .max, using: &random)
        print("seed \(seed)")
        var state = seed
        func next(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        for _ in 0..<2_000 {
            var title = ""
            for _ in 0..<next(90) {
                let scalar = Unicode.Scalar(UInt32(next(next(2) == 0 ? 0x300 : 0x3_0000)))
                title.unicodeScalars.append(scalar ?? " ")
            }
            let id = made(title)
            let same = Segment.checked(id, bytesMax: 128).map { Array($0.utf8) == Array(id.utf8) } ?? false
            #expect(same, "seed \(seed): \(title.debugDescription) gives \(id.debugDescription)")
        }
    }

    // MARK: - Siblings of one name

    @Test func `later siblings of the same name get ~2, ~3 and so on`() throws {
        let outlines = (0..<4).map { _ in Outline("a") }
        #expect(try Document.made(outlines).paths == ["a", "a~2", "a~3", "a~4"])
    }

    @Test func `titles that only their ids make equal are told apart too`() throws {
        #expect(
            try paths(Outline("a/b"), Outline("a-b"), Outline(" a-b "), Outline("")) == ["a-b", "a-b~2", "a-b~3", "-"])
        #expect(try paths(Outline("\u{E9}"), Outline("e\u{301}")) == ["\u{E9}", "\u{E9}~2"])
    }

    @Test func `only siblings are told apart`() throws {
        #expect(try paths(Outline("a", [Outline("a"), Outline("b")]), Outline("b")) == ["a", "a/a", "a/b", "b"])
    }

    @Test func `a made id never takes one that is given, before it or after it`() throws {
        #expect(try paths(Outline("x", id: "a"), Outline("a")) == ["a", "a~2"])
        #expect(try paths(Outline("a"), Outline("x", id: "a")) == ["a~2", "a"])
        #expect(try paths(Outline("a"), Outline("a"), Outline("x", id: "a~2")) == ["a", "a~3", "a~2"])
        #expect(try paths(Outline("a"), Outline("a~2"), Outline("a")) == ["a", "a~2", "a~3"])
    }

    @Test func `room for the number is made within 128 bytes, on a character`() throws {
        let long = String(repeating: "a", count: 128)
        #expect(try paths(Outline(long), Outline(long)) == [long, long.dropLast(2) + "~2"])
        let wide = String(repeating: "a", count: 125) + "全"
        #expect(try paths(Outline(wide), Outline(wide)) == [wide, wide.dropLast() + "~2"])
    }

    @Test func `long titles that are cut to the same stem share their numbers`() throws {
        let titles = (0..<60).map { String(repeating: "a", count: 126) + ($0 % 2 == 0 ? "bc" : "de") }
        let paths = try Document.made(titles.map { Outline($0) }).paths
        #expect(Set(paths).count == 60)
        #expect(paths.allSatisfy { $0.utf8.count <= 128 })
    }

    // MARK: - Given ids

    @Test(arguments: ["", "a/b", "a\nb", "\u{202E}", String(repeating: "a", count: 129)])
    func `a given id that is no segment makes the document invalid`(_ id: String) {
        #expect { try Document.made([Outline("t", id: id)]) } throws: {
            ($0 as? InvalidDocument).map { !$0.isTooLarge && $0.place == "t" } ?? false
        }
    }

    @Test func `two siblings of one given id make the document invalid`() {
        for (one, other) in [("a", "a"), ("\u{E9}", "e\u{301}")] {
            #expect { try Document.made([Outline("s", id: one), Outline("t", id: other)]) } throws: {
                ($0 as? InvalidDocument).map { !$0.isTooLarge && $0.place == "t" } ?? false
            }
        }
        #expect(throws: Never.self) { try Document.made([Outline("s", [Outline("t", id: "a")], id: "a")]) }
    }

    @Test func `a given id is held in NFC, and as it is otherwise`() throws {
        #expect(try Array(paths(Outline("t", id: "e\u{301}"))[0].utf8) == Array("\u{E9}".utf8))
        #expect(try paths(Outline("t", id: " a ")) == [" a "])
    }
}
