// Why this file exists: `history`, `undo` and `redo` are read after something went wrong: what they tell must be whole, in
// order, and true of whom they name.

import Testing

@Suite struct HistoryCommandTests {
    /// The lines without their times.
    private func lines(_ outcome: Outcome) -> [[String]] {
        outcome.output.split(separator: "\n").map { line in
            var fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            if fields.count > 1 { fields.remove(at: 1) }
            return fields
        }
    }

    @Test func `newest first it tells number, person, section and what was done, undone things as such`() throws {
        let daemon = try TestDaemon()
        try daemon.makeRunbook()
        for words in [["open", "runbook", "Deploy"], ["check", "runbook", "Deploy/Smoke"]] {
            #expect(try daemon.accordion(["--name", "alice"] + words).status == 0)
        }
        let undo = try daemon.accordion(["--name", "alice", "undo", "runbook"])
        #expect(undo.status == 0 && undo.output == "Deploy/Smoke\tnot done\n" && undo.errors.isEmpty)
        let redo = try daemon.accordion(["--name", "alice", "redo", "runbook", "--json"])
        #expect(redo.output == #"{"changed":1,"changes":[{"section":"Deploy/Smoke","done":true}]}"# + "\n")
        let told = lines(try daemon.accordion(["history", "runbook"]))
        #expect(told.map { $0[0] } == ["5", "4", "3", "2", "1"])
        #expect(Set(told.prefix(4).map { $0[1] }).count == 1 && told[0][1].hasPrefix("alice"))
        #expect(
            told.map { Array($0.dropFirst(2)) } == [
                ["Deploy/Smoke", "done", "redo"], ["Deploy/Smoke", "not done", "undo"], ["Deploy/Smoke", "done", ""],
                ["Deploy", "open", ""], ["", "document created: , 5 sections", ""],
            ])
        let smoke = lines(try daemon.accordion(["history", "runbook", "Smoke"]))
        #expect(smoke == Array(told.prefix(3)))
        #expect(lines(try daemon.accordion(["history", "runbook", "#1.1", "-n", "2"])) == Array(told.prefix(2)))
    }

    @Test func `undo is one's own, and says so with 1 where nothing is left`() throws {
        let daemon = try TestDaemon()
        try daemon.makeRunbook()
        #expect(try daemon.accordion(["--name", "alice", "open", "runbook", "Deploy"]).status == 0)
        for words in [["--name", "bob", "undo", "runbook"], ["--name", "alice", "redo", "runbook"]] {
            let outcome = try daemon.accordion(words)
            #expect(outcome.status == 1 && outcome.errors.contains("(nothing_to_undo)"), "\(outcome)")
        }
        #expect(try daemon.accordion(["--name", "alice", "undo", "runbook"]).output == "Deploy\tclosed\n")
        #expect(try daemon.accordion(["--name", "alice", "undo", "runbook"]).status == 1)
    }

    @Test func `every page is read, and each request stands there once`() throws {
        let daemon = try TestDaemon()
        try daemon.makeRunbook()
        let socket = try TestSocket(unix: daemon.socketPath)
        let requests = 2_345
        let press = #"{"op":"toggle","doc":"runbook","section":"Deploy"}"#
        try socket.send(String(repeating: press + "\n", count: requests))
        for _ in 0..<requests { #expect(try socket.line()?.contains(#""ok":true"#) == true) }
        let told = lines(try daemon.accordion(["history", "runbook"]))
        #expect(told.map { $0[0] } == (1...requests + 1).reversed().map(String.init))
        #expect(lines(try daemon.accordion(["history", "runbook", "--limit", "1001"])) == Array(told.prefix(1_001)))
        #expect(lines(try daemon.accordion(["history", "runbook", "Deploy"])).count == requests)
    }

    @Test func `a section that is gone is found by its path, one that never was is not`() throws {
        let daemon = try TestDaemon()
        try daemon.makeRunbook()
        #expect(try daemon.accordion(["open", "runbook", "Deploy"]).status == 0)
        try daemon.tell(#"{"op":"replace","doc":"runbook","content":[{"title":"Depart","content":[]}]}"#)
        #expect(lines(try daemon.accordion(["history", "runbook", "Deploy"])).count == 1)
        let never = try daemon.accordion(["history", "runbook", "Depat"])
        #expect(never.status == 3 && never.errors.contains("Did you mean Depart?"), "\(never.errors)")
        let untouched = try daemon.accordion(["history", "runbook", "Depart"])
        #expect(untouched.status == 0 && untouched.output.isEmpty)
        #expect(try daemon.accordion(["history", "runbok"]).errors.contains("Did you mean runbook?"))
    }

    @Test func `what two people disagreed on stands there, in words and in JSON`() throws {
        let daemon = try TestDaemon()
        try daemon.makeRunbook()
        for text in [#""name":"ann""#, #""name":"bo""#] {
            let socket = try TestSocket(unix: daemon.socketPath)
            _ = try socket.ask(#"{"op":"hello",\#(text)}"#)
            let to = text.contains("ann")
            _ = try socket.ask(#"{"op":"toggle","doc":"runbook","section":"Deploy","to":\#(to),"seen":{"n1":1}}"#)
        }
        let told = try daemon.accordion(["history", "runbook", "Deploy"])
        #expect(told.output.contains("conflict open: "), "\(told.output)")
        let json = try daemon.accordion(["history", "runbook", "Deploy", "--json"])
        #expect(json.output.contains(#""conflicts":[{"section":"Deploy","field":"open","kept":{"value":""#))
    }

    private static let hostile =
        #"{"number":2,"at":1,"by":"e\u001b[2Jve","node":"n1","counter":2,"conflicts":[{"section":"a","field":"x\u009b","kept":"#
        + #"{"value":"p\u001b","by":"q"},"lost":[{"value":true,"by":"\u202e"}]}],"changes":[{"section":"a\u001b]0;t\u0007","open":true,"lost":true}],"#
        + #""more":7,"lost":[{"by":"\u001b","deleted":true},{"by":"b","title":"t\u001b","sections":1,"bytes":1,"hash":"00"}]}"#

    @Test(arguments: [[], ["--json"]])
    func `text of others can't steer a terminal`(_ option: [String]) throws {
        let answers = [#"{"id":1,"ok":true,"entries":[\#(Self.hostile)]}"#, #"{"id":2,"ok":true,"entries":[]}"#]
        let outcome = try FakeDaemon().accordion(["history", "r"] + option, answers: answers)
        #expect(outcome.status == 0, "\(outcome.errors)")
        for control: Unicode.Scalar in ["\u{1B}", "\u{9B}", "\u{202E}", "\u{07}"] {
            #expect(!outcome.output.unicodeScalars.contains(control), "\(outcome.output)")
        }
        if option.isEmpty {
            let fields = outcome.output.split(separator: "\n").map {
                $0.split(separator: "\t", omittingEmptySubsequences: false)
            }
            #expect(fields.count == 5 && fields.allSatisfy { $0.count == 6 }, "\(outcome.output)")
        }
    }

    @Test func `a daemon that sends the same page for ever is left with 5`() throws {
        let answers = (1...3).map { #"{"id":\#($0),"ok":true,"entries":[\#(Self.hostile)]}"# }
        #expect(try FakeDaemon().accordion(["history", "r"], answers: answers).status == 5)
        #expect(try FakeDaemon().accordion(["history", "r"], answers: [#"{"id":1,"ok":true}"#]).status == 5)
        #expect(
            try FakeDaemon().accordion(["history", "r"], answers: [#"{"id":1,"ok":true,"entries":[1]}"#]).status == 5)
    }

    @Test func `on a terminal the last hundred are told, and that there is more`() throws {
        let daemon = try TestDaemon()
        try daemon.makeRunbook()
        let socket = try TestSocket(unix: daemon.socketPath)
        for _ in 0..<120 { _ = try socket.ask(#"{"op":"toggle","doc":"runbook","section":"Deploy"}"#) }
        func told(_ words: [String]) throws -> [String] {
            let run = try TerminalRun(
                productsDirectory + "/accordion", ["--address", daemon.address, "history", "runbook"] + words)
            return run.output.split(separator: "\n").map(String.init)
        }
        let usual = try told([])
        #expect(usual.count == 101 && usual.last?.contains("--limit N") == true, "\(usual)")
        #expect(usual.first?.hasSuffix("  Deploy closed") == true && usual.first?.contains("\t") == false)
        #expect(try told(["-n", "121"]).count == 121)
        #expect(try told(["-n", "20"]).count == 20)
    }
}
