// Why this file exists: law 5. A client that reads slowly costs a bounded queue and one state, and in the end knows what
// everyone knows.
import AccordionModel
import Bytes
import Hub
import Testing
import Wire

struct SlowClientTests {
    private struct Pair {
        let test: TestHub
        let actor: TestClient
        let slow: TestClient
        var replica = Replica()

        /// Both know `tour` and `rows`; from now on `slow` reads nothing.
        init(_ change: (inout HubLimits) -> Void = { $0.queuedEventBytesMax = 1_000 }) {
            test = TestHub(change)
            actor = test.connect("ann")
            slow = test.connect("slow")
            actor.ask(Lines.tour)
            actor.ask(Lines.rows)
            for name in ["tour", "rows"] { slow.send(#"{"op":"subscribe","doc":"\#(name)"}"#) }
            test.settle()
            replica.apply(slow.takeParsed())
            slow.readBytesMax = 0
        }

        func toggle(_ times: Int, _ document: String = "tour", _ section: String = "a") {
            for _ in 0..<times { actor.ask(#"{"op":"toggle","doc":"\#(document)","section":"\#(section)"}"#) }
        }
    }

    @Test func `past the limit events are dropped, and one change brings all`() {
        var pair = Pair()
        pair.toggle(101)
        pair.toggle(3, "rows", "x")
        #expect(pair.slow.session.outbox.queuedBytes <= 1_000)
        #expect(pair.test.hub.counters.droppedEventBytes > 800)
        pair.slow.drain()
        let lines = pair.slow.take()
        // What stood first stays, since it may have been on its way; of `rows` nothing was lost.
        #expect(kinds(lines) == ["changed", "changed", "changed", "changed", "changed bulk"])
        pair.replica.apply(lines.compactMap(parse))
        for name in ["tour", "rows"] { expectSame(pair.replica, name, pair.actor, "after") }
        #expect(pair.test.hub.counters.resyncs == 1)
        pair.toggle(1)
        #expect(kinds(pair.slow.take()) == ["changed"])
    }

    @Test(arguments: [-1, 0, 1]) func `the limit is exact to the byte`(excess: Int) {
        // An event of the counter's two digits is as long as the next.
        let measured = Pair { $0.queuedEventBytesMax = 1 << 20 }
        measured.toggle(9)
        let before = measured.slow.session.outbox.queuedEventBytes
        measured.toggle(1)
        let length = measured.slow.session.outbox.queuedEventBytes - before
        let pair = Pair { $0.queuedEventBytesMax = before + length - excess }
        pair.toggle(10)
        #expect((pair.test.hub.counters.droppedEventBytes == 0) == (excess <= 0))
        pair.slow.drain()
        #expect(pair.slow.take().count == (excess <= 0 ? 10 : 2))
    }

    @Test func `a document of which nothing was lost is not told again`() {
        let pair = Pair()
        pair.toggle(50)
        pair.slow.drain()
        _ = pair.slow.take()
        pair.slow.readBytesMax = 0
        pair.toggle(50, "rows", "x")
        pair.slow.drain()
        let names = pair.slow.take().compactMap { line in line.contains(#""doc":"rows""#) ? "rows" : "tour" }
        #expect(names == ["rows", "rows"])
    }

    @Test func `replies are kept when events are dropped, in order`() {
        let pair = Pair()
        for number in 0..<30 {
            pair.slow.send(#"{"op":"ping","id":\#(number)}"#)
            pair.toggle(3)
        }
        pair.slow.drain()
        let ids = pair.slow.takeParsed().compactMap { line -> RequestID? in
            guard case .reply(let reply) = line else { return nil }
            return reply.id
        }
        #expect(ids == (0..<30).map { .number($0) })
    }

    @Test func `new content that was dropped comes as a snapshot`() {
        var pair = Pair()
        pair.toggle(20)
        pair.actor.ask(#"{"op":"replace","doc":"tour","title":"New","content":[{"title":"q","content":[]}]}"#)
        pair.toggle(20, "tour", "q")
        pair.slow.drain()
        let lines = pair.slow.take()
        #expect(kinds(lines) == ["changed", "snapshot resync"])
        pair.replica.apply(lines.compactMap(parse))
        expectSame(pair.replica, "tour", pair.actor, "after")
    }

    @Test func `content that came before the loss is not sent again`() {
        let pair = Pair()
        pair.actor.ask(#"{"op":"replace","doc":"tour","title":"New","content":[{"title":"q","content":[]}]}"#)
        pair.slow.readBytesMax = .max
        pair.slow.flush()
        _ = pair.slow.take()
        pair.slow.readBytesMax = 0
        pair.toggle(30, "tour", "q")
        pair.slow.drain()
        #expect(kinds(pair.slow.take()) == ["changed", "changed bulk"])
    }

    @Test func `a deletion in the queue is never dropped, and one that came later is told`() {
        let pair = Pair()
        pair.actor.ask(#"{"op":"delete","doc":"rows"}"#)
        pair.toggle(30)
        pair.actor.ask(#"{"op":"delete","doc":"tour"}"#)
        pair.slow.drain()
        let lines = pair.slow.take()
        #expect(lines.filter { $0.contains("deleted") && $0.contains("rows") }.count == 1)
        #expect(lines.filter { $0.contains("deleted") && $0.contains("tour") }.count == 1)
        #expect(kinds(lines).last == "deleted")
    }

    @Test func `a document that was deleted and came again is its snapshot, and no change before it`() {
        var pair = Pair()
        pair.toggle(30)
        pair.actor.ask(#"{"op":"delete","doc":"tour"}"#)
        pair.actor.ask(Lines.many("tour", 3))
        pair.toggle(30, "tour", "s1")
        pair.slow.drain()
        let lines = pair.slow.take()
        #expect(kinds(lines) == ["changed", "snapshot resync"])
        pair.replica.apply(lines.compactMap(parse))
        expectSame(pair.replica, "tour", pair.actor, "after")
    }

    @Test func `deleting and creating for ever costs a client that never reads a bounded queue`() {
        let pair = Pair { $0.queuedEventBytesMax = 10_000 }
        for _ in 0..<1_000 {
            pair.actor.ask(#"{"op":"delete","doc":"tour"}"#)
            pair.actor.ask(Lines.tour)
        }
        #expect(pair.slow.session.outbox.queuedBytes < 20_000)
        pair.slow.drain()
        #expect(kinds(pair.slow.take()).last == "snapshot resync")
    }

    @Test func `a piece of which a byte has left is finished`() {
        var pair = Pair()
        pair.slow.readBytesMax = 10
        pair.toggle(1)
        pair.slow.readBytesMax = 0
        pair.toggle(40)
        pair.slow.drain()
        let lines = pair.slow.take()
        #expect(kinds(lines) == ["changed", "changed bulk"])
        pair.replica.apply(lines.compactMap(parse))
        expectSame(pair.replica, "tour", pair.actor, "after")
    }

    @Test func `a single event may be larger than the limit`() {
        let pair = Pair { $0.queuedEventBytesMax = 100 }
        pair.actor.ask(Lines.many("big", 500))
        pair.slow.readBytesMax = .max
        #expect(kinds(pair.slow.ask(#"{"op":"subscribe","doc":"big"}"#)) == ["ok", "snapshot subscribed"])
        pair.slow.readBytesMax = 1
        pair.actor.ask(#"{"op":"replace","doc":"big","title":"new"}"#)
        #expect(pair.test.hub.counters.droppedEventBytes == 0)
        pair.slow.drain()
        #expect(kinds(pair.slow.take()) == ["snapshot replaced"])
    }

    @Test func `what was decided but not stored when events were dropped is dropped with them`() {
        var pair = Pair()
        // Five events wait; with what the next turn has they still fit, with what the one behind it has they don't.
        pair.toggle(5)
        let waiting = pair.slow.session.outbox.queuedEventBytes
        #expect((500...750).contains(waiting))
        pair.actor.send(#"{"op":"open","doc":"tour","section":"b"}"#)
        pair.actor.send(#"{"op":"delete","doc":"rows"}"#)
        pair.test.endTurn()
        pair.actor.send(#"{"op":"replace","doc":"tour","title":"New","content":[{"title":"q","content":[]}]}"#)
        pair.actor.send(#"{"op":"open","doc":"tour","section":"q"}"#)
        #expect(pair.slow.session.outbox.queuedEventBytes == waiting)
        #expect(pair.test.hub.counters.eventDrops == 0)
        pair.test.endTurn()
        // What waits for the disk is charged like what waits for the client.
        #expect(pair.slow.session.outbox.queuedEventBytes < waiting)
        #expect(pair.test.hub.counters.eventDrops == 1)
        var dropped = pair.test.hub.counters.droppedEventBytes
        for _ in 0..<2 {
            pair.test.release()
            #expect(pair.test.hub.counters.droppedEventBytes > dropped)
            dropped = pair.test.hub.counters.droppedEventBytes
        }
        pair.slow.drain()
        let lines = pair.slow.take()
        #expect(kinds(lines) == ["changed", "deleted", "snapshot resync"])
        pair.replica.apply(lines.compactMap(parse))
        for name in ["tour", "rows"] { expectSame(pair.replica, name, pair.actor, "after") }
    }

    @Test func `a snapshot that was asked for after the loss is not lost with what came before it`() {
        var pair = Pair()
        pair.toggle(7)
        pair.actor.send(#"{"op":"open","doc":"tour","section":"b"}"#, #"{"op":"open","doc":"tour","section":"a/a1"}"#)
        pair.test.endTurn()
        pair.actor.send(#"{"op":"open","doc":"rows","section":"x"}"#)
        pair.test.release()
        pair.slow.send(#"{"op":"subscribe","doc":"tour"}"#)
        pair.actor.send(#"{"op":"close","doc":"tour","section":"b"}"#)
        pair.test.settle()
        pair.slow.drain()
        let lines = pair.slow.take()
        #expect(kinds(lines).filter { $0.hasPrefix("snapshot") } == ["snapshot subscribed"])
        pair.replica.apply(lines.compactMap(parse))
        for name in ["tour", "rows"] { expectSame(pair.replica, name, pair.actor, "after") }
    }

    @Test func `a slow client that subscribes again is told everything at once and not again`() {
        var pair = Pair()
        pair.toggle(30)
        pair.slow.send(#"{"op":"subscribe","doc":"tour"}"#)
        pair.test.settle()
        pair.slow.drain()
        let lines = pair.slow.take()
        #expect(kinds(lines) == ["changed", "ok", "snapshot subscribed"])
        pair.replica.apply(lines.compactMap(parse))
        expectSame(pair.replica, "tour", pair.actor, "after")
    }

    @Test func `presence is told again to one who lost it`() {
        let pair = Pair()
        pair.slow.send(#"{"op":"subscribe","doc":"tour","presence":true}"#)
        pair.test.settle()
        pair.test.tellPresence()
        pair.toggle(30)
        pair.test.milliseconds += 250
        pair.actor.ask(#"{"op":"subscribe","doc":"tour"}"#)
        pair.test.tellPresence()
        pair.slow.drain()
        pair.test.milliseconds += 250
        pair.test.tellPresence()
        guard case .event(.presence(_, let clients, _))? = pair.slow.take().last.flatMap(parse) else {
            Issue.record("no presence")
            return
        }
        #expect(Set(clients.map(\.name)) == ["ann", "slow"])
    }

    @Test func `the list is made good as well, whatever came and went`() {
        let test = TestHub { $0.queuedEventBytesMax = 500 }
        let (actor, slow) = (test.connect(), test.connect())
        slow.ask(#"{"op":"watch_list","on":true}"#)
        _ = slow.take()
        var replica = Replica()
        for round in 0..<3 {
            slow.readBytesMax = 0
            for number in 0..<100 { actor.ask(#"{"op":"create","doc":"d\#(round).\#(number)","title":"T\#(number)"}"#) }
            for number in 0..<50 { actor.ask(#"{"op":"delete","doc":"d\#(round).\#(number)"}"#) }
            slow.send(#"{"op":"watch_list","on":true}"#)
            test.settle()
            #expect(slow.session.outbox.queuedBytes < 1_500)
            // It reads a little at a time, so that more is lost while it is being made good.
            for number in 60..<65 {
                slow.readBytesMax = 300
                slow.flush()
                test.settle()
                slow.readBytesMax = 0
                actor.ask(#"{"op":"replace","doc":"d\#(round).\#(number)","title":"New"}"#)
                actor.ask(#"{"op":"delete","doc":"d\#(round).\#(number + 10)"}"#)
            }
            for _ in 0..<1_000 where !slow.session.outbox.isEmpty || test.hub.hasTurn { slow.drain() }
            replica.apply(slow.takeParsed())
            let told = reply(actor.ask(#"{"op":"list"}"#).first)?.documents ?? []
            #expect(replica.listed == Dictionary(told.map { ($0.name, $0.title) }, uniquingKeysWith: { $1 }))
        }
        #expect(test.hub.counters.droppedEventBytes > 0)
    }

    @Test func `one who lost many documents gets them a bounded part at a time, each once`() {
        let test = TestHub { $0.queuedEventBytesMax = 3_000 }
        let (actor, slow) = (test.connect(), test.connect())
        var replica = Replica()
        for number in 0..<50 {
            actor.ask(Lines.many("d\(number)", 5))
            slow.send(#"{"op":"subscribe","doc":"d\#(number)"}"#)
        }
        test.settle()
        replica.apply(slow.takeParsed())
        slow.readBytesMax = 0
        for number in 0..<50 {
            actor.ask(#"{"op":"replace","doc":"d\#(number)","content":[{"title":"s","content":[]}]}"#)
        }
        var largest = 0
        slow.readBytesMax = 500
        for _ in 0..<2_000 where !slow.session.outbox.isEmpty || test.hub.hasTurn {
            slow.flush()
            test.settle()
            largest = max(largest, slow.session.outbox.queuedBytes)
        }
        #expect(largest < 4_000)
        replica.apply(slow.takeParsed())
        for number in 0..<50 {
            expectSame(replica, "d\(number)", actor, "after")
            #expect((2...3).contains(DocumentName("d\(number)").flatMap { replica.events[$0] } ?? 0))
        }
    }

    // MARK: - Replies

    @Test func `past the limit of replies input waits, and goes on when they have left, with nothing lost`() {
        let test = TestHub { $0.queuedReplyBytesMax = 1_000 }
        let client = test.connect()
        client.ask(Lines.tour)
        client.readBytesMax = 0
        for number in 0..<500 { client.send(#"{"op":"toggle","id":\#(number),"doc":"tour","section":"a"}"#) }
        test.settle()
        #expect(!client.wantsInput)
        #expect((1_001...1_100).contains(client.session.outbox.queuedReplyBytes))
        let other = test.connect()
        #expect(kinds(other.ask(#"{"op":"ping"}"#)) == ["ok"])
        client.end()
        #expect(!client.session.isFinished)
        client.readBytesMax = 77
        for _ in 0..<10_000 where !client.session.isFinished {
            client.flush()
            test.settle()
            #expect(client.session.outbox.queuedReplyBytes <= 1_100)
        }
        let replies = client.takeParsed().compactMap { line -> RequestID? in
            guard case .reply(let reply) = line else { return nil }
            return reply.id
        }
        #expect(replies == (0..<500).map { .number($0) })
        #expect(client.session.isFinished)
        #expect(reply(other.ask(#"{"op":"get","doc":"tour"}"#).first)?.version?.description == "{n1:501}")
    }

    @Test(arguments: [-1, 0, 1]) func `the limit of replies is exact to the byte`(excess: Int) {
        let length = TestHub().connect().ask(#"{"op":"ping","id":1}"#).reduce(0) { $0 + $1.utf8.count + 1 }
        let test = TestHub { $0.queuedReplyBytesMax = 3 * length - excess }
        let client = test.connect()
        client.readBytesMax = 0
        for _ in 0..<3 { client.send(#"{"op":"ping","id":1}"#) }
        #expect(client.wantsInput == (excess <= 0))
        test.settle()
        #expect(client.wantsInput == (excess <= 0))
    }

    @Test func `a line cut by the limit of replies goes on where it was cut`() {
        let test = TestHub { $0.queuedReplyBytesMax = 10 }
        let client = test.connect()
        let all = Array((0..<50).map { #"{"op":"ping","id":\#($0)}"# + "\n" }.joined().utf8)
        for start in stride(from: 0, to: all.count, by: 13) {
            client.send(Array(all[start..<min(start + 13, all.count)]))
        }
        test.settle()
        #expect(client.take().count == 50)
        #expect(client.wantsInput)
    }
}
