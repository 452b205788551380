// Why this file exists: what the replicator decides, one situation each, with no broker, disk or clock. That many of them
// together come to the same end is the simulator's to show.

import AccordionModel
import Causality
import Replication
import Testing
import Wire

private let name: DocumentName = {
    guard let name = DocumentName("d") else { preconditionFailure("a name") }
    return name
}()

/// A daemon that writes operations, and a replicator.
private struct Desk {
    let replicator: Replicator
    var state = SharedState()
    let node: NodeName
    private var milliseconds: Int64 = 1_000

    init(
        _ node: String = "n1", run: UInt32 = 1, start: ReplicationStart = ReplicationStart(),
        _ change: (inout ReplicationSettings) -> Void = { _ in }
    ) throws {
        self.node = try #require(NodeName(node))
        var settings = ReplicationSettings(peer: Peer(node: self.node, instance: "\(node).\(run)", run: run))
        change(&settings)
        replicator = Replicator(settings, start, milliseconds: 0)
    }

    /// A document with the sections a and b, or a press in it.
    mutating func operation(open section: String? = nil) throws -> Operation {
        milliseconds += 1
        let writer = Writer(node: node, milliseconds: milliseconds, by: "x", session: 1, seen: nil)
        let operation: Operation
        if let section {
            operation = try #require(try state.decide(.toggle(SectionPath(section), to: nil), writer))
        } else {
            operation = try state.create(try Desk.document(), writer)
        }
        _ = state.applyOwn(operation)
        return operation
    }

    static func document() throws -> Document {
        try DocumentFile(
            reading: Array(#"{"title":"T","content":[{"title":"a","content":[]},{"title":"b","content":[]}]}"#.utf8)
                .span
        ).document
    }

    func delta(_ operations: [Operation]) -> DocumentDelta {
        DocumentDelta(outline: DocumentOutline(name, state), clock: .zero, operations: operations)
    }

    /// Stores operations, as a turn that was committed.
    @discardableResult
    func store(_ operations: [Operation], settled: [UInt64] = []) -> ReplicationRecord {
        let deltas = operations.isEmpty ? [] : [delta(operations)]
        let record = replicator.record(deltas, settled: settled)
        replicator.stored(record, deltas)
        return record
    }

    func published() -> [(id: PublishID, bytes: [UInt8])] {
        replicator.takeActions().compactMap { action in
            if case .publish(let id, let bytes) = action { (id, bytes) } else { nil }
        }
    }
}

/// What a replicator wants, in words.
private func words(_ actions: [ReplicationAction]) -> [String] {
    actions.map { action in
        switch action {
        case .publish(let id, _): "publish \(id.dot) \(id.part)"
        case .confirmed(_, let dot): "confirmed \(dot)"
        case .presenceWanted(let name, let isWanted): "presence of \(name) wanted \(isWanted)"
        case .presence(let report, let peer): "presence of \(report.name) at \(peer.node): \(report.count)"
        case .read(let sequence): "read \(sequence)"
        case .readOutgoing(let place, _): "rows after \(place)"
        case .merge(_, let operation, let ticket): "merge \(operation.dot) \(ticket)"
        case .join(_, let state): "join \(state.version)"
        case .readState(_, let peer, _): "state for \(peer.instance)"
        case .broadcast: "broadcast"
        case .send(_, let instance): "send \(instance)"
        case .sendPart(_, let instance): "part \(instance)"
        case .readOnly: "read only"
        case .note: "note"
        }
    }
}

@Suite struct ReplicatorTests {
    /// The messages of operations of another daemon, in order.
    private func messages(_ count: Int, of node: String = "n2", bytesMax: Int = 512 << 10) throws -> [[UInt8]] {
        var other = try Desk(node) { $0.messageBytesMax = bytesMax }
        other.replicator.connected(stream: "s", first: 1, last: 0)
        var operations = [try other.operation()]
        for place in 1..<max(2, count) { operations.append(try other.operation(open: place % 2 == 0 ? "a" : "b")) }
        for operation in operations.prefix(count) { other.store([operation]) }
        return other.published().map(\.bytes)
    }

    @Test func `what was stored is published in order, once, and again until the broker has it`() throws {
        var desk = try Desk()
        desk.replicator.connected(stream: "s", first: 1, last: 0)
        let operations = [try desk.operation(), try desk.operation(open: "a"), try desk.operation(open: "b")]
        #expect(desk.published().isEmpty, "nothing is published before it is stored")
        for operation in operations { desk.store([operation]) }
        let first = desk.published()
        #expect(first.map(\.id.dot) == operations.map(\.dot))
        #expect(desk.published().isEmpty)
        desk.replicator.acknowledged(first[0].id)
        desk.replicator.milliseconds = 6_000
        #expect(desk.published().map(\.id.dot) == operations.dropFirst().map(\.dot))
        for (id, _) in first.dropFirst() { desk.replicator.acknowledged(id) }
        desk.replicator.milliseconds = 60_000
        #expect(desk.published().isEmpty && !desk.replicator.hasUnconfirmed)
        #expect(desk.store([]).confirmed == [1, 2, 3], "the rows go with the next commit")
    }

