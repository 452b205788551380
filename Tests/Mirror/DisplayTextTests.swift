// Nothing that a client wrote may be obeyed by a terminal, and no text may be measured wrongly: by every scalar there is.
import TestSupport
import Testing

@testable import Mirror

@Suite struct DisplayTextTests {
    @Test func `a cluster takes the columns that a terminal gives it`() {
        let widths: [(String, Int)] = [
            ("", 0), ("abc", 3), ("北京市", 6), ("Straße", 6), ("e\u{301}", 1), ("が", 2), ("か\u{3099}", 2),
            ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("ﾊﾟ", 2), ("ＡＢ", 4), ("▸ ▾", 3), ("👍", 2), ("👍🏽", 2),
            ("👨‍👩‍👧‍👦", 2), ("🇨🇳", 2), ("🇨🇳🇩🇪", 4), ("❤", 1), ("❤\u{FE0F}", 2), ("1\u{FE0F}\u{20E3}", 2),
            ("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", 2), ("नि", 2), ("𠀀", 2), ("Привет", 6),
            ("\u{301}", 1), ("\u{7}", 1), ("\u{7F}", 1), ("\u{202E}", 8), ("\u{9B}", 8), ("a\u{200D}b", 10),
            ("سلام\u{200C}ها", 6),
        ]
        for (text, columns) in widths {
            #expect(DisplayText.columns(of: text) == columns, "\(text.unicodeScalars.map { $0 })")
        }
    }

