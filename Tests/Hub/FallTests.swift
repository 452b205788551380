// Why this file exists: law 2, one claim after the other: what a failed commit does to those who wrote, read and watch.
import AccordionModel
import Hub
import Testing
import Wire

struct FallTests {
    let store = MemoryStore()
    let test: TestHub
    let alice: TestClient
    let bob: TestClient

    init() {
        test = TestHub(store: store)
        (alice, bob) = (test.connect("alice"), test.connect("bob"))
        alice.ask(Lines.tour)
        bob.ask(#"{"op":"subscribe","doc":"tour"}"#)
    }

    private func fail(_ fate: MemoryStore.Fate = .lost) { test.fates = [fate] }

    private func version() -> String {
        reply(test.connect().ask(#"{"op":"get","doc":"tour"}"#).last)?.version.map { "\($0)" } ?? "none"
    }

    @Test func `a write that could not be stored is refused, changes nothing and is told to nobody`() {
        fail()
        #expect(kinds(alice.ask(#"{"id":7,"op":"open","doc":"tour","section":"a"}"#)) == ["storage_failed"])
        #expect(version() == "{n1:1}")
        // A snapshot of what they know is all that may come.
        #expect(kinds(bob.take()).allSatisfy { $0 == "snapshot resync" })
    }

    @Test func `writing resumes by itself, and no counter of an acknowledged write is used twice`() {
        fail()
        alice.ask(#"{"op":"open","doc":"tour","section":"a"}"#)
        #expect(kinds(alice.ask(#"{"op":"open","doc":"tour","section":"b"}"#)) == ["ok"])
        #expect(version() == "{n1:2}")
        #expect(store.counters("tour") == [1, 2])
    }

    @Test func `a write that the disk has after all has succeeded`() {
        fail(.storedButFailed)
        let lines = alice.ask(#"{"id":7,"op":"open","doc":"tour","section":"a"}"#)
        #expect(kinds(lines) == ["ok"])
        #expect(version() == "{n1:2}")
        #expect(kinds(bob.take()) == ["snapshot resync"])
    }

    @Test func `content that was dropped after a turn had fallen comes all the same`() {
        let test = TestHub(store: MemoryStore()) { $0.queuedEventBytesMax = 1_500 }
        let (actor, slow, other) = (test.connect("ann"), test.connect("slow"), test.connect("other"))
        actor.ask(Lines.tour)
        actor.ask(Lines.rows)
        actor.ask(Lines.many("third", 2))
        slow.readBytesMax = 0
        slow.ask(#"{"op":"ping"}"#)
        slow.ask(#"{"op":"subscribe","doc":"tour","presence":true}"#)
        slow.ask(#"{"op":"subscribe","doc":"third"}"#)
        test.tellPresence()
        // The turn that falls has of `tour` only who is here, and wrote to another document.
        other.send(#"{"op":"subscribe","doc":"tour"}"#)
        actor.send(#"{"op":"open","doc":"rows","section":"y"}"#)
        test.milliseconds += 1_000
        test.fates = [.lost]
        test.tellPresence()
        #expect(kinds(actor.take()).last == "storage_failed")
        for _ in 0..<20 { actor.ask(#"{"op":"toggle","doc":"third","section":"s1"}"#) }
        #expect(test.hub.counters.eventDrops > 0)
        slow.drain()
        var replica = Replica()
        replica.apply(slow.takeParsed())
        for name in ["tour", "third"] { expectSame(replica, name, actor, "after") }
    }

    @Test func `the turn gathered behind a failed commit falls with it`() {
        alice.send(#"{"op":"open","doc":"tour","section":"a"}"#)
        test.endTurn()
        bob.send(#"{"op":"check","doc":"tour","section":"t"}"#)
        fail()
        test.settle()
        #expect(kinds(alice.take()) == ["storage_failed"])
        #expect(kinds(bob.take()).contains("storage_failed"))
        #expect(version() == "{n1:1}")
    }

    @Test func `what was read of a fallen write is read again`() {
        alice.send(#"{"op":"open","doc":"tour","section":"a"}"#)
        let reader = test.connect()
        reader.send(#"{"id":1,"op":"get","doc":"tour"}"#, #"{"id":2,"op":"list"}"#, #"{"id":3,"op":"ping"}"#)
        fail()
        test.settle()
        let lines = reader.take()
        #expect(lines.compactMap { reply($0)?.id } == [.number(1), .number(2), .number(3)])
        #expect(reply(lines[0])?.state?.open == [])
        #expect(reply(lines[0])?.version.map { "\($0)" } == "{n1:1}")
        #expect(reply(lines[1])?.documents?.first?.open == 0)
    }

    @Test func `a refusal that rested on a fallen write is no answer any more`() {
        alice.send(#"{"op":"create","doc":"hidden","headers":false,"content":[{"id":"a","title":"A","content":[]}]}"#)
        let writer = test.connect()
        writer.send(#"{"op":"open","doc":"hidden","section":"a"}"#, #"{"op":"open","doc":"tour","section":"x"}"#)
        fail()
        test.settle()
        #expect(kinds(writer.take()) == ["storage_failed", "unknown_section"])
    }

    @Test func `a creation that could not be stored leaves no document and no subscriber`() {
        let watcher = test.connect()
        watcher.ask(#"{"op":"watch_list","on":true}"#)
        alice.send(#"{"op":"create","doc":"new"}"#, #"{"op":"subscribe","doc":"new"}"#)
        fail()
        test.settle()
        #expect(kinds(alice.take()) == ["storage_failed", "unknown_document"])
        #expect(kinds(watcher.take()).allSatisfy { $0 == "unlisted new" })
        #expect(kinds(alice.ask(#"{"op":"get","doc":"new"}"#)) == ["unknown_document"])
        #expect(kinds(alice.ask(#"{"op":"create","doc":"new"}"#)) == ["ok"])
        #expect(alice.take().isEmpty)
        #expect(kinds(watcher.take()) == ["listed new"])
    }

    @Test func `a write that asked for no reply is told that it failed`() {
        fail()
        let lines = alice.ask(#"{"id":9,"op":"open","doc":"tour","section":"a","ack":"none"}"#)
        #expect(kinds(lines) == ["storage_failed"])
        #expect(reply(lines.last)?.id == .number(9))
    }

    @Test func `replies of a fallen turn keep their order`() {
        alice.send(
            #"{"id":1,"op":"ping"}"#, #"{"id":2,"op":"open","doc":"tour","section":"a"}"#, "nonsense",
            #"{"id":3,"op":"get","doc":"tour"}"#, #"{"id":4,"op":"close","doc":"tour","section":"a"}"#)
        fail()
        test.settle()
        #expect(kinds(alice.take()) == ["ok", "storage_failed", "bad_json", "ok", "storage_failed"])
    }

    @Test func `who subscribed in a fallen turn has the state that is stored`() {
        alice.send(#"{"op":"open","doc":"tour","section":"a"}"#)
        let watcher = test.connect()
        watcher.send(#"{"op":"subscribe","doc":"tour"}"#)
        fail()
        test.settle()
        #expect(kinds(watcher.take()) == ["ok", "snapshot subscribed"])
        alice.ask(#"{"op":"open","doc":"tour","section":"b"}"#)
        #expect(kinds(watcher.take()) == ["changed"])
    }

    @Test func `a document that can't be read after a failed commit is refused until it can, and then told anew`() {
        if let name = DocumentName("tour") { store.unreadable = [name] }
        fail()
        #expect(kinds(alice.ask(#"{"op":"open","doc":"tour","section":"a"}"#)) == ["storage_failed"])
        #expect(kinds(alice.ask(#"{"op":"get","doc":"tour"}"#)) == ["storage_failed"])
        #expect(kinds(alice.ask(#"{"op":"create","doc":"other"}"#)) == ["ok"])
        #expect(bob.take().isEmpty)
        store.unreadable = []
        #expect(test.hub.hasLost)
        test.hub.retryLost()
        test.settle()
        #expect(!test.hub.hasLost)
        #expect(kinds(alice.ask(#"{"op":"open","doc":"tour","section":"a"}"#)) == ["ok"])
        #expect(kinds(bob.take()).first == "snapshot resync")
    }

    @Test func `while nothing may be written, reading goes on`() {
        test.hub.standingRefusal = Failure(.storageFailed, "the disk is full")
        #expect(kinds(alice.ask(#"{"op":"open","doc":"tour","section":"a"}"#)) == ["storage_failed"])
        #expect(kinds(alice.ask(#"{"op":"undo","doc":"tour"}"#)) == ["storage_failed"])
        #expect(kinds(alice.ask(#"{"op":"get","doc":"tour"}"#)) == ["ok"])
        test.hub.standingRefusal = nil
        #expect(kinds(alice.ask(#"{"op":"open","doc":"tour","section":"a"}"#)) == ["ok"])
    }
}
