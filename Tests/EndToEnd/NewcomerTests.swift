// Why this file exists: whoever has the program and a file, and asks it for help, is soon in front of a shared document. This
// does what the help says, in two terminals, with nothing prepared.

import Glibc
import TestSupport
import Testing

@Suite struct NewcomerTests {
    @Test func `from the help alone to one document in two terminals`() throws {
        let scratch = try Scratch()
        try write("# Release\n\n## Deploy\n\n- [ ] Smoke test\n", to: scratch.path + "/runbook.md")
        let environment = [
            "PATH=\(productsDirectory):/usr/bin:/bin", "HOME=\(scratch.path)", "XDG_STATE_HOME=\(scratch.path)/state",
            "TMPDIR=\(scratch.path)",
        ]
        let screens = try (0..<2).map { _ in try TestScreen(columns: 80, rows: 24, environment: environment) }
        // Whatever becomes of it, no daemon stays.
        defer { end(daemonOf: environment, scratch) }
        for screen in screens { try screen.run("cd '\(scratch.path)'; clear") }
        try screens[0].run("accordion --help")
        // What is left on the screen when the rest has scrolled by.
        try screens[0].shows("accordion help COMMAND tells more")
        let lines = try screens[0].lines()
        let example = try #require(lines.drop { $0 != "Examples:" }.dropFirst().first)
        #expect(example == "  accordion runbook.md")
        for screen in screens {
            try screen.run("clear;\(example)")
            try screen.shows("Deploy  0/1")
        }
        try screens[0].press("Space")
        try screens[1].shows("[ ] Smoke test")
        try screens[1].press("j", "x")
        try screens[0].shows("[x] Smoke test")
        for screen in screens { try screen.press("q") }
        try screens[0].shows("started a daemon for you")
    }

    private func end(daemonOf environment: [String], _ scratch: Scratch) {
        let asking = try? Process(
            productsDirectory + "/accordion", ["--no-start", "where", "process"], environment: environment,
            output: scratch.path + "/pid")
        _ = try? asking?.waitForEnd()
        guard let process = pid_t(contents(scratch.path + "/pid").filter(\.isNumber)) else { return }
        kill(process, SIGTERM)
        let socket = "\(scratch.path)/accordiond-\(geteuid())/accordiond.sock"
        try? until("the daemon has ended") { unsafe access(socket, F_OK) != 0 }
    }
}
