// Why this file exists: two people disagree without having seen each other, on one daemon or on two. Who wins is the
// document's policy, alike everywhere; who lost is told; and the next write that has seen both settles it.

import AccordionModel
import Causality
import Testing

private func document(_ policy: ConflictPolicy, open: Bool = false, _ mode: Mode = .multiple) throws -> Document {
    try Document.made([
        Outline("x") {
            $0.open = open
            $0.task = open
        }, Outline("y") { $0.task = false },
    ]) {
        $0.conflicts = policy
        $0.mode = mode
    }
}

@Suite struct ConflictTests {
    // MARK: - Policies

    /// The second daemon's clock is ahead: what Bob does there is the later.
    @Test(
        arguments: [
            (.last, true, false), (.last, false, true), (.open, true, true), (.open, false, true),
            (.closed, true, false),
            (.closed, false, false),
        ] as [(ConflictPolicy, Bool, Bool)])
    func `the policy decides who wins, for open states and for check marks`(
        _ policy: ConflictPolicy, _ annMeans: Bool, _ shown: Bool
    ) throws {
        for field in [Field.open, .done] {
            // Both have to change something: Ann from what the document says, Bob after his own change.
            var pair = try Pair(document(policy, open: !annMeans))
            let path = SectionPath("x")
            let first = try pair.other.make(.set(path, field, annMeans), by: "bob")
            let second = try pair.other.make(.set(path, field, !annMeans), by: "bob")
            let ours = try pair.one.make(.set(path, field, annMeans), by: "ann")
            pair.one.hear(first, second)
            pair.other.hear(ours)
            let winner = shown == annMeans ? "ann" : "bob"
            let loser = shown == annMeans ? "bob" : "ann"
            for desk in [pair.one, pair.other] {
                let isShown = (field == .open ? desk.open : desk.done) == (shown ? ["x"] : [])
                #expect(isShown, "\(field)")
                #expect(
                    desk.state.conflicts.map(\.told)
                        == ["x \(field == .open ? "open" : "done"): \(shown) by \(winner), not \(!shown) by \(loser)"])
            }
        }
    }

    @Test(arguments: [("n1", "n2", true), ("n2", "n1", false), ("n10", "n2", true), ("n1", "n1~a", true)])
    func `of one moment the higher node wins`(_ closing: String, _ opening: String, _ isOpen: Bool) throws {
        var one = try Desk(closing)
        var other = try Desk(opening)
        let moment: Int64 = 1_800_000_000_000
        other.hear(try one.makeCreation(document(.last, open: true)))
        one.milliseconds = moment - 1
        other.milliseconds = moment - 2
        let close = try one.make(.close("x"))
        let before = try other.make(.close("x"))
        let open = try other.make(.open("x"))
        #expect(close.stamp == open.stamp)
        one.hear(before, open)
        other.hear(close)
        #expect(one.open == (isOpen ? ["x"] : []) && other.open == one.open)
    }

    @Test(arguments: ConflictPolicy.every)
    func `two who say the same do not disagree`(_ policy: ConflictPolicy) throws {
        var pair = try Pair(document(policy))
        try pair.atOnce(.open("x"), .open("x"))
        #expect(pair.one.open == ["x"] && pair.one.state.conflicts.isEmpty)
    }

    @Test func `a reset that comes to the same as another's press does not disagree with it`() throws {
        var pair = try Pair(document(.last))
        pair.other.hear(try pair.one.make(.open("x")))
        try pair.atOnce(.reset(""), .close("x"))
        #expect(pair.one.open.isEmpty && pair.one.state.conflicts.isEmpty)
    }

    @Test(arguments: [(.open, ["x"]), (.closed, [])] as [(ConflictPolicy, [String])])
    func `a reset counts as what it comes to`(_ policy: ConflictPolicy, _ open: [String]) throws {
        var pair = try Pair(document(policy, open: true))
        pair.other.hear(try pair.one.make(.close("x")))
        _ = try pair.one.make(.open("x"))
        pair.other.state.join(pair.one.state, at: pair.other.milliseconds)
        try pair.atOnce(.reset(""), .close("x"))
        #expect(pair.one.open == open)
        #expect(pair.one.state.conflicts.count == 1)
    }

    // MARK: - Seen and unseen, on one daemon

    @Test func `a write replaces what its writer had seen, and leaves no conflict`() throws {
        var desk = try Desk(document(.last))
        try desk.ask(.open("x"), desk.writer("ann", session: 2))
        let applied = try #require(
            try desk.ask(.close("x"), desk.writer("bob", session: 3, seen: desk.state.version)))
        #expect(applied.conflicts.isEmpty && desk.state.conflicts.isEmpty)
    }

    @Test func `who names no version has seen everything: the later write simply wins`() throws {
        var desk = try Desk(document(.last))
        try desk.ask(.open("x"), desk.writer("ann", session: 2))
        try desk.ask(.close("x"), desk.writer("bob", session: 3))
        #expect(desk.open.isEmpty && desk.state.conflicts.isEmpty)
    }

    @Test func `a client that pipelines is not in conflict with itself`() throws {
        var desk = try Desk(document(.last))
        let seen = desk.state.version
        for gesture in [Gesture.open("x"), .close("x"), .open("x")] {
            try desk.ask(gesture, desk.writer("ann", session: 2, seen: seen))
        }
        #expect(desk.open == ["x"] && desk.state.conflicts.isEmpty)
    }

    @Test func `a client that pipelines in a single group is not in conflict with itself`() throws {
        var desk = try Desk(document(.last, .single))
        let seen = desk.state.version
        for path in ["x", "y", "x"] { try desk.ask(.open(path), desk.writer("ann", session: 2, seen: seen)) }
        #expect(desk.open == ["x"] && desk.state.conflicts.isEmpty)
    }

    @Test func `a conflict is told in what was applied, with who was kept and who was lost`() throws {
        var desk = try Desk(document(.last))
        let seen = desk.state.version
        try desk.ask(.open("x"), desk.writer("ann", session: 2, seen: seen))
        let applied = try #require(try desk.ask(.close("x"), desk.writer("bob", session: 3, seen: seen)))
        #expect(applied.conflicts.map(\.told) == ["x open: false by bob, not true by ann"])
        #expect(applied.conflicts == desk.state.conflicts)
    }

    @Test func `a policy may keep what another wrote: the write is told, though nothing looks otherwise`() throws {
        var desk = try Desk(document(.open))
        let seen = desk.state.version
        try desk.ask(.open("x"), desk.writer("ann", session: 2, seen: seen))
        let applied = try #require(try desk.ask(.close("x"), desk.writer("bob", session: 3, seen: seen)))
        #expect(desk.open == ["x"] && applied.visibleChanges == 0 && applied.told(desk.state) == ["x"])
        #expect(applied.conflicts.map(\.told) == ["x open: true by ann, not false by bob"])
    }

    @Test func `a conflict is gone with the next write that has seen it, and not with one that has not`() throws {
        var desk = try Desk(document(.last))
        let seen = desk.state.version
        try desk.ask(.open("x"), desk.writer("ann", session: 2, seen: seen))
        try desk.ask(.close("x"), desk.writer("bob", session: 3, seen: seen))
        try desk.ask(.open("x"), desk.writer("eve", session: 4, seen: seen))
        #expect(desk.state.conflicts.map(\.told) == ["x open: true by eve, not false by bob"])
        try desk.ask(.close("x"), desk.writer("dan", session: 5, seen: desk.state.version))
        #expect(desk.state.conflicts.isEmpty)
    }

    @Test func `conflicts are told in document order, the open state before the check mark`() throws {
        var desk = try Desk(document(.last))
        let seen = desk.state.version
        for (by, session, value) in [("ann", 2, true), ("bob", 3, false)] as [(String, UInt64, Bool)] {
            let batch: [Gesture] = ["y", "x"].flatMap {
                [.set(SectionPath($0), .done, value), .set(SectionPath($0), .open, value)]
            }
            try desk.ask(batch: batch, desk.writer(by, session: session, seen: seen))
        }
        #expect(
            desk.state.conflicts.map { "\($0.section.text) \($0.field.rawValue)" } == [
                "x open", "x done", "y open", "y done",
            ])
    }

    // MARK: - Single groups

    @Test(arguments: ConflictPolicy.every)
    func `in a single group the child opened last is open, whatever the policy, and the other is told`(
        _ policy: ConflictPolicy
    ) throws {
        for gestures in [(Gesture.open("x"), Gesture.open("y")), (.open("y"), .open("x"))] {
            var pair = try Pair(document(policy, .single))
            try pair.atOnce(gestures.0, gestures.1)
            let (first, last) = gestures.1 == .open("y") ? ("x", "y") : ("y", "x")
            #expect(pair.one.open == [last])
            #expect(pair.one.state.conflicts.map(\.told) == ["- single: \(last) by bob, not \(first) by ann"])
        }
    }

    @Test func `a conflict of a group below the top names the section around it and its children's paths`() throws {
        var pair = try Pair(Document.made([Outline("g", [Outline("x"), Outline("y")]) { $0.mode = .single }]))
        try pair.atOnce(.open("g/x"), .open("g/y"))
        #expect(pair.one.state.conflicts.map(\.told) == ["g single: g/y by bob, not g/x by ann"])
    }

    @Test func `the conflict of a group is told in what was applied, on either daemon`() throws {
        var pair = try Pair(document(.last, .single))
        let (ours, theirs) = (try pair.one.make(.open("x"), by: "ann"), try pair.other.make(.open("y"), by: "bob"))
        for (desk, operation) in [(pair.one, theirs), (pair.other, ours)] {
            var desk = desk
            let applied = desk.hear(operation)
            #expect(applied.map { $0.conflicts.map(\.told) } == [["- single: y by bob, not x by ann"]])
            #expect(desk.open == ["y"])
        }
    }

    @Test func `the next opening that has seen both claims settles them, one that has not does not`() throws {
        var pair = try Pair(document(.last, .single))
        let seen = pair.one.state.version
        try pair.atOnce(.open("x"), .open("y"))
        var unseen = pair.one
        try unseen.ask(.open("x"), unseen.writer("eve", session: 5, seen: seen))
        #expect(unseen.open == ["x"] && unseen.state.conflicts.count == 1)
        for path in ["x", "y"] {
            var seen = pair.one
            let applied = try #require(try seen.ask(.open(path), seen.writer("eve", session: 5)))
            #expect(seen.open == [path] && seen.state.conflicts.isEmpty)
            #expect(applied.visibleChanges == (path == "x" ? 2 : 0))
        }
    }

    @Test func `closing the open one, all claims seen, leaves none open`() throws {
        var pair = try Pair(document(.last, .single))
        try pair.atOnce(.open("x"), .open("y"))
        try pair.one.ask(.close("y"))
        #expect(pair.one.open.isEmpty && pair.one.state.conflicts.isEmpty)
    }

    @Test func `closing the open one, another's claim not seen, brings that to light`() throws {
        var pair = try Pair(document(.last, .single))
        try pair.atOnce(.open("x"), .open("y"))
        let seen = VersionVector([.init(node: pair.other.node, counter: 1)])
        let applied = try #require(try pair.one.ask(.close("y"), pair.one.writer("eve", session: 5, seen: seen)))
        #expect(pair.one.open == ["x"] && applied.told(pair.one.state) == ["x", "-y"])
    }

    @Test func `the closing of one and the opening of another at once are no disagreement`() throws {
        var pair = try Pair(document(.last, .single))
        pair.other.hear(try pair.one.make(.open("x")))
        try pair.atOnce(.close("x"), .open("y"))
        #expect(pair.one.open == ["y"] && pair.one.state.conflicts.isEmpty)
    }

    // MARK: - Content

    @Test(arguments: ConflictPolicy.every)
    func `of two replaces at once the later is shown, whatever the policy, and the other told`(
        _ policy: ConflictPolicy
    ) throws {
        var pair = try Pair(document(policy))
        let one = try Document.made([]) { $0.title = "one" }
        let other = try Document.made([]) { $0.title = "other" }
        let ours = try pair.one.makeReplacement(one, by: "ann")
        let theirs = try pair.other.makeReplacement(other, by: "bob")
        let applied = pair.one.hear(theirs)
        pair.other.hear(ours)
        for desk in [pair.one, pair.other] {
            #expect(desk.state.view?.document.attributes.title == "other")
            #expect(desk.state.conflicts.map(\.told) == ["- content: other by bob, not one by ann"])
        }
        #expect(applied.first?.content == .replaced && applied.first?.conflicts == pair.one.state.conflicts)
        let replacement = try pair.one.replace(with: other)
        #expect(replacement.kept == 0 && pair.one.state.conflicts.isEmpty)
    }
}

extension ConflictPolicy {
    fileprivate static var every: [ConflictPolicy] { [.last, .open, .closed] }
}
