// Why this file exists: a script takes what a command printed for the whole if the exit status is 0. So a full disk, a closed
// output and a daemon that says nothing must each end otherwise.
import Glibc
import TestSupport
import Testing

struct OutputTests {
    /// Runs a line of the shell in which `A` is the client with its daemon's address, and `D` the daemon's program.
    private func shell(_ line: String, _ daemon: TestDaemon) throws -> Outcome {
        let (output, errors) = (daemon.scratch.path + "/shell.out", daemon.scratch.path + "/shell.err")
        unsafe unlink(output)
        unsafe unlink(errors)
        let client = "\(productsDirectory)/accordion --address \(daemon.address)"
        let process = try Process(
            "/bin/sh", ["-c", "A='\(client)'; D='\(productsDirectory)/accordiond'; \(line)"], output: output,
            errors: errors)
        return Outcome(status: try process.waitForEnd(), output: contents(output), errors: contents(errors))
    }

    @Test func `what can't be written ends with 7 and words, whatever the command`() throws {
        let daemon = try TestDaemon()
        let socket = try TestSocket(unix: daemon.socketPath)
        _ = try socket.ask(#"{"op":"create","doc":"p","content":[{"id":"a","title":"A","content":[]}]}"#)
        for command in [
            "list", "export p", "show p", "--json list", "status", "where", "help", "--version", "list --help",
            "completion bash", "watch p --timeout 5", "history p", "send </dev/stdin",
        ] {
            let input = command.hasPrefix("send") ? "echo '{\"op\":\"list\"}' | " : ""
            let outcome = try shell("\(input)$A \(command) >/dev/full", daemon)
            #expect(outcome.status == 7, "\(command): \(outcome)")
            #expect(
                outcome.errors.contains("standard output can't be written: No space left"), "\(command): \(outcome)")
        }
        for command in ["--help", "--version", "--check --state \(daemon.statePath)"] {
            #expect(try shell("$D \(command) >/dev/full", daemon).status == 74, "\(command)")
        }
    }

    @Test func `a reader that has seen enough is no failure`() throws {
        let daemon = try TestDaemon()
        let socket = try TestSocket(unix: daemon.socketPath)
        let text = String(repeating: "x", count: 400_000)
        _ = try socket.ask(#"{"op":"create","doc":"p","content":["\#(text)"]}"#)
        let outcome = try shell("{ $A export p; echo $? >&2; } | head -c 10 >/dev/null", daemon)
        #expect(outcome.errors == "0\n", "\(outcome)")
    }

    @Test func `standard descriptors that are closed are never a socket's`() throws {
        let daemon = try TestDaemon()
        _ = try TestSocket(unix: daemon.socketPath).ask(#"{"op":"create","doc":"q"}"#)
        #expect(try shell("$A list >&-", daemon).status == 7)
        #expect(try shell("$A list >&- 2>&-", daemon).status == 7)
        #expect(try shell("$A list 0<&-", daemon).status == 0)
        #expect(try shell("$A list 2>&-", daemon).status == 0)
        #expect(try shell("$A send 0<&-", daemon).status == 0)
        #expect(try shell("$A watch p 2>&-", daemon).status == 3)
    }

    @Test func `a daemon that accepts and says nothing is given up in the time given`() throws {
        let fake = try FakeDaemon()
        let process = try Process(
            productsDirectory + "/accordion",
            ["--address", "unix:\(fake.socketPath)", "wait", "p", "a", "--open", "--timeout", "1"], output: nil)
        let client = try fake.accept()
        #expect(try process.waitForEnd(seconds: 9) == 6)
        #expect(try client.line()?.contains("subscribe") == true)
    }

    @Test func `an answer of another shape is a failure, and one of several lines stays one`() throws {
        let shapeless = try FakeDaemon().accordion(["list"], answers: [#"{"id":1,"ok":true,"documents":5}"#])
        #expect(shapeless.status == 5 && shapeless.output.isEmpty && !shapeless.errors.isEmpty, "\(shapeless)")
        let forged = try FakeDaemon().accordion(
            ["list"],
            answers: [#"{"id":1,"ok":false,"error":{"code":"forbidden","message":"no\naccordion: all is well"}}"#])
        #expect(forged.status == 4 && forged.errors.split(separator: "\n").count == 1, "\(forged)")
    }
}