    @Test func `of every scalar, alone and among letters, nothing is left that a terminal obeys or hides`() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for text in [String(scalar), "a\(scalar)b", "北\(scalar)京"] {
                let seen = DisplayText.visible(text)
                let isClean = seen.unicodeScalars.allSatisfy { !isObeyedOrHidden($0, after: text) }
                let isStable = DisplayText.visible(seen) == seen
                let isMeasured = DisplayText.columns(of: text) == DisplayText.columns(of: seen)
                if !isClean || !isStable || !isMeasured {
                    Issue.record("U+\(String(value, radix: 16)): \(seen.unicodeScalars.map { $0.value })")
                    return
                }
            }
        }
    }

    /// By the standard library's tables, not the ones that are tested.
    private func isObeyedOrHidden(_ scalar: Unicode.Scalar, after text: String) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        // Signs drawn before numbers are format characters, but seen.
        case .format:
            let isSeen =
                (0x600...0x605).contains(scalar.value)
                || [0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD].contains(scalar.value)
            return !isSeen
        default: return properties.isBidiControl
        }
    }

    @Test func `controls have their marks`() {
        #expect(DisplayText.visible("a\u{1B}[2J\r\n\t\u{0}\u{7F}") == "a␛[2J␍␊␉␀␡")
        #expect(
            DisplayText.visible("\u{9B}31m\u{202E}x\u{2066}\u{2028}\u{FEFF}")
                == "‹U+009B›31m‹U+202E›x‹U+2066›‹U+2028›‹U+FEFF›")
        #expect(DisplayText.visible("a\u{E0041}\u{200B}\u{3164}\u{FFFF}") == "a‹U+E0041›‹U+200B›‹U+3164›‹U+FFFF›")
        #expect(DisplayText.visible("\u{301}x") == "◌\u{301}x")
    }

    @Test func `joiners, selectors and tags stay where a script or an emoji uses them`() {
        for text in [
            "👨‍👩‍👧‍👦", "❤\u{FE0F}", "1\u{FE0F}\u{20E3}", "नि\u{200D}", "क्\u{200D}ष", "می\u{200C}خواهم", "葛\u{E0100}",
            "🏳\u{FE0F}‍🌈",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "plain – “text” …",
        ] {
            #expect(DisplayText.visible(text) == text)
        }
        for text in [
            "a\u{200D}b", "\u{FE0F}", "x\u{FE0F}", " \u{FE0F}", "a\u{200C}b", "\u{E0067}", "❤\u{FE0F}\u{FE0F}",
        ] {
            #expect(DisplayText.visible(text).contains("‹"), "\(text.unicodeScalars.map { $0.value })")
        }
    }

    @Test func `the quick way and the tables agree on every plain scalar, and none joins another`() {
        var plain: [Unicode.Scalar] = []
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            let quick = DisplayText.plainScalar(text.utf8.span, at: 0)
            guard quick.length > 0 else { continue }
            // A mark after it sends both through the tables.
            let slow = DisplayText.columns(of: text + "\u{301}")
            if quick.length != text.utf8.count || quick.columns != slow
                || text.unicodeScalars.contains(where: { $0.properties.isGraphemeExtend })
            {
                Issue.record("U+\(String(value, radix: 16)): \(quick), \(slow)")
            }
            plain.append(scalar)
        }
        #expect(plain.count > 30_000)
        var sample = plain.enumerated().filter { $0.offset % 211 == 0 }.map(\.element)
        sample += ["a", " ", "é", "北", "か", "한", "가", "Ａ", "。"]
        for first in sample {
            for second in sample {
                let text = String(String.UnicodeScalarView([first, second]))
                if text.count != 2 { Issue.record("\(first.value) joins \(second.value)") }
            }
        }
    }

    @Test func `text is cut between clusters, within the columns, and as late as possible`() {
        let text = "a北e\u{301}👨‍👩‍👧‍👦🇨🇳z"
        let cuts = [
            "", "a", "a", "a北", "a北e\u{301}", "a北e\u{301}", "a北e\u{301}👨‍👩‍👧‍👦", "a北e\u{301}👨‍👩‍👧‍👦", "a北e\u{301}👨‍👩‍👧‍👦🇨🇳", text, text,
        ]
        for (columns, wanted) in cuts.enumerated() { #expect(DisplayText.cut(text, toColumns: columns) == wanted) }
        #expect(DisplayText.cut("abcdef", toColumns: 4, ending: "…") == "abc…")
        #expect(DisplayText.cut("北京市", toColumns: 4, ending: "…") == "北…")
        #expect(DisplayText.cut("北京市", toColumns: 6, ending: "…") == "北京市")
        #expect(DisplayText.cut("abc", toColumns: 1, ending: "...") == "a")
        #expect(DisplayText.cut("abc", toColumns: -5) == "")
    }

    @Test func `padded text takes exactly its columns`() {
        #expect(DisplayText.pad("北京", toColumns: 6) == "北京  ")
        #expect(DisplayText.pad("北京", toColumns: 6, alignment: .trailing) == "  北京")
        #expect(DisplayText.pad("北京", toColumns: 7, alignment: .center) == " 北京  ")
        #expect(DisplayText.pad("北京", toColumns: 3) == "北 ")
        for columns in 0...12 {
            #expect(DisplayText.columns(of: DisplayText.pad("x北\u{1B}👍🏽é", toColumns: columns, ending: "…")) == columns)
        }
    }

    @Test func `tabs go to the next stop, counted in columns`() {
        #expect(DisplayText.expandTabs("a\tb\n\tc") == "a       b\n        c")
        #expect(DisplayText.expandTabs("北京\tx", tabColumns: 4) == "北京    x")
        #expect(DisplayText.expandTabs("12345678\tx") == "12345678        x")
        #expect(DisplayText.expandTabs("none") == "none")
    }

    @Test func `lines break at spaces, beside wide characters, and inside long words only`() {
        #expect(DisplayText.wrap("the quick brown fox", toColumns: 10) == ["the quick", "brown fox"])
        #expect(DisplayText.wrap("the quick  brown", toColumns: 9) == ["the quick", "brown"])
        #expect(DisplayText.wrap("  indented words here", toColumns: 12) == ["  indented", "words here"])
        #expect(DisplayText.wrap("广东省深圳市", toColumns: 5) == ["广东", "省深", "圳市"])
        #expect(DisplayText.wrap("see 广东省now", toColumns: 8) == ["see 广东", "省now"])
        #expect(DisplayText.wrap("广东now", toColumns: 6) == ["广东", "now"])
        #expect(DisplayText.wrap("abcdefghij", toColumns: 4) == ["abcd", "efgh", "ij"])
        #expect(DisplayText.wrap("a bcdefghij", toColumns: 4) == ["a", "bcde", "fghi", "j"])
        #expect(DisplayText.wrap("one\r\ntwo\n\nthree\n", toColumns: 20) == ["one", "two", "", "three"])
        #expect(DisplayText.wrap("\tx", toColumns: 20) == ["        x"])
        #expect(DisplayText.wrap("", toColumns: 20) == [""])
        #expect(DisplayText.wrap("北京", toColumns: 1) == ["北", "京"])
        #expect(DisplayText.wrap("a b", toColumns: 0) == ["a", "b"])
        #expect(DisplayText.wrap("a\u{1B}b", toColumns: 9) == ["a␛b"])
    }

    @Test func `wrapping keeps every cluster, and no line is too wide`() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(state: seed)
        let pieces = ["a", "bc", " ", "  ", "北", "京市", "e\u{301}", "👨‍👩‍👧", "longer", "-", "नि", "🇨🇳", "한"]
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let columns = Int.random(in: 2...15, using: &random)
            let lines = DisplayText.wrap(text, toColumns: columns)
            #expect(lines.allSatisfy { DisplayText.columns(of: $0) <= columns }, "seed \(seed): \(text) in \(columns)")
            let kept = lines.joined().filter { $0 != " " }
            // What stands on both sides of a vanished break may join only where both were emoji or flags.
            #expect(
                Array(kept.unicodeScalars) == Array(text.filter { $0 != " " }.unicodeScalars),
                "seed \(seed): \(text) in \(columns)")
        }
    }
}

/// Steele, Lea and Flood's SplitMix64.
struct SeededRandom: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
