// Why this file exists: who waits until the cluster has a write is told once, when it has, and about no other write.

import AccordionModel
import Causality
import Hub
import Testing
import Wire

@Suite struct ReplicatedTests {
    private let test = TestHub(store: MemoryStore(), isReplicated: true)
    private let name: DocumentName

    init() throws { name = try #require(DocumentName("p")) }

    private func create(_ client: TestClient) {
        client.ask(
            #"{"op":"create","doc":"p","title":"P","content":[{"id":"x","title":"x","content":[]},{"id":"y","title":"y","content":[]}]}"#
        )
    }

    private func confirm(_ counter: Int64) {
        test.hub.replicated(name, counter: counter)
        test.settle()
    }

    @Test func `the event comes when the broker has the write, with its version, and once`() {
        let client = test.connect()
        create(client)
        let reply = client.ask(#"{"id":1,"op":"open","doc":"p","section":"x","replicated":true}"#)
        #expect(reply.count == 1 && reply[0].contains(#""version":{"n1":2}"#))
        client.ask(#"{"op":"open","doc":"p","section":"y"}"#)
        confirm(1)
        #expect(client.take().isEmpty, "another write was confirmed")
        confirm(2)
        #expect(client.take() == [#"{"event":"replicated","doc":"p","version":{"n1":2}}"#])
        confirm(2)
        #expect(client.take().isEmpty && !test.hub.awaitsReplication)
    }

    @Test(arguments: [
        #"{"op":"batch","doc":"p","ops":[{"op":"open","section":"x"}],"replicated":true}"#,
        #"{"op":"replace","doc":"p","title":"Q","content":[],"replicated":true}"#,
        #"{"op":"delete","doc":"p","replicated":true}"#,
        #"{"op":"toggle","doc":"p","section":"x","replicated":true,"ack":"none"}"#,
    ])
    func `whatever writes can be waited for`(_ request: String) {
        let client = test.connect()
        create(client)
        client.ask(request)
        _ = client.take()
        confirm(2)
        #expect(client.take() == [#"{"event":"replicated","doc":"p","version":{"n1":2}}"#])
    }

    @Test func `what changes nothing is told at once`() {
        let client = test.connect()
        create(client)
        let lines = client.ask(#"{"op":"close","doc":"p","section":"x","replicated":true}"#)
        #expect(lines.count == 2 && lines[1] == #"{"event":"replicated","doc":"p","version":{"n1":1}}"#, "\(lines)")
        #expect(!test.hub.awaitsReplication)
    }

    @Test func `a write that was not stored is waited for no more`() {
        let client = test.connect()
        create(client)
        test.fates = [.lost]
        let lines = client.ask(#"{"op":"open","doc":"p","section":"x","replicated":true}"#)
        #expect(lines.last?.contains("storage_failed") == true)
        #expect(!test.hub.awaitsReplication)
        client.ask(#"{"op":"open","doc":"p","section":"y"}"#)
        confirm(2)
        #expect(client.take().isEmpty, "the counter came again, for a write that nobody asked about")
    }

    @Test func `those who leave are forgotten, and nobody may wait for more than a thousand`() {
        let client = test.connect()
        create(client)
        for number in 0..<1_000 {
            client.ask(
                #"{"op":"toggle","doc":"p","section":"\#(number.isMultiple(of: 2) ? "x" : "y")","replicated":true}"#)
        }
        #expect(
            client.ask(#"{"op":"toggle","doc":"p","section":"x","replicated":true}"#).last?.contains(
                "too_many_requests")
                == true)
        #expect(client.ask(#"{"op":"toggle","doc":"p","section":"x"}"#).last?.contains(#""ok":true"#) == true)
        test.disconnect(client)
        #expect(!test.hub.awaitsReplication)
        confirm(5)
    }
}

@Suite struct SeenWaitTests {
    private let test = TestHub(store: MemoryStore(), isReplicated: true)
    private let name: DocumentName
    private var other = SharedState()
    private var operations: [Operation] = []

    init() throws {
        name = try #require(DocumentName("p"))
        let node = try #require(NodeName("n2"))
        let text = #"{"title":"P","content":[{"id":"x","title":"x","content":[]},{"id":"y","title":"y","content":[]}]}"#
        let document = try DocumentFile(reading: Array(text.utf8).span).document
        for step in 0..<3 {
            let writer = Writer(
                node: node, milliseconds: 1_700_000_500_000 + Int64(step), by: "bob", session: 1, seen: nil)
            let made =
                step == 0
                ? try other.create(document, writer)
                : try other.decide(.toggle(SectionPath(step == 1 ? "x" : "y"), to: true), writer)
            let operation = try #require(made)
            operations.append(operation)
            _ = other.applyOwn(operation)
        }
    }

    private func merge(_ place: Int) {
        test.hub.merge(.operation(operations[place]), into: name, ticket: UInt64(place + 1))
        test.settle()
    }

    private func pass(_ milliseconds: Int64) {
        test.milliseconds += milliseconds
        test.hub.endSeenWaits()
        test.settle()
    }

    @Test func `a request that has seen what is not here yet waits for it, and those behind it too`() {
        let client = test.connect()
        merge(0)
        #expect(client.ask(#"{"id":1,"op":"close","doc":"p","section":"x","seen":{"n2":2}}"#).isEmpty)
        #expect(client.ask(#"{"id":2,"op":"ping"}"#).isEmpty)
        #expect(test.hub.seenDelayMilliseconds == 500)
        merge(1)
        let lines = client.take()
        #expect(
            lines.count == 2 && lines[0].contains(#""id":1,"ok":true"#) && !lines[0].contains("clamped"), "\(lines)")
        #expect(lines[0].contains(#""open":false"#), "it closed what it had seen open")
        #expect(test.hub.seenDelayMilliseconds == nil)
    }

    @Test func `after half a second it is decided on what is here, and says so`() {
        let client = test.connect()
        merge(0)
        client.ask(#"{"op":"open","doc":"p","section":"y","seen":{"n2":9}}"#)
        pass(499)
        #expect(client.take().isEmpty)
        pass(1)
        #expect(client.take().last?.contains(#""clamped":true"#) == true)
        // The next one waits again.
        client.ask(#"{"op":"close","doc":"p","section":"y","seen":{"n2":9}}"#)
        #expect(client.take().isEmpty && test.hub.seenDelayMilliseconds == 500)
    }

    @Test func `a document that is not here yet is waited for, and a snapshot too`() {
        let writer = test.connect()
        let reader = test.connect()
        writer.ask(#"{"op":"open","doc":"p","section":"x","seen":{"n2":1}}"#)
        reader.ask(#"{"op":"subscribe","doc":"p","since":{"n2":2},"epoch":"other"}"#)
        merge(0)
        #expect(writer.take().last?.contains(#""ok":true"#) == true)
        #expect(reader.take().isEmpty)
        merge(1)
        let lines = reader.take()
        #expect(lines.last?.contains("snapshot") == true && lines.last?.contains(#""n2":2"#) == true, "\(lines)")
    }

    @Test func `a document that never comes is unknown, and who leaves waits no more`() {
        let client = test.connect()
        client.ask(#"{"op":"open","doc":"p","section":"x","seen":{"n2":1}}"#)
        let gone = test.connect()
        gone.ask(#"{"op":"open","doc":"p","section":"x","seen":{"n2":1}}"#)
        test.disconnect(gone)
        pass(500)
        #expect(client.take().last?.contains("unknown_document") == true)
        #expect(test.hub.seenDelayMilliseconds == nil)
    }

    @Test func `a daemon that is alone waits for nobody`() {
        let alone = TestHub(store: MemoryStore())
        let client = alone.connect()
        client.ask(#"{"op":"create","doc":"p","title":"P","content":[{"id":"x","title":"x","content":[]}]}"#)
        let lines = client.ask(#"{"op":"open","doc":"p","section":"x","seen":{"n2":1}}"#)
        #expect(lines.last?.contains(#""clamped":true"#) == true)
        #expect(
            client.ask(#"{"op":"open","doc":"p","section":"x","replicated":true}"#).last?.contains("bad_request")
                == true)
    }
}
