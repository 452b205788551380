// Claims about which lines are visible and where the cursor is, against lines laid out anew.

import AccordionModel
import Mirror
import TestSupport
import Testing
import Wire

private func randomDocument(_ random: inout SplitMix, headers: Bool = true) throws -> Document {
    var json = #"{"title":"T","headers":\#(headers),"content":["#
    var depth = 0
    var count = 0
    var isFirst = true
    while count < 40 {
        count += 1
        let separator = isFirst ? "" : ","
        isFirst = false
        switch Int.random(in: 0..<8, using: &random) {
        case 0: json += separator + "\"text \(count)\""
        case 1: json += separator + #"{"code":"c \#(count)\n\tx"}"#
        case 2...3: json += separator + #"{"title":"row \#(count)","task":true}"#
        case 4...6 where depth < 8:
            json += separator + #"{"title":"section \#(count)","open":\#(Bool.random(using: &random)),"content":["#
            depth += 1
            isFirst = true
        default:
            if depth > 0 {
                json += "]}"
                depth -= 1
                isFirst = false
            } else {
                json += separator + "\"more\""
            }
        }
    }
    json += String(repeating: "]}", count: depth) + "]}"
    return try document(json)
}

private struct Fixture {
    var daemon = ModelDaemon()
    var replica = Replica(documentName)
    var layout = Layout(rows: 7, columns: 30)

    init(_ document: Document) throws {
        replica.connected()
        _ = replica.receive(try #require(try daemon.put(document)))
        layout.replace(with: replica)
    }

    mutating func perform(_ gestures: [Gesture]) throws {
        guard let event = try daemon.perform(gestures, session: 2).event else { return }
        for change in replica.receive(event) {
            if case .flags(let flips) = change { layout.apply(flips, replica) }
        }
    }

    /// The same laid out from nothing.
    var fresh: [Layout.Line] {
        var layout = Layout(rows: 7, columns: 30)
        layout.replace(with: replica)
        return layout.lines
    }

    /// The line on each row of the screen.
    mutating func rows() -> [Int?] { (0..<layout.rows).map { layout.place(onRow: $0)?.line } }
}

struct LayoutTests {
    @Test(arguments: 0..<40) func `opening and closing keeps the lines that laying out anew would give`(run: Int) throws
    {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        var fixture = try Fixture(try randomDocument(&random, headers: run % 8 > 0))
        let sections = try #require(fixture.replica.document?.sections)
        for _ in 0..<60 {
            switch Int.random(in: 0..<9, using: &random) {
            case 0: fixture.layout.down()
            case 1: fixture.layout.up()
            case 2: fixture.layout.page(Bool.random(using: &random) ? 1 : -1, isHalf: Bool.random(using: &random))
            case 3: fixture.layout.scroll(by: Int.random(in: -5...5, using: &random))
            case 4:
                fixture.layout.resize(
                    rows: Int.random(in: 1...12, using: &random), columns: Int.random(in: 4...40, using: &random))
            default: break
            }
            let before = fixture.layout.current
            let gestures: [Gesture] = (0..<Int.random(in: 1...5, using: &random)).compactMap { _ in
                sections.randomElement(using: &random).map { .toggle($0.path, to: nil) }
            }
            try fixture.perform(
                gestures.filter { gesture in
                    guard case .toggle(let path, _) = gesture else { return false }
                    return sections.first { $0.path == path }?.isRow == false
                })
            #expect(fixture.layout.lines == fixture.fresh, "seed \(seed)")
            guard let before, let after = fixture.layout.current else { continue }
            if fixture.layout.lines.contains(before) {
                #expect(after == before, "seed \(seed)")
            } else {
                // Folded away: a section around it is under the cursor now.
                let document = try #require(fixture.replica.document)
                #expect(
                    after.isSection && (after.owner..<document[after.owner].end).contains(before.owner), "seed \(seed)")
            }
            #expect(fixture.rows().contains(fixture.layout.cursor), "seed \(seed)")
        }
    }

    @Test func `another's change above the cursor leaves the cursor's line on its row of the screen`() throws {
        let rows = (0..<20).map { #"{"title":"r\#($0)"}"# }.joined(separator: ",")
        var fixture = try Fixture(try document(#"{"content":[{"title":"a","content":[\#(rows)]},\#(rows)]}"#))
        for _ in 0..<14 { fixture.layout.down() }
        let line = fixture.layout.current
        let row = fixture.rows().firstIndex(of: fixture.layout.cursor)
        try fixture.perform([.set(SectionPath("a"), .open, true)])
        #expect(fixture.layout.current == line)
        #expect(fixture.rows().firstIndex(of: fixture.layout.cursor) == row)
        try fixture.perform([.set(SectionPath("a"), .open, false)])
        #expect(fixture.layout.current == line)
        #expect(fixture.rows().firstIndex(of: fixture.layout.cursor) == row)
    }

    @Test func `other content keeps the cursor on its section, else on the nearest before it`() throws {
        func titles(_ names: [String]) throws -> Document {
            try document(#"{"content":[\#(names.map { #"{"title":"\#($0)"}"# }.joined(separator: ","))]}"#)
        }
        var fixture = try Fixture(try titles(["a", "b", "c", "d"]))
        fixture.layout.down()
        fixture.layout.down()
        func title() -> String? {
            fixture.layout.current.flatMap { fixture.replica.document?[$0.owner].title }
        }
        #expect(title() == "c")
        for (names, expected) in [(["x", "y", "a", "b", "c"], "c"), (["x", "b", "a"], "b"), (["z"], "z")] {
            _ = fixture.replica.receive(try #require(try fixture.daemon.put(try titles(names))))
            fixture.layout.replace(with: fixture.replica)
            #expect(title() == expected)
        }
    }

    @Test func `a text higher than the screen is walked through row by row`() throws {
        let text = (0..<10).map { "w\($0)" }.joined(separator: "\\n")
        var fixture = try Fixture(try document(#"{"content":[{"title":"a"},"\#(text)",{"title":"b"}]}"#))
        fixture.layout.resize(rows: 4, columns: 20)
        var cursors = [fixture.layout.cursor]
        for _ in 0..<8 {
            fixture.layout.down()
            cursors.append(fixture.layout.cursor)
        }
        #expect(cursors == [0, 1, 1, 1, 1, 1, 1, 1, 2])
        for _ in 0..<8 { fixture.layout.up() }
        #expect(fixture.layout.cursor == 0)
    }
}

extension Layout {
    /// As everybody sees it.
    fileprivate mutating func replace(with replica: Replica) {
        guard let document = replica.document else { return }
        replace(with: document) { replica.isOpen($0) }
    }

    fileprivate mutating func apply(_ flips: [SectionFlag], _ replica: Replica) {
        apply(flips.filter { $0.field == .open }.map(\.section)) { replica.isOpen($0) }
    }
}
