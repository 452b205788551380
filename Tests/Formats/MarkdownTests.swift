// Claims about single rules of Markdown's way in.

import AccordionModel
import Formats
import Testing

private func read(_ text: String, _ options: ImportOptions = ImportOptions()) throws -> Imported {
    let bytes = Array(text.utf8)
    return try Imported(reading: bytes.span, as: .markdown, title: "file", options: options)
}

private func fault(_ text: String, _ options: ImportOptions = ImportOptions()) -> String {
    do {
        _ = try read(text, options)
        return "none"
    } catch let error as ImportFault {
        return error.message
    } catch {
        return "another"
    }
}

/// Indented lines: `title`, `[ ] title` for tasks, `title:` where it is no row, `"text"`, `` `code` ``.
func outline(_ document: Document) -> [String] {
    var lines: [String] = []
    var stack: [(blocks: [Block], next: Int)] = [(document.content, 0)]
    while let (blocks, next) = stack.popLast() {
        guard next < blocks.count else { continue }
        let indent = String(repeating: " ", count: stack.count)
        stack.append((blocks, next + 1))
        switch blocks[next] {
        case .text(let text): lines.append(indent + "\"\(text)\"")
        case .code(let code, let language): lines.append(indent + "`\(language.map { $0 + ":" } ?? "")\(code)`")
        case .section(let index):
            let section = document[index]
            let task = section.attributes.task.map { $0 ? "[x] " : "[ ] " } ?? ""
            lines.append(indent + task + section.title + (section.isRow ? "" : ":"))
            stack.append((section.content ?? [], 0))
        }
    }
    return lines
}

@Suite struct MarkdownTests {
    @Test(arguments: [
        ("# T\n\n## a\n", "T", ["a:"]),
        ("x\n\n# T\n\ny\n\n## a", "T", ["\"x\"", "\"y\"", "a:"]),
        ("# A\n# B\n## c", "A", ["A:", "B:", " c:"]),
        ("## a", "file", ["a:"]),
        ("---\ntitle: F\n---\n# T\n## a", "F", ["T:", " a:"]),
        ("---\ntitle: T # so\n---\n# T\n## a", "T", ["a:"]),
        ("---\ntitle: 'it''s'\n---\nx", "it's", ["\"x\""]),
        ("---\ntitle: >\n  two\n  lines\n---\nx", "two lines", ["\"x\""]),
        ("---\ntitle: \"\"\n---\n## a", "", ["a:"]),
        ("#\n\n## a", "file", [":", " a:"]),
        ("# *T* `c` [l](u)\n", "T c l (u)", []),
        ("---\nprose, and no key\n---\n", "file", ["prose, and no key:"]),
        ("---\n\n- a\n\n---\n", "file", ["a"]),
    ])
    func `the title is the front matter's, the first heading's or the file's`(
        text: String, title: String, lines: [String]
    ) throws {
        let document = try read(text).document
        #expect(document.attributes.title == title)
        #expect(outline(document) == lines)
    }

