// Claims about keys: folds, levels, search, filter, layers, people, the command line, and what is seen to move.

import AccordionModel
import Mirror
import Testing
import Wire

private let text = #"""
    {"title":"Runbook","content":["Read this",
     {"title":"Prepare","content":[{"title":"Tell","task":false},{"title":"Deep","content":["needle in here"]}]},
     {"title":"Deploy","content":[{"title":"Smoke","task":false,"content":["Look"]}]},
     {"title":"Gate","locked":true,"content":[]}]}
    """#

private struct Screenplay {
    var daemon = ModelDaemon()
    var view = MirrorView(documentName, rows: 14, columns: 60)

    init(_ json: String = text) throws {
        view.connected()
        view.greeted(session: "s1")
        view.receive(try #require(try daemon.put(try document(json))))
    }

    mutating func lines() -> [String] {
        let screen = view.screen()
        return (0..<screen.rows).map { screen.line($0) }
    }

    /// Types keys, a character each; `⏎` is Enter, `⎋` Escape, `⌫` Backspace.
    @discardableResult
    mutating func type(_ keys: String) -> [MirrorEffect] {
        var effects: [MirrorEffect] = []
        for scalar in keys.unicodeScalars {
            let key: MirrorKey =
                switch scalar {
                case "⏎": .enter
                case "⎋": .escape
                case "⌫": .backspace
                case " ": .space
                default: .character(scalar)
                }
            effects += view.press(key)
        }
        return effects
    }

    /// Carries out what was asked for, as the daemon does.
    mutating func deliver(_ effects: [MirrorEffect] = []) throws {
        for intent in view.takeUnsent() {
            let gesture: Gesture =
                intent.field == .open
                ? .toggle(intent.section, to: intent.value) : .set(intent.section, .done, intent.value)
            let (event, failure) = try daemon.perform([gesture], seen: intent.seen, session: 1)
            if let event { view.receive(event) }
            view.answered(id: intent.id, failure: failure)
        }
        for case .ask(let action) in effects {
            let gestures: [Gesture]
            switch action {
            case .gesture(_, let gesture, _): gestures = [gesture]
            case .batch(_, let all, _): gestures = all
            default: continue
            }
            let (event, failure) = try daemon.perform(gestures, session: 1)
            if let event { view.receive(event) }
            view.answered(failure)
        }
    }

    mutating func keys(_ keys: String) throws { try deliver(type(keys)) }

    mutating func presence(_ people: (String, String?, Bool)...) {
        let clients = people.enumerated().map { place, person in
            PresentClient(
                session: "s\(place + 1)", name: person.0, section: person.1.map { SectionPath($0) },
                isPresenting: person.2)
        }
        view.receive(.presence(documentName, clients: clients, count: clients.count))
    }

    /// The title of the section under the cursor.
    mutating func current() -> String {
        let screen = view.screen()
        let row = (0..<screen.rows - 1).first { screen[$0, screen.columns - 1].style.attributes.contains(.reverse) }
        return row.map { screen.line($0) } ?? ""
    }
}

@Suite struct MirrorKeysTests {
    @Test func `vim's folds open and close without moving, all at once, and by a level more or less`() throws {
        var play = try Screenplay()
        try play.keys("jzo")
        #expect(play.lines()[1...3] == ["▾ Prepare  0/1", "    [ ] Tell", "  ▸ Deep"])
        #expect(play.current() == "▾ Prepare  0/1")
        try play.keys("zc")
        #expect(play.lines()[2] == "▸ Deploy  0/1")
        try play.keys("zR")
        #expect(play.lines().contains("      needle in here") || play.lines().contains("    needle in here"))
        try play.keys("zM")
        #expect(play.lines()[2] == "▸ Deploy  0/1")
        try play.keys("zr")
        #expect(play.lines()[3] == "  ▸ Deep")
        try play.keys("zm")
        #expect(play.lines()[2] == "▸ Deploy  0/1")
        try play.keys("2")
        try play.keys("za")
        #expect(play.lines()[1] == "▸ Prepare  0/1" && play.lines()[2] == "▾ Deploy  0/1")
    }

    @Test func `siblings are stepped over, and opened and closed together`() throws {
        var play = try Screenplay()
        try play.keys("j2")
        try play.keys("J")
        #expect(play.current() == "▾ Deploy  0/1")
        try play.keys("JK")
        #expect(play.current() == "▾ Deploy  0/1")
        try play.keys("K")
        #expect(play.current() == "▾ Prepare  0/1")
        try play.keys("c")
        #expect(play.lines()[1...3] == ["▸ Prepare  0/1", "▸ Deploy  0/1", "▸ Gate  locked"])
        try play.keys("*")
        #expect(play.lines()[1] == "▾ Prepare  0/1" && play.lines().contains("▾ Deploy  0/1"))
    }

    @Test func `what is folded is searched too, and a hit is shown to me alone`() throws {
        var play = try Screenplay()
        try play.keys("/NEEDLE⏎")
        #expect(play.view.message == "not found: NEEDLE", "a capital is meant")
        try play.keys("/needle⏎")
        #expect(play.current().hasSuffix("needle in here"))
        #expect(play.daemon.state.view?.openCount == 0, "nobody else's folds moved")
        #expect(play.lines()[1].hasPrefix("▿ Prepare") && play.view.standing.contains("private"))
        try play.keys("/smo⌫o⏎")
        #expect(play.view.message == "not found: smo" || play.view.message == nil)
        try play.keys("/smoke⏎")
        #expect(play.current().contains("Smoke"))
        try play.keys("?e⏎")
        let first = play.current()
        try play.keys("n")
        #expect(play.current() != first)
        try play.keys("N")
        #expect(play.current() == first)
        try play.keys("/⎋")
        #expect(!play.lines()[13].hasPrefix("/"))
    }

    @Test func `a filter shows what has the word and what is around it, until Escape`() throws {
        var play = try Screenplay()
        try play.keys("\\needle")
        #expect(play.lines()[13].hasPrefix("\\needle"))
        try play.keys("⏎")
        #expect(play.lines().prefix(4) == ["Read this", "▸ Prepare  0/1", "  ▸ Deep", ""])
        #expect(play.view.standing.contains("filtered"))
        try play.keys("⎋")
        #expect(play.lines()[2] == "▸ Deploy  0/1" && !play.view.standing.contains("filtered"))
        try play.keys("\\nothing like it⏎")
        #expect(play.view.message == "not found: nothing like it")
    }

    @Test func `private folds lie over the shared ones, are marked, and others' changes go on below`() throws {
        var play = try Screenplay()
        try play.keys("jp ")
        #expect(play.lines()[1] == "▿ Prepare  0/1" && play.daemon.state.view?.openCount == 0)
        let opened = try play.daemon.perform([.set(SectionPath("Deploy"), .open, true)], session: 2)
        play.view.receive(try #require(opened.event))
        #expect(play.lines().contains("▾ Deploy  0/1"))
        let same = try play.daemon.perform([.set(SectionPath("Prepare"), .open, true)], session: 2)
        play.view.receive(try #require(same.event))
        #expect(play.lines()[1] == "▾ Prepare  0/1", "it stands for all now as it does for me")
        try play.keys("zM")
        #expect(play.lines()[1] == "▹ Prepare  0/1" && play.daemon.state.view?.openCount == 2)
        try play.keys("p")
        #expect(play.lines()[1] == "▾ Prepare  0/1")
        let kept = try #require(play.view.foldsText)
        var next = try Screenplay()
        next.view.takeFolds(text: kept.replacing("shared", with: "private"))
        #expect(next.view.isOpen(0) == false && next.view.foldsText != nil)
    }

    @Test func `people are counted, named where they are, and listed`() throws {
        var play = try Screenplay()
        play.presence(("me", nil, false), ("ann", "Prepare", false), ("bob \u{1B}[2J", "Prepare", true))
        #expect(play.lines()[1].hasSuffix("ann +1"))
        #expect(play.view.standing.contains("3 here"))
        try play.keys("W")
        let panel = play.lines().suffix(4)
        #expect(panel.contains("me (you)") && panel.contains("ann – Prepare"))
        #expect(panel.contains { $0.hasPrefix("bob") && $0.hasSuffix(", presenting – Prepare") })
        #expect(!play.lines().joined().unicodeScalars.contains { $0.value < 0x20 })
        try play.keys("⎋")
        #expect(!play.lines().contains("me (you)"))
    }

    @Test func `my view goes with the one who presents, until I move`() throws {
        var play = try Screenplay()
        try play.keys("F")
        #expect(play.view.message == "nobody presents")
        play.presence(("me", nil, false), ("bob", "Deploy/Smoke", true))
        try play.keys("F")
        #expect(play.current().contains("Smoke") && play.view.standing.contains("following bob"))
        play.presence(("me", nil, false), ("bob", "Prepare", true))
        #expect(play.current().contains("Prepare"))
        try play.keys("k")
        play.presence(("me", nil, false), ("bob", "Deploy", true))
        #expect(!play.current().contains("Deploy") && !play.view.standing.contains { $0.hasPrefix("following") })
        try play.keys("F")
        play.presence(("me", nil, false), ("bob", nil, false))
        #expect(!play.view.standing.contains { $0.hasPrefix("following") }, "who does not present is not followed")
    }

    @Test func `presenting is asked for and taken back, and where I am is told once`() throws {
        var play = try Screenplay()
        guard case .ask(.present(_, true))? = play.type("P").first else {
            Issue.record("P presents")
            return
        }
        #expect(play.view.standing.contains("presenting"))
        guard case .ask(.present(_, false))? = play.type("P").first else {
            Issue.record("and again ends it")
            return
        }
        try play.keys("j")
        guard case .select(_, let path)? = play.view.takeSelection() else {
            Issue.record("where one is, is told")
            return
        }
        #expect(path == SectionPath("Prepare") && play.view.takeSelection() == nil)
    }

    @Test func `a disagreement is told for a moment, with who lost`() throws {
        var play = try Screenplay()
        let before = play.daemon.state.version
        for (value, session) in [(true, UInt64(2)), (false, 3)] {
            let (event, _) = try play.daemon.perform(
                [.toggle(SectionPath("Prepare"), to: value)], seen: before, session: session)
            if let event { play.view.receive(event) }
        }
        #expect(play.view.message?.contains("s3: closed stands, not s2: open") == true, "\(play.view.message ?? "")")
        #expect(play.view.nextChange == 5_000)
        play.view.milliseconds = 5_000
        play.view.pass()
        #expect(play.view.message == nil)
    }

    @Test func `commands are typed, and a mistyped one is told what there is`() throws {
        var play = try Screenplay()
        try play.keys(":open Deploy⏎")
        #expect(play.daemon.state.view?.openCount == 1)
        try play.keys(":goto #2.1⏎")
        #expect(play.current().contains("Smoke"))
        try play.keys(":check⏎")
        #expect(play.daemon.state.view?.doneCount == 1)
        try play.keys(":level 1⏎")
        #expect(play.daemon.state.view?.openCount == 0)
        try play.keys(":opne⏎")
        #expect(play.view.message?.hasPrefix(#"no command "opne"; there are: open"#) == true)
        try play.keys(":level many⏎")
        #expect(play.view.message == "level takes a number from 0 to 16")
        #expect(play.type(":quit⏎").contains { if case .quit = $0 { true } else { false } })
        guard case .ask(.undo)? = play.type("u").first, case .ask(.redo)? = play.view.press(.control("r")).first else {
            Issue.record("u and Ctrl-r take back and make again")
            return
        }
    }

    @Test func `text and path are handed to the clipboard`() throws {
        var play = try Screenplay()
        try play.keys("j")
        guard case .copy("Prepare")? = play.type("yy").first, case .copy("Prepare")? = play.type("yp").first else {
            Issue.record("yy and yp copy")
            return
        }
        #expect(play.type("yz").isEmpty)
    }

    @Test func `too small a screen says so, and every size can be drawn`() throws {
        var play = try Screenplay()
        try play.keys("zR")
        for rows in [1, 2, 3, 50, 200] {
            for columns in [1, 2, 3, 7, 8, 9, 11, 13, 40, 500] {
                play.view.resize(rows: rows, columns: columns)
                let screen = play.view.screen()
                #expect(screen.rows == rows && screen.columns == columns)
                if rows < 2 || columns < 8 { #expect("too small".hasPrefix(screen.line(0).replacing("…", with: ""))) }
            }
        }
    }

    @Test func `a section grows when it opens, the one before it shrinks, and the next key ends it`() throws {
        var play = try Screenplay(
            #"{"mode":"single","content":[{"title":"a","open":true,"content":["1","2","3","4"]},{"title":"b","content":["5","6","7","8"]},{"title":"c","content":[]}]}"#
        )
        play.view.isAnimated = true
        func shown() -> (old: Int, new: Int) {
            let lines = play.lines()
            return (
                lines.count { ["  1", "  2", "  3", "  4"].contains($0) },
                lines.count { ["  5", "  6", "  7", "  8"].contains($0) }
            )
        }
        #expect(shown() == (4, 0))
        play.view.milliseconds = 1_000
        try play.keys("J ")
        #expect(shown() == (4, 0) && play.view.nextChange != nil)
        var last = (old: 4, new: 0)
        for moment in stride(from: Int64(1_000), through: 1_300, by: 20) {
            play.view.milliseconds = moment
            let now = shown()
            #expect(now.old <= last.old && now.new >= last.new)
            last = now
        }
        #expect(last == (0, 4) && play.view.nextChange == nil)
        play.view.milliseconds = 2_000
        try play.keys("K ")
        play.view.milliseconds = 2_100
        #expect(shown() != (4, 0))
        try play.keys("j")
        #expect(shown() == (4, 0), "a key cuts it short")
    }

    @Test func `without animation it is there at once`() throws {
        var play = try Screenplay()
        try play.keys("j ")
        #expect(play.lines()[2] == "    [ ] Tell" && play.view.nextChange == nil)
    }
}
