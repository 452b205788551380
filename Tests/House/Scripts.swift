// Shell scripts stop at the first failure and at a misspelt variable, and can be run as they lie in the tree.

func scriptFindings(_ sources: [Source]) -> [Finding] {
    var findings: [Finding] = []
    for source in sources {
        let first = source.lines.first ?? ""
        let interpreters = ["bash", "dash", "sh"]
        let isScript = first.hasPrefix("#!") && interpreters.contains { holdsWord(first, $0) }
        guard isScript || source.path.hasSuffix(".sh") else { continue }
        if !source.lines.contains(where: { $0.hasPrefix("set -eu") }) {
            findings.append(Finding(path: source.path, line: 1, message: "lacks set -eu"))
        }
        if !source.isExecutable { findings.append(Finding(path: source.path, message: "is not executable")) }
        if !isScript { findings.append(Finding(path: source.path, line: 1, message: "names no shell")) }
    }
    return findings
}
