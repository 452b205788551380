// Why this file exists: the daemon's socket is a file among others' files. It removes its own and no other.

import Glibc
import TestSupport
import Testing

@Suite struct SocketFileTests {
    private func inode(_ path: String) -> UInt? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? UInt(status.st_ino) : nil
    }

    private func run(_ address: String, environment: [String] = []) throws -> Outcome {
        let scratch = try Scratch()
        let process = try Process(
            productsDirectory + "/accordiond",
            (address.isEmpty ? ["--user"] : ["--listen", address]) + ["--state", scratch.path + "/state"],
            environment: environment, output: nil, errors: scratch.path + "/err")
        return Outcome(status: try process.waitForEnd(), output: "", errors: contents(scratch.path + "/err"))
    }

    @Test(arguments: ["a socket", "a file", "a link", "nothing"])
    func `what was put in the place of its socket stays when it ends`(_ kind: String) throws {
        let daemon = try TestDaemon()
        let client = try daemon.connect(.unix)
        #expect(try client.isServed())
        unsafe unlink(daemon.socketPath)
        var second: Process?
        switch kind {
        case "a socket":
            second = try Process(
                productsDirectory + "/accordiond",
                ["--listen", daemon.address, "--state", daemon.scratch.path + "/other"],
                output: daemon.scratch.path + "/second"
            )
            try until("the second listens") { contents(daemon.scratch.path + "/second").contains("listening") }
        case "a file": try write("text", to: daemon.socketPath)
        case "a link": unsafe symlink("/nonexistent", daemon.socketPath)
        default: break
        }
        let before = inode(daemon.socketPath)
        #expect((before == nil) == (kind == "nothing"))
        #expect(try client.isServed())
        daemon.process.signal(SIGTERM)
        #expect(try daemon.process.waitForEnd() == 0)
        #expect(inode(daemon.socketPath) == before)
        if second != nil { #expect(try daemon.connect(.unix).isServed()) }
    }

    @Test func `a daemon does not start where another kind of file stands, and leaves it`() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/place"
        let makers: [(String, () throws -> Void)] = [
            ("a file", { try write("text", to: path) }), ("a directory", { unsafe mkdir(path, 0o700) }),
            ("a link to nothing", { unsafe symlink("/nonexistent", path) }),
            ("a link to itself", { unsafe symlink(path, path) }), ("a pipe", { unsafe mkfifo(path, 0o600) }),
        ]
        for (kind, make) in makers {
            try make()
            let before = inode(path)
            let outcome = try run("unix:\(path)")
            #expect(outcome.status == 78, "\(kind): \(outcome.errors)")
            #expect(outcome.errors.contains("is no socket"), "\(kind): \(outcome.errors)")
            #expect(before != nil && inode(path) == before, "\(kind)")
            unsafe remove(path)
        }
    }

    @Test func `a path that is too long is told with its length, wherever it comes from`() throws {
        let scratch = try Scratch()
        let long = scratch.path + "/" + String(repeating: "d", count: 107 - scratch.path.utf8.count - 1)
        let byListen = try run("unix:\(long)x")
        #expect(byListen.status == 64 && byListen.errors.contains("108 bytes"), "\(byListen.errors)")
        unsafe mkdir(long, 0o700)
        let byEnvironment = try run("", environment: ["XDG_RUNTIME_DIR=\(long)", "TMPDIR=\(scratch.path)"])
        #expect(byEnvironment.status == 78, "\(byEnvironment.errors)")
        #expect(byEnvironment.errors.contains("at most 107"), "\(byEnvironment.errors)")
    }

    @Test func `of daemons that start together at one stale socket exactly one serves`() throws {
        let killed = try TestDaemon()
        killed.process.signal(SIGKILL)
        try killed.process.waitForEnd()
        let processes = try (0..<8).map { number in
            try Process(
                productsDirectory + "/accordiond",
                ["--listen", killed.address, "--state", killed.scratch.path + "/state\(number)"],
                output: killed.scratch.path + "/log\(number)")
        }
        try until("all but one have ended") { processes.filter(\.hasEnded).count >= 7 }
        for process in processes where process.hasEnded { #expect(try process.waitForEnd() == 75) }
        #expect(processes.filter { !$0.hasEnded }.count == 1)
        #expect(try killed.connect(.unix).isServed())
    }
}
