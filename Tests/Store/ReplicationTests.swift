// Why this file exists: what a cluster is owed, and to where its stream was read, must stand and fall with the documents.

import AccordionModel
import Causality
import Store
import TestSupport
import Testing

@Suite struct ReplicationTests {
    let scratch: Scratch
    let directory: String
    var file: String { directory + "/" + DocumentStore.fileName }

    init() throws {
        scratch = try Scratch()
        directory = scratch.state()
    }

    private func opened<Value>(_ body: (DocumentStore) throws -> Value) throws -> Value {
        let store = try DocumentStore(directory: directory, options: StoreOptions(node: try nodeName("n1")))
        defer { store.close() }
        return try body(store)
    }

    private func entry(_ place: Int64, _ document: String = "provinces", bytes: Int = 3) throws -> OutgoingEntry {
        OutgoingEntry(
            place: place, document: try documentName(document),
            dot: Dot(node: try nodeName("n1"), counter: place * 10), instance: "run",
            text: Array(repeating: UInt8(place & 0xff), count: bytes))
    }

    private func owing(_ places: ClosedRange<Int64>, bytes: Int = 3) throws -> ReplicationDelta {
        var delta = ReplicationDelta()
        delta.outgoing = try places.map { try entry($0, bytes: bytes) }
        return delta
    }

    @Test func `a new state owes nothing and has read nothing`() throws {
        try opened { store in
            #expect(try store.replicationStanding() == ReplicationStanding())
            let page = try store.outgoing(after: 0, limit: 10)
            #expect(page.entries.isEmpty && page.isLast)
        }
    }

    @Test func `what is owed and read comes back after a restart, in order`() throws {
        let turns = try Turns(1)
        try opened { store in
            var delta = try owing(1...3)
            delta.place = StreamPlace(stream: "accordion 2026 x", sequence: .max)
            try store.commit(turns.deltas[0], delta)
        }
        try opened { store in
            let standing = try store.replicationStanding()
            #expect(standing.place == StreamPlace(stream: "accordion 2026 x", sequence: .max))
            #expect(standing.lastPlace == 3 && standing.hasOutgoing)
            let owed = try owing(1...3).outgoing
            #expect(try store.outgoing(after: 0, limit: 10).entries == owed)
            #expect(try store.load(turns.names[0]) != nil)
        }
    }

    @Test func `a commit that is refused leaves what is owed and read as it was`() throws {
        let turns = try Turns(3)
        try opened { store in
            try store.commit(turns.deltas[0], try owing(1...1))
            var delta = try owing(2...2)
            delta.place = StreamPlace(stream: "s", sequence: 5)
            delta.confirmed = [1]
            // The second turn is missing, so that its history does not go on.
            #expect(throws: StoreFailure.self) { try store.commit(turns.deltas[2], delta) }
            try store.reopen()
            let standing = try store.replicationStanding()
            #expect(standing.place == nil && standing.lastPlace == 1)
            let first = try entry(1)
            #expect(try store.outgoing(after: 0, limit: 10).entries == [first])
        }
    }

    @Test func `entries go by their place and by their write, and no place is taken twice`() throws {
        try opened { store in
            try store.commit([], try owing(1...5))
            var delta = ReplicationDelta()
            delta.confirmed = [1, 5, 77]
            delta.confirmedDots = [
                (try documentName("provinces"), Dot(node: try nodeName("n1"), counter: 30)),
                (try documentName("other"), Dot(node: try nodeName("n1"), counter: 20)),
                (try documentName("provinces"), Dot(node: try nodeName("n2"), counter: 20)),
            ]
            try store.commit([], delta)
            #expect(try store.outgoing(after: 0, limit: 10).entries.map(\.place) == [2, 4])
            // Tried again after it was thought to have failed: what was stored is not stored again, what was confirmed stays away.
            try store.commit([], try owing(4...6))
            #expect(try store.outgoing(after: 0, limit: 10).entries.map(\.place) == [2, 4, 6])
            #expect(try store.replicationStanding().lastPlace == 6)
        }
    }

    @Test func `pages end at their limits and say whether more is behind them`() throws {
        try opened { store in
            try store.commit([], try owing(1...10, bytes: 100))
            let first = try store.outgoing(after: 0, limit: 4)
            #expect(first.entries.map(\.place) == [1, 2, 3, 4] && !first.isLast)
            let middle = try store.outgoing(after: 4, limit: 100, bytesMax: 250)
            #expect(middle.entries.map(\.place) == [5, 6, 7] && !middle.isLast)
            let one = try store.outgoing(after: 7, limit: 100, bytesMax: 1)
            #expect(one.entries.map(\.place) == [8] && !one.isLast)
            let last = try store.outgoing(after: 8, limit: 2)
            #expect(last.entries.map(\.place) == [9, 10] && last.isLast)
        }
    }

    @Test func `a damaged entry is told, taken away, and holds up no other`() throws {
        try opened { store in try store.commit([], try owing(1...4)) }
        try sql(file, "UPDATE outgoing SET text = x'00' WHERE place = 2")
        let report = try DocumentStore.check(directory)
        #expect(report.findings.count == 1 && report.findings[0].contains("place 2"))
        try opened { store in
            let places = try store.outgoing(after: 0, limit: 10).entries.map(\.place)
            #expect(places == [1, 3, 4])
            #expect(store.rowsSetAside == 1)
        }
        #expect(try DocumentStore.check(directory).isWhole)
    }

    @Test func `a damaged cursor counts as none, and a damaged last place is what the entries say`() throws {
        try opened { store in
            var delta = try owing(1...4)
            delta.place = StreamPlace(stream: "s", sequence: 9)
            try store.commit([], delta)
        }
        try sql(file, "UPDATE replication SET value = '8 s' WHERE key = 'cursor'")
        try sql(file, "UPDATE replication SET value = '2' WHERE key = 'last_place'")
        #expect(try DocumentStore.check(directory).findings.count == 2)
        try opened { store in
            let standing = try store.replicationStanding()
            #expect(standing.place == nil && standing.lastPlace == 4 && standing.hasOutgoing)
        }
    }

    @Test func `a state of the first release is taken over, and can be checked before it is`() throws {
        let turns = try Turns(2)
        try opened { store in for delta in turns.deltas { try store.commit(delta) } }
        for text in ["DROP TABLE outgoing", "DROP TABLE replication", "PRAGMA user_version = 1"] { try sql(file, text) }
        #expect(try DocumentStore.check(directory).isWhole)
        try opened { store in
            #expect(try store.replicationStanding() == ReplicationStanding())
            try store.commit([], try owing(1...1))
            #expect(try store.load(turns.names[0]) != nil)
        }
        #expect(try DocumentStore.check(directory).isWhole)
    }
}
