// A test that asserts nothing can't fail, so it says nothing.

/// Words that assert: what Swift Testing offers, and helpers that are named for it.
private let assertions = ["#expect", "#require", "Issue.record", "confirmation"]
private let helperPrefixes = ["expect", "check", "verify", "assert", "prove", "require"]

/// Functions marked `@Test` whose body asserts nothing that could be false.
func emptyClaimFindings(_ sources: [Source]) -> [Finding] {
    var findings: [Finding] = []
    for source in sources where source.isSwift && source.path.hasPrefix("Tests/") && !source.isSeat {
        let all = bodies(source.code)
        for index in source.code.indices where holdsWord(source.code[index], "@Test") {
            guard let body = all.first(where: { $0.declaration >= index + 1 }) else { continue }
            let lines = source.code[(body.declaration - 1)..<body.closing]
            guard !lines.contains(where: asserts) else { continue }
            findings.append(Finding(path: source.path, line: body.declaration, message: "a test that asserts nothing"))
        }
    }
    return findings
}

private func asserts(_ line: String) -> Bool {
    if line.contains("#expect(true)") || line.contains("#expect(Bool(true))") { return false }
    if assertions.contains(where: { holdsWord(line, $0) }) { return true }
    let bytes = Array(line.utf8)
    // A call whose name begins so: `expectNone(…)`, `try verify(…)`, `peer.expect(…)`.
    return bytes.indices.contains { index in
        guard index == 0 || !isWordByte(bytes[index - 1]) else { return false }
        let name = bytes[index...].prefix(while: isWordByte)
        guard name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: "(") else { return false }
        let precedingWord = bytes[..<index].split(separator: UInt8(ascii: " ")).last.map(Array.init)
        guard precedingWord != Array("func".utf8) else { return false }
        return helperPrefixes.contains { name.starts(with: $0.utf8) }
    }
}
