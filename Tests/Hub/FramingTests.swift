// Why this file exists: whatever a client sends, the answer is the one of PROTOCOL's framing table, and the connection
// goes on: every test here ends with a request that is served.
import Bytes
import Hub
import Testing
import Wire

private let ping = #"{"op":"ping"}"#

private func works(_ client: TestClient) -> Bool { kinds(client.ask(ping)) == ["ok"] }

private func ping(ofBytes count: Int) -> [UInt8] {
    let start = Array(#"{"op":"ping","x":""#.utf8)
    return start + Array(repeating: UInt8(ascii: "x"), count: count - start.count - 2) + Array(#""}"#.utf8)
}

private func create(_ name: String, ofBytes count: Int, op: String = "create") -> [UInt8] {
    let start = Array(#"{"op":"\#(op)","doc":"\#(name)","content":[""#.utf8)
    return start + Array(repeating: UInt8(ascii: "x"), count: count - start.count - 3) + Array(#""]}"#.utf8)
}

struct FramingTests {
    @Test func `a carriage return before the line feed is dropped, also when they come apart`() {
        let client = TestHub().connect()
        #expect(kinds(client.ask(ping + "\r")) == ["ok"])
        client.send(Array((ping + "\r").utf8))
        client.send([0x0A])
        client.owner.settle()
        #expect(kinds(client.take()) == ["ok"])
    }

    @Test func `a line may arrive byte by byte`() {
        let client = TestHub().connect()
        for byte in (ping + "\n" + ping + "\r\n").utf8 { client.send([byte]) }
        client.owner.settle()
        #expect(kinds(client.take()) == ["ok", "ok"])
    }

    @Test func `empty lines and lines of spaces are ignored`() {
        let client = TestHub().connect()
        for line in ["", " ", "   ", "\r", " \r", "\t "] { #expect(client.ask(line).isEmpty) }
        #expect(client.owner.hub.counters.brokenLines == 0)
        #expect(works(client))
    }

    @Test func `a last line without its end is never applied, and is counted`() {
        let test = TestHub()
        let (client, other) = (test.connect(), test.connect())
        other.ask(Lines.tour)
        client.send(Array(#"{"op":"open","doc":"tour","section":"a"}"#.utf8))
        client.end()
        test.settle()
        #expect(test.hub.counters.truncatedLines == 1)
        #expect(client.session.isFinished)
        #expect(reply(other.ask(#"{"op":"get","doc":"tour"}"#).first)?.state?.open == [])
        let whole = test.connect()
        whole.send(ping)
        whole.end()
        test.settle()
        #expect(kinds(whole.take()) == ["ok"])
        #expect(test.hub.counters.truncatedLines == 1)
    }

    @Test(arguments: ["", "\r"]) func `the limit of a line is exact to the byte`(ending: String) {
        let test = TestHub { $0.lineBytesMax = 100 }
        let client = test.connect()
        for (count, expected) in [(99, "ok"), (100, "ok"), (101, "line_too_long"), (5_000, "line_too_long")] {
            for piece in [1, 7, 64, 10_000] {
                let bytes = ping(ofBytes: count) + Array((ending + "\n").utf8)
                for start in stride(from: 0, to: bytes.count, by: piece) {
                    client.send(Array(bytes[start..<min(start + piece, bytes.count)]))
                }
                test.settle()
                test.milliseconds += 10_000
                #expect(kinds(client.take()) == [expected], "\(count) bytes in pieces of \(piece)")
                #expect(works(client))
            }
        }
    }

    /// `~` stands for a byte that no UTF-8 has, `0` between bars for a NUL.
    static let brokenLines: [(line: String, code: String)] = [
        (#"{"op":"ping","x":"~"}"#, "bad_utf8"), (#"{"~":1}"#, "bad_utf8"), ("~", "bad_utf8"),
        (#"{"op":"pi|0|ng"}"#, "bad_json"), (#"{"op":"pi\u0000ng"}"#, "bad_json"), ("|0|", "bad_json"),
        ("\u{FEFF}{}", "bad_json"), (#"{"op":"\ud800"}"#, "bad_json"), (#"{"op":"\udc00"}"#, "bad_json"),
        ("hello", "bad_json"), ("[]", "bad_json"), ("1", "bad_json"), ("null", "bad_json"), (#""ping""#, "bad_json"),
        ("{", "bad_json"), (#"{"op":"ping"} x"#, "bad_json"), (#"{"op":"ping"}{"op":"ping"}"#, "bad_json"),
        (#"{"op":'ping'}"#, "bad_json"), (#"{"op":"ping",}"#, "bad_json"),
        (String(repeating: "[", count: 41), "too_deep"),
        (#"{"op":"ping","x":"# + String(repeating: "[", count: 40), "too_deep"),
    ]

    @Test(arguments: brokenLines)
    func `a broken line has its code, and the connection stays`(line: String, code: String) {
        let client = TestHub().connect()
        let bytes = line.replacing("|0|", with: "\0").utf8.map { $0 == UInt8(ascii: "~") ? 0xFF : $0 }
        client.send(bytes + [0x0A])
        client.owner.settle()
        let lines = client.take()
        #expect(kinds(lines) == [code], "\(line)")
        #expect(code == "too_deep" || names(lines.first, "at byte"))
        #expect(client.owner.hub.counters.brokenLines == 1)
        #expect(works(client))
    }

    @Test func `forty levels are read, in a member that nobody knows`() {
        let client = TestHub().connect()
        let inside = String(repeating: "[", count: 39) + String(repeating: "]", count: 39)
        #expect(kinds(client.ask(#"{"op":"ping","x":\#(inside)}"#)) == ["ok"])
    }

    @Test(arguments: [
        #"{"op":"ping","op":"ping"}"#, #"{"op":"ping","x":1,"\u0078":2}"#, #"{"op":"ping","x":{"y":[{"z":1,"z":1}]}}"#,
    ])
    func `a name that repeats is refused, but does not count as a broken line`(line: String) {
        let client = TestHub().connect()
        for _ in 0..<30 { #expect(kinds(client.ask(line)) == ["bad_request"]) }
        #expect(client.owner.hub.counters.brokenLines == 0)
        #expect(works(client))
    }

    @Test(arguments: [
        "GET / HTTP/1.1", "POST /x HTTP/1.1\r", "PUT x", "HEAD x", "DELETE x", "OPTIONS * HTTP/1.1", "CONNECT x",
        "TRACE x",
        "PATCH x", "Host: localhost", "host:x", "get / HTTP/1.1",
    ])
    func `a web page's request closes the connection, and nothing after it is read`(line: String) {
        let test = TestHub()
        let (client, other) = (test.connect(), test.connect())
        client.send(Array((ping + "\n" + line + "\n" + Lines.tour + "\n").utf8))
        #expect(!client.wantsInput)
        test.settle()
        #expect(kinds(client.take()) == ["ok"])
        #expect(client.session.isFinished)
        #expect(test.hub.counters.foreignLines == 1)
        #expect(kinds(other.ask(#"{"op":"get","doc":"tour"}"#)) == ["unknown_document"])
    }

    @Test func `the owner is told of a foreign line, also where nothing was answered, and however long it is`() {
        for line in ["GET / HTTP/1.1", "GET /" + String(repeating: "x", count: 4_000)] {
            let test = TestHub { $0.lineBytesMax = 1_000 }
            let client = test.connect()
            client.send(line)
            #expect(test.hub.hasTurn)
            let due = test.hub.release(test.hub.endTurn())
            #expect(due.map(\.number) == [client.session.number])
            #expect(client.session.isFinished)
        }
    }

    @Test(arguments: ["GETAWAY", "Hosts", "Hos", "GET", "POSTER x"])
    func `what only looks like one is a broken line`(line: String) {
        let client = TestHub().connect()
        #expect(kinds(client.ask(line)) == ["bad_json"])
        #expect(works(client))
    }

    @Test func `nine broken lines are borne, the tenth within ten seconds ends that connection alone`() {
        let test = TestHub()
        let (client, other) = (test.connect(), test.connect())
        for number in 1...9 {
            test.milliseconds += 1_111
            #expect(kinds(client.ask("x")) == ["bad_json"], "\(number)")
        }
        #expect(works(client))
        client.send(Array("x\n\(ping)\n".utf8))
        test.settle()
        let last = client.take()
        #expect(kinds(last) == ["too_many_errors"])
        #expect(names(last.first, "10 broken lines", "10 seconds"))
        #expect(client.session.isFinished)
        #expect(works(other))
    }

    @Test func `ten broken lines in eleven seconds are borne, and so on for ever`() {
        let test = TestHub()
        let client = test.connect()
        for _ in 0..<50 {
            test.milliseconds += 1_112
            #expect(kinds(client.ask("x")) == ["bad_json"])
        }
        #expect(works(client))
    }

    @Test func `every kind of broken line counts`() {
        let client = TestHub { $0.lineBytesMax = 60 }.connect()
        let long = String(repeating: "x", count: 61)
        let deep = String(repeating: "[", count: 41)
        for line in [long, deep, "x", "[]"] + [long, deep, "x", "[]"] + ["\u{FEFF}{}"] { client.ask(line) }
        #expect(kinds(client.ask("x")) == ["too_many_errors"])
    }
}

struct LongLineTests {
    private func limits(_ limits: inout HubLimits) {
        limits.lineBytesMax = 1_000
        limits.documentBytesMax = 5_000
        limits.documentLinesBytesMax = 8_000
    }

    private func send(_ bytes: [UInt8], _ client: TestClient, by piece: Int = 600) -> [String] {
        let bytes = bytes + [0x0A]
        for start in stride(from: 0, to: bytes.count, by: piece) {
            client.send(Array(bytes[start..<min(start + piece, bytes.count)]))
        }
        client.owner.settle()
        return kinds(client.take())
    }

    @Test func `a document's line may be longer, to the byte`() {
        let client = TestHub(limits).connect()
        for piece in [1, 600, 10_000] {
            for (count, code) in [(1_001, "ok"), (4_999, "ok"), (5_000, "ok"), (5_001, "line_too_long")] {
                #expect(send(create("d\(count).\(piece)", ofBytes: count), client, by: piece) == [code], "\(count)")
            }
            client.owner.milliseconds += 10_000
        }
        #expect(send(create("d5000.1", ofBytes: 4_000, op: "replace"), client) == ["ok"])
        #expect(works(client))
    }

    @Test func `only an editor's create and replace, named at the beginning, are let through`() {
        let test = TestHub(limits)
        #expect(send(create("d", ofBytes: 2_000), test.connect("v", .toggler)) == ["line_too_long"])
        #expect(send(create("d", ofBytes: 2_000, op: "toggle"), test.connect()) == ["line_too_long"])
        func padded(_ count: Int) -> [UInt8] {
            Array(
                (#"{"x":""# + String(repeating: "x", count: count) + #"","op":"create","doc":"p\#(count)","y":""#).utf8)
                + Array(repeating: UInt8(ascii: "y"), count: 1_000) + Array(#""}"#.utf8)
        }
        // `{"x":"` and `","op":"create"` are 21 bytes.
        #expect(send(padded(256 - 21), test.connect()) == ["ok"])
        #expect(send(padded(256 - 20), test.connect()) == ["line_too_long"])
        for start in [
            #"{"x":{"op":"create"},"y":""#, #"{"x":["op","create"],"y":""#, #"{"create":"op","y":""#,
            #"{"x":"\"op\":\"create\"","y":""#,
            #"{"op":"ping","op":"create","y":""#, #"{"op":["create"],"y":""#,
        ] {
            let line = Array(start.utf8) + Array(repeating: UInt8(ascii: "y"), count: 1_000) + Array(#""}"#.utf8)
            #expect(send(line, test.connect()) == ["line_too_long"], "\(start)")
        }
        let nested = #"{"x":{"a":[1,2],"b":{}},"op" : "create","doc":"nested","y":""#
        let line = Array(nested.utf8) + Array(repeating: UInt8(ascii: "y"), count: 1_000) + Array(#""}"#.utf8)
        #expect(send(line, test.connect()) == ["ok"])
    }

    @Test func `all sessions share what long lines may hold; who comes too late is refused and goes on`() {
        let test = TestHub(limits)
        let (first, second, third) = (test.connect(), test.connect(), test.connect())
        let long = create("one", ofBytes: 4_900)
        first.send(Array(long.prefix(4_500)))
        second.send(Array(create("two", ofBytes: 4_900).prefix(3_500)))
        // Exactly the limit is still within it; one byte more is not.
        third.send(Array(create("three", ofBytes: 2_000)[..<1_500]))
        third.send(Array(create("three", ofBytes: 2_000)[1_500...]) + [0x0A])
        test.settle()
        let refused = third.take()
        #expect(kinds(refused) == ["line_too_long"])
        #expect(names(refused.first, "8000 bytes of long lines"))
        #expect(works(third))
        first.send(Array(long[4_500...]) + [0x0A])
        test.settle()
        #expect(kinds(first.take()) == ["ok"])
        #expect(send(create("three", ofBytes: 2_000), third) == ["ok"])
        test.disconnect(second)
        for name in ["four", "five", "six"] { #expect(send(create(name, ofBytes: 4_900), third) == ["ok"]) }
    }

    @Test func `a line that was let through is let go where it grows past what is left for all`() {
        let test = TestHub(limits)
        let (first, second) = (test.connect(), test.connect())
        first.send(Array(create("one", ofBytes: 4_900).prefix(4_500)))
        let two = create("two", ofBytes: 4_900)
        second.send(Array(two[..<3_500]))
        second.send(Array(two[3_500..<3_501]))
        second.send(Array(two[3_501...]) + [0x0A])
        test.settle()
        #expect(kinds(second.take()) == ["line_too_long"])
        #expect(works(second))
        #expect(send(two, second, by: 100) == ["line_too_long"])
        first.send(Array(create("one", ofBytes: 4_900).dropFirst(4_500)) + [0x0A])
        test.settle()
        #expect(kinds(first.take()) == ["ok"])
        #expect(send(two, second, by: 100) == ["ok"])
    }

    @Test func `a long line that never ends is counted as truncated and gives its room back`() {
        let test = TestHub(limits)
        for _ in 0..<5 {
            let client = test.connect()
            client.send(Array(create("one", ofBytes: 4_900).prefix(4_500)))
            client.end()
            test.settle()
        }
        #expect(test.hub.counters.truncatedLines == 5)
        #expect(send(create("one", ofBytes: 4_900), test.connect()) == ["ok"])
    }
}
