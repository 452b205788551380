// Why this file exists: what another daemon has decided becomes part of a turn as a client's request does: told, stored, and
// never before.

import AccordionModel
import Causality
import Hub
import Testing
import Wire

@Suite struct MergeTests {
    /// Another daemon's document and the operations that made it so.
    private struct Other {
        var state = SharedState()
        var operations: [Operation] = []
        let node: NodeName
        private var milliseconds: Int64 = 1_700_000_500_000

        init(_ node: String = "n2") throws { self.node = try #require(NodeName(node)) }

        mutating func writer(_ by: String = "bob") -> Writer {
            milliseconds += 1
            return Writer(node: node, milliseconds: milliseconds, by: by, session: 1, seen: nil)
        }

        mutating func create(
            _ json: String =
                #"{"title":"P","content":[{"id":"x","title":"x","content":[]},{"id":"y","title":"y","content":[]}]}"#
        )
            throws
        {
            let document = try DocumentFile(reading: Array(json.utf8).span).document
            try apply(try state.create(document, writer()))
        }

        mutating func press(_ section: String, _ value: Bool) throws {
            try apply(try state.decide(.toggle(SectionPath(section), to: value), writer()))
        }

        mutating func delete() throws { try apply(try state.delete(writer())) }

        private mutating func apply(_ operation: Operation?) throws {
            let operation = try #require(operation)
            operations.append(operation)
            _ = state.applyOwn(operation)
        }
    }

    private let name: DocumentName
    private var other: Other

    init() throws {
        name = try #require(DocumentName("p"))
        other = try Other()
        try other.create()
        try other.press("x", true)
        try other.press("y", true)
        try other.press("x", false)
    }

    private func merge(_ places: [Int], _ test: TestHub) {
        for place in places {
            test.hub.merge(.operation(other.operations[place]), into: name, ticket: UInt64(place + 1))
        }
    }

