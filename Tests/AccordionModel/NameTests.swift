// Why this file exists: names stand in paths, logs, subjects and terminals, so each rule about them is held to here: those
// of documents, of sections' segments, and of paths.

import AccordionModel
import Testing

/// Every control and bidi-control character, line separators and the mark of byte order.
let forbiddenScalars: [Unicode.Scalar] = {
    let ranges: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0x061C...0x061C, 0x200E...0x200F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069,
        0xFEFF...0xFEFF,
    ]
    return ranges.joined().compactMap { Unicode.Scalar($0) }
}()

@Suite struct DocumentNameTests {
    @Test(arguments: [(0, false), (1, true), (2, true), (127, true), (128, true), (129, false), (1_000, false)])
    func `a document's name is 1 to 128 bytes`(_ count: Int, _ isName: Bool) {
        #expect((DocumentName(String(repeating: "a", count: count)) != nil) == isName)
    }

    @Test func `bytes are counted after NFC, not before`() {
        // Two scalars of 3 bytes become one of 2 bytes.
        #expect(DocumentName(String(repeating: "e\u{301}", count: 64)) != nil)
        #expect(DocumentName(String(repeating: "e\u{301}", count: 64) + "a") == nil)
        // A letter that NFC takes apart: 3 bytes become 6.
        #expect(DocumentName(String(repeating: "\u{958}", count: 21)) != nil)
        #expect(DocumentName(String(repeating: "\u{958}", count: 22)) == nil)
    }

    @Test func `of ASCII only letters, digits, dot, underscore and hyphen stand in a document's name`() {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-".utf8)
        for byte in UInt8.min...0x7F {
            let text = "a" + String(decoding: [byte], as: UTF8.self) + "z"
            #expect((DocumentName(text) != nil) == allowed.contains(byte), "byte \(byte)")
        }
    }

    @Test(arguments: ["全国省市", "Überblick", "план-1", "हिन्दी", "٣٤", "ไทย", "가나"])
    func `letters and digits of any script stand in a document's name`(_ text: String) {
        #expect(DocumentName(text)?.text == text)
    }

    @Test(arguments: ["a😀", "½", "Ⅷ", "a„b", "a\u{A0}b", "a\u{3000}b", "a\u{AD}b", "€"])
    func `signs, spaces and numbers that are no digits do not stand in a document's name`(_ text: String) {
        #expect(DocumentName(text) == nil)
    }

    @Test func `a document's name does not begin with a dot or a hyphen`() {
        for text in [".", "..", ".a", "-", "-a", "--help"] { #expect(DocumentName(text) == nil, "\(text)") }
        for text in ["a.", "a-", "_", "a.-", "0"] { #expect(DocumentName(text) != nil, "\(text)") }
    }

    @Test func `no control or bidi-control character stands in a document's name`() {
        for scalar in forbiddenScalars {
            #expect(DocumentName("a" + String(scalar) + "b") == nil, "\(scalar.escaped(asASCII: true))")
        }
    }

    @Test func `names are equal where their bytes after NFC are`() throws {
        let (composed, decomposed) = ("\u{C5}ngström", "A\u{30A}ngstro\u{308}m")
        let name = try #require(DocumentName(decomposed))
        #expect(name == DocumentName(composed) && name == DocumentName("\u{212B}ngström"))
        #expect(Array(name.text.utf8) == Array(composed.utf8))
        #expect(Set([name, try #require(DocumentName(composed))]).count == 1)
        #expect(name != DocumentName("Angström") && name != DocumentName("ångström"))
    }

    @Test func `names order by their bytes`() throws {
        let texts = ["A", "B", "_", "a", "a-", "a.", "aa", "b", "é", "全", "가"]
        let names = try texts.map { try #require(DocumentName($0)) }
        #expect(names.reversed().sorted().map(\.text) == texts)
    }
}

@Suite struct SegmentTests {
    private func checked(_ text: String) -> String? { Segment.checked(text, bytesMax: Limits().segmentBytesMax) }

    @Test(arguments: [(0, false), (1, true), (127, true), (128, true), (129, false)])
    func `a segment is 1 to 128 bytes`(_ count: Int, _ isSegment: Bool) {
        #expect((checked(String(repeating: "a", count: count)) != nil) == isSegment)
    }

    @Test(arguments: [(63, true), (64, true), (65, false)])
    func `a person's name follows the rules of segments up to a limit of its own`(_ count: Int, _ isName: Bool) {
        #expect((Segment.checked(String(repeating: "a", count: count), bytesMax: 64) != nil) == isName)
        #expect(Segment.checked("a/b", bytesMax: 64) == nil)
    }

    @Test func `a segment's bytes are counted after NFC`() {
        #expect(checked(String(repeating: "e\u{301}", count: 64))?.utf8.count == 128)
        #expect(checked(String(repeating: "e\u{301}", count: 64) + "a") == nil)
        #expect(checked(String(repeating: "\u{958}", count: 22)) == nil)
    }

    @Test func `a segment holds no slash, no control and no bidi-control character`() {
        for scalar in forbiddenScalars + ["/"] {
            for text in [String(scalar), "a" + String(scalar) + "b"] {
                #expect(checked(text) == nil, "\(scalar.escaped(asASCII: true))")
            }
        }
    }

    @Test(arguments: ["a b", ".", "-x", "~2", "广东省", "👩‍👩‍👧", "a\\b", "\"", "50 %", "…", " "])
    func `anything else stands in a segment`(_ text: String) { #expect(checked(text) == text) }

    @Test func `a segment is held in NFC`() {
        #expect(checked("e\u{301}").map { Array($0.utf8) } == Array("\u{E9}".utf8))
    }
}

@Suite struct SectionPathTests {
    @Test func `a path is compared by its bytes after NFC`() {
        #expect(SectionPath("e\u{301}/x") == SectionPath("\u{E9}/x"))
        #expect(SectionPath("e/x") != SectionPath("\u{E9}/x"))
        #expect(Set([SectionPath("e\u{301}"), SectionPath("\u{E9}"), SectionPath("e")]).count == 2)
    }

    @Test func `a path is its segments from the top, joined by slashes`() throws {
        let document = try Document.made([Outline("广东省", [Outline("深圳市", [.row("南山区")])]), .row("b")])
        #expect(document.paths == ["广东省", "广东省/深圳市", "广东省/深圳市/南山区", "b"])
        #expect(document.sections.map { String($0.path.segment) } == ["广东省", "深圳市", "南山区", "b"])
        for (index, section) in document.sections.enumerated() {
            #expect(document.find(SectionPath(section.path.text)) == Int32(index))
        }
    }

    @Test(arguments: ["广东", "/广东省", "广东省/", "广东省//深圳市", "深圳市", "广东省/深圳市/", "B"])
    func `a path that is not that of a section finds none`(_ text: String) throws {
        let document = try Document.made([Outline("广东省", [Outline("深圳市")]), .row("b")])
        #expect(document.find(SectionPath(text)) == nil)
    }

    @Test func `a section is found by any spelling of its path that NFC makes the same`() throws {
        let document = try Document.made([Outline("Caf\u{E9}", [.row("x")])])
        #expect(document.find(SectionPath("Cafe\u{301}/x")) == 1)
    }

    @Test func `the document's own path has no segment`() {
        #expect(SectionPath.top.isTop && SectionPath("").isTop && !SectionPath("a").isTop)
    }
}
