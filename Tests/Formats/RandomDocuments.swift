// Documents that follow from a seed: every attribute, and text that looks like the formats that it is written in.

import AccordionModel
import TestSupport

struct RandomDocuments {
    var random: SplitMix

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    /// Words that mean something in Markdown, XML or JSON, or steer a terminal.
    static let pieces = [
        "word", "foo", "Deploy", "广东省", "deux mots", "a", "1", "7.", "12)", "0.", "-", "--", "---", "+", "*", "**",
        "***",
        "_", "__", "snake_case", "#", "##", "# H", ">", "> q", "`", "```", "~~~", "~", "=", "===", ":", ":-", "|",
        "a | b",
        "|-|", "--- | ---", "[", "]", "[ ]", "[x]", "[x] ", "(", ")", "[a](b)", "![i](j)", "[r]: /u", "[^1]", "<",
        "<b>",
        "</b>", "<br>", "<!--", "-->", "<!-- accordion: {} -->", "<?x?>", "<div>", "<host>", "<http://x.y>", "&",
        "&amp;",
        "&#10;", "&nbsp;", "\\", "\\\\", "\\*", "'", "\"", "{", "}", "{}", "]]>", "<![CDATA[", "%", "~2", "x~2",
        "www.a.b",
        "https://a.b/c_d?e=f&g", "a@b.c", "$x$", "^", ";", "!", "?", "/", "…", "e\u{301}", "\u{301}", "👩‍👩‍👧", "\u{A0}",
        "\u{200B}",
        "\u{1B}[31m", "\u{7}", "\u{9B}2J", "\u{202E}", "\u{2028}", "\u{85}", "\u{7F}", "\u{FEFF}", "\u{FFFE}",
        "\u{FFFD}",
        "\u{1FFFF}", "\u{C}", "\u{B}", "title: x", "true", "null", "no",
    ]
    static let spaces = [" ", " ", " ", "", "", "\n", "\t", "  ", "\r", "\r\n", "\n\n", "\u{3000}"]

    mutating func text(pieces count: Int) -> String {
        var text = random.once(in: 8) ? random.pick(Self.spaces) : ""
        for index in 0..<count {
            if index > 0 { text += random.pick(Self.spaces) }
            text += random.pick(Self.pieces)
        }
        if random.once(in: 8) { text += random.pick(Self.spaces) }
        return text
    }

    mutating func title() -> String {
        switch random.below(8) {
        case 0: random.pick(["", " ", "x", "x", "x~2", "1. x", "2. x", "3. x", "2) y", "[ ] x", "# x"])
        case 1: text(pieces: 3)
        case 2: "\(random.below(12)). " + random.pick(Self.pieces)
        default: text(pieces: 1 + random.below(2))
        }
    }

    private mutating func attributes() -> SectionAttributes {
        var attributes = SectionAttributes()
        if random.once(in: 6) { attributes.mode = random.pick([.single, .multiple]) }
        if random.once(in: 6) { attributes.open = random.once(in: 2) }
        attributes.collapsible = !random.once(in: 9)
        attributes.locked = random.once(in: 9)
        if random.once(in: 4) { attributes.task = random.once(in: 2) }
        if random.once(in: 8) { attributes.tint = random.pick(["red", "bright-blue", "#12aBcD"]) }
        return attributes
    }

    mutating func document() throws(InvalidDocument) -> Document {
        var builder = DocumentBuilder()
        for number in 0..<random.below(40) {
            while builder.depth > 0, random.once(in: 3) { builder.endSection() }
            switch random.below(10) {
            case 0, 1: try builder.addText(text(pieces: random.below(5)))
            case 2:
                let language =
                    random.once(in: 2) ? random.pick(["sh", "", "c++ x=1", "a`b", " x", "&amp;", "~x"]) : nil
                try builder.addCode(text(pieces: random.below(5)), language: language)
            default:
                if builder.depth >= 15 { builder.endSection() }
                // A number in it keeps ids that are given apart.
                let id = random.once(in: 6) ? "\(number) " + random.pick(["x", "a-b", "~2", "\"", "'<&>"]) : nil
                let hasContent = random.once(in: 3)
                try builder.beginSection(id: id, title: title(), attributes: attributes(), hasContent: hasContent)
                if !hasContent, random.once(in: 2) { builder.endSection() }
            }
        }
        var attributes = DocumentAttributes()
        attributes.title = random.once(in: 4) ? "" : title()
        if random.once(in: 4) { attributes.mode = .single }
        attributes.initiallyOpen = random.once(in: 4)
        attributes.headers = !random.once(in: 6)
        if random.once(in: 4) { attributes.conflicts = random.pick([.open, .closed]) }
        attributes.collapsible = !random.once(in: 6)
        return try builder.finish(attributes)
    }
}
