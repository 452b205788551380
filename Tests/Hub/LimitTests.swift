// Why this file exists: law 4. Each limit is tried one below itself, at itself and one above; those of single lines, of
// replies and of documents stand with what they limit, in the files beside this one.
import AccordionModel
import Bytes
import Hub
import Testing
import Wire

struct LimitTests {
    private func line(_ lines: [String]) -> Int { lines.reduce(0) { $0 + $1.utf8.count + 1 } }

    @Test(arguments: [-1, 0, 1]) func `a turn takes no request more once it has cost what it may`(excess: Int) {
        let ping = #"{"op":"ping","id":1}"#
        let cost = ping.utf8.count + 1 + line(TestHub().connect().ask(ping))
        let test = TestHub { $0.turnBytesMax = 5 * cost + excess }
        let client = test.connect()
        client.send(Array(String(repeating: ping + "\n", count: 20).utf8))
        #expect(test.hub.turnBytes == (excess <= 0 ? 5 : 6) * cost)
        test.endTurn()
        test.release()
        #expect(client.take().count == (excess <= 0 ? 5 : 6))
        #expect(test.hub.counters.fullTurns == 1)
        test.settle()
        #expect(client.take().count == (excess <= 0 ? 15 : 14))
    }

    @Test(arguments: [-1, 0, 1]) func `all long lines together are limited to the byte`(excess: Int) {
        func create(_ name: String) -> [UInt8] {
            Array(#"{"op":"create","doc":"\#(name)","content":["\#(String(repeating: "x", count: 4_900))"]}"#.utf8)
        }
        let test = TestHub {
            $0.lineBytesMax = 1_000
            $0.documentBytesMax = 5_000
            $0.documentLinesBytesMax = 8_000
        }
        let (first, second) = (test.connect(), test.connect())
        first.send(Array(create("one").prefix(4_500)))
        second.send(Array(create("two").prefix(3_500 + excess)))
        #expect(test.hub.counters.crowdedOutLines == 0)
        for (client, name, sent) in [(first, "one", 4_500), (second, "two", 3_500 + excess)] {
            client.send(Array(create(name).dropFirst(sent)) + [0x0A])
        }
        test.settle()
        #expect(kinds(first.take()) == ["ok"])
        #expect(kinds(second.take()) == [excess <= 0 ? "ok" : "line_too_long"])
        #expect(test.hub.counters.crowdedOutLines == (excess <= 0 ? 0 : 1))
    }

    @Test func `a connection has at most a thousand subscriptions`() {
        let client = TestHub().connect()
        for number in 0..<1_001 { client.send(#"{"op":"create","doc":"d\#(number)","ack":"none"}"#) }
        client.owner.settle()
        for number in 0..<1_001 {
            let kinds = kinds(client.ask(#"{"op":"subscribe","doc":"d\#(number)"}"#))
            #expect(kinds.first == (number < 1_000 ? "ok" : "too_many_requests"), "\(number)")
        }
        #expect(kinds(client.ask(#"{"op":"subscribe","doc":"d999"}"#)).first == "ok")
    }

    @Test(arguments: [(249, 0), (250, 1), (251, 1)])
    func `presence is told again after a quarter of a second`(milliseconds: Int, told: Int) {
        let test = TestHub()
        let (listener, other) = (test.connect(), test.connect())
        listener.ask(Lines.tour)
        for client in [listener, other] { client.ask(#"{"op":"subscribe","doc":"tour","presence":true}"#) }
        test.tellPresence()
        _ = listener.take()
        test.milliseconds += Int64(milliseconds)
        other.ask(#"{"op":"select","doc":"tour","section":"a"}"#)
        test.tellPresence()
        #expect(kinds(listener.take()) == Array(repeating: "presence", count: told))
    }

    @Test(arguments: [(999, 999), (1_000, 1_000), (1_001, 1_000)])
    func `a list names at most a thousand, whatever was asked for`(limit: Int, expected: Int) {
        let client = TestHub().connect()
        for number in 0..<1_001 { client.send(#"{"op":"create","doc":"d\#(number)","ack":"none"}"#) }
        #expect(reply(client.ask(#"{"op":"list","limit":\#(limit)}"#).first)?.documents?.count == expected)
    }

    // MARK: - What waits for the disk

    /// A client that has not taken one event, and the length of further ones.
    private struct Waiting {
        let test: TestHub
        let (actor, slow): (TestClient, TestClient)

        init(_ change: (inout HubLimits) -> Void) {
            test = TestHub(change)
            (actor, slow) = (test.connect("ann"), test.connect("slow"))
            actor.ask(Lines.tour)
            slow.ask(#"{"op":"subscribe","doc":"tour"}"#)
            _ = slow.take()
        }

        func toggle() { actor.send(#"{"op":"toggle","doc":"tour","section":"a"}"#) }
    }

    @Test(arguments: [-1, 0, 1]) func `events that wait for the disk are charged with those that wait for the client`(
        excess: Int
    ) {
        let measured = Waiting { $0.queuedEventBytesMax = 1 << 20 }
        measured.slow.readBytesMax = 0
        for _ in 0..<4 { measured.toggle() }
        measured.test.settle()
        let bytes = measured.slow.session.outbox.queuedEventBytes
        let waiting = Waiting { $0.queuedEventBytesMax = bytes - excess }
        waiting.slow.readBytesMax = 0
        waiting.toggle()
        waiting.test.settle()
        // Three turns that are decided, none of them stored.
        for _ in 0..<3 {
            waiting.toggle()
            waiting.test.endTurn()
        }
        #expect(waiting.test.hub.counters.eventDrops == (excess <= 0 ? 0 : 1))
        waiting.test.settle()
        waiting.slow.drain()
        let lines = kinds(waiting.slow.take())
        #expect(lines == (excess <= 0 ? Array(repeating: "changed", count: 4) : ["changed", "changed bulk"]))
    }

    @Test func `one that has taken all it was given loses nothing, however long the disk takes`() {
        let waiting = Waiting { $0.queuedEventBytesMax = 100 }
        for _ in 0..<20 {
            waiting.toggle()
            waiting.test.endTurn()
        }
        #expect(waiting.test.hub.counters.eventDrops == 0)
        waiting.test.settle()
        #expect(kinds(waiting.slow.take()) == Array(repeating: "changed", count: 20))
    }
}
