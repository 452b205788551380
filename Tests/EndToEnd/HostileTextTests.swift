// Why this file exists: what a client, a file or a daemon wrote is drawn in many ways, by every command; in none of them may
// it steer a terminal. Three hundred hostile texts go through all of them.

import Glibc
import TestSupport
import Testing

private func json(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
        if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar == "\"" || scalar == "\\" {
            let digits = String(scalar.value, radix: 16)
            quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
            quoted.unicodeScalars.append(scalar)
        }
    }
    return quoted + "\""
}

@Suite struct HostileTextTests {
    let seed: UInt64
    let texts: [String]

    init() {
        seed = freshSeed()
        texts = HostileStrings.all(seed: seed)
    }

    /// A document whose titles, texts and code are all hostile, and one for each text that has it as its title.
    private func makeDocuments(_ daemon: TestDaemon) throws {
        let blocks = texts.enumerated().map { number, text in
            let task = number % 2 == 0 ? ",\"task\":false" : ""
            let open = number % 3 == 0 ? ",\"open\":true" : ""
            return
                "{\"title\":\(json(text))\(task)\(open),\"content\":[\(json(text)),{\"code\":\(json(text)),\"language\":\(json(text))}]}"
        }
        let socket = try TestSocket(unix: daemon.socketPath)
        func create(_ name: String, _ title: String, _ content: String) throws {
            let reply = try socket.ask(
                "{\"op\":\"create\",\"doc\":\"\(name)\",\"title\":\(json(title)),\"content\":[\(content)]}")
            try #require(reply?.contains("\"ok\":true") == true, "seed \(seed): \(reply ?? "")")
        }
        try create("hostile", texts[0], blocks.joined(separator: ","))
        for (number, text) in texts.enumerated() { try create("t\(number)", text, "") }
    }

