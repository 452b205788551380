// Why this file exists: the live view as people have it, in terminals: two of them at one document, one of them offline,
// made small and large, stopped and ended in every way, and the terminal as it was afterwards.

import Glibc
import TestSupport
import Testing

@Suite(.serialized) struct MirrorTests {
    private static let document =
        #"{"doc":"book","title":"Book","content":[{"title":"One","content":["first words",{"title":"Task","task":false}]},{"title":"Two","content":["second words"]},{"title":"Three \u001b[2J\u009b31m\u202e","content":[]}]}"#

    private func daemon() throws -> TestDaemon {
        let daemon = try TestDaemon()
        try write(Self.document, to: daemon.scratch.path + "/book.json")
        let imported = try daemon.accordion(["import", daemon.scratch.path + "/book.json"])
        #expect(imported.status == 0, "\(imported.errors)")
        return daemon
    }

    private func mirror(_ daemon: TestDaemon, _ name: String, options: String = "--no-animation") -> String {
        "\(productsDirectory)/accordion --address \(daemon.address) --name \(name) mirror book \(options)"
    }

    private func screen(_ daemon: TestDaemon, _ name: String, columns: Int = 64, rows: Int = 16) throws -> TestScreen {
        let screen = try TestScreen(
            columns: columns, rows: rows, environment: ["XDG_STATE_HOME=\(daemon.scratch.path)/\(name)"])
        try screen.run(mirror(daemon, name))
        try screen.shows("live")
        return screen
    }

    @Test func `a press on one screen is on the other, and who is where, and who leads`() throws {
        let daemon = try daemon()
        let (ann, bob) = (try screen(daemon, "ann"), try screen(daemon, "bob"))
        try ann.press("Space")
        try bob.shows("first words")
        try bob.shows("ann (")
        try ann.shows("2 here")
        try bob.press("P")
        try ann.shows("»bob")
        try ann.press("F")
        try ann.shows("following bob")
        try bob.press("J", "Space")
        try ann.shows("second words")
        try until("ann's cursor went along") { try ann.lines().first { $0.contains("Two") }?.contains("»bob") == true }
        try ann.press("k")
        try ann.hides("following bob")
        // What others wrote does not steer the terminal.
        #expect(try ann.lines().contains { $0.contains("Three ␛[2J") })
    }

    @Test func `one whose daemon is away goes on, and what was pressed is there when it is back`() throws {
        let daemon = try daemon()
        let ann = try screen(daemon, "ann")
        daemon.process.signal(SIGKILL)
        try ann.shows("offline")
        try ann.press("Space")
        try ann.shows("1 to send")
        try ann.shows("first words")
        let (scratch, state) = (daemon.scratch, daemon.statePath)
        try daemon.process.waitForEnd()
        let again = try TestDaemon(in: scratch, statePath: state)
        try ann.shows("live")
        let shown = try again.accordion(["show", "book"])
        #expect(shown.output.contains("first words"), "\(shown.output)\(shown.errors)")
    }

    @Test func `folds of one's own are there the next time`() throws {
        let daemon = try daemon()
        let ann = try screen(daemon, "ann")
        try ann.press("p", "Space")
        try ann.shows("▿ One")
        try ann.press("q")
        try ann.hides("private")
        try ann.run(mirror(daemon, "ann"))
        try ann.shows("▿ One")
        #expect(try daemon.accordion(["show", "book"]).output.contains("first words") == false)
    }

    @Test func `any size at any moment leaves a screen that is right`() throws {
        let daemon = try daemon()
        let ann = try screen(daemon, "ann")
        try ann.press("Space")
        try ann.shows("first words")
        let seed = freshSeed()
        var random = SplitMix(seed: seed)
        for round in 0..<200 {
            try ann.resize(columns: 1 + random.below(500), rows: 1 + random.below(200))
            if round % 20 == 0 { try ann.press("j") }
        }
        try ann.resize(columns: 64, rows: 16)
        try ann.press("g")
        try until("the screen is whole, seed \(seed)") {
            let lines = try ann.lines()
            return lines.first == "▾ One  0/1" && lines[1] == "  first words" && lines[2].contains("[ ] Task")
                && lines[15].contains("live")
        }
        #expect(try ann.lines().count { !$0.isEmpty } == 6)
    }

    @Test func `suspended it gives the terminal back, and takes it again`() throws {
        let daemon = try daemon()
        let ann = try screen(daemon, "ann")
        try ann.press("C-z")
        try ann.hides("▸ One")
        try ann.run("echo at the shell")
        try ann.shows("at the shell")
        try ann.run("fg")
        try ann.shows("▸ One")
        try ann.press("Space")
        try ann.shows("first words")
        #expect(try ann.lines().first == "▾ One  0/1")
    }

    @Test(arguments: ["q", "TERM", "INT", "HUP", "QUIT", "SEGV", "ABRT"])
    func `however it ends, the terminal is as it was`(_ end: String) throws {
        let daemon = try daemon()
        let ann = try TestScreen(environment: [
            "XDG_STATE_HOME=\(daemon.scratch.path)/ann", "SWIFT_BACKTRACE=enable=no",
        ])
        let place = daemon.scratch.path
        try ann.run("stty -g > \(place)/before; echo before")
        try until("the shell has told") { try ann.lines().contains("before") }
        try ann.run(
            "\(mirror(daemon, "ann")) & echo $! > \(place)/pid; fg >/dev/null; stty -g > \(place)/after; echo over")
        try ann.shows("▸ One")
        if end == "q" {
            try ann.press("q")
        } else {
            let pid = try #require(pid_t(contents(place + "/pid").filter(\.isNumber)))
            let signals = [
                "TERM": SIGTERM, "INT": SIGINT, "HUP": SIGHUP, "QUIT": SIGQUIT, "SEGV": SIGSEGV, "ABRT": SIGABRT,
            ]
            kill(pid, try #require(signals[end]))
        }
        try until("the shell goes on") { try ann.lines().contains("over") }
        try until("the terminal's state is told") { !contents(place + "/after").isEmpty }
        #expect(contents(place + "/before") == contents(place + "/after"))
        #expect(try ann.lines().contains("before"), "what was on the screen is there again")
        #expect(try !ann.lines().contains { $0.contains("▸ One") })
    }
}
