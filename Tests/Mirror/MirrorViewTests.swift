// Claims about what is on the screen, as text.

import AccordionModel
import Mirror
import Testing
import Wire

private let runbook = #"""
    {"title":"Runbook","content":["Read this first, it is long",
     {"title":"Prepare","open":true,"tint":"green","content":[{"title":"Tell","task":false},{"title":"Freeze","task":true},{"code":"a\n\tb"}]},
     {"title":"部署","content":[{"title":"Smoke","task":false,"content":["Look"]},{"title":"Rows","content":[]}]},
     {"title":"Gate","locked":true,"content":[]}]}
    """#

private struct Stage {
    var daemon = ModelDaemon()
    var view = MirrorView(documentName, rows: 12, columns: 24)

    init(_ json: String = runbook) throws {
        view.connected()
        view.receive(try #require(try daemon.put(try document(json))))
    }

    mutating func lines() -> [String] {
        let screen = view.screen()
        return (0..<screen.rows).map { screen.line($0) }
    }

    /// The row that is shown in reverse, the bar aside.
    mutating func cursorRow() -> Int? {
        let screen = view.screen()
        return (0..<screen.rows - 1).first { screen[$0, screen.columns - 1].style.attributes.contains(.reverse) }
    }

    mutating func press(_ gestures: MirrorGesture...) -> Intent? {
        var last: Intent?
        for gesture in gestures {
            _ = view.perform(gesture)
            last = view.takeUnsent().last
        }
        return last
    }

    /// Sends an intent through the daemon and back.
    mutating func deliver(_ intent: Intent?) throws {
        let intent = try #require(intent)
        let gesture: Gesture =
            intent.field == .open
            ? .toggle(intent.section, to: intent.value) : .set(intent.section, .done, intent.value)
        let (event, failure) = try daemon.perform([gesture], seen: intent.seen, session: 1)
        if let event { view.receive(event) }
        view.answered(id: intent.id, failure: failure)
    }

    mutating func others(_ gestures: Gesture...) throws {
        view.receive(try #require(try daemon.perform(gestures, session: 2).event))
    }
}

struct MirrorViewTests {
    @Test func `headers, rows, check marks, counts, texts and the bar`() throws {
        var stage = try Stage()
        #expect(
            stage.lines() == [
                "Read this first, it is",
                "long",
                "▾ Prepare  1/2",
                "    [ ] Tell",
                "    [x] Freeze",
                "  a",
                "          b",
                "▸ 部署  0/1",
                "▸ Gate  locked",
                "",
                "",
                " Runbook      1/3  live",
            ])
        #expect(stage.view.screen()[2, 2].style.foreground == .ansi(2))
        #expect(stage.cursorRow() == 0)
    }

    @Test func `a press turns the section at once, marked until it is confirmed`() throws {
        var stage = try Stage()
        let intent = stage.press(.end, .up, .toggle)
        #expect(stage.lines()[7...10] == ["▾ 部署  0/1  …", "  ▸ [ ] Smoke", "  ▸ Rows", "▸ Gate  locked"])
        #expect(intent?.value == true && intent?.section.text == "部署")
        try stage.deliver(intent)
        #expect(stage.lines()[7] == "▾ 部署  0/1")
    }

    @Test func `a refusal takes the press back and says why`() throws {
        var stage = try Stage()
        let intent = stage.press(.end, .up, .toggle)
        stage.view.answered(
            id: try #require(intent?.id), failure: ServerFailure(code: "read_only", message: "read only"))
        #expect(stage.lines()[7] == "▸ 部署  0/1")
        #expect(stage.view.message == "部署: taken back: read only")
    }

    @Test func `what the document forbids is said and not sent`() throws {
        var stage = try Stage()
        #expect(stage.press(.end, .toggle) == nil)
        #expect(stage.view.message == "locked")
        #expect(stage.press(.check) == nil)
        #expect(stage.view.message == "no task: there is no check mark")
    }

    @Test func `a row is named and released`() throws {
        var stage = try Stage()
        #expect(stage.press(.down, .down, .toggle) == nil)
        #expect(stage.view.message == "nothing to open: Prepare/Tell")
        _ = stage.press(.down)
        #expect(stage.view.message == nil)
    }

    @Test func `l opens and goes in, h goes out and closes`() throws {
        var stage = try Stage()
        try stage.deliver(stage.press(.end, .up, .open))
        #expect(stage.press(.open) == nil)
        #expect(stage.cursorRow() == 8)
        try stage.deliver(stage.press(.open))
        #expect(stage.press(.open) == nil)
        #expect(stage.lines()[9] == "    Look" && stage.cursorRow() == 9)
        // Out of the text, then closed, then out of that, then closed.
        #expect(stage.press(.close) == nil)
        #expect(stage.cursorRow() == 8)
        try stage.deliver(stage.press(.close))
        #expect(stage.press(.close) == nil)
        #expect(stage.cursorRow() == 7)
        try stage.deliver(stage.press(.close))
        #expect(stage.lines()[7] == "▸ 部署  0/1")
    }

    @Test func `closing around a text under the cursor leaves the cursor on the header`() throws {
        var stage = try Stage()
        try stage.deliver(stage.press(.down, .down, .down, .down, .toggle))
        #expect(stage.lines()[2] == "▸ Prepare  1/2" && stage.cursorRow() == 2)
    }

    @Test func `others' changes are shown and leave the cursor on its section`() throws {
        var stage = try Stage()
        _ = stage.press(.end)
        try stage.others(.set(SectionPath("部署"), .open, true), .set(SectionPath("Prepare/Tell"), .done, true))
        #expect(stage.lines()[2...3] == ["▾ Prepare  2/2", "    [x] Tell"])
        #expect(stage.lines()[stage.cursorRow() ?? 0] == "▸ Gate  locked")
        try stage.others(.closeAll(under: .top))
        #expect(stage.lines()[stage.cursorRow() ?? 0] == "▸ Gate  locked")
    }

    @Test func `the mouse turns by the arrow, checks by the mark and selects by the title`() throws {
        var stage = try Stage()
        #expect(stage.press(.press(row: 7, column: 0))?.section.text == "部署")
        #expect(stage.press(.press(row: 3, column: 5))?.field == .done)
        #expect(stage.press(.press(row: 2, column: 4)) == nil)
        #expect(stage.cursorRow() == 2)
        #expect(stage.press(.press(row: 11, column: 0)) == nil)
    }

    @Test func `hidden headers leave a flat list with everything in it`() throws {
        var stage = try Stage(
            #"{"headers":false,"content":["p",{"title":"a","content":[{"title":"r"},{"title":"b","content":["t"]}]},{"title":"s"}]}"#
        )
        #expect(stage.lines().prefix(5) == ["p", "r", "t", "s", ""])
        #expect(stage.press(.down, .open) == nil)
        #expect(stage.press(.down, .toggle) == nil)
        #expect(stage.view.message == "headers are hidden: everything is shown")
    }

    @Test func `a long title goes on in the next row, with room for its count`() throws {
        var stage = try Stage(
            #"{"content":[{"title":"全国各省市自治区一览表完整版","content":[{"title":"x"}]}]}"#)
        #expect(stage.lines().prefix(2) == ["▸ 全国各省市自治区一", "  览表完整版  1"])
    }

    @Test func `control characters of a title are drawn as marks`() throws {
        var stage = try Stage(#"{"title":"\u001b[2J","content":[{"title":"a\u001b[31m\u202eb","content":[]}]}"#)
        let all = stage.lines().joined()
        #expect(!all.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        #expect(all.contains("␛"))
    }

    @Test func `a deleted document stays to be looked at, and says so`() throws {
        var stage = try Stage()
        stage.view.receive(try stage.daemon.delete())
        #expect(stage.lines()[11] == " Runbook  deleted by s9")
        #expect(stage.press(.end, .up, .toggle) == nil)
        stage.view.receive(try #require(try stage.daemon.put(try document(runbook))))
        #expect(stage.lines()[2] == "▾ Prepare  1/2")
    }

    @Test func `a lost connection is told and the view stays`() throws {
        var stage = try Stage()
        stage.view.disconnected(reason: "gone")
        #expect(stage.lines()[11] == " Runbook – gone offline")
        #expect(stage.lines()[2] == "▾ Prepare  1/2")
        _ = stage.press(.end, .up, .toggle)
        let intent = try #require(stage.view.replica.pending.last)
        #expect(stage.lines()[11].hasSuffix("offline, 1 to send"))
        #expect(stage.view.takeUnsent().isEmpty)
        stage.view.connected()
        stage.view.receive(try stage.daemon.caughtUp())
        #expect(stage.view.takeUnsent().map(\.section) == [intent.section])
    }

    @Test(arguments: [24, 80, 200])
    func `help is told whole, over as many rows as it takes`(_ columns: Int) throws {
        var stage = try Stage()
        stage.view.resize(rows: 30, columns: columns)
        _ = stage.press(.help)
        let lines = stage.lines().dropLast()
        for entry in KeyBindings.help where columns >= 40 {
            #expect(lines.contains { $0.contains(entry) }, "\(entry)")
        }
        let words = lines.joined(separator: " ").split(separator: " ").map(String.init)
        for entry in KeyBindings.help { #expect(words.contains(String(entry.split(separator: " ")[0])), "\(entry)") }
        #expect(!lines.contains { $0.contains("…") })
        _ = stage.press(.help)
        #expect(!stage.lines().contains { $0.contains("q quit") })
    }

    @Test func `help leaves the document a row, and goes with its window`() throws {
        var stage = try Stage()
        stage.view.resize(rows: 4, columns: 24)
        _ = stage.press(.help)
        #expect(stage.lines()[0] == "Read this first, it is" && stage.lines()[1].hasPrefix("j k move"))
    }

    @Test func `the bar says where help is, and of a deleted document how to leave, where there is room`() throws {
        var stage = try Stage()
        #expect(!stage.lines()[11].contains("?"))
        stage.view.resize(rows: 12, columns: 80)
        #expect(stage.lines()[11].hasSuffix("1/3  live  F1 help"))
        stage.view.receive(try stage.daemon.delete())
        #expect(stage.lines()[11].hasSuffix("deleted by s9  q quits"))
    }

    @Test func `a message is kept whole at the cost of the title, then of the standing`() throws {
        var stage = try Stage(
            #"{"title":"A very long title of a runbook","content":[{"title":"a","content":[],"locked":true}]}"#)
        let message = "no task: there is no check mark"
        _ = stage.press(.check)
        for columns in 12...100 {
            stage.view.resize(rows: 5, columns: columns)
            let bar = stage.lines()[4]
            if columns > message.count { #expect(bar.contains(message), "\(columns): \(bar)") }
            if columns > message.count + 8 { #expect(bar.hasSuffix(" live"), "\(columns): \(bar)") }
        }
        #expect(stage.lines()[4].contains("A very long title of a runbook – no task"))
        stage.view.resize(rows: 5, columns: 12)
        #expect(stage.lines()[4] == " no task: t…")
    }

    @Test func `of a section that opens at the bottom something of its inside is shown`() throws {
        let rows = (0..<9).map { #"{"title":"r\#($0)"}"# }.joined(separator: ",")
        var stage = try Stage(
            #"{"content":[\#(rows),{"title":"big","content":[\#(rows)]},{"title":"small","content":["t"]}]}"#)
        stage.view.resize(rows: 11, columns: 24)
        // The cursor on the last row that is shown.
        for _ in 0..<9 { _ = stage.press(.down) }
        #expect(stage.cursorRow() == 9)
        try stage.deliver(stage.press(.toggle))
        #expect(stage.cursorRow() == 4 && stage.lines()[4].hasPrefix("▾ big"))
        #expect(stage.lines()[5...9] == ["    r0", "    r1", "    r2", "    r3", "    r4"])
        _ = stage.press(.end)
        #expect(stage.cursorRow() == 9)
        try stage.deliver(stage.press(.toggle))
        #expect(stage.lines()[8...9] == ["▾ small", "  t"])
    }

    @Test(arguments: [(0, 0), (1, 1), (1, 40), (2, 3), (3, 2), (40, 1)])
    func `any size of the terminal can be drawn on`(size: (rows: Int, columns: Int)) throws {
        var stage = try Stage()
        stage.view.resize(rows: size.rows, columns: size.columns)
        for gesture in [MirrorGesture.down, .help, .pageDown, .end, .pageUp, .home, .scroll(1)] {
            _ = stage.press(gesture)
            let screen = stage.view.screen()
            #expect(screen.rows == size.rows && screen.columns == size.columns)
        }
    }

    @Test func `disagreements are marked and counted`() throws {
        var stage = try Stage()
        let before = stage.daemon.state.version
        for (value, session) in [(true, UInt64(2)), (false, 3)] {
            let (event, _) = try stage.daemon.perform(
                [.set(SectionPath("Prepare/Tell"), .done, value)], seen: before, session: session)
            if let event { stage.view.receive(event) }
        }
        #expect(stage.lines()[3] == "    [ ] Tell  ≠")
        #expect(stage.view.standing == ["1 ≠", "1/3", "live"])
    }
}

struct SectionReferenceTests {
    @Test func `a section is meant by path, by position or by a title that only it has`() throws {
        let document = try document(
            ##"{"content":[{"title":"a","content":[{"title":"x"},{"title":"y","content":[{"title":"z"}]}]},{"title":"b","content":[{"title":"x"}]},{"title":"#1"}]}"##
        )
        func path(_ text: String) -> String {
            switch SectionReference(text, in: document) {
            case .section(let section): document[section].path.text
            case .ambiguous(let paths): "? " + paths.map(\.text).joined(separator: " ")
            case .unknown: "-"
            }
        }
        #expect(path("a/y") == "a/y")
        #expect(path("z") == "a/y/z")
        #expect(path("x") == "? a/x b/x")
        #expect(path("#2") == "b")
        #expect(path("#1.2.1") == "a/y/z")
        #expect(path("#1") == "#1")
        for wrong in ["#0", "#4", "#1.", "#", "#1.9", "#-1", "#99999999999999999999", "", "q"] {
            #expect(path(wrong) == "-")
        }
    }
}

struct OutlineTests {
    @Test func `an outline holds what is visible, or all of it, or one section`() throws {
        var daemon = ModelDaemon()
        var replica = Replica(documentName)
        _ = replica.receive(try #require(try daemon.put(try document(runbook))))
        func titles(_ outline: Outline) -> [String] {
            outline.lines.map { line in
                let text =
                    switch line.item {
                    case .section(let section): replica.document?[section].title ?? ""
                    case .text(let text), .code(let text): text.split(separator: "\n").first.map(String.init) ?? ""
                    }
                return "\(line.depth) \(text)"
            }
        }
        #expect(
            titles(Outline(replica, showsAll: false)) == [
                "0 Read this first, it is long", "0 Prepare", "1 Tell", "1 Freeze", "1 a", "0 部署", "0 Gate",
            ])
        #expect(titles(Outline(replica, showsAll: true)).contains("2 Look"))
        let section = try #require(replica.document?.find(SectionPath("部署")))
        #expect(titles(Outline(replica, section: section, showsAll: false)) == ["0 部署", "1 Smoke", "1 Rows"])
    }
}