    @Test func `without a connection nothing is published, and with the next one all that is not confirmed`() throws {
        var desk = try Desk()
        let operation = try desk.operation()
        desk.store([operation])
        #expect(desk.published().isEmpty)
        desk.replicator.connected(stream: "s", first: 1, last: 0)
        #expect(desk.published().count == 1)
        desk.replicator.disconnected()
        desk.replicator.connected(stream: "s", first: 1, last: 0)
        #expect(desk.published().count == 1)
    }

    @Test func `more rows than may wait in memory are read from the store again`() throws {
        var desk = try Desk { $0.outgoingMax = 2 }
        var rows: [OutgoingRow] = []
        for place in 0..<5 {
            let operation = try desk.operation(open: place == 0 ? nil : "a")
            rows += desk.store([operation]).outgoing
        }
        #expect(desk.replicator.unconfirmedCount == 2)
        desk.replicator.connected(stream: "s", first: 1, last: 0)
        let first = desk.published()
        #expect(first.map(\.id.place) == [1, 2])
        for (id, _) in first { desk.replicator.acknowledged(id) }
        #expect(words(desk.replicator.takeActions()).contains("rows after 2"))
        desk.replicator.take(rows: Array(rows[2...3]), isLast: false)
        #expect(desk.published().map(\.id.place) == [3, 4])
    }

    @Test func `an operation that is read is merged, and the cursor follows when it is stored`() throws {
        let desk = try Desk()
        let messages = try messages(3)
        desk.replicator.connected(stream: "s", first: 1, last: 3)
        #expect(words(desk.replicator.takeActions()).first == "read 1")
        for (place, message) in messages.enumerated() { desk.replicator.arrived(message, sequence: UInt64(place + 1)) }
        #expect(words(desk.replicator.takeActions()) == ["merge n2:1 1", "merge n2:2 2", "merge n2:3 3"])
        #expect(desk.store([]).cursor == nil)
        #expect(desk.store([], settled: [1]).cursor == StreamCursor(stream: "s", sequence: 1))
        #expect(desk.store([], settled: [3]).cursor == nil, "what waits holds the cursor back")
        #expect(desk.store([], settled: [2]).cursor == StreamCursor(stream: "s", sequence: 3))
    }

    @Test func `a message behind a gap is not taken, and what lies between is read`() throws {
        let desk = try Desk()
        let messages = try messages(3)
        desk.replicator.connected(stream: "s", first: 1, last: 3)
        _ = desk.replicator.takeActions()
        desk.replicator.arrived(messages[0], sequence: 1)
        desk.replicator.arrived(messages[2], sequence: 3)
        #expect(words(desk.replicator.takeActions()) == ["merge n2:1 1", "read 2"])
        desk.replicator.arrived(messages[2], sequence: 3)
        #expect(desk.replicator.takeActions().isEmpty, "it is asked for once a second")
        desk.replicator.arrived(messages[1], sequence: 2)
        desk.replicator.arrived(messages[1], sequence: 2)
        #expect(words(desk.replicator.takeActions()) == ["merge n2:2 2"])
        desk.replicator.milliseconds = 5_000
        desk.replicator.streamEnds(at: 3)
        #expect(words(desk.replicator.takeActions()) == ["read 3"])
    }

    @Test func `after a commit that failed it is read again what was not stored`() throws {
        let desk = try Desk()
        let messages = try messages(2)
        desk.replicator.connected(stream: "s", first: 1, last: 2)
        desk.replicator.arrived(messages[0], sequence: 1)
        desk.store([], settled: [1])
        desk.replicator.arrived(messages[1], sequence: 2)
        _ = desk.replicator.takeActions()
        desk.replicator.fell([desk.replicator.record([], settled: [2])], [])
        #expect(words(desk.replicator.takeActions()).contains("read 2"))
        desk.replicator.arrived(messages[1], sequence: 2)
        #expect(words(desk.replicator.takeActions()) == ["merge n2:2 2"])
    }

