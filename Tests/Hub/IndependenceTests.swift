// Why this file exists: a commit that hangs must hold back what rests on it and nothing else. Here no turn is stored while
// each kind of question is asked.
import AccordionModel
import Hub
import Testing
import Wire

struct IndependenceTests {
    let test = TestHub(store: MemoryStore())
    let writer: TestClient
    let reader: TestClient

    init() {
        (writer, reader) = (test.connect("writer"), test.connect("reader"))
        writer.ask(Lines.tour)
        writer.ask(Lines.rows)
        // The turn that the disk does not get done with.
        writer.send(#"{"op":"open","doc":"tour","section":"a"}"#)
        test.endTurn()
    }

    /// What the reader is told while the commit hangs.
    private func hear(_ lines: String...) -> [String] {
        for line in lines { reader.send(line) }
        for session in test.hub.releaseIndependent() where session.number == reader.session.number { reader.flush() }
        return kinds(reader.take())
    }

    @Test(arguments: [
        (#"{"op":"ping"}"#, "ok"), (#"{"op":"hello","name":"r"}"#, "ok"), (#"{"op":"get","doc":"rows"}"#, "ok"),
        (#"{"op":"get","doc":"none"}"#, "unknown_document"),
        (#"{"op":"open","doc":"rows","section":"q"}"#, "unknown_section"),
        ("rubbish", "bad_json"),
    ])
    func `what rests on nothing that waits is answered while a commit hangs`(line: String, expected: String) {
        #expect(hear(line) == [expected])
        test.settle()
        #expect(reader.take().isEmpty, "and not a second time")
    }

    @Test(arguments: [
        #"{"op":"get","doc":"tour"}"#, #"{"op":"open","doc":"tour","section":"q"}"#, #"{"op":"list"}"#,
        #"{"op":"open","doc":"rows","section":"y"}"#, #"{"op":"subscribe","doc":"rows"}"#,
    ])
    func `what rests on a write that waits, waits with it`(line: String) {
        #expect(hear(line).isEmpty)
        test.settle()
        #expect(!reader.take().isEmpty)
    }

    @Test func `an answer never overtakes one that was due before it`() {
        #expect(hear(#"{"id":1,"op":"get","doc":"tour"}"#).isEmpty)
        #expect(hear(#"{"id":2,"op":"ping"}"#).isEmpty)
        writer.send(#"{"id":3,"op":"ping"}"#)
        #expect(!test.hub.releaseIndependent().contains { $0.number == writer.session.number })
        test.settle()
        #expect(reader.take().compactMap { reply($0)?.id } == [.number(1), .number(2)])
        #expect(kinds(writer.take()) == ["ok", "ok"])
    }

    @Test func `what was answered early is not answered again when the commit fails`() {
        #expect(hear(#"{"id":1,"op":"ping"}"#) == ["ok"])
        reader.send(#"{"id":2,"op":"get","doc":"tour"}"#)
        test.fates = [.lost]
        test.settle()
        #expect(reader.take().compactMap { reply($0)?.id } == [.number(2)])
        #expect(kinds(writer.take()) == ["storage_failed"])
    }

    @Test func `its replies are no longer charged once they have left`() {
        let before = reader.session.outbox.queuedReplyBytes
        for _ in 0..<1_000 { #expect(hear(#"{"op":"ping"}"#) == ["ok"]) }
        #expect(reader.wantsInput)
        #expect(reader.session.outbox.queuedReplyBytes == before)
    }

    @Test func `at the end of a daemon whose disk hangs everybody who waits is told goodbye`() {
        test.hub.shutDown()
        let told = test.hub.sayGoodbyeAtOnce()
        #expect(Set(told.map(\.number)) == [writer.session.number, reader.session.number])
        writer.flush()
        reader.flush()
        #expect(kinds(writer.take()) == ["goodbye shutting_down"])
        #expect(kinds(reader.take()) == ["goodbye shutting_down"])
    }
}
