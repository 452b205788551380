// Why this file exists: everyone may know who is here, at a price that does not grow with the square of everyone.
import AccordionModel
import Bytes
import Causality
import Hub
import Testing
import Wire

struct PresenceTests {
    private func room(_ count: Int, listening: Int, in test: TestHub = TestHub()) -> [TestClient] {
        let clients = (0..<count).map { test.connect("c\($0)") }
        clients.first?.ask(Lines.tour)
        for (number, client) in clients.enumerated() {
            client.send(#"{"op":"subscribe","doc":"tour","presence":\#(number < listening)}"#)
        }
        test.settle()
        test.tellPresence()
        for client in clients { _ = client.take() }
        test.milliseconds += 1_000
        return clients
    }

    private func clientsOf(_ line: String?) -> (clients: [PresentClient], count: Int)? {
        guard case .event(.presence(_, let clients, let count))? = line.flatMap(parse) else { return nil }
        return (clients, count)
    }

    @Test func `who asked is told who is here, and who did not is not`() {
        let test = TestHub()
        let (ann, bob) = (test.connect("ann"), test.connect("bob"))
        ann.ask(Lines.tour)
        #expect(kinds(ann.ask(#"{"op":"subscribe","doc":"tour","presence":true}"#)) == ["ok", "snapshot subscribed"])
        bob.ask(#"{"op":"subscribe","doc":"tour"}"#)
        _ = bob.take()
        #expect(test.hub.presenceDelayMilliseconds == 0)
        test.tellPresence()
        #expect(
            ann.take() == [
                #"{"event":"presence","doc":"tour","clients":["#
                    + #"{"session":"s1","name":"ann","section":null,"presenting":false},"#
                    + #"{"session":"s2","name":"bob","section":null,"presenting":false}],"count":2}"#
            ])
        #expect(bob.take().isEmpty)
        #expect(test.hub.presenceDelayMilliseconds == nil)
        #expect(!test.hub.hasTurn)
    }

    @Test func `who is at other daemons is told with those who are here, and goes when they go`() throws {
        let clients = room(2, listening: 1)
        let test = clients[0].owner
        let (name, node) = (try #require(DocumentName("tour")), try #require(NodeName("n2")))
        #expect(test.hub.presenceWantedHere == [name])
        let there = [
            PresentClient(session: "s1", name: "eve", section: SectionPath("a"), isPresenting: true),
            PresentClient(session: String(repeating: "s", count: 65), name: "long", section: nil, isPresenting: false),
        ]
        test.hub.presenceElsewhere(name, node: node, run: "r2", there, count: 100)
        test.tellPresence()
        let told = try #require(clientsOf(clients[0].take().last))
        #expect(told.count == 102)
        #expect(told.clients.map(\.session) == ["n2/s1", "s1", "s2"], "presenters first")
        #expect(test.hub.takePresenceHere().isEmpty, "what others told is not told to others")
        test.milliseconds += 1_000
        test.hub.presenceElsewhere(name, node: node, run: "r2", [], count: 0)
        test.tellPresence()
        #expect(clientsOf(clients[0].take().last)?.count == 2)
        // Nobody wants to know any more.
        clients[0].ask(#"{"op":"unsubscribe","doc":"tour"}"#)
        #expect(test.hub.presenceWantedHere.isEmpty)
        test.hub.presenceElsewhere(name, node: node, run: "r2", there, count: 100)
        #expect(test.hub.presenceDelayMilliseconds == nil)
    }

    @Test func `other daemons are told who is here while they want to know, at most four times a second`() throws {
        let clients = room(3, listening: 0)
        let test = clients[0].owner
        let name = try #require(DocumentName("tour"))
        test.tellPresence()
        #expect(test.hub.takePresenceHere().isEmpty, "nobody wants to know")
        test.hub.presenceIsWanted(name, true)
        test.tellPresence()
        let here = test.hub.takePresenceHere()
        #expect(here.count == 1 && here[0].count == 3 && here[0].clients.map(\.session) == ["s1", "s2", "s3"])
        for _ in 0..<5 {
            test.disconnect(test.connect())
            clients[1].ask(#"{"op":"select","doc":"tour","section":"a"}"#)
            clients[1].ask(#"{"op":"select","doc":"tour","section":null}"#)
            test.tellPresence()
        }
        #expect(test.hub.takePresenceHere().isEmpty)
        test.disconnect(clients[2])
        test.milliseconds += 250
        test.tellPresence()
        #expect(test.hub.takePresenceHere().map(\.count) == [2])
        test.milliseconds += 1_000
        test.hub.presenceIsWanted(name, false)
        test.disconnect(clients[1])
        test.tellPresence()
        #expect(test.hub.takePresenceHere().isEmpty)
    }

    @Test func `what is selected and who presents is told; what stays as it was is not`() {
        let clients = room(2, listening: 1)
        let test = clients[0].owner
        for line in [
            #"{"op":"select","doc":"tour","section":"r"}"#, #"{"op":"present","doc":"tour","on":true}"#,
            #"{"op":"hello","name":"Bob"}"#,
        ] {
            #expect(kinds(clients[1].ask(line)) == ["ok"])
            #expect(test.hub.presenceDelayMilliseconds != nil)
            test.tellPresence()
            if line.contains("select") || line.contains("present") { #expect(kinds(clients[1].ask(line)) == ["ok"]) }
            #expect(test.hub.presenceDelayMilliseconds == nil)
            test.milliseconds += 250
        }
        let last = clientsOf(clients[0].take().last)
        #expect(
            last?.clients == [
                PresentClient(session: "s2", name: "Bob", section: SectionPath("r"), isPresenting: true),
                PresentClient(session: "s1", name: "c0", section: nil, isPresenting: false),
            ])
        clients[1].ask(#"{"op":"select","doc":"tour","section":null}"#)
        clients[1].ask(#"{"op":"present","doc":"tour","on":false}"#)
        test.tellPresence()
        #expect(clientsOf(clients[0].take().last)?.clients.contains { $0.section != nil || $0.isPresenting } == false)
    }

    @Test func `a selection may come from any session, and shows while that session is subscribed`() {
        let clients = room(1, listening: 1)
        let test = clients[0].owner
        let guest = test.connect("guest")
        #expect(kinds(guest.ask(#"{"op":"select","doc":"tour","section":"a"}"#)) == ["ok"])
        #expect(test.hub.presenceDelayMilliseconds == nil)
        guest.ask(#"{"op":"subscribe","doc":"tour"}"#)
        test.tellPresence()
        #expect(clientsOf(clients[0].take().last)?.clients.map(\.section) == [SectionPath("a"), nil])
        test.milliseconds += 250
        guest.ask(#"{"op":"unsubscribe","doc":"tour"}"#)
        test.tellPresence()
        #expect(clientsOf(clients[0].take().last)?.count == 1)
    }

    @Test func `presence leaves with the connection`() {
        let clients = room(3, listening: 1)
        let test = clients[0].owner
        test.disconnect(clients[1])
        test.tellPresence()
        #expect(clientsOf(clients[0].take().last)?.clients.map(\.name) == ["c0", "c2"])
        test.milliseconds += 250
        clients[2].end()
        test.settle()
        test.tellPresence()
        #expect(clientsOf(clients[0].take().last)?.clients.map(\.name) == ["c0"])
    }

    @Test func `it is told at most four times a second`() {
        let clients = room(2, listening: 1)
        let test = clients[0].owner
        var told = 0
        for millisecond in 0..<1_000 {
            test.milliseconds += 1
            clients[1].ask(#"{"op":"select","doc":"tour","section":\#(millisecond % 2 == 0 ? #""a""# : "null")}"#)
            let isDue = test.hub.presenceDelayMilliseconds == 0
            test.tellPresence()
            let lines = clients[0].take()
            #expect(lines.count == (isDue ? 1 : 0))
            told += lines.count
        }
        #expect(told == 4)
    }

    @Test(arguments: [63, 64, 65, 200]) func `it names at most 64 clients, presenters first, and counts all`(count: Int)
    {
        let clients = room(count, listening: 1)
        let test = clients[0].owner
        let last = clients[count - 1]
        last.ask(#"{"op":"present","doc":"tour","on":true}"#)
        clients[count - 2].ask(#"{"op":"select","doc":"tour","section":"a"}"#)
        test.tellPresence()
        let told = clientsOf(clients[0].take().last)
        #expect(told?.clients.count == min(count, 64))
        #expect(told?.count == count)
        #expect(told?.clients.prefix(2).map(\.name) == ["c\(count - 1)", "c\(count - 2)"])
    }

    @Test func `it takes at most 16 KiB`() {
        let test = TestHub()
        let actor = test.connect()
        let segment = String(repeating: "é", count: 64)
        var content = "[]"
        for _ in 0..<16 { content = #"[{"title":"\#(segment)","content":\#(content)}]"# }
        actor.ask(#"{"op":"create","doc":"deep","content":\#(content)}"#)
        let path = Array(repeating: segment, count: 16).joined(separator: "/")
        actor.ask(#"{"op":"subscribe","doc":"deep","presence":true}"#)
        for number in 0..<64 {
            let client = test.connect("c\(number)")
            client.ask(#"{"op":"subscribe","doc":"deep"}"#)
            #expect(kinds(client.ask(#"{"op":"select","doc":"deep","section":"\#(path)"}"#)) == ["ok"])
        }
        test.milliseconds += 250
        test.tellPresence()
        let line = actor.take().last
        #expect((14_000...(16 << 10) + 200).contains(line?.utf8.count ?? 0))
        #expect(clientsOf(line)?.count == 65)
        #expect((6...8).contains(clientsOf(line)?.clients.count ?? 0))
    }

    @Test func `ten thousand who come make one event for each who listens, not one for each who came`() {
        let test = TestHub()
        let listeners = room(3, listening: 3, in: test)
        for number in 0..<10_000 { test.connect("x\(number)").send(#"{"op":"subscribe","doc":"tour"}"#) }
        test.settle()
        test.tellPresence()
        for listener in listeners {
            let lines = listener.take()
            #expect(kinds(lines) == ["presence"])
            #expect(clientsOf(lines.first)?.count == 10_003)
        }
        #expect(test.hub.presenceDelayMilliseconds == nil)
    }

    @Test func `within a turn it comes behind what happened before it`() {
        let clients = room(1, listening: 1)
        clients[0].send(#"{"op":"select","doc":"tour","section":"a"}"#, #"{"op":"open","doc":"tour","section":"a"}"#)
        clients[0].owner.hub.tellPresence()
        clients[0].send(#"{"op":"open","doc":"tour","section":"b"}"#)
        clients[0].owner.settle()
        #expect(kinds(clients[0].take()) == ["changed", "ok", "ok", "presence", "changed", "ok"])
    }
}
