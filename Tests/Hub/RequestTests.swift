// Why this file exists: the table of operations, row by row: what is asked, what is answered, to the character.
import AccordionModel
import Bytes
import Hub
import Testing
import Wire

struct RequestTests {
    private func tour() -> TestClient {
        let client = TestHub().connect()
        client.ask(Lines.tour)
        return client
    }

    // MARK: - Each operation

    @Test func `hello tells who the daemon is and who one is`() {
        let test = TestHub()
        #expect(
            test.connect("nobody", .viewer).ask(#"{"op":"hello","id":1,"name":"eve","protocol":1,"token":"x"}"#) == [
                #"{"id":1,"ok":true,"server":"test/1","node":"n1","epoch":"e1","session":"s1","name":"eve","role":"viewer","#
                    + #""protocol":1,"limits":{"max_line_bytes":1048576,"max_document_bytes":16777216,"#
                    + #""max_sections":100000,"max_depth":16}}"#
            ])
        let user = test.connect("bob", isUser: true, .admin)
        #expect(
            user.ask(#"{"op":"hello","name":"eve"}"#).first?.contains(#""name":"eve (bob)","role":"admin""#) == true)
        let same = test.connect("bob", isUser: true)
        #expect(same.ask(#"{"op":"hello","name":"bob"}"#).first?.contains(#""name":"bob","#) == true)
        #expect(test.connect("bob").ask(#"{"op":"hello"}"#).first?.contains(#""name":"bob","#) == true)
    }

    @Test func `hello comes once with success; a refused one can be said again`() {
        let client = TestHub().connect()
        #expect(kinds(client.ask(#"{"op":"hello","protocol":2}"#)) == ["unsupported_protocol"])
        #expect(kinds(client.ask(#"{"op":"hello","name":"a/b"}"#)) == ["bad_request"])
        #expect(kinds(client.ask(#"{"op":"hello","name":"a"}"#)) == ["ok"])
        #expect(kinds(client.ask(#"{"op":"hello","name":"b"}"#)) == ["bad_request"])
        #expect(client.session.name == "a")
    }

