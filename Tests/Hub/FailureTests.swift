// Why this file exists: a refusal says what was wrong and where, and leaves everything as it was: state, version, what
// others see, and what is stored.
import AccordionModel
import Bytes
import Hub
import Testing
import Wire

struct FailureTests {
    static let refusals: [(line: String, code: String, named: String)] = [
        (#""op":"fly""#, "unknown_op", #""fly""#),
        (#""op":"open","section":"a""#, "bad_request", #""doc" is missing"#),
        (#""op":"open","doc":"-x","section":"a""#, "bad_request", #""-x" is no document's name"#),
        (#""op":"open","doc":"","section":"a""#, "bad_request", #""" is no"#),
        (#""op":"open","doc":"nowhere","section":"a""#, "unknown_document", #""nowhere""#),
        (#""op":"get","doc":"nowhere""#, "unknown_document", #""nowhere""#),
        (#""op":"subscribe","doc":"nowhere""#, "unknown_document", #""nowhere""#),
        (#""op":"select","doc":"nowhere","section":"a""#, "unknown_document", #""nowhere""#),
        (#""op":"present","doc":"nowhere","on":true"#, "unknown_document", #""nowhere""#),
        (#""op":"replace","doc":"nowhere""#, "unknown_document", #""nowhere""#),
        (#""op":"delete","doc":"nowhere""#, "unknown_document", #""nowhere""#),
        (#""op":"open","doc":"tour","section":"q""#, "unknown_section", #""q" in "tour""#),
        (#""op":"open","doc":"tour","section":"""#, "unknown_section", #""tour""#),
        (#""op":"get","doc":"tour","section":"a/q""#, "unknown_section", #""a/q" in "tour""#),
        (#""op":"select","doc":"tour","section":"q""#, "unknown_section", #""q" in "tour""#),
        (#""op":"open_all","doc":"tour","under":"q""#, "unknown_section", #""q" in "tour""#),
        (#""op":"create","doc":"tour""#, "document_exists", #""tour""#),
        (#""op":"create","doc":"n","mode":"many""#, "invalid_document", #""mode" must be one of"#),
        (#""op":"create","doc":"n","content":{}"#, "invalid_document", #""content" must be a list"#),
        (#""op":"create","doc":"n","content":[1]"#, "invalid_document", "a block must be"),
        (#""op":"create","doc":"n","content":[{}]"#, "invalid_document", "no \"title\""),
        (
            #""op":"create","doc":"n","content":[{"title":"X","tint":"puce"}]"#, "invalid_document",
            #"tint, at the section "X""#
        ),
        (#""op":"create","doc":"n","content":[{"title":"X","id":"a/b"}]"#, "invalid_document", #"at the section "X""#),
        (
            #""op":"create","doc":"n","content":[{"title":"X","open":1}]"#, "invalid_document",
            #""open" must be true or false"#
        ),
        (
            #""op":"create","doc":"n","content":[{"title":"X","id":"i"},{"title":"Y","id":"i"}]"#, "invalid_document",
            #"at the section "Y""#
        ),
        (#""op":"replace","doc":"tour","content":[{"title":5}]"#, "invalid_document", #""title" must be a string"#),
        (#""op":"open","doc":"tour","section":"r""#, "not_openable", #""r" in "tour""#),
        (#""op":"check","doc":"tour","section":"a""#, "not_a_task", #""a" in "tour""#),
        (#""op":"open","doc":"flat","section":"f""#, "headers_hidden", #""flat""#),
        (#""op":"open_all","doc":"flat""#, "headers_hidden", #""flat""#),
        (#""op":"open_all","doc":"rows""#, "single_mode", "the document"),
        (#""op":"close","doc":"stiff","section":"o""#, "must_stay_open", #""o" in "stiff""#),
        (#""op":"toggle","doc":"stiff","section":"o""#, "must_stay_open", #""o" in "stiff""#),
        (#""op":"open","doc":"tour","section":"d""#, "locked", #""d" in "tour""#),
        (
            #""op":"batch","doc":"tour","ops":[{"op":"open","section":"a"},{"op":"open","section":"d"}]"#, "locked",
            #""d" in "tour""#
        ),
        (#""op":"hello","protocol":2"#, "unsupported_protocol", "version 1"),
        (#""op":"open","doc":"tour","section":"a","replicated":true"#, "bad_request", "no cluster"),
        (#""op":"create","doc":"n","replicated":true"#, "bad_request", "no cluster"),
    ]

    private func furnished() -> TestClient {
        let client = TestHub().connect()
        client.ask(Lines.tour)
        client.ask(Lines.rows)
        client.ask(#"{"op":"create","doc":"flat","headers":false,"content":[{"id":"f","title":"F","content":[]}]}"#)
        client.ask(
            #"{"op":"create","doc":"stiff","mode":"single","collapsible":false,"content":[{"id":"o","title":"O","content":[]}]}"#
        )
        client.ask(#"{"op":"open","doc":"tour","section":"b"}"#)
        for name in ["tour", "rows", "flat", "stiff"] { client.ask(#"{"op":"subscribe","doc":"\#(name)"}"#) }
        client.ask(#"{"op":"watch_list","on":true}"#)
        return client
    }

    private func everything(_ client: TestClient) -> [String] {
        client.ask(#"{"op":"list"}"#)
            + ["tour", "rows", "flat", "stiff"].flatMap { client.ask(#"{"op":"get","doc":"\#($0)"}"#) }
    }

    @Test(arguments: refusals) func `a refusal names what and where, and nothing has changed`(
        line: String, code: String, named: String
    ) {
        let client = furnished()
        let before = everything(client)
        client.send(#"{"id":9,"# + line + "}")
        let turn = client.owner.hub.endTurn()
        #expect(turn.deltas.isEmpty)
        for session in client.owner.hub.release(turn) where session === client.session { client.flush() }
        let lines = client.take()
        #expect(kinds(lines) == [code], "\(line)")
        #expect(lines.first?.hasPrefix(#"{"id":9,"ok":false,"error":{"code":"\#(code)","message":""#) == true)
        #expect(names(lines.first, named), "\(lines)")
        #expect(everything(client) == before)
    }

    @Test func `a batch that fails says where, counted as flattened`() {
        let client = furnished()
        let open = #"{"op":"open","section":"a"}"#
        for (ops, at, code) in [
            ("[\(open),{\"op\":\"open\",\"section\":\"d\"}]", 1, "locked"),
            ("[{\"op\":\"close\",\"section\":\"q\"}]", 0, "unknown_section"),
            (
                "[\(open),{\"op\":\"batch\",\"ops\":[\(open),\(open),{\"op\":\"check\",\"section\":\"a\"}]},\(open)]",
                3, "not_a_task"
            ),
            ("[\(open),{\"op\":\"batch\",\"ops\":[\(open)]},{\"op\":\"select\"}]", 2, "bad_request"),
        ] {
            let lines = client.ask(#"{"op":"batch","doc":"tour","ops":\#(ops)}"#)
            #expect(reply(lines.first)?.failure?.code == code)
            #expect(reply(lines.first)?.failure?.at == at, "\(ops)")
        }
    }

    @Test(arguments: [
        (Role.viewer, #""op":"open","doc":"tour","section":"a""#, "toggler"),
        (.viewer, #""op":"batch","doc":"tour","ops":[]"#, "toggler"),
        (.viewer, #""op":"present","doc":"tour","on":true"#, "toggler"),
        (.toggler, #""op":"create","doc":"n""#, "editor"),
        (.toggler, #""op":"replace","doc":"tour""#, "editor"), (.toggler, #""op":"delete","doc":"tour""#, "editor"),
        (.viewer, #""op":"delete","doc":"tour""#, "editor"),
    ])
    func `what the role does not allow is forbidden, with the request's id`(role: Role, line: String, needed: String) {
        let client = furnished()
        let before = everything(client)
        let lines = client.owner.connect("low", role).ask(#"{"id":"i","# + line + "}")
        #expect(kinds(lines) == ["forbidden"])
        #expect(lines.first?.hasPrefix(#"{"id":"i","#) == true)
        #expect(names(lines.first, role.name, needed))
        #expect(everything(client) == before)
    }

    @Test(arguments: [
        (Role.viewer, #""op":"list""#), (.viewer, #""op":"get","doc":"tour""#),
        (.viewer, #""op":"subscribe","doc":"tour""#),
        (.viewer, #""op":"select","doc":"tour","section":"a""#), (.viewer, #""op":"watch_list","on":true"#),
        (.toggler, #""op":"open","doc":"tour","section":"a""#), (.editor, #""op":"delete","doc":"tour""#),
        (.admin, #""op":"delete","doc":"tour""#),
    ])
    func `what the role allows is done`(role: Role, line: String) {
        let lines = furnished().owner.connect("x", role).ask("{\(line)}")
        #expect(kinds(lines).contains("ok"))
    }

    @Test func `limits of a document are kept to the number`() {
        let test = TestHub {
            $0.content.sectionsMax = 5
            $0.content.textBytesMax = 100
        }
        let client = test.connect()
        for (count, code) in [(4, "ok"), (5, "ok"), (6, "too_large")] {
            #expect(kinds(client.ask(Lines.many("d\(count)", count))) == [code])
        }
        for (count, code) in [(99, "ok"), (100, "ok"), (101, "too_large")] {
            let text = String(repeating: "x", count: count)
            #expect(kinds(client.ask(#"{"op":"create","doc":"t\#(count)","content":["\#(text)"]}"#)) == [code])
        }
        for (depth, code) in [(15, "ok"), (16, "ok"), (17, "too_large")] {
            let deep = TestHub().connect()
            let content =
                String(repeating: #"[{"title":"x","content":"#, count: depth) + "[]"
                + String(repeating: "}]", count: depth)
            #expect(kinds(deep.ask(#"{"op":"create","doc":"deep","content":\#(content)}"#)) == [code])
        }
        for (count, code) in [(1_023, "ok"), (1_024, "ok"), (1_025, "too_large")] {
            let title = String(repeating: "x", count: count)
            let other = TestHub().connect()
            #expect(kinds(other.ask(#"{"op":"create","doc":"t","title":"\#(title)"}"#)) == [code])
            #expect(kinds(other.ask(#"{"op":"create","doc":"u","content":[{"title":"\#(title)"}]}"#)) == [code])
        }
        for (count, code) in [(127, "ok"), (128, "ok"), (129, "bad_request")] {
            let name = String(repeating: "n", count: count)
            #expect(kinds(test.connect().ask(#"{"op":"create","doc":"\#(name)"}"#)) == [code])
        }
    }

    @Test func `a connection has at most so many subscriptions and selections`() {
        let test = TestHub { $0.subscriptionsMax = 3 }
        let client = test.connect()
        for name in ["a", "b", "c", "d"] { client.ask(#"{"op":"create","doc":"\#(name)","content":[{"title":"s"}]}"#) }
        for name in ["a", "b", "c"] {
            #expect(kinds(client.ask(#"{"op":"subscribe","doc":"\#(name)"}"#)).first == "ok")
        }
        let lines = client.ask(#"{"op":"subscribe","doc":"d"}"#)
        #expect(kinds(lines) == ["too_many_requests"])
        #expect(names(lines.first, "3 subscriptions"))
        #expect(kinds(client.ask(#"{"op":"subscribe","doc":"a"}"#)).first == "ok")
        client.ask(#"{"op":"unsubscribe","doc":"a"}"#)
        #expect(kinds(client.ask(#"{"op":"subscribe","doc":"d"}"#)).first == "ok")
        for name in ["a", "b", "c"] {
            #expect(kinds(client.ask(#"{"op":"select","doc":"\#(name)","section":"s"}"#)) == ["ok"])
        }
        #expect(kinds(client.ask(#"{"op":"select","doc":"d","section":"s"}"#)) == ["too_many_requests"])
        #expect(kinds(client.ask(#"{"op":"select","doc":"a","section":null}"#)) == ["ok"])
        #expect(kinds(client.ask(#"{"op":"select","doc":"d","section":"s"}"#)) == ["ok"])
    }

    @Test func `text from outside is quoted, escaped and cut in a message`() {
        let client = furnished()
        let evil = "\u{9B}2J\u{202E}" + String(repeating: "é", count: 5_000)
        for line in [
            #"{"op":"\#(evil)"}"#, #"{"op":"get","doc":"\#(evil)"}"#,
            #"{"op":"open","doc":"tour","section":"\#(evil)"}"#,
            #"{"op":"batch","doc":"tour","ops":[{"op":"\#(evil)"}]}"#,
            #"{"op":"open_all","doc":"tour","under":"\#(evil)"}"#,
            #"{"op":"create","doc":"n","content":[{"title":"\#(evil.prefix(300))","tint":"x"}]}"#,
        ] {
            let lines = client.ask(line)
            #expect(reply(lines.first)?.failure != nil)
            let message = reply(lines.first)?.failure?.message ?? ""
            #expect(message.contains(#""\u009b2J\u202e"#), "\(message)")
            #expect(message.utf8.count < 400)
            #expect(lines.first?.unicodeScalars.contains { $0 == "\u{9B}" || $0 == "\u{202E}" } == false)
        }
    }

    @Test func `a path of a megabyte of combining marks is refused like any other`() {
        let client = furnished()
        let marks = String(repeating: "\u{301}", count: 200_000) + String(repeating: "\u{323}", count: 200_000)
        for line in [
            #"{"op":"get","doc":"tour","section":"x\#(marks)"}"#, #"{"op":"open","doc":"tour","section":"x\#(marks)"}"#,
            #"{"op":"reset","doc":"tour","under":"x\#(marks)"}"#,
        ] { #expect(kinds(client.ask(line)) == ["unknown_section"]) }
        #expect(kinds(client.ask(#"{"op":"list","prefix":"x\#(marks)"}"#)) == ["ok"])
        #expect(kinds(client.ask(#"{"op":"get","doc":"\#(marks)"}"#)) == ["bad_request"])
    }
}