    @Test(arguments: [
        ("### a\n# b\n### c\n## d\n# e", ["a:", "b:", " c:", " d:", "e:"]),
        ("- a\n  b\n- c\n\n  d", ["a b", "c:", " \"d\""]),
        ("- a\n  - b\n    1. c\n    2) d", ["a:", " b:", "  1. c", "  2) d"]),
        ("7. a\n7. b", ["7. a", "8. b"]),
        (
            "- [ ] a\n- [x] b\n- [X] c\n- \\[ ] d\n- [y] e\n- [ ]f",
            ["[ ] a", "[x] b", "[x] c", "[ ] d", "[y] e", "[ ]f"]
        ),
        ("- [ ]\n  a", ["[ ] a"]),
        ("1. [x] a\n\n   b", ["[x] 1. a:", " \"b\""]),
        ("-\n- - a", ["", ":", " a"]),
        ("- ```\n  c\n  ```\n1. > q", [":", " `c`", "1.:", " \"> q\""]),
        ("- # h\n  # i\n  t\n- a", ["h:", " i:", "  \"t\"", "a"]),
        ("a  \nb\\\nc\nd", ["\"a\nb\nc d\""]),
        (
            "> # h\n> a\n> b\n>\n> - c\n>   - d\n> > e\n>\n>     f",
            ["\"> h\"", "\"> a b\"", "\"> - c\"", "\">   - d\"", "\"> > e\"", "`f`"]
        ),
        ("| a | b\n|--|--\n| `1` | **2** | 3\n| 4 |", ["`a | b\n--|---|--\n1 | 2 | 3\n4 |`"]),
        ("a ![](u) ![i](u) [](v) <mailto:a@b.c> <x@y.z>", ["\"a u i (u) v mailto:a@b.c x@y.z\""]),
        ("[a](u 't') [b](<> 'only')", ["\"a (u \"t\") b (\"only\")\""]),
        ("<b>a</b> <i>b <em>c</i> <host>", ["\"a <i>b <em>c</i> <host>\""]),
        ("<div>\n<!-- c -->\n</div>", ["`html:<div>\n<!-- c -->\n</div>`"]),
        ("<!-- c --> tail", ["`html: tail`"]),
        ("<!-- never ends\n\nx", ["`html:<!-- never ends\n\nx`"]),
        ("~~no~~ *e*", ["\"~~no~~ e\""]),
        ("&#1;&#0;&copy;", ["\"\u{1}\u{FFFD}©\""]),
    ])
    func `headings, items and blocks become sections and text`(text: String, lines: [String]) throws {
        #expect(outline(try read(text).document) == lines)
    }