    @Test func `an operation of another daemon is told as one of our own, with its author`() throws {
        let test = TestHub(store: MemoryStore())
        let client = test.connect()
        client.ask(#"{"op":"watch_list","on":true}"#)
        merge([0], test)
        test.settle()
        #expect(kinds(client.take()) == ["listed p"])
        #expect(kinds(client.ask(#"{"op":"subscribe","doc":"p"}"#)) == ["ok", "snapshot subscribed"])
        merge([1], test)
        test.settle()
        let line = try #require(client.take().first)
        #expect(line.contains(#""version":{"n2":2}"#) && line.contains(#""by":"bob""#))
        #expect(line.contains(#""changes":[{"section":"x","open":true}]"#))
        let history = client.ask(#"{"op":"history","doc":"p"}"#)
        #expect(history.first?.contains(#""node":"n2","counter":2"#) == true)
    }

    @Test func `one that comes before what it rests on waits, and all are told in their order`() {
        let test = TestHub(store: MemoryStore())
        merge([3, 1, 2], test)
        test.settle()
        #expect(test.hub.waitingDocuments == [name])
        merge([0], test)
        test.settle()
        #expect(test.hub.waitingDocuments.isEmpty)
        #expect(test.store?.counters("p") == [1, 2, 3, 4])
    }

    @Test func `a ticket comes back with the turn that is done with it, once`() {
        let test = TestHub(store: MemoryStore())
        merge([1], test)
        let first = test.hub.endTurn()
        #expect(first.settled.isEmpty)
        _ = test.hub.release(first)
        merge([0, 0], test)
        let second = test.hub.endTurn()
        #expect(second.settled.sorted() == [1, 1, 2])
        _ = test.hub.release(second)
        merge([1], test)
        let third = test.hub.endTurn()
        #expect(third.settled == [2] && third.deltas.isEmpty)
    }

    @Test func `what was written here is handed out to be sent, and what others wrote is not`() throws {
        var settings = HubSettings(node: try #require(NodeName("n1")), epoch: "e", server: "t", isReplicated: true)
        settings.limits = HubLimits()
        let hub = Hub(settings)
        hub.moment = Moment(wallMilliseconds: 1_700_000_600_000, steadyMilliseconds: 1)
        hub.merge(.operation(other.operations[0]), into: name, ticket: 1)
        let session = hub.connect(Origin(name: "ann", isUser: false, role: .editor))
        let line = Array((#"{"op":"open","doc":"p","section":"x"}"# + "\n").utf8)
        hub.receive(session, line.span)
        let turn = hub.endTurn()
        let operations = turn.deltas.flatMap(\.operations)
        #expect(operations.map(\.dot.description) == ["n1:1"] && turn.deltas.first?.history.count == 2)
    }

    @Test func `a whole state is told as what changed by it, and stands in the history by its writes`() throws {
        let test = TestHub(store: MemoryStore())
        let client = test.connect()
        merge([0], test)
        test.settle()
        client.ask(#"{"op":"subscribe","doc":"p"}"#)
        test.hub.merge(.state(other.state), into: name, ticket: 0)
        test.settle()
        let line = try #require(client.take().first)
        #expect(line.contains(#""version":{"n2":4}"#) && line.contains(#"{"section":"y","open":true}"#))
        let get = try #require(client.ask(#"{"op":"get","doc":"p"}"#).first)
        #expect(get.contains(#""state":{"open":["y"]"#))
        #expect(test.store?.counters("p") == [1, 3, 4], "the second write was replaced before it came")
        test.hub.merge(.state(other.state), into: name, ticket: 0)
        #expect(test.hub.endTurn().deltas.isEmpty, "a second time it is nothing new")
    }

    @Test func `a whole state sets free what waited, and settles it`() {
        let test = TestHub(store: MemoryStore())
        merge([3], test)
        test.settle()
        test.hub.merge(.state(other.state), into: name, ticket: 0)
        let turn = test.hub.endTurn()
        #expect(turn.settled == [4] && test.hub.waitingDocuments.isEmpty)
    }

    @Test func `a whole state may create, replace and delete`() throws {
        let test = TestHub(store: MemoryStore())
        let client = test.connect()
        client.ask(#"{"op":"watch_list","on":true}"#)
        test.hub.merge(.state(other.state), into: name, ticket: 0)
        test.settle()
        #expect(kinds(client.take()) == ["listed p"])
        client.ask(#"{"op":"subscribe","doc":"p"}"#)
        var gone = other
        try gone.delete()
        test.hub.merge(.state(gone.state), into: name, ticket: 0)
        test.settle()
        #expect(kinds(client.take()).sorted() == ["deleted", "unlisted p"])
        try gone.create(#"{"title":"Again","content":[]}"#)
        test.hub.merge(.state(gone.state), into: name, ticket: 0)
        test.settle()
        #expect(kinds(client.take()).sorted() == ["listed p", "snapshot created"])
    }

    @Test func `what comes for a document that is not in memory waits until it is loaded`() throws {
        let store = MemoryStore()
        let first = TestHub(store: store)
        merge([0, 1], first)
        first.settle()
        let test = TestHub(store: store, run: 2, knowsDocuments: false)
        test.hub.learn(store.outlines)
        test.keepsErrands = true
        merge([2], test)
        test.settle()
        #expect(store.counters("p") == [1, 2])
        test.runErrands()
        test.keepsErrands = false
        test.settle()
        #expect(store.counters("p") == [1, 2, 3])
    }

    @Test func `the state that others are told is what is stored`() throws {
        let test = TestHub(store: MemoryStore())
        merge([0], test)
        test.settle()
        var told: [VersionVector?] = []
        merge([1], test)
        test.hub.whenStored(name) { told.append($0?.version) }
        test.endTurn()
        #expect(told.isEmpty, "what is decided and not stored is told to nobody")
        test.release()
        #expect(told == [other.operations[1].dot].map { VersionVector([.init(node: $0.node, counter: $0.counter)]) })
        let unknown = try #require(DocumentName("unknown"))
        test.hub.whenStored(unknown) { told.append($0?.version) }
        #expect(told.count == 2 && told[1] == nil)
    }

    @Test func `a turn that falls takes what was merged in it along, and it can be merged again`() {
        let test = TestHub(store: MemoryStore())
        merge([0], test)
        test.settle()
        test.fates = [.lost]
        merge([1], test)
        test.endTurn()
        test.release()
        test.settle()
        #expect(test.store?.counters("p") == [1])
        merge([1, 2], test)
        test.settle()
        #expect(test.store?.counters("p") == [1, 2, 3])
    }

    @Test func `more operations than may wait are dropped, and their document asks for a whole state`() {
        let test = TestHub(store: MemoryStore()) { $0.waitingOperationsMax = 2 }
        merge([1, 2, 3], test)
        test.settle()
        #expect(test.hub.waitingDocuments == [name])
        test.hub.merge(.state(other.state), into: name, ticket: 0)
        test.settle()
        #expect(
            test.hub.waitingDocuments.isEmpty && test.store?.documents[name]?.outline.version == other.state.version)
    }
}
