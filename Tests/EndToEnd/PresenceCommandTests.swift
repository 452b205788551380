// Why this file exists: `accordion select` and `accordion present` are somewhere for as long as they run, as others see it.

import Glibc
import TestSupport
import Testing

@Suite struct PresenceCommandTests {
    let daemon: TestDaemon

    init() throws {
        daemon = try TestDaemon()
        try daemon.makeRunbook()
    }

    /// A subscriber that is told who is there.
    private func observer() throws -> TestSocket {
        let socket = try TestSocket(unix: daemon.socketPath)
        try socket.send(#"{"op":"subscribe","doc":"runbook","presence":true}"# + "\n")
        return socket
    }

    private func await(_ pattern: String, by socket: TestSocket) throws {
        while let line = try socket.line() {
            if line.isLike(pattern) { return }
        }
        throw TookTooLong(description: "the connection ended before \(pattern)")
    }

    @Test func `others see where a selection is while it runs, and no more once it is interrupted`() throws {
        let observer = try observer()
        let client = try RunningClient(daemon, ["--name", "robot", "select", "runbook", "Smoke"])
        try client.awaitOutput("Deploy/Smoke\tselected\n")
        try self.await(#"*"name":"robot*","section":"Deploy/Smoke","presenting":false*"count":2}"#, by: observer)
        client.process.signal(SIGINT)
        #expect(try client.process.waitForEnd() == -SIGINT)
        try self.await(#"*"presence"*"count":1}"#, by: observer)
    }

    @Test func `a presenter is seen as one, at a section or at none`() throws {
        let observer = try observer()
        let client = try RunningClient(daemon, ["--json", "present", "runbook", "Deploy"])
        try client.awaitOutput(#"{"doc":"runbook","section":"Deploy","presenting":true}"#)
        try self.await(#"*"section":"Deploy","presenting":true*"#, by: observer)
        let second = try RunningClient(daemon, ["present", "runbook"])
        try second.awaitOutput("runbook\tpresented\n")
        try self.await(#"*"section":null,"presenting":true*"count":3}"#, by: observer)
        second.process.signal(SIGTERM)
        #expect(try second.process.waitForEnd() == -SIGTERM)
        #expect(!client.process.hasEnded)
    }

    @Test(arguments: ["select", "present"])
    func `with a time-out it has done what it was to do: 0`(_ command: String) throws {
        let outcome = try daemon.accordion([command, "runbook", "Deploy", "--timeout", "0.05"])
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(outcome.output.hasPrefix("Deploy\t"))
    }

    @Test func `it ends with 0 when whoever holds the other end of its standard input is gone, and reads nothing`()
        throws
    {
        let path = daemon.scratch.path + "/pipe"
        try #require(unsafe mkfifo(path, 0o600) == 0)
        let pipe = unsafe open(path, O_RDWR | O_CLOEXEC)
        let client = try RunningClient(daemon, ["select", "runbook", "Deploy"], input: path)
        try client.awaitOutput("selected")
        var word: [UInt8] = [0x61, 0x0A]
        _ = unsafe write(pipe, &word, word.count)
        try daemon.tell(#"{"op":"open","doc":"runbook","section":"Deploy"}"#)
        #expect(!client.process.hasEnded)
        close(pipe)
        #expect(try client.process.waitForEnd() == 0)
    }

    @Test func `a document that is deleted and a section that is replaced away end it with 3`() throws {
        let selecting = try RunningClient(daemon, ["select", "runbook", "Deploy"])
        let presenting = try RunningClient(daemon, ["present", "runbook"])
        try selecting.awaitOutput("selected")
        try presenting.awaitOutput("presented")
        try daemon.tell(#"{"op":"replace","doc":"runbook","content":[]}"#)
        #expect(try selecting.process.waitForEnd() == 3)
        #expect(selecting.errors == "accordion: \"Deploy\" is in runbook no longer\n")
        #expect(!presenting.process.hasEnded)
        try daemon.tell(#"{"op":"delete","doc":"runbook"}"#)
        #expect(try presenting.process.waitForEnd() == 3)
    }

    @Test func `what is not there is refused with 3, and a mistyped command proposes the right one`() throws {
        #expect(try daemon.accordion(["select", "runbook", "nowhere"]).status == 3)
        #expect(try daemon.accordion(["present", "nothing"]).status == 3)
        let mistyped = try daemon.accordion(["presnt", "runbook"])
        #expect(mistyped.status == 2)
        #expect(mistyped.errors.contains("present"), "\(mistyped.errors)")
        #expect(try daemon.accordion(["select", "runbook"]).status == 2)
    }

    @Test func `a right that is taken away ends it with 4, a daemon that stops with 5`() throws {
        let client = try RunningClient(daemon, ["present", "runbook"])
        try client.awaitOutput("presented")
        daemon.process.signal(SIGTERM)
        #expect(try client.process.waitForEnd() == 5)
        let outcome = try FakeDaemon().accordion(
            ["present", "p"], answers: [#"{"event":"goodbye","reason":"unauthorized"}"#])
        #expect(outcome.status == 4, "\(outcome.errors)")
    }
}
