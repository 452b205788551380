// Why this file exists: scripts go by the number with which a command ends. Each is promised once, and met here in each of
// the ways that lead to it.

import TestSupport
import Testing

@Suite struct ExitCodeTests {
    /// With a daemon that has the runbook of the tests.
    private static let cases: [(words: [String], status: Int32)] = [
        (["open", "runbook", "Deploy"], 0), (["wait", "runbook", "Tools", "--open"], 0), (["--version"], 0),
        (["open", "runbook", "Rules"], 1), (["open", "runbook", "Row"], 1), (["check", "runbook", "Deploy"], 1),
        (["undo", "runbook"], 1), (["redo", "runbook"], 1), (["import", "FILE", "--as", "runbook"], 1),
        (["script", "SCRIPT"], 1), (["wait", "runbook", "Row", "--open"], 1),
        (["open", "runbook", "Deploy", "Rules"], 1),
        ([], 2), (["opne", "runbook", "Deploy"], 2), (["open", "runbook"], 2), (["list", "--nonsense"], 2),
        (["level", "99", "runbook"], 2), (["completion", "csh"], 2), (["history", "runbook", "-n", "0"], 2),
        (["show", "no name"], 2), (["mirror", "runbook"], 2), (["candidates"], 2),
        (["show", "runbok"], 3), (["open", "runbook", "Deplyo"], 3), (["export", "x"], 3), (["delete", "x"], 3),
        (["history", "x"], 3), (["undo", "x"], 3), (["wait", "x", "y", "--open"], 3), (["watch", "x"], 3),
        (["select", "runbook", "x"], 3), (["expand", "runbook", "x"], 3), (["reset", "runbook", "x"], 3),
        (["wait", "runbook", "Tools", "--closed", "--timeout", "0"], 6), (["watch", "runbook", "--timeout", "0"], 6),
        (["import", "/nonexistent"], 7), (["import", "/dev/null"], 7), (["script", "/nonexistent"], 7),
        (["import", "FILE", "--format", "opml"], 7), (["script", "FILE"], 7),
    ]

    @Test(arguments: cases)
    func `a command ends with the number that was promised`(_ words: [String], _ status: Int32) throws {
        let daemon = try TestDaemon()
        try daemon.makeRunbook()
        let (file, script) = (daemon.scratch.path + "/file.md", daemon.scratch.path + "/script")
        try write("# One\n\nwords\n", to: file)
        try write("> {\"op\":\"ping\"}\n< {\"ok\":false}\n", to: script)
        let outcome = try daemon.accordion(words.map { $0 == "FILE" ? file : $0 == "SCRIPT" ? script : $0 })
        #expect(outcome.status == status, "\(words): \(outcome.errors)")
        if words.first == "undo" || words.first == "redo" { return }
        // Whatever went wrong is told, in one way, and never where results are.
        let isFault = status != 0
        #expect(outcome.errors.isEmpty == !isFault, "\(words): \(outcome.errors)")
        if isFault, words.first != "watch" { #expect(outcome.output.isEmpty, "\(words): \(outcome.output)") }
    }

    @Test(arguments: [
        "show r", "open r s", "history r", "undo r", "export r", "delete r", "list", "status", "watch r",
        "wait r s --open", "select r s", "present r",
    ])
    func `what is not allowed ends with 4`(_ line: String) throws {
        let refusal = #""ok":false,"error":{"code":"forbidden","message":"the role does not allow it"}}"#
        // undo asks first who it is.
        let answers =
            line == "undo r"
            ? [
                #"{"id":1,"ok":true,"server":"s","node":"n1","epoch":"e","session":"s1","name":"a","role":"viewer"}"#,
                #"{"id":2,"# + refusal,
            ] : [#"{"id":1,"# + refusal]
        let outcome = try FakeDaemon().accordion(line.split(separator: " ").map(String.init), answers: answers)
        #expect(outcome.status == 4 && outcome.errors.contains("(forbidden)"), "\(outcome)")
    }

    @Test func `where no daemon is, every command that asks one ends with 5`() throws {
        let daemon = try TestDaemon()
        for command in try clientCommands() where !["completion", "mirror", "import", "script"].contains(command) {
            let words: [String: [String]] = [
                "list": [], "status": [], "where": [], "send": [], "level": ["1", "r"], "wait": ["r", "s", "--open"],
            ]
            let arguments =
                words[command]
                ?? (["open", "close", "toggle", "check", "uncheck", "select"].contains(command) ? ["r", "s"] : ["r"])
            let outcome = try daemon.accordion(["--address", "unix:/nonexistent", command] + arguments)
            #expect(outcome.status == 5, "\(command): \(outcome.errors)")
        }
    }
}
