// The checks read code through `swiftCode`; what it hides they can't find, and what it lets through they find falsely.

import Testing

@Suite struct SwiftCodeTests {
    @Test(arguments: [
        ("let a = 1 // try! b", "let a = 1 "),
        ("a /* x /* y */ z */ b", "a  b"),
        ("a /* 1\n2 */ b", "a \n b"),
        (#"let s = "public { \" // no" + t"#, #"let s = "" + t"#),
        (##"let s = #"a " b \( c"# + t"##, #"let s = "" + t"#),
        (##"let s = #"a \#(b!) c"# + t"##, ##"let s = "(b!)" + t"##),
        (#"let s = "a \(f("}", (1))) b" // c"#, #"let s = "(f("", (1)))" "#),
        ("let s = \"\"\"\n  \"a\" {\n  \"\"\" + t", "let s = \"\n\n\" + t"),
        ("let s = \"\"\"\n  \\(a!) {\n  \"\"\"", "let s = \"\n(a!)\n\""),
        ("let s = \"open\nnext", "let s = \"\nnext"),
        ("func `a \"b\" {c`() {}", "func `xxxxxxxx`() {}"),
        (#"let s = "\\" + "}""#, #"let s = "" + """#),
        ("#expect(a == #\"b\"#)", "#expect(a == \"\")"),
        ("/* never closed {", ""),
        ("let s = \"\\", "let s = \""),
    ])
    func `comments and strings vanish, code and lines stay`(text: String, expected: String) {
        #expect(swiftCode(text) == expected)
    }

    @Test func `a word is whole`() {
        #expect(holdsWord("unsafe x", "unsafe"))
        #expect(holdsWord("nonisolated(unsafe) var", "unsafe"))
        #expect(!holdsWord("UnsafePointer unsafely _unsafe", "unsafe"))
        #expect(!holdsWord("", "unsafe"))
        #expect(wordOffset("a aa b", "b") == 5)
    }

    @Test func `attributes with arguments are no words`() {
        #expect(
            wordsWithoutAttributes("@Test(arguments: [1, f(2)]) @inlinable package func a()") == [
                "package", "func", "a()",
            ])
    }
}
