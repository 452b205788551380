// Why this file exists: law 1. Between deciding and storing nothing is on its way to anyone, whatever happens meanwhile.
import AccordionModel
import Bytes
import Hub
import Testing
import Wire

struct TurnTests {
    private let test = TestHub()

    private func furnished(_ count: Int) -> [TestClient] {
        let clients = (0..<count).map { test.connect("c\($0)") }
        clients[0].ask(Lines.tour)
        for client in clients {
            client.ask(#"{"op":"subscribe","doc":"tour","presence":true}"#)
            client.ask(#"{"op":"watch_list","on":true}"#)
        }
        test.tellPresence()
        for client in clients { _ = client.take() }
        return clients
    }

    @Test func `nothing is in any outbox before the turn is released`() {
        let clients = furnished(3)
        clients[0].send(#"{"op":"open","doc":"tour","section":"a"}"#, #"{"op":"create","doc":"new"}"#, "x")
        clients[1].send(#"{"op":"get","doc":"tour"}"#, #"{"op":"subscribe","doc":"tour"}"#)
        test.hub.tellPresence()
        #expect(clients.allSatisfy { $0.session.outbox.isEmpty })
        let turn = test.hub.endTurn()
        #expect(clients.allSatisfy { $0.session.outbox.isEmpty })
        #expect(turn.deltas.map(\.outline.name.text) == ["tour", "new"])
        #expect(turn.deltas.map { $0.history.map(\.dot.counter) } == [[2], [1]])
        #expect(!test.hub.hasTurn)
        let due = test.hub.release(turn)
        #expect(Set(due.map(\.number)) == [1, 2, 3])
        #expect(clients.allSatisfy { !$0.session.outbox.isEmpty })
    }

    @Test func `the next turn is decided while one is unstored, and leaves behind it`() {
        let clients = furnished(2)
        clients[0].send(#"{"op":"toggle","id":1,"doc":"tour","section":"a"}"#)
        test.endTurn()
        clients[0].send(#"{"op":"toggle","id":2,"doc":"tour","section":"a"}"#)
        clients[1].send(#"{"op":"get","id":3,"doc":"tour"}"#)
        #expect(test.hub.hasTurn)
        #expect(clients.allSatisfy { $0.session.outbox.isEmpty })
        test.release()
        #expect(kinds(clients[0].take()) == ["changed", "ok"])
        #expect(kinds(clients[1].take()) == ["changed"])
        test.settle()
        #expect(kinds(clients[0].take()) == ["changed", "ok"])
        let lines = clients[1].take()
        #expect(kinds(lines) == ["changed", "ok"])
        #expect(lines.last?.contains(#""version":{"n1":3}"#) == true)
    }

    @Test func `one who leaves in between gets nothing, and the others everything`() {
        let clients = furnished(3)
        for client in clients { client.send(#"{"op":"toggle","doc":"tour","section":"a"}"#) }
        test.disconnect(clients[0])
        test.endTurn()
        test.disconnect(clients[1])
        let due = test.hub.release(test.hub.endTurn())
        #expect(due.allSatisfy { $0.number == 3 })
        test.settle()
        clients[2].flush()
        #expect(clients[2].take().filter { kind($0) == "changed" }.count == 3)
        #expect(clients[0].session.outbox.isEmpty && clients[1].session.outbox.isEmpty)
        #expect(clients[0].session.isFinished && clients[1].session.isFinished)
        #expect(test.hub.sessionCount == 1)
        test.disconnect(clients[1])
        #expect(test.hub.sessionCount == 1)
        #expect(kinds(clients[2].ask(#"{"op":"list"}"#)) == ["ok"])
    }

    @Test func `at the end of input all replies are sent, then it is finished`() {
        let clients = furnished(2)
        clients[0].send(#"{"op":"toggle","doc":"tour","section":"a"}"#, #"{"op":"ping"}"#)
        clients[0].end()
        clients[0].send(#"{"op":"ping"}"#)
        #expect(!clients[0].session.isFinished)
        clients[0].readBytesMax = 20
        test.endTurn()
        #expect(!clients[0].session.isFinished)
        test.release()
        #expect(!clients[0].session.isFinished)
        clients[1].ask(#"{"op":"toggle","doc":"tour","section":"b"}"#)
        clients[0].drain()
        #expect(clients[0].session.isFinished)
        // What happens after its end is not told to it any more.
        #expect(kinds(clients[0].take()) == ["changed", "ok", "ok"])
    }

    @Test func `an idle connection whose input ends is finished at once`() {
        let clients = furnished(1)
        clients[0].end()
        #expect(clients[0].session.isFinished)
    }

    @Test func `a shutdown says goodbye to everyone behind what they are due, and reads no more`() {
        let clients = furnished(2)
        clients[0].send(#"{"op":"toggle","doc":"tour","section":"a"}"#)
        test.hub.shutDown()
        clients[1].send(#"{"op":"toggle","doc":"tour","section":"a"}"#)
        test.settle()
        #expect(kinds(clients[0].take()) == ["changed", "ok", "goodbye shutting_down"])
        #expect(kinds(clients[1].take()) == ["changed", "goodbye shutting_down"])
        #expect(clients.allSatisfy { $0.session.isFinished && !$0.wantsInput })
    }

    // MARK: - How much a turn takes

    @Test func `a turn takes so much, and what was sent beyond it waits for the next`() {
        let test = TestHub { $0.turnBytesMax = 1_000 }
        let (greedy, modest) = (test.connect(), test.connect())
        greedy.ask(Lines.tour)
        greedy.send(
            Array((0..<100).map { #"{"op":"toggle","id":\#($0),"doc":"tour","section":"a"}"# + "\n" }.joined().utf8))
        #expect(!greedy.wantsInput)
        #expect((1_000...1_200).contains(test.hub.turnBytes))
        greedy.end()
        test.endTurn()
        #expect(test.hub.hasTurn)
        test.release()
        #expect((5...15).contains(greedy.take().count))
        modest.send(#"{"op":"ping"}"#)
        var turns = 0
        while test.hub.hasTurn {
            test.endTurn()
            test.release()
            turns += 1
            // It is heard before what is held, however much of that there is.
            if turns == 1 { #expect(kinds(modest.take()) == ["ok"]) }
        }
        #expect((8...20).contains(turns))
        #expect(greedy.session.isFinished)
        #expect(reply(test.connect().ask(#"{"op":"get","doc":"tour"}"#).first)?.version?.description == "{n1:101}")
    }

    @Test func `one whose input was held is returned, though it was told nothing`() {
        let test = TestHub { $0.turnBytesMax = 100 }
        let client = test.connect()
        client.send(Lines.tour)
        client.send(#"{"op":"open","doc":"tour","section":"a","ack":"none"}"#)
        #expect(!client.wantsInput)
        _ = test.hub.release(test.hub.endTurn())
        let due = test.hub.release(test.hub.endTurn())
        #expect(due.map(\.number) == [client.session.number])
        #expect(client.wantsInput)
    }

    @Test(arguments: [
        #"{"op":"open_all","doc":"big","ack":"none"}"#, #"{"op":"close_all","doc":"big","ack":"none"}"#,
        #"{"op":"get","doc":"big","section":"s1"}"#, #"{"op":"subscribe","doc":"big","since":{"n1":2},"epoch":"e1"}"#,
        #"{"op":"batch","doc":"big","ops":[{"op":"reset"}],"ack":"none"}"#,
    ])
    func `short lines that ask for much do not fill one turn with all of it`(line: String) {
        let test = TestHub { $0.turnBytesMax = 50_000 }
        let client = test.connect()
        client.ask(Lines.many("big", 2_000))
        client.ask(#"{"op":"open_all","doc":"big"}"#)
        _ = client.take()
        client.readBytesMax = 0
        for _ in 0..<20 { client.send(line) }
        #expect(test.hub.turnBytes < 200_000)
        #expect(!client.wantsInput)
        client.drain()
        #expect(client.wantsInput)
    }

    @Test func `snapshots of a document that changes between them are not all made in one turn`() {
        let test = TestHub { $0.turnBytesMax = 50_000 }
        let client = test.connect()
        client.ask(Lines.many("big", 1_000))
        for _ in 0..<50 {
            client.send(#"{"op":"subscribe","doc":"big"}"#, #"{"op":"toggle","doc":"big","section":"s1"}"#)
        }
        #expect(test.hub.turnBytes < 200_000)
        test.settle()
        #expect(client.take().filter { kind($0) == "snapshot subscribed" }.count == 50)
    }
}
