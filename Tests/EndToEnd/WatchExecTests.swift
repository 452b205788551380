// Why this file exists: `watch --exec` runs what its user wrote and nothing that others wrote, one after the other, and
// leaves no process behind.

import Glibc
import TestSupport
import Testing

@Suite struct WatchExecTests {
    let daemon: TestDaemon

    init() throws {
        daemon = try TestDaemon()
        try daemon.makeRunbook()
    }

    private func path(_ name: String) -> String { "\(daemon.scratch.path)/\(name)" }

    @Test func `what a client wrote is data to a command, whatever it looks like`() throws {
        let titles = [
            "$(touch $PWNED)", "`touch $PWNED`", "'; touch $PWNED; '", "\"; touch $PWNED; \"", "& touch $PWNED &",
            "| touch $PWNED", "%s%n%d", "\\", "-n", "  two  spaces  ", "*", "~", "$PWNED", "a=b", "#",
        ]
        let sections = titles.enumerated().map { index, title in
            let text = title.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            return "{\"id\":\"\(text)\",\"title\":\"\(index)\",\"content\":[],\"open\":true}"
        }
        try daemon.tell(#"{"op":"create","doc":"evil","content":[\#(sections.joined(separator: ","))]}"#)
        let command =
            #"printf '%s|%s|%s|%s|%s\n' "$ACCORDION_DOC" "$ACCORDION_SECTION" "$ACCORDION_FIELD" "#
            + #""$ACCORDION_VALUE" "$ACCORDION_BY" >> "$OUT""#
        let outcome = try daemon.accordion(
            ["watch", "evil", "-C", "\(titles.count)", "--exec", command],
            environment: [
                "OUT=\(path("got"))", "PWNED=\(path("pwned"))", "ACCORDION_BY=somebody", "ACCORDION_DOC=other",
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(contents(path("got")) == titles.map { "evil|\($0)|open|true|\n" }.joined())
        unsafe #expect(access(path("pwned"), F_OK) != 0)
    }

    @Test func `a change reaches the command with who made it, and the command reaches the same daemon`() throws {
        let command = #"echo "$ACCORDION_FIELD $ACCORDION_VALUE $ACCORDION_BY $ACCORDION_ADDRESS" > "$OUT""#
        let client = try RunningClient(
            daemon, ["watch", "runbook", "Smoke", "-C", "2", "--exec", command], environment: ["OUT=\(path("got"))"])
        try client.awaitOutput("not done")
        try daemon.tell(
            #"{"op":"hello","name":"ann"}"#, #"{"op":"check","doc":"runbook","section":"Deploy/Smoke"}"#)
        #expect(try client.process.waitForEnd() == 0)
        #expect(contents(path("got")).isLike("done true ann* \(daemon.address)\n"), "\(contents(path("got")))")
    }

    @Test func `commands run one after the other in the order told, and are done before the count ends it`() throws {
        let sections = (0..<60).map { #"{"title":"\#($0)","content":[]}"# }.joined(separator: ",")
        try daemon.tell(#"{"op":"create","doc":"many","content":[\#(sections)]}"#)
        let command = #"echo "begin $ACCORDION_SECTION" >> "$OUT"; echo "end $ACCORDION_SECTION" >> "$OUT""#
        let outcome = try daemon.accordion(
            ["watch", "many", "-C", "60", "--exec", command], environment: ["OUT=\(path("got"))"])
        #expect(outcome.status == 0)
        #expect(contents(path("got")) == (0..<60).map { "begin \($0)\nend \($0)\n" }.joined())
    }

    @Test func `while a command runs the daemon is read on, and what has ended leaves no zombie`() throws {
        let command = #"while [ ! -e "$GO" ]; do sleep 0.01; done"#
        let client = try RunningClient(
            daemon, ["watch", "runbook", "--exec", command], environment: ["GO=\(path("go"))"])
        try client.awaitOutput("Rules")
        try daemon.tell(#"{"op":"open","doc":"runbook","section":"Deploy"}"#)
        try client.awaitOutput("Deploy\topen")
        let children = "/proc/\(client.process.id)/task/\(client.process.id)/children"
        #expect(!contents(children).isEmpty)
        try write("", to: path("go"))
        try until("no child is left") { contents(children).isEmpty }
        client.process.signal(SIGTERM)
        #expect(try client.process.waitForEnd() == -SIGTERM)
    }

    @Test func `a command that fails is told, the watch goes on, and ends with 1`() throws {
        let command = #"test "$ACCORDION_SECTION" = Tools || exit 3; kill -9 $$"#
        let outcome = try daemon.accordion(["watch", "runbook", "-C", "3", "--exec", command])
        #expect(outcome.status == 1 && outcome.output.split(separator: "\n").count == 3)
        #expect(
            outcome.errors == "accordion: the command for Deploy closed ended with status 3\n"
                + "accordion: the command for Deploy/Smoke not done ended with status 3\n"
                + "accordion: the command for Tools open was ended by signal 9\n")
    }

    @Test func `a command has an empty standard input, and broken pipes end what it starts`() throws {
        let outcome = try daemon.accordion(
            ["watch", "runbook", "-C", "1", "--exec", #"cat; (yes; echo $? >&2) | head -n 1; exec 2>&-"#],
            input: "not for the command\n")
        #expect(outcome.status == 0 && !outcome.output.contains("not for"))
        #expect(outcome.output.hasSuffix("\ny\n") && outcome.errors == "141\n", "\(outcome.errors)")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `interrupted it ends the command that runs with all that it started, and forgets the others`(
        _ signal: Int32
    ) throws {
        let command = #"sleep 1000 & echo "$$ $! $ACCORDION_SECTION" >> "$OUT"; wait"#
        let client = try RunningClient(
            daemon, ["watch", "runbook", "--exec", command], environment: ["OUT=\(path("got"))"])
        try until("a command runs") { contents(path("got")).hasSuffix("\n") }
        client.process.signal(signal)
        #expect(try client.process.waitForEnd() == -signal)
        let words = contents(path("got")).split(whereSeparator: { $0 == " " || $0 == "\n" })
        #expect(words.count == 3 && words.last == "Deploy")
        for word in words.prefix(2) {
            let id = try #require(pid_t(word))
            try until("process \(id) is gone") { kill(id, 0) != 0 && errno == ESRCH || isZombie(id) }
        }
        #expect(client.errors.isEmpty)
    }

    /// Nobody may be there to reap what has lost its parent.
    private func isZombie(_ id: pid_t) -> Bool { contents("/proc/\(id)/stat").contains(") Z ") }

    @Test func `a command that will not end is killed when it is interrupted again`() throws {
        let command = #"trap '' TERM INT; echo $$ > "$OUT"; while :; do sleep 0.01; done"#
        let client = try RunningClient(
            daemon, ["watch", "runbook", "--exec", command], environment: ["OUT=\(path("got"))"])
        try until("a command runs") { contents(path("got")).hasSuffix("\n") }
        let id = try #require(pid_t(contents(path("got")).dropLast()))
        try until("it ends") {
            client.process.signal(SIGINT)
            return client.process.hasEnded
        }
        #expect(try client.process.waitForEnd() == -SIGINT)
        try until("process \(id) is gone") { kill(id, 0) != 0 && errno == ESRCH || isZombie(id) }
    }

    @Test func `time that passes ends the command too, and it is 6`() throws {
        let outcome = try daemon.accordion(["watch", "runbook", "-W", "0.1", "--exec", "exec sleep 1000"])
        #expect(outcome.status == 6 && outcome.errors == "accordion: timed out\n")
    }

    @Test func `when the daemon goes what was told is done first, and it is 5`() throws {
        let command = #"while [ ! -e "$GO" ]; do sleep 0.01; done; echo "$ACCORDION_SECTION" >> "$OUT""#
        let client = try RunningClient(
            daemon, ["watch", "runbook", "--exec", command],
            environment: ["GO=\(path("go"))", "OUT=\(path("got"))"])
        try client.awaitOutput("Rules")
        daemon.process.signal(SIGTERM)
        try daemon.process.waitForEnd()
        try write("", to: path("go"))
        #expect(try client.process.waitForEnd() == 5)
        #expect(contents(path("got")) == "Deploy\nDeploy/Smoke\nTools\nRules\n")
    }

    @Test func `more changes than may wait are merged by the daemon, and the last state is never missed`() throws {
        // The longest path that there is, so that few events are many bytes.
        let names = (0..<16).map { String(repeating: "abcdefghijklmnop"[$0], count: 128) }
        let inner = names.reversed().reduce("") { #"{"title":"\#($1)","content":[\#($0)]}"# }
        try daemon.tell(#"{"op":"create","doc":"deep","content":[{"title":"last","content":[]},\#(inner)]}"#)
        let client = try RunningClient(
            daemon, ["watch", "deep", "--new-only", "--exec", #"while [ ! -e "$GO" ]; do sleep 0.01; done"#],
            environment: ["GO=\(path("go"))"])
        let socket = try TestSocket(unix: daemon.socketPath)
        try until("it subscribes") { try socket.ask(#"{"op":"list"}"#)?.contains(#""subscribers":1"#) == true }
        let count = 5_000
        let toggle = #"{"op":"toggle","doc":"deep","section":"\#(names.joined(separator: "/"))","ack":"none"}"# + "\n"
        for _ in 0..<count { try socket.send(toggle) }
        #expect(try socket.ask(#"{"op":"open","doc":"deep","section":"last"}"#)?.contains("true") == true)
        try write("", to: path("go"))
        try client.awaitOutput("last\topen")
        #expect(client.lines.count < count, "\(client.lines.count)")
        client.process.signal(SIGTERM)
        #expect(try client.process.waitForEnd() == -SIGTERM)
    }
}

extension String {
    fileprivate subscript(_ offset: Int) -> Character { self[index(startIndex, offsetBy: offset)] }
}
