// Why this file exists: laws 1 and 2 as the hub keeps them: what is not in memory is sent for without holding up others,
// and what could not be stored has not happened.
import AccordionModel
import Hub
import Testing
import Wire

struct StorageTests {
    let store = MemoryStore()

    /// A hub with the documents of `Lines` stored, as it is after a start.
    private func started(_ change: (inout HubLimits) -> Void = { _ in }) -> TestHub {
        let first = TestHub(store: store)
        first.connect().ask(Lines.tour)
        first.connect().ask(Lines.rows)
        let test = TestHub(store: store, run: 2, knowsDocuments: false, change)
        return test
    }

    private func known(_ change: (inout HubLimits) -> Void = { _ in }) -> TestHub {
        let test = started(change)
        test.hub.learn(store.outlines)
        return test
    }

    // MARK: - Loading

    @Test func `a request for a document on disk waits for it, and others do not wait with it`() {
        let test = known()
        let (alice, bob) = (test.connect("alice"), test.connect("bob"))
        test.keepsErrands = true
        alice.ask(#"{"id":1,"op":"open","doc":"tour","section":"a"}"#)
        alice.ask(#"{"id":2,"op":"ping"}"#)
        #expect(alice.take().isEmpty && !alice.wantsInput)
        #expect(kinds(bob.ask(#"{"op":"create","doc":"new"}"#)) == ["ok"])
        test.runErrands()
        test.settle()
        #expect(alice.take().compactMap { reply($0)?.id } == [.number(1), .number(2)])
        #expect(alice.wantsInput)
    }

    @Test func `many who ask for one document on disk cost one errand`() {
        let test = known()
        let clients = (0..<20).map { _ in test.connect() }
        for client in clients { client.send(#"{"op":"subscribe","doc":"tour"}"#) }
        #expect(test.hub.takeErrands().count == 1)
    }

    @Test func `a document that never was costs no errand`() {
        let test = known()
        #expect(kinds(test.connect().ask(#"{"op":"get","doc":"nowhere"}"#)) == ["unknown_document"])
        test.connect().send(#"{"op":"get","doc":"nowhere"}"#)
        #expect(test.hub.takeErrands().isEmpty)
    }

    @Test func `a list loads nothing and tells of everything`() {
        let test = known()
        let lines = test.connect().ask(#"{"op":"list"}"#)
        #expect(reply(lines.last)?.documents?.map(\.name.text) == ["rows", "tour"])
        #expect(test.hub.counters.documentsLoaded == 0)
    }

    @Test func `until the documents are known a list waits, and what asks for one does not`() {
        let test = started()
        let (alice, bob) = (test.connect(), test.connect())
        #expect(alice.ask(#"{"op":"list"}"#).isEmpty)
        #expect(kinds(bob.ask(#"{"op":"ping"}"#)) == ["ok"])
        #expect(kinds(bob.ask(#"{"op":"create","doc":"tour"}"#)) == ["document_exists"])
        #expect(kinds(bob.ask(#"{"op":"create","doc":"new"}"#)) == ["ok"])
        #expect(kinds(bob.ask(#"{"op":"delete","doc":"tour"}"#)) == ["ok"])
        #expect(kinds(bob.ask(#"{"op":"get","doc":"nowhere"}"#)) == ["unknown_document"])
        let outlines = store.outlines
        test.hub.learn(Array(outlines.prefix(1)), isLast: false)
        test.settle()
        #expect(alice.take().isEmpty)
        test.hub.learn(Array(outlines.dropFirst()))
        test.settle()
        #expect(reply(alice.take().last)?.documents?.map(\.name.text) == ["new", "rows"])
    }

    @Test func `a document that can't be read is refused, and asked for again the next time`() {
        let test = known()
        let client = test.connect()
        if let name = DocumentName("tour") { store.unreadable = [name] }
        #expect(kinds(client.ask(#"{"op":"get","doc":"tour"}"#)) == ["storage_failed"])
        store.unreadable = []
        #expect(kinds(client.ask(#"{"op":"get","doc":"tour"}"#)) == ["ok"])
    }

    @Test func `who leaves while a document is on its way is forgotten`() {
        let test = known()
        test.keepsErrands = true
        let client = test.connect()
        client.send(#"{"op":"subscribe","doc":"tour"}"#)
        test.disconnect(client)
        test.runErrands()
        test.settle()
        #expect(test.hub.sessionCount == 0)
    }

    @Test func `at the end of the input what waits for the disk is still answered`() {
        let test = known()
        test.keepsErrands = true
        let client = test.connect()
        client.send(#"{"op":"get","doc":"tour"}"#, #"{"op":"ping"}"#)
        client.end()
        test.settle()
        #expect(!client.session.isFinished)
        test.runErrands()
        test.settle()
        #expect(kinds(client.take()) == ["ok", "ok"])
        #expect(client.session.isFinished)
    }

    @Test func `at a shutdown what waits for the disk is refused`() {
        let test = known()
        test.keepsErrands = true
        let client = test.connect()
        client.send(#"{"op":"get","doc":"tour"}"#)
        test.hub.shutDown()
        test.settle()
        #expect(kinds(client.take()) == ["shutting_down", "goodbye shutting_down"])
        #expect(client.session.isFinished)
    }

    @Test func `a deleted document goes on with its version when it comes back from the disk`() {
        let test = known()
        test.connect().ask(#"{"op":"delete","doc":"tour"}"#)
        let next = TestHub(store: store, run: 3, knowsDocuments: false)
        next.hub.learn(store.outlines)
        let client = next.connect()
        #expect(kinds(client.ask(#"{"op":"get","doc":"tour"}"#)) == ["unknown_document"])
        let created = reply(client.ask(Lines.tour).last)
        #expect(created?.version.map { "\($0)" } == "{n1:3}")
    }

    // MARK: - The cache

    @Test func `documents that nobody needs leave memory when they are too many, and come back as they were`() {
        let test = known { $0.documentCacheBytesMax = 0 }
        let client = test.connect()
        client.ask(#"{"op":"open","doc":"tour","section":"a"}"#)
        let before = client.ask(#"{"op":"get","doc":"tour"}"#)
        for _ in 0..<4 { client.ask(#"{"op":"get","doc":"rows"}"#) }
        #expect(test.hub.counters.documentsLetGo > 0)
        let loaded = test.hub.counters.documentsLoaded
        #expect(client.ask(#"{"op":"get","doc":"tour"}"#) == before)
        #expect(test.hub.counters.documentsLoaded == loaded + 1)
    }

    @Test func `a document that somebody watches stays in memory`() {
        let test = known { $0.documentCacheBytesMax = 0 }
        let (watcher, client) = (test.connect(), test.connect())
        watcher.ask(#"{"op":"subscribe","doc":"tour"}"#)
        for _ in 0..<4 { client.ask(#"{"op":"get","doc":"rows"}"#) }
        let loaded = test.hub.counters.documentsLoaded
        client.ask(#"{"op":"open","doc":"tour","section":"a"}"#)
        #expect(test.hub.counters.documentsLoaded == loaded)
        #expect(kinds(watcher.take()) == ["changed"])
    }

    @Test func `a session knows its own writes when the document was away between them`() {
        let test = known { $0.documentCacheBytesMax = 0 }
        let client = test.connect()
        client.ask(#"{"op":"open","doc":"tour","section":"a","seen":{}}"#)
        for _ in 0..<4 { client.ask(#"{"op":"get","doc":"rows"}"#) }
        client.ask(#"{"op":"close","doc":"tour","section":"a","seen":{}}"#)
        let state = reply(client.ask(#"{"op":"get","doc":"tour"}"#).last)?.state
        #expect(state?.conflicts.isEmpty == true && state?.open.isEmpty == true)
    }
}
