// That each thing that may not be in the sources is found where it is code, and not where it is only a word.

import Testing

@Suite struct ForbiddenTests {
    private func source(_ text: String, _ path: String = "Sources/Hub/A.swift") -> [Source] { [Source(path, text)] }

    @Test func `unsafe is found outside its files, and an allowance that nothing uses`() {
        let table = ["Sources/Hub/B.swift": "why", "Sources/EventLoop/": "why"]
        #expect(unsafeFindings(source("// unsafe\nlet a = unsafe b()"), table).map(\.line) == [2])
        #expect(unsafeFindings(source("let a = unsafe b()", "Sources/Hub/B.swift"), table).isEmpty)
        #expect(unsafeFindings(source("let a = unsafe b()", "Sources/EventLoop/A.swift"), table).isEmpty)
        #expect(unsafeFindings(source("let a = b()", "Sources/EventLoop/A.swift"), table).isEmpty)
        #expect(unsafeFindings(source("let a = b()", "Sources/Hub/B.swift"), table).count == 1)
        #expect(unsafeFindings(source("let a = unsafe b()", "Tests/Hub/A.swift"), table).isEmpty)
    }

    @Test(arguments: [
        "public struct A {}", "let a = try! b()", "let a = b as! C", "default: fatalError(\"no\")", "let a = b()!",
        "let a = b[0]!", "let a = b!.c", "f(a!, b)", "var a: Int!", "let a = \"\\(b!)\"", "let a = b!", "let a = `b`!",
    ])
    func `public and forced code is found`(text: String) {
        #expect(!forcedFindings(source(text)).isEmpty)
        #expect(forcedFindings(source(text, "Tests/Hub/A.swift")).isEmpty)
    }

    @Test(arguments: [
        "// try! a", "let a = \"b! c as! d\"", "if !a, a != b, f(!c) {", "let a = b as? C", "package let a = try? b()",
        "#if !os(Linux)", "let republic = 1", "preconditionFailure()", "public import Synchronization",
    ])
    func `what only looks forced is not found`(text: String) { #expect(forcedFindings(source(text)).isEmpty) }

    @Test(arguments: [
        "var a = 1", "package var a: Int = 1", "struct A {\n    static var b = 1\n}", "nonisolated(unsafe) var a = 1",
        "    package static var a: Int = { 1 }()", "@MainActor var a: [Int] = []", "    class var a = 1",
    ])
    func `a global is found`(text: String) { #expect(!globalFindings(source(text)).isEmpty) }

    @Test(arguments: [
        "let a = 1", "struct A { var b = 1 }", "    static var a: Int { 1 }", "    static let a = 1", "    var a = 1",
        "// var a = 1", "var a: Int { 1 }", "    static var a: Int { get }",
    ])
    func `what is no global is not found`(text: String) { #expect(globalFindings(source(text)).isEmpty) }

    @Test(arguments: [
        "TO" + "DO", "FIX" + "ME", "X" + "XX", "/wo" + "rk/a", "/ro" + "ot/a", "/ho" + "me/a", "../sha" + "red",
    ])
    func `leftovers are found in files of every kind`(text: String) {
        for path in ["Sources/Hub/A.swift", "README.md", "Config/quickstart", "Tests/Hub/A.swift"] {
            #expect(leftoverFindings([Source(path, "a\n# \(text): b\n")]).map(\.line) == [2])
        }
        #expect(
            leftoverFindings([Source("README.md", "mktemp a.XXXX, a framework, the root/a, $HOME/a")])
                .isEmpty)
    }

    @Test func `what does not belong at the top is found`() {
        #expect(
            topLevelFindings(["notes.txt", "Sources", ".editorconfig", "docs"]).map(\.path) == ["notes.txt", "docs"])
    }

    @Test func `a careless script is found`() {
        let careful = "#!/usr/bin/env bash\n# Why.\nset -euo pipefail\n"
        let careless = "#!/bin/sh\n# Why.\nset -e\n"
        #expect(scriptFindings([Source("Tests/run", careful, isExecutable: true)]).isEmpty)
        #expect(scriptFindings([Source("Tests/run", careful)]).map(\.message) == ["is not executable"])
        #expect(scriptFindings([Source("Tests/run", careless, isExecutable: true)]).map(\.message) == ["lacks set -eu"])
        #expect(scriptFindings([Source("a.sh", "set -eu\n", isExecutable: true)]).map(\.message) == ["names no shell"])
        #expect(
            scriptFindings([Source("make", "#!/usr/bin/env python3\n"), Source("Config/packages", "bash\n")]).isEmpty)
    }
}

@Suite struct ClaimTests {
    private func found(_ body: String) -> [Int] {
        let text =
            "import Testing\n\n@Suite struct S {\n    @Test(arguments: [1, 2])\n    func `a claim`(a: Int) throws {\n\(body)\n    }\n}\n"
        return emptyClaimFindings([Source("Tests/Hub/A.swift", text)]).map(\.line)
    }

    @Test(arguments: [
        "a()", "// #expect(a)", "let a = \"#expect(b)\"", "#expect(true)", "#expect(Bool(true))", "func expect() {}",
        "let checks = 1", "unexpected()",
    ])
    func `a test that asserts nothing is found`(body: String) { #expect(found(body) == [5]) }

    @Test(arguments: [
        "#expect(a == b)", "let a = try #require(b)", "Issue.record(\"a\")", "await confirmation { $0() }",
        "expectNone([])", "try checkLaws(a)", "peer.expect(line)", "try verify(a)",
    ])
    func `a test that asserts is not found`(body: String) { #expect(found(body).isEmpty) }
}
