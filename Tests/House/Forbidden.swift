// What may not stand in the sources at all, or only in files that say why.

/// Files of Sources that may hold `unsafe`, with the reason. A name that ends in a slash is a whole edge: its one purpose
/// is to keep C handles away from everybody else.
let unsafeFiles: [String: String] = [
    "Sources/AccordionModel/Unicode.swift": "utf8proc takes and gives pointers",
    "Sources/Bytes/Frame.swift": "bytes that many connections read and nobody copies",
    "Sources/Bytes/LineFeed.swift": "every byte that comes in is looked at, eight together",
    "Sources/Wire/JSONReader.swift": "simdjson's tree is walked through its C face",
    "Sources/Wire/JSONEscape.swift": "every byte of a text that goes out is looked at",
    "Sources/Mirror/DisplayText.swift": "utf8proc tells the width of characters",
    "Sources/Formats/MarkdownTree.swift": "cmark-gfm's nodes are pointers",
    "Sources/Formats/XMLText.swift": "libxml2 takes and gives pointers",
    "Sources/EventLoop/": "libuv",
    "Sources/Store/Database.swift": "SQLite",
    "Sources/Store/Statement.swift": "SQLite binds and gives addresses",
    "Sources/Store/LockFile.swift": "open(2), flock(2)",
    "Sources/Store/UnfinishedFile.swift": "open(2), pread(2)",
    "Sources/Store/System.swift": "calls for files",
    "Sources/accordiond/DaemonSettings.swift": "the environment",
    "Sources/accordiond/ConfigurationFile.swift": "open(2), read(2)",
    "Sources/Configuration/TOMLFile.swift": "toml++ gives addresses through its C face",
    "Sources/Transport/": "OpenSSL",
    "Sources/Cluster/": "cnats",
    "Sources/Service/": "libsystemd, sendto(2)",
    "Sources/Terminal/": "ncurses",
    "Sources/CommandLine/": "getopt_long",
    "Sources/accordiond/Opening.swift": "getrusage(2)",
    "Sources/accordiond/Main.swift": "write(2) takes an address",
    "Sources/accordiond/Log.swift": "the journal's variable and the time of day",
    "Sources/accordiond/Doors.swift": "the limit of descriptors",
    "Sources/AccordionWorkbench/Bench.swift": "write(2), a clock, the limit of descriptors",
    "Sources/AccordionWorkbench/BenchDaemon.swift": "posix_spawn takes addresses",
    "Sources/AccordionWorkbench/BenchCluster.swift": "bind(2) and kill(2)",
    "Sources/AccordionWorkbench/Crowd.swift": "poll and sockets",
    "Sources/AccordionWorkbench/Contest.swift": "send(2)",
    "Sources/AccordionWorkbench/Rival.swift": "sockets and files",
    "Sources/AccordionWorkbench/BroadcasterCommand.swift": "poll and sockets",
    "Sources/AccordionWorkbench/StartsCommand.swift": "the socket of a service manager",
    "Sources/AccordionWorkbench/BenchTerminal.swift": "openpty and posix_spawn take addresses",
    "Sources/AccordionWorkbench/BenchSocket.swift": "sockets are called with addresses",
    "Sources/AccordionCommand/Standard.swift": "write(2) and the environment",
    "Sources/AccordionCommand/Temporary.swift": "mkdtemp and readdir take and give addresses",
    "Sources/AccordionCommand/ChildProcess.swift": "posix_spawn takes addresses",
]

func mayBeUnsafe(_ path: String, _ table: [String: String]) -> Bool {
    table.keys.contains { $0.hasSuffix("/") ? path.hasPrefix($0) : path == $0 }
}

