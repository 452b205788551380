// Why this file exists: text that a client or a file brings may hold what a terminal obeys. Tests of every way in which text
// is drawn use the same such texts.

package enum HostileStrings {
    /// Three hundred texts, none empty and none with a NUL: each control character once, each character that turns or hides
    /// text, sequences that terminals obey, whole and cut, and mixtures that follow from the seed.
    package static func all(seed: UInt64) -> [String] {
        var texts = (steering + hiding).map { "a\($0)b" } + sequences
        var random = SplitMix(seed: seed)
        while texts.count < 300 {
            var text = ""
            for _ in 0..<(1 + random.below(6)) {
                switch random.below(4) {
                case 0: text.unicodeScalars.append(random.pick(steering))
                case 1: text.unicodeScalars.append(random.pick(hiding))
                case 2: text += random.pick(sequences)
                default: text += random.pick(["word", "省", "é", "👩‍👧", " ", "  ", "e\u{301}", "x/y", "#1", "\"", "\\"])
                }
            }
            texts.append(text)
        }
        return texts
    }

    /// What must reach no terminal as it is: C0, DEL, C1, separators of lines, and what turns the direction of text.
    package static let steering: [Unicode.Scalar] =
        (Array(0x01...0x1F) + Array(0x7F...0x9F) + [0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0xFEFF]
        + Array(0x202A...0x202E) + Array(0x2066...0x2069)).compactMap { Unicode.Scalar($0 as UInt32) }

    private static let hiding: [Unicode.Scalar] = [
        "\u{AD}", "\u{200B}", "\u{200D}", "\u{2060}", "\u{180E}", "\u{FE0F}", "\u{E0041}", "\u{FFFE}", "\u{301}",
        "\u{3164}",
        "\u{FFF9}", "\u{1D173}",
    ]

    private static let sequences = [
        "\u{1B}[2J", "\u{1B}[31mred\u{1B}[0m", "\u{1B}]0;title\u{7}", "\u{1B}]52;c;ZXZpbA==\u{7}",
        "\u{1B}]8;;http://x\u{1B}\\link",
        "\u{1B}P$q\u{1B}\\", "\u{1B}[?1049h", "\u{1B}c", "\u{1B}[6n", "\u{1B}[", "\u{1B}", "\u{9B}2J",
        "\u{9D}0;t\u{9C}",
        "\u{90}q\u{9C}", "\r\u{1B}[K", "a\rb", "a\r\nb", "a\nb", "\n", "\t", "a\tb\tc", "\u{8}\u{8}\u{8}", "\u{7}\u{7}",
        "\u{E}\u{F}",
        "\u{202E}txt.exe", "\u{2066}a\u{2069}b", "a\u{2028}b", "x\u{85}y", "\u{1B}[1;1H\u{1B}[J$ rm -rf", "%s%n",
        "$(id)", "`id`",
        "; true", "<script>", "]]>", "-->", "\u{1B}]1337;File=:\u{7}",
    ]

    /// The first character of a text that a terminal would obey, but for those named.
    package static func harm(in text: String, besides allowed: [Unicode.Scalar] = ["\n"]) -> Unicode.Scalar? {
        let steering = Set(steering + ["\0"])
        return text.unicodeScalars.first { steering.contains($0) && !allowed.contains($0) }
    }
}