    @Test func `an operation larger than a message goes in parts, and is merged when all are there`() throws {
        let parts = try messages(1, bytesMax: 40)
        #expect(parts.count > 3)
        let desk = try Desk()
        desk.replicator.connected(stream: "s", first: 1, last: UInt64(parts.count))
        _ = desk.replicator.takeActions()
        for (place, part) in parts.enumerated() { desk.replicator.arrived(part, sequence: UInt64(place + 1)) }
        let last = UInt64(parts.count)
        #expect(words(desk.replicator.takeActions()) == ["merge n2:1 \(last)"])
        #expect(desk.store([], settled: [last]).cursor?.sequence == last)
    }

    @Test func `our own operation that comes back from the stream is confirmed`() throws {
        var desk = try Desk()
        desk.replicator.connected(stream: "s", first: 1, last: 0)
        let operation = try desk.operation()
        desk.store([operation])
        let (_, message) = try #require(desk.published().first)
        desk.replicator.arrived(message, sequence: 1)
        #expect(words(desk.replicator.takeActions()) == ["confirmed n1:1"] && !desk.replicator.hasUnconfirmed)
        let record = desk.store([])
        #expect(record.confirmed == [1] && record.cursor?.sequence == 1)
    }

    @Test func `another stream, or one that has lost its end, is read from its beginning`() throws {
        let start = ReplicationStart(cursor: StreamCursor(stream: "s", sequence: 7))
        let same = try Desk(start: start)
        same.replicator.connected(stream: "s", first: 3, last: 9)
        #expect(words(same.replicator.takeActions()).first == "read 8")
        let lost = try Desk(start: start)
        lost.replicator.connected(stream: "s", first: 1, last: 6)
        #expect(words(lost.replicator.takeActions()) == ["note", "read 1", "broadcast"])
        let other = try Desk(start: start)
        other.replicator.connected(stream: "t", first: 1, last: 9)
        #expect(words(other.replicator.takeActions()) == ["note", "read 1", "broadcast"])
        let retired = try Desk(start: start)
        retired.replicator.connected(stream: "s", first: 20, last: 30)
        #expect(words(retired.replicator.takeActions()) == ["note", "read 20", "broadcast"])
    }

    @Test func `a daemon that writes is current once the stream is read to where it ended`() throws {
        let desk = try Desk()
        let messages = try messages(2)
        #expect(!desk.replicator.isCurrent)
        desk.replicator.connected(stream: "s", first: 1, last: 2)
        desk.replicator.arrived(messages[0], sequence: 1)
        #expect(desk.replicator.isCatchingUp && !desk.replicator.isCurrent)
        desk.replicator.arrived(messages[1], sequence: 2)
        #expect(desk.replicator.isCurrent)
    }

    // MARK: - Who writes under which name

    @Test func `a dot of ours that we do not know means that our state was put back: nothing is written any more`()
        throws
    {
        let desk = try Desk()
        let messages = try messages(1, of: "n1")
        desk.replicator.connected(stream: "s", first: 1, last: 1)
        _ = desk.replicator.takeActions()
        // The same name, and another run that made it.
        let other = try Desk("n1", run: 2)
        other.replicator.connected(stream: "s", first: 1, last: 1)
        other.replicator.arrived(messages[0], sequence: 1)
        let actions = words(other.replicator.takeActions())
        #expect(actions.contains("read only") && actions.contains("merge n1:1 1"))
        #expect(other.replicator.readOnlyReason?.contains("n1") == true)
    }

    @Test func `a dot that this run used and another run made means that two have one name`() throws {
        let messages = try messages(1, of: "n1")
        var desk = try Desk("n1", run: 2)
        desk.replicator.connected(stream: "s", first: 1, last: 0)
        let operation = try desk.operation()
        desk.store([operation])
        _ = desk.replicator.takeActions()
        desk.replicator.arrived(messages[0], sequence: 1)
        #expect(words(desk.replicator.takeActions()) == ["read only"])
        let press = try desk.operation(open: "a")
        desk.store([press])
        desk.replicator.milliseconds = 60_000
        #expect(desk.published().isEmpty, "it publishes nothing any more")
    }

    @Test func `somebody else who is here under our name is told from an earlier run of our own`() throws {
        func hear(run: UInt32, after milliseconds: Int64) throws -> Bool {
            let desk = try Desk("n1", run: 5)
            let other = try Desk("n1", run: run)
            other.replicator.connected(stream: "s", first: 1, last: 0)
            desk.replicator.milliseconds = milliseconds
            for case .broadcast(let text) in other.replicator.takeActions() { desk.replicator.heard(text) }
            return desk.replicator.readOnlyReason != nil
        }
        #expect(try !hear(run: 4, after: 100), "its last words may come late")
        #expect(try hear(run: 4, after: 11_000))
        #expect(try hear(run: 6, after: 100))
    }
}
