// Why this file exists: whoever imports a large document sees that something happens, and nobody else sees anything of it.

import Glibc
import TestSupport
import Testing

@Suite struct ProgressTests {
    /// A file of a few MiB, more than what the sockets hold.
    private func largeFile(_ daemon: TestDaemon) throws -> String {
        let path = daemon.scratch.path + "/large.md"
        let paragraph = String(repeating: "Some words that fill a line. ", count: 40)
        try write((0..<4_000).map { "# Part \($0)\n\n\(paragraph)\n\n" }.joined(), to: path)
        return path
    }

    @Test func `a slow import says at a terminal how much is sent, and wipes it away`() throws {
        let daemon = try TestDaemon()
        let file = try largeFile(daemon)
        daemon.process.signal(SIGSTOP)
        let run = try TerminalRun(
            productsDirectory + "/accordion", ["--address", daemon.address, "import", file]
        ) { drawn in
            // The daemon sleeps until the client has said that it waits.
            if drawn.contains("MiB sent") { daemon.process.signal(SIGCONT) }
        }
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains(" of 4.") && run.output.contains("MiB sent\u{1B}[K"), "\(run.output.suffix(200))")
        let lines = run.output.split(separator: "\n")
        #expect(lines.first?.hasSuffix("\r\u{1B}[KNAME   SECTIONS") == true, "\(run.output.suffix(200))")
    }

    @Test func `a slow export tells too, though its output goes into a file`() throws {
        let daemon = try TestDaemon()
        #expect(try daemon.accordion(["import", try largeFile(daemon)]).status == 0)
        daemon.process.signal(SIGSTOP)
        let copy = daemon.scratch.path + "/copy"
        let run = try TerminalRun(
            "/bin/sh",
            [
                "-c", "\"$0\" --address \"$1\" export large > \"$2\"", productsDirectory + "/accordion", daemon.address,
                copy,
            ]
        ) { drawn in
            if drawn.contains("waiting for the daemon") { daemon.process.signal(SIGCONT) }
        }
        #expect(run.status == 0 && run.output.hasSuffix("\r\u{1B}[K"), "\(run.output)")
        #expect(!contents(copy).contains("\u{1B}") && contents(copy).hasPrefix("{"))
    }

    @Test func `what is quick, or seen by no terminal that can wipe it away, says nothing`() throws {
        let daemon = try TestDaemon()
        try daemon.makeRunbook()
        let program = productsDirectory + "/accordion"
        let quick = try TerminalRun(program, ["--address", daemon.address, "export", "runbook"])
        #expect(!quick.output.contains("\u{1B}") && !quick.output.contains("\r"))
        daemon.process.signal(SIGSTOP)
        let wakes = try Process("/bin/sh", ["-c", "sleep 0.9; kill -CONT \(daemon.process.id)"], output: nil)
        let dumb = try TerminalRun(
            program, ["--address", daemon.address, "export", "runbook"], environment: ["TERM=dumb"])
        #expect(dumb.status == 0 && !dumb.output.contains("\u{1B}") && !dumb.output.contains("waiting"))
        try wakes.waitForEnd()
        daemon.process.signal(SIGSTOP)
        let again = try Process("/bin/sh", ["-c", "sleep 0.9; kill -CONT \(daemon.process.id)"], output: nil)
        #expect(try daemon.accordion(["export", "runbook"]).errors.isEmpty)
        try again.waitForEnd()
    }
}
