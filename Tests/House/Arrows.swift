// Which room stands on which. The table is the drawing of the house: an import that is not in it, or a dependency that is
// declared and not used, is a mistake in the build even where it compiles.

/// What each room may import by itself. Rooms (not C modules) that those stand on come with them.
struct Arrows {
    let direct: [String: Set<String>]

    static let edges: Set<String> = [
        "EventLoop", "Store", "Transport", "Cluster", "Service", "Terminal", "CommandLine", "Configuration",
    ]
    static let programs: Set<String> = ["accordiond", "AccordionCommand", "AccordionWorkbench"]

    static let house = Arrows(direct: [
        "Causality": [],
        "AccordionModel": ["Causality", "CUnicode"],
        "Bytes": [],
        "Wire": ["AccordionModel", "Bytes", "CJSON"],
        "Hub": ["Wire"],
        "Mirror": ["Wire", "CUnicode"],
        "Formats": ["AccordionModel", "Wire", "CMarkdown", "CXML"],
        "Replication": ["AccordionModel", "Wire"],
        "EventLoop": ["Bytes", "CLibuv", "Synchronization"],
        "Store": ["AccordionModel", "Wire", "CSQLite", "Synchronization"],
        "Transport": ["Bytes", "COpenSSL"],
        "Cluster": ["Replication", "CNATS", "Synchronization"],
        "Service": ["CSystemd"],
        "Terminal": ["CNcurses"],
        "CommandLine": ["CGetopt", "Synchronization"],
        "Configuration": ["CTOML"],
        "accordiond": [
            "Hub", "Replication", "EventLoop", "Store", "Transport", "Cluster", "Service", "CommandLine",
            "Configuration",
        ],
        "AccordionCommand": ["Mirror", "Formats", "EventLoop", "Transport", "Terminal", "CommandLine"],
        "AccordionWorkbench": ["Hub", "Mirror", "Replication", "EventLoop", "Store", "Transport", "CommandLine"],
    ])

    /// Everything that `room` may import; nil for a room that is not drawn.
    func allowed(_ room: String) -> Set<String>? {
        guard let first = direct[room] else { return nil }
        var allowed = first
        var waiting = Array(first)
        while let next = waiting.popLast() {
            for further in direct[next] ?? [] where direct[further] != nil && allowed.insert(further).inserted {
                waiting.append(further)
            }
        }
        if Arrows.edges.contains(room) || Arrows.programs.contains(room) { allowed.insert("Glibc") }
        return allowed
    }
}

struct Import: Equatable {
    var line: Int
    var module: String
    var isInternal: Bool
}

func imports(_ source: Source) -> [Import] {
    var found: [Import] = []
    for (index, line) in source.code.enumerated() where holdsWord(line, "import") {
        let words = wordsWithoutAttributes(line)
        let modifiers: Set<String> = ["internal", "package", "public", "private", "fileprivate"]
        let before = words.prefix { $0 != "import" }
        guard before.allSatisfy(modifiers.contains) else { continue }
        let kinds: Set<String> = ["struct", "class", "enum", "func", "var", "let", "protocol", "typealias"]
        let after = words.dropFirst(before.count + 1).drop(while: kinds.contains)
        guard let name = after.first?.split(separator: ".").first else { continue }
        found.append(Import(line: index + 1, module: String(name), isInternal: before.contains("internal")))
    }
    return found
}

/// `CJSON`, `CLibuv`: a C that a capital follows.
func isCModule(_ name: String) -> Bool {
    let head = Array(name.utf8.prefix(2))
    return head.count == 2 && head[0] == UInt8(ascii: "C")
        && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(head[1])
}

/// Each import in Sources that the drawing does not have, and each C module that would show through its room.
func importFindings(_ sources: [Source], _ arrows: Arrows) -> [Finding] {
    var findings: [Finding] = []
    for source in sources where source.isSwift && source.path.hasPrefix("Sources/") {
        guard let folder = source.room else {
            findings.append(Finding(path: source.path, message: "stands in no room"))
            continue
        }
        let room = String(folder.dropFirst("Sources/".count))
        guard let allowed = arrows.allowed(room) else {
            findings.append(Finding(path: source.path, message: "the room \(room) is not drawn in Tests/House/Arrows"))
            continue
        }
        for found in imports(source) {
            if !allowed.contains(found.module) {
                let message = "\(room) does not stand on \(found.module)"
                findings.append(Finding(path: source.path, line: found.line, message: message))
            } else if isCModule(found.module), !found.isInternal {
                let message = "\(found.module) must be an internal import"
                findings.append(Finding(path: source.path, line: found.line, message: message))
            }
        }
    }
    return findings
}