    @Test(arguments: [1, 63, 64, 65]) func `a name has at most 64 bytes`(count: Int) {
        let name = String(repeating: "n", count: count)
        #expect(
            kinds(TestHub().connect().ask(#"{"op":"hello","name":"\#(name)"}"#)) == [count <= 64 ? "ok" : "bad_request"]
        )
    }

    @Test func `ping tells the time`() {
        #expect(TestHub().connect().ask(#"{"op":"ping"}"#) == [#"{"ok":true,"time":1700001000000}"#])
    }

    @Test func `create tells the version, and list what there is`() {
        let client = TestHub().connect()
        #expect(client.ask(#"{"op":"list"}"#) == [#"{"ok":true,"documents":[]}"#])
        #expect(client.ask(Lines.tour) == [#"{"ok":true,"version":{"n1":1}}"#])
        client.ask(#"{"op":"open","doc":"tour","section":"a"}"#)
        client.ask(#"{"op":"check","doc":"tour","section":"t"}"#)
        client.ask(#"{"op":"subscribe","doc":"tour"}"#)
        #expect(
            client.ask(#"{"op":"list"}"#) == [
                #"{"ok":true,"documents":[{"doc":"tour","title":"Tour","sections":6,"open":1,"tasks":1,"done":1,"#
                    + #""subscribers":1,"version":{"n1":3}}]}"#
            ])
    }

    @Test func `list goes on after a name, within a prefix, up to a limit`() {
        let client = TestHub().connect()
        for name in ["b2", "a", "b1", "b", "c", "b3", "é"] { client.ask(#"{"op":"create","doc":"\#(name)"}"#) }
        func list(_ members: String) -> [String]? {
            reply(client.ask(#"{"op":"list"\#(members)}"#).first)?.documents?.map(\.name.text)
        }
        #expect(list("") == ["a", "b", "b1", "b2", "b3", "c", "é"])
        #expect(list(#","prefix":"b""#) == ["b", "b1", "b2", "b3"])
        #expect(list(#","prefix":"b","after":"b1""#) == ["b2", "b3"])
        #expect(list(#","prefix":"b","after":"b1","limit":1"#) == ["b2"])
        #expect(list(#","after":"bzz""#) == ["c", "é"])
        #expect(list(#","prefix":"b","after":"a""#) == ["b", "b1", "b2", "b3"])
        #expect(list(#","prefix":"b","after":"c""#) == [])
        #expect(list(#","prefix":"x""#) == [])
        #expect(list(#","after":"é""#) == [])
        #expect(list(#","prefix":"e\u0301""#) == ["é"])
        #expect(list(#","limit":1000000"#) == ["a", "b", "b1", "b2", "b3", "c", "é"])
        client.ask(#"{"op":"delete","doc":"b1"}"#)
        #expect(list(#","prefix":"b""#) == ["b", "b2", "b3"])
    }

    @Test func `a list holds at most a thousand`() {
        let client = TestHub().connect()
        for number in 0..<1_001 { client.send(#"{"op":"create","doc":"d\#(10_000 + number)","ack":"none"}"#) }
        #expect(reply(client.ask(#"{"op":"list"}"#).first)?.documents?.count == 1_000)
        #expect(reply(client.ask(#"{"op":"list","after":"d10999"}"#).first)?.documents?.count == 1)
    }

    @Test func `get tells a document, and where a section is named, what is below it`() {
        let client = tour()
        client.ask(#"{"op":"batch","doc":"tour","ops":[{"op":"open","section":"a/a1"},{"op":"open","section":"b"}]}"#)
        #expect(
            client.ask(#"{"op":"get","doc":"tour"}"#) == [
                #"{"ok":true,"version":{"n1":2},"document":{"doc":"tour","title":"Tour","mode":"multiple","initially":"closed","#
                    + #""headers":true,"conflicts":"last","content":["#
                    + #"{"id":"a","title":"A","content":[{"id":"a1","title":"A1","content":["text"]}]},"#
                    + #"{"id":"b","title":"B","content":[]},{"id":"r","title":"R"},{"id":"t","title":"T","task":false},"#
                    + #"{"id":"d","title":"D","locked":true,"content":[]}]},"#
                    + #""state":{"open":["a/a1","b"],"done":[],"conflicts":[]}}"#
            ])
        #expect(
            client.ask(#"{"op":"get","doc":"tour","section":"a"}"#) == [
                #"{"ok":true,"version":{"n1":2},"document":{"doc":"tour","title":"Tour","mode":"multiple","initially":"closed","#
                    + #""headers":true,"conflicts":"last","content":[{"id":"a1","title":"A1","content":["text"]}]},"#
                    + #""state":{"open":["a/a1"],"done":[],"conflicts":[]}}"#
            ])
        let row = reply(client.ask(#"{"op":"get","doc":"tour","section":"r"}"#).first)
        #expect(row?.document?.document.content == [])
        #expect(client.ask(#"{"op":"get","doc":"tour","section":""}"#) == client.ask(#"{"op":"get","doc":"tour"}"#))
    }

    @Test(arguments: [
        (#""op":"toggle","section":"a""#, #""version":{"n1":2},"open":true"#),
        (#""op":"toggle","section":"a","to":true"#, #""version":{"n1":2},"open":true"#),
        (#""op":"toggle","section":"a","to":false"#, #""version":{"n1":1},"open":false"#),
        (#""op":"open","section":"a/a1""#, #""version":{"n1":2},"open":true"#),
        (#""op":"close","section":"a""#, #""version":{"n1":1},"open":false"#),
        (#""op":"check","section":"t""#, #""version":{"n1":2},"done":true"#),
        (#""op":"uncheck","section":"t""#, #""version":{"n1":1},"done":false"#),
        (#""op":"open_all""#, #""version":{"n1":2},"changed":3"#),
        (#""op":"open_all","under":"a""#, #""version":{"n1":2},"changed":1"#),
        (#""op":"close_all""#, #""version":{"n1":1},"changed":0"#),
        (#""op":"level","depth":2"#, #""version":{"n1":2},"changed":2"#),
        (#""op":"level","depth":1"#, #""version":{"n1":1},"changed":0"#),
        (#""op":"level","depth":0"#, #""version":{"n1":1},"changed":0"#),
        (#""op":"level","depth":9007199254740991"#, #""version":{"n1":2},"changed":3"#),
        (#""op":"reset""#, #""version":{"n1":1},"changed":0"#),
        (#""op":"batch","ops":[]"#, #""version":{"n1":1},"changed":0"#),
        (#""op":"batch","ops":[{"op":"open_all"},{"op":"close","section":"b"}]"#, #""version":{"n1":2},"changed":2"#),
        (#""op":"select","section":"r""#, ""), (#""op":"select","section":null"#, ""), (#""op":"unsubscribe""#, ""),
        (#""op":"delete""#, ""),
        (
            #""op":"replace","title":"New","content":[{"id":"a","title":"A"},{"title":"Z"}]"#,
            #""version":{"n1":2},"kept":1,"removed":5,"added":1"#
        ),
        (#""op":"subscribe""#, #""version":{"n1":1}"#),
    ])
    func `an operation on a document has its reply`(members: String, told: String) {
        let lines = tour().ask(#"{"doc":"tour","id":"i",\#(members)}"#)
        #expect(
            lines.filter { $0.hasPrefix(#"{"id""#) } == [#"{"id":"i","ok":true\#(told.isEmpty ? "" : ",")\#(told)}"#])
    }

    @Test func `present is for subscribers`() {
        let client = tour()
        #expect(kinds(client.ask(#"{"op":"present","doc":"tour","on":true}"#)) == ["bad_request"])
        client.ask(#"{"op":"subscribe","doc":"tour"}"#)
        #expect(client.ask(#"{"op":"present","doc":"tour","on":true}"#) == [#"{"ok":true}"#])
    }

    @Test func `unsubscribe from what one does not watch is done already`() {
        #expect(TestHub().connect().ask(#"{"op":"unsubscribe","doc":"nothing"}"#) == [#"{"ok":true}"#])
    }

    // MARK: - Members

    private static let base = [
        "hello": #""op":"hello""#, "list": #""op":"list""#, "get": #""op":"get","doc":"tour""#,
        "subscribe": #""op":"subscribe","doc":"tour""#, "level": #""op":"level","doc":"tour""#,
        "toggle": #""op":"toggle","doc":"tour""#, "open": #""op":"open","doc":"tour","section":"a""#,
        "watch_list": #""op":"watch_list""#, "present": #""op":"present","doc":"tour""#,
        "create": #""op":"create","doc":"new""#, "batch": #""op":"batch","doc":"tour""#, "ping": #""op":"ping""#,
        "select": #""op":"select","doc":"tour""#, "open_all": #""op":"open_all","doc":"tour""#, "none": #""x":1"#,
    ]

    @Test(arguments: [
        ("get", #""doc":1"#), ("list", #""limit":0"#), ("list", #""limit":-1"#), ("level", #""depth":-1"#),
        ("level", ""), ("toggle", ""), ("toggle", #""section":1"#), ("toggle", #""section":null"#),
        ("toggle", #""section":"a","to":1"#), ("toggle", #""section":"a","to":"true""#),
        ("toggle", #""section":"a","to":null"#),
        ("watch_list", ""), ("watch_list", #""on":1"#), ("present", ""), ("present", #""on":null"#),
        ("subscribe", #""presence":1"#), ("subscribe", #""since":1"#), ("subscribe", #""since":[]"#),
        ("subscribe", #""epoch":1"#),
        ("open", #""seen":1"#), ("open", #""seen":{"n1":"1"}"#), ("open", #""seen":{"N1":1}"#),
        ("open", #""seen":{"":1}"#),
        ("open", #""seen":{"n1":-1}"#), ("open", #""seen":null"#), ("open", #""ack":"maybe""#), ("open", #""ack":1"#),
        ("open", #""replicated":true"#), ("open", #""replicated":1"#), ("hello", #""name":1"#),
        ("hello", #""name":"""#),
        ("hello", #""token":1"#), ("hello", #""protocol":"1""#), ("list", #""prefix":1"#), ("list", #""after":1"#),
        ("batch", ""), ("batch", #""ops":{}"#), ("batch", #""ops":[1]"#), ("batch", #""ops":[{}]"#),
        ("batch", #""ops":[{"op":1}]"#),
        ("batch", #""ops":[{"op":"ping"}]"#), ("batch", #""ops":[{"op":"batch"}]"#),
        ("batch", #""ops":[{"op":"open"}]"#),
        ("select", ""), ("select", #""section":1"#), ("open_all", #""under":1"#), ("none", ""), ("none", #""op":1"#),
        ("ping", #""id":null"#), ("ping", #""id":true"#), ("ping", #""id":{}"#),
    ])
    func `a member that is missing or of another type is a bad request, and changes nothing`(op: String, member: String)
    {
        let client = tour()
        let before = client.ask(#"{"op":"get","doc":"tour"}"#)
        let base = Self.base[op] ?? ""
        // A name must not stand twice.
        let line = op == "get" ? #"{"op":"get",\#(member)}"# : "{\(base)\(member.isEmpty ? "" : ",")\(member)}"
        let lines = client.ask(line)
        #expect(kinds(lines) == ["bad_request"], "\(line)")
        #expect(client.ask(#"{"op":"get","doc":"tour"}"#) == before)
    }

    @Test(arguments: [
        "1e300", "1.5", "9007199254740992", "9223372036854775807", "-9007199254740992", "1.0", "1e0", "1e999",
        "99999999999999999999999999", "-9223372036854775808", #""1""#,
    ])
    func `a number that is no whole one within 2^53 is a bad request wherever it stands`(number: String) {
        let client = tour()
        for (op, member) in [
            ("ping", #""id":"#), ("list", #""limit":"#), ("level", #""depth":"#), ("hello", #""protocol":"#),
        ] where !(op == "ping" && number == #""1""#) {
            #expect(
                kinds(client.ask("{\(Self.base[op] ?? ""),\(member)\(number)}")) == ["bad_request"], "\(op) \(number)")
        }
        #expect(
            kinds(client.ask(#"{"op":"open","doc":"tour","section":"a","seen":{"n1":\#(number)}}"#)) == ["bad_request"])
        #expect(kinds(client.ask(#"{"op":"subscribe","doc":"tour","since":{"n1":\#(number)}}"#)) == ["bad_request"])
        #expect(kinds(client.ask(#"{"op":"ping","unknown":\#(number)}"#)) == ["ok"])
        #expect(
            client.ask(#"{"op":"open","doc":"tour","section":"a"}"#) == [#"{"ok":true,"version":{"n1":2},"open":true}"#]
        )
    }

    @Test func `unknown members are ignored`() {
        let client = tour()
        let line =
            #"{"x":[{"op":"delete"}],"op":"open","to":7,"doc":"tour","depth":"deep","section":"a","documents":null}"#
        #expect(client.ask(line) == [#"{"ok":true,"version":{"n1":2},"open":true}"#])
    }

    @Test func `an id is repeated as it was, in refusals too`() {
        let client = tour()
        for id in ["1", "-1", "0", "9007199254740991", "-9007199254740991", #""x""#, #""""#, #""\u202e\"é""#] {
            #expect(client.ask(#"{"op":"ping","id":\#(id)}"#).first?.hasPrefix(#"{"id":\#(id),"ok":true"#) == true)
            #expect(client.ask(#"{"op":"none","id":\#(id)}"#).first?.hasPrefix(#"{"id":\#(id),"ok":false"#) == true)
            #expect(
                client.ask(#"{"op":"get","id":\#(id),"doc":"x"}"#).first?.hasPrefix(#"{"id":\#(id),"ok":false"#) == true
            )
        }
        let viewer = client.owner.connect("v", .viewer)
        #expect(viewer.ask(#"{"op":"delete","id":7,"doc":"tour"}"#).first?.hasPrefix(#"{"id":7,"ok":false"#) == true)
    }

    @Test(arguments: [127, 128, 129]) func `an id has at most 128 bytes`(count: Int) {
        let id = String(repeating: "é", count: count / 2) + String(repeating: "x", count: count % 2)
        let lines = TestHub().connect().ask(#"{"op":"ping","id":"\#(id)"}"#)
        #expect(kinds(lines) == [count <= 128 ? "ok" : "bad_request"])
        #expect(lines.first?.contains(id) == (count <= 128))
    }

    @Test func `seen may name 256 daemons and no more`() {
        for count in [255, 256, 257] {
            let seen = (0..<count).map { #""m\#($0)":1"# }.joined(separator: ",")
            let line = #"{"op":"open","doc":"tour","section":"a","seen":{\#(seen)}}"#
            #expect(kinds(tour().ask(line)) == [count <= 256 ? "ok" : "bad_request"])
        }
    }

    // MARK: - Order

    @Test func `every request has exactly one reply, in order, however many come at once`() {
        let client = tour()
        var bytes: [UInt8] = []
        let lines = [
            #""op":"ping""#, #""op":"toggle","doc":"tour","section":"a""#, #""op":"none""#, #""op":"get","doc":"tour""#,
            #""op":"subscribe","doc":"tour""#, #""op":"open_all","doc":"tour""#, #""op":"unsubscribe","doc":"tour""#,
            #""op":"watch_list","on":true"#, #""op":"close_all","doc":"tour""#,
        ]
        for number in 0..<900 { bytes += Array("{\"id\":\(number),\(lines[number % lines.count])}\n".utf8) }
        client.send(bytes)
        client.owner.settle()
        let ids = client.takeParsed().compactMap { line -> RequestID? in
            guard case .reply(let reply) = line else { return nil }
            return reply.id
        }
        #expect(ids == (0..<900).map { .number($0) })
    }

    @Test func `a write that asks for no reply has none, unless it fails`() {
        let client = tour()
        for line in [
            #"{"op":"open","doc":"tour","section":"a","ack":"none"}"#,
            #"{"op":"open","doc":"tour","section":"a","ack":"none"}"#,
            #"{"op":"open_all","doc":"tour","ack":"none"}"#, #"{"op":"batch","doc":"tour","ops":[],"ack":"none"}"#,
            #"{"op":"create","doc":"n","ack":"none"}"#, #"{"op":"replace","doc":"n","title":"N","ack":"none"}"#,
            #"{"op":"delete","doc":"n","ack":"none"}"#,
        ] { #expect(client.ask(line).isEmpty, "\(line)") }
        #expect(kinds(client.ask(#"{"op":"open","doc":"tour","section":"r","ack":"none"}"#)) == ["not_openable"])
        #expect(kinds(client.ask(#"{"op":"delete","doc":"n","ack":"none"}"#)) == ["unknown_document"])
        #expect(kinds(client.ask(#"{"op":"open","doc":"tour","section":"a","ack":"durable"}"#)) == ["ok"])
    }

    @Test func `an event leaves before the reply of the request that caused it`() {
        let client = tour()
        client.ask(#"{"op":"subscribe","doc":"tour"}"#)
        client.ask(#"{"op":"watch_list","on":true}"#)
        #expect(kinds(client.ask(#"{"op":"open","doc":"tour","section":"a"}"#)) == ["changed", "ok"])
        #expect(
            kinds(client.ask(#"{"op":"replace","doc":"tour","title":"New"}"#)) == [
                "snapshot replaced", "listed tour", "ok",
            ])
        #expect(kinds(client.ask(#"{"op":"create","doc":"other"}"#)) == ["listed other", "ok"])
        #expect(kinds(client.ask(#"{"op":"delete","doc":"tour"}"#)) == ["deleted", "unlisted tour", "ok"])
    }

    @Test func `subscribe replies first, and its snapshot is next, within one turn too`() {
        let client = tour()
        client.send(#"{"op":"toggle","id":1,"doc":"tour","section":"a"}"#, #"{"op":"subscribe","id":2,"doc":"tour"}"#)
        client.send(#"{"op":"toggle","id":3,"doc":"tour","section":"b"}"#, #"{"op":"unsubscribe","id":4,"doc":"tour"}"#)
        client.send(#"{"op":"toggle","id":5,"doc":"tour","section":"a"}"#)
        client.owner.settle()
        let lines = client.take()
        #expect(kinds(lines) == ["ok", "ok", "snapshot subscribed", "changed", "ok", "ok", "ok"])
        #expect(lines[2].contains(#""version":{"n1":2}"#) && lines[2].contains(#""state":{"open":["a"]"#))
        #expect(
            lines[3].contains(#""version":{"n1":3}"#) && lines[3].contains(#""changes":[{"section":"b","open":true}]"#))
        #expect(
            [0, 1, 4, 5, 6].map { lines[$0].prefix(7) } == [
                "{\"id\":1", "{\"id\":2", "{\"id\":3", "{\"id\":4", "{\"id\":5",
            ])
    }

    @Test func `a second subscribe brings a second snapshot, behind the events before it`() {
        let client = tour()
        client.ask(#"{"op":"subscribe","doc":"tour"}"#)
        client.send(#"{"op":"toggle","doc":"tour","section":"a"}"#, #"{"op":"subscribe","doc":"tour"}"#)
        client.send(#"{"op":"toggle","doc":"tour","section":"b"}"#)
        client.owner.settle()
        #expect(kinds(client.take()) == ["changed", "ok", "ok", "snapshot subscribed", "changed", "ok"])
    }

    @Test func `sessions that take turns within one turn each see all of it in order`() {
        let test = TestHub()
        let clients = (0..<3).map { test.connect("c\($0)") }
        clients[0].ask(Lines.tour)
        for client in clients { client.ask(#"{"op":"subscribe","doc":"tour"}"#) }
        for round in 0..<10 {
            for client in clients { client.send(#"{"op":"toggle","id":\#(round),"doc":"tour","section":"a"}"#) }
        }
        test.settle()
        for (number, client) in clients.enumerated() {
            let lines = client.take()
            let events = lines.filter { $0.hasPrefix(#"{"event""#) }
            #expect(events.count == 30 && lines.count == 40)
            for (place, event) in events.enumerated() {
                #expect(event.contains(#""version":{"n1":\#(place + 2)},"by":"c\#(place % 3)""#))
            }
            // The last own event stands before the first own reply of the turn, all the more before the last.
            #expect(lines.firstIndex { $0.hasPrefix(#"{"id":0"#) } ?? 0 > number)
        }
    }

    @Test func `list events of a turn come only to who watched when they happened`() {
        let test = TestHub()
        let (watcher, editor) = (test.connect(), test.connect())
        editor.send(#"{"op":"create","doc":"one"}"#)
        watcher.send(#"{"op":"watch_list","on":true}"#)
        editor.send(#"{"op":"create","doc":"two"}"#)
        watcher.send(#"{"op":"watch_list","on":true}"#)
        editor.send(#"{"op":"create","doc":"three"}"#)
        watcher.send(#"{"op":"watch_list","on":false}"#)
        editor.send(#"{"op":"create","doc":"four"}"#)
        test.settle()
        #expect(kinds(watcher.take()) == ["listed two", "listed three", "ok", "ok", "ok"])
    }
}
