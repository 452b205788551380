// Why this file exists: a program that reads what a command prints must be able to rely on `--json` for every one of them.

import Glibc
import TestSupport
import Testing
import Wire

@Suite struct JSONTests {
    /// What is said to each, and how many objects it prints. The live view prints nothing that is to be read.
    private static let lines: [(words: [String], objects: ClosedRange<Int>)] = [
        (["list"], 1...1), (["show", "runbook", "--all"], 6...6), (["open", "runbook", "Deploy"], 1...1),
        (["close", "runbook", "Deploy", "Tools"], 1...1), (["toggle", "runbook", "Deploy"], 1...1),
        (["check", "runbook", "Smoke"], 1...1), (["uncheck", "runbook", "Deploy/Smoke"], 1...1),
        (["expand", "runbook"], 1...1), (["collapse", "runbook", "Deploy"], 1...1), (["level", "1", "runbook"], 1...1),
        (["reset", "runbook", "Deploy"], 1...1), (["watch", "runbook", "--count", "3"], 3...3),
        (["wait", "runbook", "Tools", "--closed"], 1...1),
        (["select", "runbook", "Deploy", "--timeout", "0.1"], 1...1),
        (["present", "runbook", "--timeout", "0.1"], 1...1), (["history", "runbook"], 5...20),
        (["undo", "runbook"], 1...1),
        (["redo", "runbook"], 1...1), (["status"], 1...1), (["where"], 1...1), (["where", "socket"], 1...1),
        (["export", "runbook"], 1...1), (["export", "runbook", "--format", "markdown"], 1...1),
        (["export", "runbook", "--format", "opml"], 1...1), (["import", "FILE", "--as", "copy"], 1...1),
        (["import", "FILE", "--as", "copy", "--replace"], 1...1), (["script", "SCRIPT"], 1...1),
        (["completion", "bash"], 1...1), (["send"], 1...1), (["delete", "runbook"], 1...1),
    ]

    @Test func `every command that prints prints one object a line`() throws {
        let daemon = try TestDaemon()
        try daemon.makeRunbook()
        let (file, script) = (daemon.scratch.path + "/file.md", daemon.scratch.path + "/script")
        try write("# One\n\n- [ ] two\u{1B}\n", to: file)
        try write("> {\"op\":\"ping\"}\n< {\"ok\":true}\n", to: script)
        for (words, objects) in Self.lines {
            let words = words.map { $0 == "FILE" ? file : $0 == "SCRIPT" ? script : $0 }
            let outcome = try daemon.accordion(
                words + ["--json"], input: words == ["send"] ? #"{"op":"ping"}"# + "\n" : nil)
            #expect(outcome.status == 0, "\(words): \(outcome.errors)")
            #expect(outcome.output.hasSuffix("\n") && !outcome.output.unicodeScalars.contains("\u{1B}"), "\(words)")
            let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            #expect(objects.contains(lines.count), "\(words): \(outcome.output)")
            for line in lines {
                let members = try JSONParser().parse(Array(line.utf8).span, refuse: { Failure($0) }) {
                    object throws(Failure) in
                    object.count
                }
                #expect(members > 0, "\(words): \(line)")
            }
        }
        let said = Set(Self.lines.compactMap(\.words.first)).union(["mirror"])
        #expect(said == Set(try clientCommands()), "a command is not tried here")
    }

    @Test func `every command's example is a line that the command takes`() throws {
        let scratch = try Scratch()
        // Whatever the lines need besides the program, and the program itself, which finds no daemon.
        for name in ["requests", "runbook.md", "toggle.accordion"] { try write("", to: "\(scratch.path)/\(name)") }
        let program = productsDirectory + "/accordion"
        try write(
            "#!/bin/sh\nexec \"\(program)\" --address unix:/nonexistent \"$@\" 2>>errors\n",
            to: scratch.path + "/accordion")
        unsafe chmod(scratch.path + "/accordion", 0o755)
        for command in try clientCommands() {
            let help = scratch.path + "/help.\(command)"
            #expect(try Process(program, ["help", command], output: help).waitForEnd() == 0)
            var example = contents(help).split(separator: "\n").drop { $0 != "Example:" }.dropFirst().first ?? ""
            // In the foreground, to be waited for.
            if example.hasSuffix("&") { example.removeLast() }
            let shell = try Process(
                "/bin/sh", ["-c", "cd '\(scratch.path)'; : >errors; \(example)"],
                environment: ["PATH=\(scratch.path):/usr/bin:/bin"], output: scratch.path + "/out")
            try shell.waitForEnd()
            let errors = contents(scratch.path + "/errors")
            #expect(!errors.contains("Try \"accordion"), "\(example): \(errors)")
            let isAnswered =
                errors.contains("no daemon answers") || ["completion", "mirror", "script", "import"].contains(command)
            #expect(isAnswered, "\(example): \(errors)")
        }
    }
}
