// Why this file exists: the name of a daemon comes from a configuration and from other daemons, and decides between writes
// of one moment.

import Causality
import Testing

@Suite struct NodeNameTests {
    @Test func `every byte but small letters, digits, hyphen and tilde is refused`() {
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-~".utf8)
        for byte in UInt8.min...0x7F {
            let text = String(decoding: [byte], as: UTF8.self)
            #expect((NodeName(text) != nil) == allowed.contains(byte), "byte \(byte)")
            #expect((NodeName("n" + text + "1") != nil) == allowed.contains(byte), "byte \(byte) inside")
        }
    }

    @Test(arguments: ["é", "e\u{301}", "ｎ", "广", "n\u{200E}"])
    func `letters beyond ASCII are refused`(_ text: String) { #expect(NodeName(text) == nil) }

    @Test(arguments: [(0, false), (1, true), (2, true), (31, true), (32, true), (33, false), (64, false)])
    func `a name is 1 to 32 bytes`(_ count: Int, _ isName: Bool) {
        #expect((NodeName(String(repeating: "z", count: count)) != nil) == isName)
    }

    @Test(arguments: 1...32)
    func `a name of any length reads back as it was written`(_ count: Int) throws {
        let text = String("n1~abcdefghijklmnopqrstuvwxyz-234".prefix(count))
        #expect(try node(text).description == text)
        var bytes: [UInt8] = []
        try node(text).forEachByte { bytes.append($0) }
        #expect(bytes == Array(text.utf8))
    }

    @Test func `names order by their bytes`() throws {
        // Each differs from the next in another of the four words that hold it, or in its length.
        let stem = String(repeating: "a", count: 8)
        var texts = ["-", "0", "9", "a", "n1", "n10", "n1~abcdefgh", "n2", "z", "~"]
        for words in 0...3 { texts += ["a", "b"].map { String(repeating: stem, count: words) + $0 } }
        texts += ["aa", stem, stem + stem, stem + stem + stem + stem]
        texts = Set(texts).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for (place, text) in texts.enumerated() {
            for (otherPlace, other) in texts.enumerated() {
                #expect(try (node(text) < node(other)) == (place < otherPlace), "\(text) \(other)")
                #expect(try (node(text) == node(other)) == (place == otherPlace), "\(text) \(other)")
            }
        }
    }

    @Test func `equal names hash alike, and names that differ in their last byte do not`() throws {
        let stem = String(repeating: "a", count: 31)
        #expect(Set([try node(stem + "a"), try node(stem + "a"), try node(stem + "b")]).count == 2)
        #expect(Set([try node("n1"), try node("n2"), try node("n1")]).count == 2)
    }
}
