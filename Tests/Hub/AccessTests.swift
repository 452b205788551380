// Why this file exists: who may do what, operation by operation; and that what is not for somebody looks as if it were not
// there.

import AccordionModel
import Hub
import Testing
import Wire

private final class Tokens: Admission {
    func admit(token: String) -> Admitted? {
        switch token {
        case "ann": Admitted(rights: Rights(role: .editor), name: "ann", credential: "token:ann")
        case "runs":
            Admitted(
                rights: Rights(role: .admin, documents: [DocumentPattern("run-*")]), name: "runs",
                credential: "token:runs")
        default: nil
        }
    }
}

@Suite struct AccessTests {
    private static let operations: [(line: String, role: Role)] = [
        (#"{"op":"list"}"#, .viewer), (#"{"op":"get","doc":"tour"}"#, .viewer),
        (#"{"op":"subscribe","doc":"tour"}"#, .viewer),
        (#"{"op":"unsubscribe","doc":"tour"}"#, .viewer), (#"{"op":"watch_list","on":true}"#, .viewer),
        (#"{"op":"select","doc":"tour","section":"a"}"#, .viewer), (#"{"op":"history","doc":"tour"}"#, .viewer),
        (#"{"op":"toggle","doc":"tour","section":"a"}"#, .toggler),
        (#"{"op":"open","doc":"tour","section":"a"}"#, .toggler),
        (#"{"op":"close","doc":"tour","section":"a"}"#, .toggler),
        (#"{"op":"check","doc":"tour","section":"t"}"#, .toggler),
        (#"{"op":"uncheck","doc":"tour","section":"t"}"#, .toggler), (#"{"op":"open_all","doc":"tour"}"#, .toggler),
        (#"{"op":"close_all","doc":"tour"}"#, .toggler), (#"{"op":"level","doc":"tour","depth":1}"#, .toggler),
        (#"{"op":"reset","doc":"tour"}"#, .toggler), (#"{"op":"batch","doc":"tour","ops":[]}"#, .toggler),
        (#"{"op":"present","doc":"tour","on":false}"#, .toggler), (#"{"op":"undo","doc":"tour"}"#, .toggler),
        (#"{"op":"redo","doc":"tour"}"#, .toggler), (#"{"op":"create","doc":"new","content":[]}"#, .editor),
        (#"{"op":"replace","doc":"tour","content":[]}"#, .editor), (#"{"op":"delete","doc":"tour"}"#, .editor),
        (#"{"op":"status"}"#, .admin),
    ]

    @Test(arguments: [Role.viewer, .toggler, .editor, .admin])
    func `a role may do what it needs no more for, and is refused the rest`(_ role: Role) {
        for (line, needed) in Self.operations {
            let test = TestHub(store: MemoryStore())
            test.connect().ask(Lines.tour)
            let client = test.connect("x", role)
            let kinds = kinds(client.ask(line))
            if role < needed {
                #expect(kinds == ["forbidden"], "\(line)")
            } else {
                #expect(!kinds.contains("forbidden") && !kinds.isEmpty, "\(line)")
            }
            #expect(self.kinds(client.ask(#"{"op":"ping"}"#)).last == "ok")
        }
    }

    private func kinds(_ lines: [String]) -> [String] { lines.map(kind) }

    private func stranger(_ test: TestHub, _ tokens: Tokens) -> TestClient {
        test.hub.admission = tokens
        return TestClient(
            test.hub.connect(
                Origin(name: "nobody", isUser: false, rights: Rights(role: .viewer, documents: []), needsToken: true)),
            test)
    }

    @Test func `where a token is needed nothing is answered before it but that, and the third time is the last`() {
        let (test, tokens) = (TestHub(), Tokens())
        let client = stranger(test, tokens)
        #expect(kinds(drained(client, #"{"op":"ping"}"#)) == ["unauthorized"])
        #expect(kinds(drained(client, #"{"op":"hello","token":"wrong"}"#)) == ["unauthorized"])
        #expect(!client.session.isEnding)
        #expect(kinds(drained(client, #"{"op":"hello"}"#)) == ["unauthorized"])
        #expect(client.session.isEnding)
        let other = stranger(test, tokens)
        let greeting = drained(other, #"{"op":"hello","token":"ann","name":"someone else"}"#)
        #expect(greeting.first?.contains(#""name":"ann","role":"editor""#) == true, "the name is the token's")
        #expect(kinds(drained(other, #"{"op":"list"}"#)) == ["ok"])
    }

    @Test func `before a token four KiB are heard, and one more byte ends it`() {
        let (test, tokens) = (TestHub(), Tokens())
        for (count, ends) in [(4_096, false), (4_097, true)] {
            let client = stranger(test, tokens)
            client.send([UInt8](repeating: 0x20, count: count))
            test.settle()
            #expect(client.session.isEnding == ends, "\(count)")
        }
    }

    private func drained(_ client: TestClient, _ line: String) -> [String] {
        client.send(line)
        client.owner.settle()
        client.drain()
        return client.take()
    }

    @Test func `documents that are not for somebody look as if there were none`() {
        let (test, tokens) = (TestHub(store: MemoryStore()), Tokens())
        let maker = test.connect()
        maker.ask(Lines.tour)
        maker.ask(#"{"op":"create","doc":"run-1","content":[{"title":"a","content":[]}]}"#)
        let client = stranger(test, tokens)
        _ = drained(client, #"{"op":"hello","token":"runs"}"#)
        let list = drained(client, #"{"op":"list"}"#)
        #expect(list.first?.contains("run-1") == true && list.first?.contains("tour") == false)
        for (line, _) in Self.operations where line.contains(#""doc":"tour""#) {
            let there = drained(client, line)
            let nowhere = drained(client, line.replacing(#""doc":"tour""#, with: #""doc":"none""#))
            #expect(there.map { $0.replacing("tour", with: "none") } == nowhere, "\(line)")
        }
        #expect(kinds(drained(client, #"{"op":"create","doc":"new","content":[]}"#)) == ["forbidden"])
        #expect(kinds(drained(client, #"{"op":"open","doc":"run-1","section":"a"}"#)) == ["ok"])
        _ = drained(client, #"{"op":"watch_list","on":true}"#)
        maker.ask(#"{"op":"create","doc":"other","content":[]}"#)
        maker.ask(#"{"op":"create","doc":"run-2","content":[]}"#)
        client.drain()
        #expect(kinds(client.take()) == ["listed run-2"])
    }

    @Test func `whoever may do less than before is told goodbye, and whoever may do as much stays`() {
        let (test, tokens) = (TestHub(store: MemoryStore()), Tokens())
        let (one, other) = (stranger(test, tokens), stranger(test, tokens))
        _ = drained(one, #"{"op":"hello","token":"ann"}"#)
        _ = drained(other, #"{"op":"hello","token":"runs"}"#)
        test.hub.review { $0.credential == "token:ann" ? Rights(role: .admin) : nil }
        test.settle()
        other.drain()
        #expect(kinds(other.take()) == ["goodbye unauthorized"] && other.session.isEnding)
        #expect(kinds(drained(one, #"{"op":"status"}"#)) == ["ok"], "it may do more now")
        test.hub.review { _ in Rights(role: .viewer) }
        test.settle()
        one.drain()
        #expect(kinds(one.take()) == ["goodbye unauthorized"])
    }

    @Test(arguments: [
        ("*", "a", true), ("run-*", "run-1", true), ("run-*", "run-", true), ("run-*", "ran-1", false),
        ("a*b*c", "axxbyyc", true),
        ("a*b*c", "abcb", false), ("a", "a", true), ("a", "ab", false), ("", "a", false), ("**", "x", true),
        ("*aaaaaaaaaaaaaaaaaaaa*b", String(repeating: "a", count: 128), false),
    ])
    func `a pattern means what it says`(_ pattern: String, _ name: String, _ matches: Bool) throws {
        #expect(DocumentPattern(pattern).matches(try #require(DocumentName(name))) == matches)
    }
}
