// Why this file exists: the promise is kept by a process, not by its parts: killed at any moment, it has kept whatever it
// had told. The workbench does the killing and holds the history against what was acknowledged.
import Glibc
import TestSupport
import Testing

struct CrashTests {
    @Test func `fifty kills under load lose no acknowledged write and use no counter twice`() throws {
        let scratch = try Scratch()
        let output = scratch.path + "/out"
        let bench = try Process(productsDirectory + "/accordion-bench", ["crash", "--kills", "50"], output: output)
        let status = try bench.waitForEnd(seconds: 240)
        #expect(status == 0, "\(contents(output))")
        #expect(contents(output).contains("of these lost: 0"))
    }

    @Test func `a second daemon on the same state ends with 75 and names the first`() throws {
        let daemon = try TestDaemon()
        let output = daemon.scratch.path + "/second"
        let second = try Process(
            productsDirectory + "/accordiond",
            ["--listen", "unix:\(daemon.scratch.path)/second.sock", "--state", daemon.scratch.path + "/state"],
            output: output)
        #expect(try second.waitForEnd() == 75)
        #expect(contents(output).contains("in use by the process \(daemon.process.id)"), "\(contents(output))")
    }

    @Test func `a database that is none stops the start with 74, says what helps and is left as it was`() throws {
        let scratch = try Scratch()
        let (state, output) = (scratch.path + "/state", scratch.path + "/out")
        unsafe mkdir(state, 0o700)
        let text = String(repeating: "this is no database. ", count: 500)
        try write(text, to: state + "/accordion.db")
        for _ in 0..<2 {
            let daemon = try Process(
                productsDirectory + "/accordiond", ["--listen", "unix:\(scratch.path)/s", "--state", state],
                output: output)
            #expect(try daemon.waitForEnd() == 74)
        }
        #expect(contents(output).contains("--restore"), "\(contents(output))")
        #expect(contents(state + "/accordion.db") == text)
    }

    @Test func `a backup of a running daemon comes back under a new name of the daemon`() throws {
        let daemon = try TestDaemon()
        let (state, backup) = (daemon.scratch.path + "/state", daemon.scratch.path + "/backup.db")
        let socket = try TestSocket(unix: daemon.socketPath)
        _ = try socket.ask(#"{"op":"create","doc":"p","content":[{"id":"a","title":"A","content":[]}]}"#)
        _ = try socket.ask(#"{"op":"open","doc":"p","section":"a"}"#)
        #expect(try runDaemon(["--state", state, "--backup", backup], daemon.scratch) == 0)
        _ = try socket.ask(#"{"op":"close","doc":"p","section":"a"}"#)
        #expect(try runDaemon(["--state", state, "--backup", backup], daemon.scratch) == 74)
        #expect(try runDaemon(["--state", state, "--restore", backup], daemon.scratch) == 75)
        daemon.process.signal(SIGTERM)
        try daemon.process.waitForEnd()
        #expect(try runDaemon(["--state", state, "--restore", backup], daemon.scratch) == 0)
        #expect(try runDaemon(["--state", state, "--check"], daemon.scratch) == 0)
        let again = try TestDaemon(in: daemon.scratch)
        let other = try TestSocket(unix: again.socketPath)
        let told = try other.ask(#"{"op":"get","doc":"p"}"#)
        #expect(told?.contains(#""open":["a"]"#) == true)
        let written = try other.ask(#"{"op":"close","doc":"p","section":"a"}"#)
        #expect(written?.isLike(#"*"version":{"n1":2,"n1~*":1}*"#) == true, "\(written ?? "")")
    }

    private func runDaemon(_ arguments: [String], _ scratch: Scratch) throws -> Int32 {
        try Process(productsDirectory + "/accordiond", arguments, output: scratch.path + "/task").waitForEnd()
    }
}