/// `unsafe` where the table does not allow it, and allowances that nothing uses any more.
func unsafeFindings(_ sources: [Source], _ table: [String: String]) -> [Finding] {
    var findings: [Finding] = []
    for source in sources where source.isSwift && source.path.hasPrefix("Sources/") {
        let places = source.code.indices.filter { holdsWord(source.code[$0], "unsafe") }
        if mayBeUnsafe(source.path, table) {
            guard places.isEmpty, table[source.path] != nil else { continue }
            findings.append(Finding(path: source.path, message: "is allowed to be unsafe and is not"))
        } else {
            findings += places.map { Finding(path: source.path, line: $0 + 1, message: "unsafe outside its files") }
        }
    }
    return findings
}

/// Declarations that reach outside the package, and ways to trap on what came from outside.
func forcedFindings(_ sources: [Source]) -> [Finding] {
    var findings: [Finding] = []
    for source in sources where source.isSwift && source.path.hasPrefix("Sources/") {
        for (index, line) in source.code.enumerated() {
            func found(_ message: String) {
                findings.append(Finding(path: source.path, line: index + 1, message: message))
            }
            if holdsWord(line, "public"), !holdsWord(line, "import") {
                found("public: package is the widest access here")
            }
            for word in ["try!", "as!", "fatalError("] where holdsWord(line, word) { found(word) }
            if holdsForceUnwrap(line) { found("a forced unwrap") }
        }
    }
    return findings
}

/// A `!` right behind a name or something closed, `try!` and `as!` aside.
func holdsForceUnwrap(_ line: String) -> Bool {
    guard line.contains("!") else { return false }
    let bytes = Array(line.utf8)
    for index in bytes.indices.dropFirst() where bytes[index] == UInt8(ascii: "!") {
        let before = bytes[index - 1]
        let closers = [")", "]", "}", "`", "\"", "?", "!"].map { (closer: Unicode.Scalar) in UInt8(ascii: closer) }
        guard isWordByte(before) || closers.contains(before) else { continue }
        let word = bytes[..<index].reversed().prefix(while: isWordByte).reversed()
        if String(decoding: word, as: UTF8.self) == "try" || String(decoding: word, as: UTF8.self) == "as" { continue }
        return true
    }
    return false
}

/// Variables that the whole program shares: at file scope, or static and stored.
func globalFindings(_ sources: [Source]) -> [Finding] {
    var findings: [Finding] = []
    for source in sources where source.isSwift && source.path.hasPrefix("Sources/") {
        for (index, line) in source.code.enumerated() where holdsWord(line, "var") {
            let before = wordsWithoutAttributes(line).prefix { $0 != "var" }
            let isAtFileScope = indentation(line) == 0 && before.allSatisfy { !$0.contains("{") && !$0.contains(".") }
            guard isAtFileScope || before.contains("static") || before.contains("class") else { continue }
            let beforeBrace = line.prefix { $0 != "{" }
            // A getter keeps nothing; a stored one has a value, or no brace at all.
            guard isAtFileScope && !line.contains("{") || beforeBrace.contains("=") || !line.contains("{") else {
                continue
            }
            findings.append(Finding(path: source.path, line: index + 1, message: "a global variable"))
        }
    }
    return findings
}

/// Marks of unfinished work, and names of places that exist on one developer's machine only. For files of every kind.
func leftoverFindings(_ sources: [Source]) -> [Finding] {
    let marks = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]
    let places = ["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/", "../sha" + "red"]
    var findings: [Finding] = []
    for source in sources {
        for (index, line) in source.lines.enumerated() {
            for word in marks where holdsWord(line, word) {
                findings.append(Finding(path: source.path, line: index + 1, message: "unfinished: \(word)"))
            }
            for place in places where line.contains(place) {
                let message = "a path of somebody's machine: \(place)"
                findings.append(Finding(path: source.path, line: index + 1, message: message))
            }
        }
    }
    return findings
}

func topLevelFindings(_ names: [String]) -> [Finding] {
    let allowed: Set<String> = ["Package.swift", "Sources", "Tests", "Config", "systemd", "README.md", "NEWS.md"]
    return names.filter { !$0.hasPrefix(".") && !allowed.contains($0) }.map {
        Finding(path: $0, message: "does not belong at the top")
    }
}
