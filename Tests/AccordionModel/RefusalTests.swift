// Why this file exists: each reason for which a request is refused, by each request that can meet it, and that nothing has
// changed after it.

import AccordionModel
import Causality
import Testing

private struct Refused: Sendable {
    let gesture: Gesture
    let reason: Refusal.Reason
    let section: String?

    init(_ gesture: Gesture, _ reason: Refusal.Reason, _ section: String?) {
        self.gesture = gesture
        self.reason = reason
        self.section = section
    }
}

/// Every way to turn the section at `path`.
private func presses(_ path: String) -> [Gesture] {
    [.toggle(path), .toggle(path, to: true), .toggle(path, to: false), .open(path), .close(path)]
}

private func bulk(_ under: String) -> [Gesture] {
    [.openAll(under), .closeAll(under), .level(under, 2), .reset(under)]
}

@Suite struct RefusalTests {
    private func document(headers: Bool = true) throws -> Document {
        try Document.made([
            Outline("a"), .row("row"), .row("task") { $0.task = false }, Outline("locked") { $0.locked = true },
            Outline("one", [Outline("x")]) { $0.mode = .single },
            Outline("must", [Outline("x") { $0.open = true }]) {
                $0.mode = .single
                $0.collapsible = false
            },
        ]) { $0.headers = headers }
    }

    private func expect(_ expected: [Refused], headers: Bool = true) throws {
        var desk = try Desk(document(headers: headers))
        let (version, open) = (desk.state.version, desk.open)
        for expected in expected {
            let section = expected.section.map { SectionPath($0) }
            #expect(
                refusal { try desk.ask(expected.gesture) } == Refusal(expected.reason, section), "\(expected.gesture)")
            let inBatch = refusal { try desk.ask(batch: [.open("a"), expected.gesture]) }
            if headers {
                #expect(inBatch == Refusal(expected.reason, section, at: 1), "\(expected.gesture) in a batch")
            }
            #expect(desk.state.version == version && desk.open == open)
        }
    }

    @Test func `a row can't be opened or closed`() throws {
        try expect(
            (presses("row") + presses("task")).map { gesture in
                guard case .toggle(let path, _) = gesture else {
                    guard case .set(let path, _, _) = gesture else { return Refused(gesture, .notOpenable, nil) }
                    return Refused(gesture, .notOpenable, path.text)
                }
                return Refused(gesture, .notOpenable, path.text)
            })
    }

    @Test func `a locked section can't be opened or closed, whatever it is asked to be`() throws {
        try expect(presses("locked").map { Refused($0, .locked, "locked") })
    }

    @Test func `what is no task can't be checked`() throws {
        for path in ["a", "row", "one"] {
            try expect([Refused(.check(path), .notATask, path), Refused(.uncheck(path), .notATask, path)])
        }
    }

    @Test func `where headers are hidden nothing can be turned`() throws {
        let gestures = presses("a") + presses("one/x") + [.openAll(""), .closeAll(""), .level("", 2)]
        try expect(gestures.map { Refused($0, .headersHidden, nil) }, headers: false)
    }

    @Test func `a path that names no section is refused by every gesture`() throws {
        for path in ["nowhere", "a/x", "A", "one/", "/one", "one/x/y"] {
            let gestures = presses(path) + bulk(path) + [.check(path), .uncheck(path)]
            try expect(gestures.map { Refused($0, .unknownSection, path) })
        }
    }

    @Test func `the document itself can't be turned or checked`() throws {
        try expect((presses("") + [.check(""), .uncheck("")]).map { Refused($0, .unknownSection, "") })
    }

    @Test func `the open one can't be closed where one must stay`() throws {
        let gestures: [Gesture] = [.close("must/x"), .toggle("must/x"), .toggle("must/x", to: false)]
        try expect(gestures.map { Refused($0, .mustStayOpen, "must/x") })
    }

    @Test func `a single group can't be opened as a whole`() throws {
        try expect([Refused(.openAll("one"), .singleMode, "one"), Refused(.openAll("must"), .singleMode, "must")])
    }

    @Test func `where no document is, every request but create is refused`() throws {
        let document = try document()
        var fresh = try Desk()
        var deleted = try Desk(document)
        try deleted.delete()
        for desk in [fresh, deleted] {
            var desk = desk
            for gesture in presses("a") + bulk("") + [.check("a")] {
                #expect(refusal { try desk.ask(gesture) } == Refusal(.unknownDocument))
                #expect(refusal { try desk.ask(batch: [gesture]) } == Refusal(.unknownDocument))
            }
            #expect(refusal { try desk.delete() } == Refusal(.unknownDocument))
            #expect(refusal { try desk.replace(with: document) } == Refusal(.unknownDocument))
        }
        #expect(refusal { try fresh.create(document) } == nil)
        #expect(refusal { try deleted.create(document) } == nil)
    }

    @Test func `where a document is, create is refused, though its content be the same`() throws {
        var desk = try Desk(document())
        #expect(refusal { try desk.create(document()) } == Refusal(.documentExists))
        #expect(refusal { try desk.create(Document.made([])) } == Refusal(.documentExists))
        #expect(desk.version == "{n1:1}")
    }
}
