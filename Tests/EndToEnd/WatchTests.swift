// Why this file exists: what `accordion watch` tells, how it ends, and that its output can steer neither a terminal nor a
// pipe.

import Glibc
import TestSupport
import Testing

@Suite struct WatchTests {
    let daemon: TestDaemon

    init() throws {
        daemon = try TestDaemon()
        try daemon.makeRunbook()
    }

    static let standing = [
        "\tDeploy\tclosed", "\tDeploy/Smoke\tnot done", "\tTools\topen", "\tRules\tclosed",
    ]

    @Test func `first it tells how everything stands, by nobody, then what changes, by whom`() throws {
        let client = try RunningClient(daemon, ["watch", "runbook", "-C", "6"])
        try client.awaitOutput("Rules")
        try daemon.tell(
            #"{"op":"hello","name":"ann"}"#, #"{"op":"open","doc":"runbook","section":"Deploy"}"#,
            #"{"op":"check","doc":"runbook","section":"Deploy/Smoke"}"#)
        #expect(try client.process.waitForEnd() == 0)
        #expect(client.lines.prefix(4) == Self.standing[...])
        #expect(client.lines[4].isLike("ann*\tDeploy\topen"), "\(client.lines)")
        #expect(client.lines[5].isLike("ann*\tDeploy/Smoke\tdone"), "\(client.lines)")
    }

    @Test func `a section that is named is told with what is inside it`() throws {
        let outcome = try daemon.accordion(["watch", "runbook", "Deploy", "--count", "2"])
        #expect(outcome.status == 0)
        #expect(outcome.output.split(separator: "\n").count == 2 && !outcome.output.contains("Tools"))
        let row = try daemon.accordion(["watch", "runbook", "Row", "-W", "0.01"])
        #expect(row.status == 6 && row.output.isEmpty)
        #expect(try daemon.accordion(["watch", "runbook", "nowhere"]).status == 3)
        #expect(try daemon.accordion(["watch", "nothing"]).status == 3)
    }

    @Test func `only what is new is told where that was asked for, and the count ends it within one event`() throws {
        try daemon.tell(
            #"{"op":"create","doc":"s","mode":"single","content":[{"title":"a","content":[],"open":true},{"title":"b","content":[]}]}"#
        )
        let client = try RunningClient(daemon, ["--json", "watch", "s", "--new-only", "--count", "1"])
        let socket = try TestSocket(unix: daemon.socketPath)
        try until("it subscribes") { try socket.ask(#"{"op":"list"}"#)?.contains(#""subscribers":1"#) == true }
        try daemon.tell(#"{"op":"open","doc":"s","section":"b"}"#)
        #expect(try client.process.waitForEnd() == 0)
        #expect(client.output.isLike(#"{"at":*,"by":"*","section":"a","open":false}"# + "\n"), "\(client.output)")
    }

    @Test func `what stands is marked in JSON, what changes is not`() throws {
        let client = try RunningClient(daemon, ["--json", "watch", "runbook", "Tools", "-C", "2"])
        try client.awaitOutput(#""section":"Tools","open":true,"standing":true}"#)
        try daemon.tell(#"{"op":"close","doc":"runbook","section":"Tools"}"#)
        #expect(try client.process.waitForEnd() == 0)
        #expect(client.output.hasSuffix(#""section":"Tools","open":false}"# + "\n"), "\(client.output)")
    }

    @Test func `a deleted document is watched on, and how a new content stands is told again`() throws {
        let client = try RunningClient(daemon, ["watch", "runbook", "-C", "7"])
        try client.awaitOutput("Rules")
        try daemon.tell(
            #"{"op":"delete","doc":"runbook"}"#,
            #"{"op":"create","doc":"runbook","content":[{"title":"x","content":[],"open":true}]}"#)
        #expect(try client.process.waitForEnd() == 0)
        #expect(client.lines[4].hasSuffix("\t\tdocument deleted"), "\(client.lines)")
        #expect(client.lines[5...] == ["\t\tdocument created", "\tx\topen"], "\(client.lines)")
    }

    @Test func `time that passes ends it with 6, and a daemon that goes away with 5`() throws {
        let outcome = try daemon.accordion(["watch", "runbook", "--timeout", "0.05"])
        #expect(outcome.status == 6 && outcome.errors == "accordion: timed out\n")
        #expect(outcome.output.split(separator: "\n").count == 4)
        let client = try RunningClient(daemon, ["watch", "runbook"])
        try client.awaitOutput("Rules")
        daemon.process.signal(SIGTERM)
        #expect(try client.process.waitForEnd() == 5)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends it as a signal ends any program`(_ signal: Int32) throws {
        let client = try RunningClient(daemon, ["watch", "runbook"])
        try client.awaitOutput("Rules")
        client.process.signal(signal)
        #expect(try client.process.waitForEnd() == -signal)
    }

    @Test func `a signal that whoever started it has ignored is ignored`() throws {
        let program = productsDirectory + "/accordion"
        let output = daemon.scratch.path + "/out"
        let script = "trap '' HUP; exec \"$0\" --address \"$1\" watch runbook"
        let process = try Process("/bin/sh", ["-c", script, program, daemon.address], output: output)
        try until("it watches") { contents(output).contains("Rules") }
        process.signal(SIGHUP)
        try daemon.tell(#"{"op":"open","doc":"runbook","section":"Deploy"}"#)
        try until("it goes on") { contents(output).contains("Deploy\topen") }
        process.signal(SIGTERM)
        #expect(try process.waitForEnd() == -SIGTERM)
    }

    @Test func `a reader that has seen enough ends it with 0`() throws {
        let program = productsDirectory + "/accordion"
        let output = daemon.scratch.path + "/out"
        let script = "{ \"$0\" --address \"$1\" watch runbook; echo $? >&2; } | head -n 1"
        let process = try Process("/bin/sh", ["-c", script, program, daemon.address], output: output)
        // What is toggled before it has subscribed stands already in its first line.
        let socket = try TestSocket(unix: daemon.socketPath)
        try until("it subscribes") {
            try socket.ask(#"{"op":"list"}"#)?.contains(#""subscribers":1"#) == true || process.hasEnded
        }
        try until("both have ended") {
            try daemon.tell(#"{"op":"toggle","doc":"runbook","section":"Deploy"}"#)
            return process.hasEnded
        }
        #expect(contents(output).hasSuffix("\n0\n") && contents(output).contains("Deploy\tclosed"))
    }

    @Test func `a reader that reads nothing does not keep it from being ended`() throws {
        let sections = (0..<10_000).map { #"{"title":"section \#($0)","content":[]}"# }.joined(separator: ",")
        try daemon.tell(#"{"op":"create","doc":"big","content":[\#(sections)]}"#)
        let path = daemon.scratch.path + "/pipe"
        try #require(unsafe mkfifo(path, 0o600) == 0)
        let pipe = unsafe open(path, O_RDWR | O_CLOEXEC)
        defer { close(pipe) }
        let process = try Process(
            productsDirectory + "/accordion", ["--address", daemon.address, "watch", "big"], output: path,
            errors: "/dev/null")
        try until("the pipe is full") {
            var count: Int32 = 0
            // FIONREAD.
            return unsafe ioctl(pipe, 0x541B, &count) == 0 && count > 60_000
        }
        process.signal(SIGTERM)
        #expect(try process.waitForEnd() == -SIGTERM)
    }

    @Test func `names that steer terminals are refused by a daemon, and drawn where one sends them`() throws {
        for name in [#"a\u001b[2Jb"#, #"a\nb"#, #"a\u202eb"#] {
            let socket = try TestSocket(unix: daemon.socketPath)
            let reply = try socket.ask(#"{"op":"create","doc":"evil","content":[{"id":"\#(name)","title":"x"}]}"#)
            #expect(reply?.contains(#""code":"invalid_document""#) == true, "\(reply ?? "")")
        }
        let snapshot =
            #"{"event":"snapshot","doc":"p","reason":"subscribed","epoch":"e","version":{},"document":{"content":[]},"#
            + #""state":{"open":[],"done":[],"conflicts":[]}}"#
        let changed =
            #"{"event":"changed","doc":"p","version":{},"by":"m\u009b\nallory","at":1,"#
            + #""changes":[{"section":"a\u001b[2J\nb\u202e","open":true}]}"#
        let fake = try FakeDaemon()
        let outcome = try fake.accordion(
            ["watch", "p", "-C", "1", "--exec", #"printf %s "$ACCORDION_SECTION|$ACCORDION_BY" > "$OUT""#],
            environment: ["OUT=\(fake.scratch.path)/got"],
            answers: [#"{"id":1,"ok":true,"version":{}}"# + "\n" + snapshot + "\n" + changed])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").count == 1)
        #expect(outcome.output.split(separator: "\t").count == 4)
        let steering = outcome.output.unicodeScalars.filter { $0.value < 0x20 && $0 != "\t" && $0 != "\n" }
        #expect(steering.isEmpty && !outcome.output.contains("\u{9B}") && !outcome.output.contains("\u{202E}"))
        #expect(contents(fake.scratch.path + "/got") == "a\u{1B}[2J\nb\u{202E}|m\u{9B}\nallory")
    }
}