    @Test func `what clients wrote steers no terminal, no pipe and no JSON, whatever draws it`() throws {
        let daemon = try TestDaemon()
        try makeDocuments(daemon)
        let commands = [
            ["list"], ["show", "hostile"], ["show", "hostile", "--all"], ["show", "hostile", "#5"],
            ["watch", "hostile", "-C", "450"], ["status"], ["export", "hostile"],
            ["export", "hostile", "--format", "markdown"], ["export", "hostile", "--format", "opml"],
        ]
        for command in commands {
            let isMarkdown = command.contains("markdown")
            let piped = try daemon.accordion(command)
            #expect(piped.status == 0 && piped.output.utf8.count > 10, "\(command): \(piped.errors)")
            let isTabbed = command[0] != "export" || isMarkdown
            let found = HostileStrings.harm(in: piped.output, besides: isTabbed ? ["\n", "\t"] : ["\n"])
            #expect(found == nil, "seed \(seed): \(command)")
            let structured = try daemon.accordion(["--json"] + command)
            #expect(
                HostileStrings.harm(in: structured.output, besides: isMarkdown ? ["\n", "\t"] : ["\n"]) == nil,
                "seed \(seed): \(command)")
            let drawn = try TerminalRun(
                productsDirectory + "/accordion", ["--address", daemon.address] + command)
            #expect(drawn.status == 0 && drawn.output.utf8.count > 10, "\(command)")
            #expect(HostileStrings.harm(in: drawn.output) == nil, "seed \(seed): \(command) on a terminal")
        }
        let list = try daemon.accordion(["list"]).output.split(separator: "\n")
        #expect(list.count == 301 && list.allSatisfy { $0.utf8.filter { $0 == 0x09 }.count == 4 })
        let show = try daemon.accordion(["show", "hostile", "--all"]).output.split(separator: "\n")
        #expect(show.count == 900 && show.allSatisfy { $0.utf8.filter { $0 == 0x09 }.count == 5 })
        #expect(HostileStrings.harm(in: daemon.log) == nil, "seed \(seed)")
    }

    @Test func `what is told of changes and kept in the history steers nothing`() throws {
        let daemon = try TestDaemon()
        try makeDocuments(daemon)
        let watch = try RunningClient(daemon, ["watch", "hostile", "--new-only", "-C", "300"])
        let socket = try TestSocket(unix: daemon.socketPath)
        try until("it subscribes") {
            try socket.ask(#"{"op":"list","prefix":"hostile"}"#)?.contains(#""subscribers":1"#) == true
        }
        for text in texts {
            let reply = try socket.ask("{\"op\":\"hello\",\"name\":\(json(text))}") ?? ""
            #expect(HostileStrings.harm(in: reply) == nil, "seed \(seed)")
            if reply.contains("\"ok\":true") { break }
        }
        try daemon.tell(#"{"op":"open_all","doc":"hostile"}"#, #"{"op":"close_all","doc":"hostile"}"#)
        #expect(try watch.process.waitForEnd() == 0)
        #expect(HostileStrings.harm(in: watch.output, besides: ["\n", "\t"]) == nil, "seed \(seed)")
        let history = try daemon.accordion(["send"], input: "{\"op\":\"history\",\"doc\":\"hostile\"}\n")
        #expect(history.output.contains("entries") && HostileStrings.harm(in: history.output) == nil, "seed \(seed)")
        #expect(HostileStrings.harm(in: daemon.log) == nil, "seed \(seed)")
    }

    @Test func `messages about words that were typed steer nothing`() throws {
        let daemon = try TestDaemon()
        try daemon.makeRunbook()
        let file = daemon.scratch.path + "/list.json"
        try write("[\"a\"]", to: file)
        let commands: [(String) -> [String]] = [
            { ["show", $0] }, { ["show", "runbook", $0] }, { ["open", "runbook", "Deploy", $0] }, { ["import", $0] },
            { ["import", file, "--as", $0] }, { ["--name", $0, "list"] }, { ["delete", $0] },
            { ["wait", "runbook", $0, "--open", "--timeout", "1"] }, { ["watch", $0, "--timeout", "1"] },
            { ["script", $0] }, { [$0] },
            { ["list", "--" + $0] },
            { ["level", $0, "runbook"] }, { ["export", "runbook", "--format", $0] }, { ["--address", $0, "list"] },
        ]
        for (number, text) in texts.enumerated() {
            let words = commands[number % commands.count](text)
            let outcome: Outcome
            do {
                outcome = try daemon.accordion(words)
            } catch {
                Issue.record("seed \(seed): \(words): \(error)")
                continue
            }
            #expect(HostileStrings.harm(in: outcome.errors) == nil, "seed \(seed): \(words)")
            #expect(HostileStrings.harm(in: outcome.output, besides: ["\n", "\t"]) == nil, "seed \(seed): \(words)")
        }
        #expect(HostileStrings.harm(in: daemon.log) == nil, "seed \(seed)")
    }

    @Test func `what import tells of a file steers nothing`() throws {
        let daemon = try TestDaemon()
        func notices(_ name: String, _ content: String) throws -> Outcome {
            let path = daemon.scratch.path + "/" + name
            try write(content, to: path)
            return try daemon.accordion(["import", path, "--as", "notices", "--replace"])
        }
        let lines = texts.map { String($0.unicodeScalars.filter { $0 != "\n" && $0 != "\r" }) }
        let definitions = lines.enumerated().map { "[d\($0)\($1)]: <http://x/\($1)> \"\($1)\"\n\n" }.joined()
        let keys = lines.enumerated().map { "k\($0.offset)\($0.element): x\n" }.joined()
        let members = texts.enumerated().map { json("m\($0)\($1)") + ":1" }.joined(separator: ",")
        let comment =
            "## t\n<!-- accordion: {\(members.unicodeScalars.map { $0 == ">" ? "\\u003e" : String($0) }.joined())} -->\n"
        let files = [
            ("definitions.md", "text\n\n" + definitions), ("front.md", "---\n\(keys)---\ntext\n"),
            ("members.md", comment),
            ("members.json", "{\"content\":[],\(members)}"), ("places.json", "[{\"name\":\"a\",\(members)}]"),
        ]
        for (name, content) in files {
            let outcome = try notices(name, content)
            #expect(outcome.errors.contains("left out"), "\(name): \(outcome.errors)")
            #expect(HostileStrings.harm(in: outcome.errors) == nil, "seed \(seed): \(name)")
        }
        #expect(try notices("members.json", files[3].1).errors.split(separator: "\n").count == 300)
        for text in texts.prefix(120) {
            let name = text.unicodeScalars.filter { $0 != "/" }.map(String.init).joined()
            for content in [
                "<opml>\n<\(text)", "{\"content\":[{\"title\":\(json(text)),\"open\":1}]}", "a\n\n<!-- c -->",
            ] {
                let outcome = try notices(name + ".md", content)
                #expect(
                    HostileStrings.harm(in: outcome.errors + outcome.output, besides: ["\n", "\t"]) == nil,
                    "seed \(seed): \(name)")
            }
        }
    }

    @Test func `a daemon that lies steers nothing`() throws {
        let members = texts.enumerated().map { json("m\($0)\($1)") + ":" + json($1) }.joined(separator: ",")
        let status = "{\"id\":1,\"ok\":true,\"status\":{\(members),\"group\":{\(members)}}}"
        for words in [["status"], ["--json", "status"]] {
            let outcome = try FakeDaemon().accordion(words, answers: [status])
            #expect(outcome.status == 0 && outcome.output.utf8.count > 10_000, "seed \(seed)")
            #expect(
                HostileStrings.harm(
                    in: outcome.output + outcome.errors, besides: words.count == 1 ? ["\n", "\t"] : ["\n"]) == nil,
                "seed \(seed)")
        }
        let snapshot =
            "{\"event\":\"snapshot\",\"doc\":\"d\",\"reason\":\"subscribed\",\"epoch\":\"e\",\"version\":{\"n1\":1},"
            + "\"document\":{\"doc\":\"d\",\"content\":[{\"title\":\"a\",\"content\":[]}]},\"state\":{\"open\":[],\"done\":[],\"conflicts\":[]}}"
        let events = texts.enumerated().map { number, text in
            "{\"event\":\"changed\",\"doc\":\"d\",\"version\":{\"n1\":\(number + 2)},\"by\":\(json(text)),\"at\":1,\"changes\":[{\"section\":\"a\",\"open\":\(number % 2 == 0)}],"
                + "\"conflicts\":[{\"section\":\"a\",\"field\":\"open\",\"kept\":{\"value\":true,\"by\":\(json(text))},\"lost\":[{\"value\":false,\"by\":\(json(text))}]}]}"
        }
        let goodbye = "{\"event\":\"goodbye\",\"reason\":\(json(texts[100]))}"
        let answer = (["{\"id\":1,\"ok\":true,\"version\":{\"n1\":1}}", snapshot] + events + [goodbye]).joined(
            separator: "\n")
        for words in [["watch", "d"], ["--json", "watch", "d"]] {
            let outcome = try FakeDaemon().accordion(words, answers: [answer])
            #expect(outcome.status == 5 && outcome.output.split(separator: "\n").count > 500, "\(outcome.errors)")
            #expect(
                HostileStrings.harm(
                    in: outcome.output + outcome.errors, besides: words.count == 2 ? ["\n", "\t"] : ["\n"]) == nil,
                "seed \(seed)")
        }
        for text in texts.prefix(60) {
            let refusal = "{\"id\":1,\"ok\":false,\"error\":{\"code\":\(json(text)),\"message\":\(json(text))}}"
            let outcome = try FakeDaemon().accordion(["list"], answers: [refusal])
            #expect(HostileStrings.harm(in: outcome.errors) == nil, "seed \(seed): \(text.debugDescription)")
        }
    }
}