    @Test func `what Markdown has no words for is taken from comments and the front matter`() throws {
        let text = """
            ---
            accordion: {"doc":"d","mode":"single","initially":"open","colour":1}
            ---
            ## a
            <!-- accordion: {"id":"x","tint":"red","locked":true,"opne":1} -->

            - b
              <!-- accordion: {"content":[],"open":true} -->
            - c
              <!-- accordion: {"text":"t"} -->

            <!-- accordion: {"code":"k","language":"sh"} -->
            <!-- accordion: {"id":"y"} -->
            """
        let file = try read(text)
        #expect(file.name?.text == "d" && file.document.attributes.mode == .single)
        #expect(outline(file.document) == ["a:", " b:", " c:", "  \"t\"", " `sh:k`"])
        #expect(file.document.sections.map(\.path.text) == ["x", "x/b", "x/c"])
        #expect(file.document[0].attributes.tint == "red" && file.document[0].attributes.locked)
        #expect(file.document[1].attributes.open == true)
        #expect(
            file.notes.map(\.message) == [
                #"the member "colour" is left out, at the top"#, #"5: the member "opne" is left out"#,
                "13: members that stand behind no title are left out",
            ])
        #expect(
            fault("## a\n<!-- accordion: {\"open\":1} -->")
                == "2:1: the comment for accordion can't be read: \"open\" must be true or false")
        #expect(fault("x\n\n<!-- accordion: {] -->").hasPrefix("3:1: the comment for accordion can't be read:"))
        #expect(fault("---\naccordion: {\"mode\":2}\n---\n").hasPrefix("2:1: the document's members can't be read:"))
    }

    @Test func `lists deeper than sections may be stay as text in their place`() throws {
        let text = (0..<19).map { String(repeating: "  ", count: $0) + "- l\($0)\n" }.joined() + "- end\n"
        let file = try read(text)
        #expect(file.document.sections.map(\.depth).max() == 16)
        let (outer, inner) = (String(repeating: " ", count: 15), String(repeating: " ", count: 16))
        let expected = [outer + "l15:", inner + "\"- l16\"", inner + "\"  - l17\"", inner + "\"    - l18\"", "end"]
        #expect(Array(outline(file.document).suffix(5)) == expected)
        #expect(
            file.notes.map(\.message) == [
                "17: what is nested deeper than 16 levels stays as text, here and in 2 more places"
            ])
    }

    @Test func `a title that is too long goes on as text`() throws {
        let long = (0..<300).map { "word\($0)" }.joined(separator: " ")
        for text in ["- \(long)\n- b\n", "## \(long)\n", "# \(long)\n"] {
            let file = try read(text)
            #expect(file.document.sections.allSatisfy { $0.title.utf8.count <= 1_024 })
            #expect(
                difference(
                    words(of: long) + (text.hasSuffix("b\n") ? ["b"] : []),
                    words(of: file.document).filter { $0 != "file" }) == nil)
            #expect(file.notes.map(\.message) == ["1: a title longer than 1024 bytes goes on as text"])
        }
        let unbroken = String(repeating: "省", count: 400)
        let document = try read("- \(unbroken)").document
        #expect(words(of: document).dropFirst().joined() == unbroken)
    }

    @Test func `limits and faults name the line`() throws {
        var options = ImportOptions()
        options.limits.sectionsMax = 2
        #expect(fault("- a\n- b\n\nx\n\n- c", options) == "6:1: more than 2 sections")
        options = ImportOptions()
        options.limits.textBytesMax = 10
        #expect(fault("12345\n\n123456", options) == "3:1: more than 10 bytes of text")
        #expect(fault("## a\n<!-- accordion: {\"tint\":\"mauve\"} -->") == "1:1: an unknown tint, at \"a\"")
        #expect(fault("") == "there is nothing in it")
        #expect(fault(" \r\n\t\n") == "there is nothing in it")
        let bytes: [UInt8] = Array("a\nb".utf8) + [0xFF]
        #expect(throws: ImportFault(reason: "bytes that are no UTF-8", line: (2, 2))) {
            try Imported(reading: bytes.span, as: .markdown, title: "")
        }
        let wide: [UInt8] = [0xFF, 0xFE, 0x61, 0]
        #expect(throws: ImportFault(reason: "it is UTF-16; only UTF-8 is read", line: nil)) {
            try Imported(reading: wide.span, as: .markdown, title: "")
        }
    }

    @Test func `line ends of three kinds, a NUL and a mark of byte order change nothing`() throws {
        let text = "\u{FEFF}# T\n\n- a\n  b\n\n```\nc\n\td\n```\n"
        let plain = try read(text)
        for ending in ["\r\n", "\r"] {
            #expect(difference(plain.document, try read(text.replacing("\n", with: ending)).document) == nil)
        }
        let file = try read("a\n\nb\0c\0")
        #expect(outline(file.document) == ["\"a\"", "\"b\u{FFFD}c\u{FFFD}\""])
        #expect(file.notes.map(\.message) == ["3: a NUL stands as U+FFFD, here and in 1 more place"])
    }

    @Test func `ids are written only where they would come out otherwise`() throws {
        let text = "## a\n\n## a\n\n## b\n\n## a\n"
        let document = try read(text).document
        #expect(document.sections.map(\.path.text) == ["a", "a~2", "b", "a~3"])
        #expect(!(try exported(document, as: .markdown)).contains("accordion"))
        let other = try read(text + "<!-- accordion: {\"id\":\"x\"} -->\n\n## a\n").document
        #expect(other.sections.map(\.path.text) == ["a", "a~2", "b", "x", "a~3"])
        #expect(try exported(other, as: .markdown).split(separator: "accordion").count == 2)
    }

    @Test func `depth and length of what is nested cost no stack`() throws {
        for piece in [">", "- ", "[", "*a ", "<b>", "![", "1. "] {
            _ = try? read(String(repeating: piece, count: 20_000))
        }
        let quote = try read(String(repeating: "> ", count: 2_000) + "x").document
        #expect(words(of: quote) == ["file", "x"])
    }
}
