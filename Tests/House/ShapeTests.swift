// That length is measured right at the limit, whatever a declaration looks like.

import Testing

@Suite struct ShapeTests {
    private func lines(_ count: Int) -> String { String(repeating: "        a()\n", count: count) }

    private func found(_ text: String) -> [Int] { functionFindings([Source("Sources/Hub/A.swift", text)]).map(\.line) }

    @Test(arguments: [
        "    func f() {\n", "    package static func f(_ a: [Int: Int] = [:]) throws -> Int {\n",
        "    init?(a: Int) {\n",
        "    deinit {\n", "    package subscript(a: Int) -> Int {\n", "    @inlinable package var b: Int {\n",
        "    @Test(arguments: [1, 2]) func `a { b`() {\n", "    var f = {\n",
    ])
    func `a function may have as many lines as the limit and no more`(opening: String) {
        let before = "struct S {\n    var a: Int { 1 }\n"
        #expect(found(before + opening + lines(LineLimit.function - 2) + "    }\n}\n").isEmpty)
        #expect(found(before + opening + lines(LineLimit.function - 1) + "    }\n}\n") == [3])
    }

    @Test func `a signature on many lines counts, braces in it do not`() {
        let opening = """
            func f(
                a: () -> Int = { 1 },
                b: Int
            ) async throws -> Int
            where A: B {

            """
        let code = splitLines(swiftCode(opening + lines(3) + "    if a { b() }\n}\n"))
        #expect(bodies(code) == [Body(declaration: 1, opening: 5, closing: 10)])
    }

    @Test func `what has no body has no length`() {
        let text = "protocol P {\n    func f() -> Int\n    var g: Int { get }\n    init()\n}\nvar a = 1\n" + lines(200)
        #expect(found(text).isEmpty)
        #expect(found("func f() {\n") == [])
        #expect(found("extension P { func f() {} }\n" + lines(200)).isEmpty)
    }

    @Test func `a nested function is measured and so is what holds it`() {
        let text = "func f() {\n    func g() {\n" + lines(LineLimit.function) + "    }\n}\n"
        #expect(found(text) == [1, 2])
    }

    @Test func `a file may have as many lines as the limit and no more`() {
        let line = "// Why.\n"
        let right = String(repeating: line, count: LineLimit.file)
        #expect(fileFindings([Source("Sources/Hub/A.swift", right)]).isEmpty)
        #expect(fileFindings([Source("Sources/Hub/A.swift", right + "a")]).map(\.line) == [LineLimit.file + 1])
        #expect(fileFindings([Source("Config/samples/list.json", right + right)]).isEmpty)
    }

    @Test func `a file that does not open with a comment is found`() {
        let text = "import Wire\n// Why.\n\nlet a = 1\nlet b = 2\n"
        #expect(fileFindings([Source("Sources/Hub/A.swift", text)]).map(\.line) == [1])
        #expect(fileFindings([Source("Sources/CJSON/a.cpp", text)]).map(\.line) == [1])
        #expect(fileFindings([Source("Sources/Hub/A.swift", "// Why.\n" + text)]).isEmpty)
        #expect(fileFindings([Source("Sources/CA/shim.h", "/* Why. */\n" + text)]).isEmpty)
    }
}
