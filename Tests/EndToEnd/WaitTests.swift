// Why this file exists: what `accordion wait` promises to scripts, with real processes.

import Glibc
import TestSupport
import Testing

@Suite struct WaitTests {
    let daemon: TestDaemon

    init() throws {
        daemon = try TestDaemon()
        try daemon.makeRunbook()
    }

    /// A state, the section, the gesture that brings it about, the one that undoes it, and how it is told.
    static let states: [(option: String, section: String, gesture: String, opposite: String, word: String)] = [
        ("--open", "Deploy", "open", "close", "open"), ("--closed", "Deploy", "close", "open", "closed"),
        ("--done", "Deploy/Smoke", "check", "uncheck", "done"),
        ("--undone", "Deploy/Smoke", "uncheck", "check", "not done"),
    ]

    private func say(_ gesture: String, _ section: String) throws {
        try daemon.tell(#"{"op":"\#(gesture)","doc":"runbook","section":"\#(section)"}"#)
    }

    /// Until the daemon says that somebody looks at the document.
    private func awaitSubscriber() throws {
        let socket = try TestSocket(unix: daemon.socketPath)
        try until("somebody subscribes") {
            try socket.ask(#"{"op":"list"}"#)?.contains(#""subscribers":1"#) == true
        }
    }

    @Test(arguments: states.indices)
    func `it returns once the state comes about, and not before`(_ index: Int) throws {
        let state = Self.states[index]
        try say(state.opposite, state.section)
        let client = try RunningClient(daemon, ["wait", "runbook", state.section, state.option])
        try awaitSubscriber()
        try say("toggle", "Tools")
        #expect(!client.process.hasEnded && client.output.isEmpty)
        try say(state.gesture, state.section)
        #expect(try client.process.waitForEnd() == 0)
        #expect(client.output == "\(state.section)\t\(state.word)\n")
    }

    @Test(arguments: states.indices)
    func `it returns at once where it is so already, with any time-out`(_ index: Int) throws {
        let state = Self.states[index]
        try say(state.gesture, state.section)
        for timeout in [[], ["--timeout", "0"]] {
            let outcome = try daemon.accordion(["wait", "runbook", state.section, state.option] + timeout)
            #expect(outcome.status == 0 && outcome.output == "\(state.section)\t\(state.word)\n", "\(outcome.errors)")
        }
    }

    @Test(arguments: states.indices)
    func `time that passes ends it with 6, and it says how it still is`(_ index: Int) throws {
        let state = Self.states[index]
        try say(state.opposite, state.section)
        let outcome = try daemon.accordion(["wait", "runbook", state.section, state.option, "--timeout", "0.01"])
        #expect(outcome.status == 6 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("accordion: timed out: \"\(state.section)\" is "), "\(outcome.errors)")
    }

    @Test func `a single group closes what it closes, and whoever waits is told`() throws {
        try daemon.tell(
            #"{"op":"create","doc":"s","mode":"single","content":[{"title":"a","content":[],"open":true},{"title":"b","content":[]}]}"#
        )
        let client = try RunningClient(daemon, ["--json", "wait", "s", "a", "--closed"])
        try awaitSubscriber()
        try daemon.tell(#"{"op":"open","doc":"s","section":"b"}"#)
        #expect(try client.process.waitForEnd() == 0)
        #expect(client.output == "{\"section\":\"a\",\"open\":false}\n")
    }

    @Test(arguments: [
        (["Row", "--open"], "not_openable"), (["Row", "--closed"], "not_openable"),
        (["Deploy", "--done"], "not_a_task"),
        (["Rules", "--open"], "locked"),
    ])
    func `what can't come to be is refused with 1`(_ words: [String], _ code: String) throws {
        let outcome = try daemon.accordion(["wait", "runbook"] + words)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("(\(code))"), "\(outcome.errors)")
    }

    @Test func `a locked section that is so already is waited for at once`() throws {
        #expect(try daemon.accordion(["wait", "runbook", "Rules", "--closed"]).status == 0)
    }

    @Test func `where headers are hidden nothing is waited for that nobody can do`() throws {
        try daemon.tell(#"{"op":"create","doc":"flat","headers":false,"content":[{"title":"a","content":[]}]}"#)
        let outcome = try daemon.accordion(["wait", "flat", "a", "--open"])
        #expect(outcome.status == 1 && outcome.errors.contains("(headers_hidden)"), "\(outcome.errors)")
    }

    @Test func `a name that is not there ends it with 3 and a proposal, two states or none with 2`() throws {
        let section = try daemon.accordion(["wait", "runbook", "Deplo", "--open"])
        #expect(section.status == 3 && section.errors.contains("Did you mean Deploy?"), "\(section.errors)")
        let document = try daemon.accordion(["wait", "runbok", "Deploy", "--open"])
        #expect(document.status == 3 && document.errors.contains("Did you mean runbook?"), "\(document.errors)")
        #expect(try daemon.accordion(["wait", "runbook", "Deploy"]).status == 2)
        #expect(try daemon.accordion(["wait", "runbook", "Deploy", "--open", "--closed"]).status == 2)
        let mistyped = try daemon.accordion(["wiat", "runbook", "Deploy", "--open"])
        #expect(mistyped.status == 2 && mistyped.errors.contains("did you mean wait"), "\(mistyped.errors)")
    }

    @Test func `the document's end is its end, with 3`() throws {
        let client = try RunningClient(daemon, ["wait", "runbook", "Deploy", "--open"])
        try awaitSubscriber()
        try daemon.tell(#"{"op":"delete","doc":"runbook"}"#)
        #expect(try client.process.waitForEnd() == 3)
        #expect(client.errors.hasPrefix("accordion: runbook was deleted by "), "\(client.errors)")
    }

    @Test func `a new content that lacks the section ends it with 3, one that has it does not`() throws {
        let client = try RunningClient(daemon, ["wait", "runbook", "Deploy", "--open"])
        try awaitSubscriber()
        try daemon.tell(#"{"op":"replace","doc":"runbook","content":[{"title":"x"},{"title":"Deploy","content":[]}]}"#)
        #expect(!client.process.hasEnded)
        try daemon.tell(#"{"op":"replace","doc":"runbook","content":[{"title":"x"}]}"#)
        #expect(try client.process.waitForEnd() == 3)
        #expect(client.errors.contains("\"Deploy\" is in runbook no longer"), "\(client.errors)")
    }

    @Test func `a daemon that goes away ends it with 5`() throws {
        let client = try RunningClient(daemon, ["wait", "runbook", "Deploy", "--open"])
        try awaitSubscriber()
        daemon.process.signal(SIGTERM)
        #expect(try client.process.waitForEnd() == 5)
        #expect(client.errors == "accordion: the daemon has stopped\n")
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends it as a signal ends any program`(_ signal: Int32) throws {
        let client = try RunningClient(daemon, ["wait", "runbook", "Deploy", "--open"])
        try awaitSubscriber()
        client.process.signal(signal)
        #expect(try client.process.waitForEnd() == -signal)
        #expect(client.output.isEmpty && client.errors.isEmpty)
    }
}
