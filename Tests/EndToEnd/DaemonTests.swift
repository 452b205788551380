// Why this file exists: how the daemon starts, how it stops, and with which status, as whoever starts it sees it.

import Glibc
import TestSupport
import Testing

@Suite struct DaemonTests {
    private func run(_ arguments: [String], environment: [String] = []) throws -> Outcome {
        let scratch = try Scratch()
        let process = try Process(
            productsDirectory + "/accordiond", ["--state", scratch.path + "/state"] + arguments,
            environment: environment, output: scratch.path + "/out",
            errors: scratch.path + "/err")
        let status = try process.waitForEnd()
        return Outcome(
            status: status, output: contents(scratch.path + "/out"), errors: contents(scratch.path + "/err"))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `told to end it says goodbye, sends what is due, removes its socket and exits 0`(_ signal: Int32) throws {
        let daemon = try TestDaemon()
        let client = try TestSocket(unix: daemon.socketPath)
        #expect(try client.ask(#"{"op":"ping"}"#)?.isLike(#"{"ok":true,*"#) == true)
        daemon.process.signal(signal)
        #expect(try client.line() == #"{"event":"goodbye","reason":"shutting_down"}"#)
        #expect(try client.line() == nil)
        #expect(try daemon.process.waitForEnd() == 0)
        unsafe #expect(access(daemon.socketPath, F_OK) != 0)
    }

    @Test func `a client that does not read delays the end for five seconds at most`() throws {
        let daemon = try TestDaemon()
        let client = try TestSocket(unix: daemon.socketPath)
        let text = String(repeating: "x", count: 900_000)
        _ = try client.ask(#"{"op":"create","doc":"p","content":["\#(text)"]}"#)
        for _ in 1...20 { try client.send(#"{"op":"get","doc":"p"}"# + "\n") }
        _ = try TestSocket(unix: daemon.socketPath).ask(#"{"op":"ping"}"#)
        daemon.process.signal(SIGTERM)
        #expect(try daemon.process.waitForEnd() == 0)
    }

    @Test func `a second daemon at the same socket exits 75, and the first is not disturbed`() throws {
        let daemon = try TestDaemon()
        let second = try run(["--listen", "unix:\(daemon.socketPath)", "--state", daemon.scratch.path + "/other"])
        #expect(second.status == 75)
        #expect(second.errors.contains("in use"))
        let client = try TestSocket(unix: daemon.socketPath)
        #expect(try client.ask(#"{"op":"ping"}"#)?.isLike(#"{"ok":true,*"#) == true)
    }

    @Test func `the socket file of a daemon that was killed is replaced`() throws {
        let killed = try TestDaemon()
        killed.process.signal(SIGKILL)
        try killed.process.waitForEnd()
        unsafe #expect(access(killed.socketPath, F_OK) == 0)
        let scratch = try Scratch()
        let next = try Process(
            productsDirectory + "/accordiond",
            ["--listen", "unix:\(killed.socketPath)", "--state", killed.scratch.path + "/state"],
            output: scratch.path + "/log")
        try until("the next daemon listens") { contents(scratch.path + "/log").contains("listening") }
        let client = try TestSocket(unix: killed.socketPath)
        #expect(try client.ask(#"{"op":"ping"}"#)?.isLike(#"{"ok":true,*"#) == true)
        next.signal(SIGTERM)
        #expect(try next.waitForEnd() == 0)
    }

    @Test func `the socket and its directory are for the user and the group alone`() throws {
        let daemon = try TestDaemon()
        var status = stat()
        unsafe stat(daemon.socketPath, &status)
        #expect(status.st_mode & 0o777 == 0o660)
        unsafe stat(String(daemon.socketPath.dropLast("/accordiond.sock".count)), &status)
        #expect(status.st_mode & 0o777 == 0o750)
    }

    @Test(arguments: [
        (["--listen", "tcp://192.0.2.1:7433"], "tokens"),
        (["--listen", "tcp://0.0.0.0:7433"], "tokens"),
        (["--listen", "tls://127.0.0.1"], "TLS"),
        (["--listen", "unix:/nowhere/at-all/x.sock"], "/nowhere"),
    ])
    func `what must not be opened stops the start with 78 and says why`(_ arguments: [String], _ word: String) throws {
        let scratch = try Scratch()
        let outcome = try run(arguments + ["--state", scratch.path + "/state"])
        #expect(outcome.status == 78, "\(outcome.errors)")
        #expect(outcome.errors.contains(word), "\(outcome.errors)")
        unsafe #expect(access("/nowhere", F_OK) != 0)
    }

    @Test(arguments: [
        (["--listen", "carrier-pigeon:x"], "carrier-pigeon"),
        (["--listen", "unix:"], "empty"),
        (["--listen", "unix:/tmp/" + String(repeating: "x", count: 103)], "107"),
        (["--listen", "tcp://127.0.0.1:99999"], "port"),
        (["--node", "N1"], "--node"),
        (["--state", ""], "--state"),
        (["--check", "--backup", "/tmp/x"], "--backup"),
        (["--durability", "sometimes"], "durable"),
    ])
    func `a value that can't be meant exits 64, told as a mistyped option is`(
        _ arguments: [String], _ word: String
    ) throws {
        let outcome = try run(arguments)
        #expect(outcome.status == 64, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("accordiond: ") && outcome.errors.contains(word), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("Try \"accordiond --help\".\n"), "\(outcome.errors)")
    }

    @Test func `the directory of a socket is made under one that is there, and that is told`() throws {
        let daemon = try TestDaemon()
        #expect(daemon.log.contains("made the directory \(daemon.scratch.path)/run for the socket"), "\(daemon.log)")
        let second = try Process(
            productsDirectory + "/accordiond",
            ["--listen", "unix:\(daemon.scratch.path)/run/2.sock", "--state", daemon.scratch.path + "/state2"],
            output: daemon.scratch.path + "/log2")
        try until("it listens") { contents(daemon.scratch.path + "/log2").contains("listening") }
        #expect(!contents(daemon.scratch.path + "/log2").contains("made the directory"))
        second.signal(SIGTERM)
        #expect(try second.waitForEnd() == 0)
    }

    @Test func `a command line that is not understood exits 64 and proposes what was meant`() throws {
        let outcome = try run(["--lisen", "unix:/tmp/x"])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("--listen"))
    }

    @Test func `help and version go to standard output and exit 0`() throws {
        let help = try run(["--help"])
        #expect(help.status == 0 && help.output.contains("--durability") && help.errors.isEmpty)
        #expect(try run(["--version"]).output.isLike("accordiond *\n"))
    }

    @Test func `what a user's daemon makes for its state is for the user alone, and --check makes nothing`() throws {
        let scratch = try Scratch()
        let environment = ["HOME=\(scratch.path)/home", "XDG_STATE_HOME=", "STATE_DIRECTORY="]
        _ = try run(["--user", "--check"], environment: environment)
        unsafe #expect(access(scratch.path + "/home", F_OK) != 0)
        let daemon = try Process(
            productsDirectory + "/accordiond", ["--user", "--listen", "unix:\(scratch.path)/s"],
            environment: environment,
            output: scratch.path + "/log")
        try until("it listens") { daemon.hasEnded || contents(scratch.path + "/log").contains("listening") }
        daemon.signal(SIGTERM)
        #expect(try daemon.waitForEnd() == 0, "\(contents(scratch.path + "/log"))")
        for path in ["", "/.local", "/.local/state", "/.local/state/accordiond"] {
            var status = stat()
            #expect(
                unsafe stat(scratch.path + "/home" + path, &status) == 0 && status.st_mode & 0o777 == 0o700, "\(path)")
        }
    }

    @Test func `a user's daemon refuses a directory that others can enter`() throws {
        let scratch = try Scratch()
        let directory = scratch.path + "/accordiond-\(geteuid())"
        unsafe mkdir(directory, 0o700)
        unsafe chmod(directory, 0o755)
        let outcome = try run(["--user"], environment: ["TMPDIR=\(scratch.path)"])
        #expect(outcome.status == 78)
        #expect(outcome.errors.contains(directory))
    }
}
