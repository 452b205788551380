// Why this file exists: a daemon of a cluster owes the others what it wrote, and must know to where it has read what they
// wrote. Both are true only together with the documents, so they are stored in the same transaction.

import AccordionModel
import Causality

/// A write that the broker may not have yet.
package struct OutgoingEntry: Sendable, Equatable {
    /// Counted from 1 in the order of the commits, through all runs.
    package var place: Int64
    package var document: DocumentName
    package var dot: Dot
    /// The run of the daemon that made it.
    package var instance: String
    /// The operation, as it goes out.
    package var text: [UInt8]

    package init(place: Int64, document: DocumentName, dot: Dot, instance: String, text: [UInt8]) {
        self.place = place
        self.document = document
        self.dot = dot
        self.instance = instance
        self.text = text
    }
}

/// All of the stream up to `sequence` is stored here, or was in vain.
package struct StreamPlace: Sendable, Equatable {
    package var stream: String
    package var sequence: UInt64

    package init(stream: String, sequence: UInt64) {
        self.stream = stream
        self.sequence = sequence
    }
}

/// What a turn changes of what is owed and read.
package struct ReplicationDelta: Sendable {
    /// Nil: as it was.
    package var place: StreamPlace?
    /// In ascending order; those whose place was stored before are passed over, so that a commit can be tried again.
    package var outgoing: [OutgoingEntry] = []
    /// Places of entries that the broker has: they go.
    package var confirmed: [Int64] = []
    /// Entries of these writes go too, wherever they stand.
    package var confirmedDots: [(document: DocumentName, dot: Dot)] = []

    package init() {}

    var isEmpty: Bool { place == nil && outgoing.isEmpty && confirmed.isEmpty && confirmedDots.isEmpty }
}

/// How a run finds what is owed and read.
package struct ReplicationStanding: Sendable, Equatable {
    /// Nil where nothing was read, or what said so is damaged.
    package var place: StreamPlace?
    /// The highest place that an entry ever had, as far as it is known.
    package var lastPlace: Int64 = 0
    package var hasOutgoing = false

    package init() {}
}

/// Some of the entries, in order.
package struct OutgoingPage: Sendable {
    package var entries: [OutgoingEntry] = []
    /// There was none behind them.
    package var isLast = true
}

extension DocumentStore {
    /// Stores all of it, or throws and stores nothing.
    package func commit(_ deltas: [DocumentDelta], _ replication: ReplicationDelta) throws(StoreFailure) {
        try with { (opened) throws(StoreFailure) in try opened.commit(deltas, replication) }
    }

    package func replicationStanding() throws(StoreFailure) -> ReplicationStanding {
        try with { (opened) throws(StoreFailure) in try opened.replicationStanding() }
    }

    /// Entries with a higher place than `place`, at most `limit`, which together take about `bytesMax` at most, one at
    /// least. Damaged ones are taken away: they can't go out, and what they held is in the documents.
    package func outgoing(
        after place: Int64, limit: Int, bytesMax: Int = 8 << 20
    ) throws(StoreFailure) -> OutgoingPage {
        try with { (opened) throws(StoreFailure) in
            try opened.outgoing(after: place, limit: limit, bytesMax: bytesMax)
        }
    }
}

extension Opened {
    private enum Key: String, CaseIterable {
        /// "sequence stream".
        case cursor
        case lastPlace = "last_place"
    }

    /// Within a transaction.
    func store(_ delta: ReplicationDelta) throws(StoreFailure) {
        if delta.isEmpty { return }
        if let place = delta.place { try set(.cursor, "\(place.sequence) \(place.stream)") }
        try store(outgoing: delta.outgoing)
        if !delta.confirmed.isEmpty {
            let removal = try statement("DELETE FROM outgoing WHERE place = ?")
            for place in delta.confirmed {
                try removal.bind(1, place)
                try removal.run()
            }
        }
        guard !delta.confirmedDots.isEmpty else { return }
        let removal = try statement("DELETE FROM outgoing WHERE document = ? AND node = ? AND counter = ?")
        for (document, dot) in delta.confirmedDots {
            try removal.bind(1, document.text)
            try removal.bind(2, dot.node.description)
            try removal.bind(3, dot.counter)
            try removal.run()
        }
    }

    private func store(outgoing entries: [OutgoingEntry]) throws(StoreFailure) {
        guard let last = entries.last else { return }
        let stored = try lastPlace()
        guard last.place > stored else { return }
        let insertion = try statement(
            """
            INSERT INTO outgoing (place, document, node, counter, instance, text, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        for entry in entries where entry.place > stored {
            let (document, node) = (entry.document.text, entry.dot.node.description)
            try insertion.bind(1, entry.place)
            try insertion.bind(2, document)
            try insertion.bind(3, node)
            try insertion.bind(4, entry.dot.counter)
            try insertion.bind(5, entry.instance)
            try insertion.bind(6, entry.text)
            try insertion.bind(
                7,
                RowChecksum.outgoing(
                    place: entry.place, document: document, node: node, counter: entry.dot.counter,
                    instance: entry.instance, entry.text))
            try insertion.run()
        }
        insertion.reset()
        try set(.lastPlace, String(last.place))
    }

    func replicationStanding() throws(StoreFailure) -> ReplicationStanding {
        try ensureOpen()
        var standing = ReplicationStanding()
        standing.place = try get(.cursor).flatMap { StreamPlace(stored: $0) }
        standing.lastPlace = try lastPlace()
        standing.hasOutgoing = try database.number("SELECT 1 FROM outgoing LIMIT 1") != nil
        return standing
    }

    private func lastPlace() throws(StoreFailure) -> Int64 {
        if let place = try get(.lastPlace).flatMap({ Int64($0) }) { return place }
        return try database.number("SELECT max(place) FROM outgoing") ?? 0
    }

    func outgoing(after place: Int64, limit: Int, bytesMax: Int) throws(StoreFailure) -> OutgoingPage {
        try ensureOpen()
        var (page, bytes, damaged) = (OutgoingPage(), 0, [Int64]())
        let rows = try statement(
            "SELECT \(Opened.outgoingColumns) FROM outgoing WHERE place > ? ORDER BY place LIMIT ?")
        try rows.bind(1, place)
        try rows.bind(2, Int64(limit) + 1)
        while try rows.step() {
            guard page.entries.count + damaged.count < limit, bytes < bytesMax else {
                page.isLast = false
                break
            }
            if let entry = Opened.outgoingEntry(rows) {
                bytes += entry.text.count
                page.entries.append(entry)
            } else {
                damaged.append(rows.integer(0))
            }
        }
        rows.reset()
        guard !damaged.isEmpty else { return page }
        rowsSetAside += damaged.count
        var delta = ReplicationDelta()
        delta.confirmed = damaged
        try commit([], delta)
        return page
    }

    private static var outgoingColumns: String { "place, document, node, counter, instance, text, checksum" }

    /// Nil for a damaged row.
    private static func outgoingEntry(_ row: Statement) -> OutgoingEntry? {
        let (place, document, node, counter) = (row.integer(0), row.text(1), row.text(2), row.integer(3))
        let (instance, text) = (row.text(4), row.blob(5))
        let checksum = RowChecksum.outgoing(
            place: place, document: document, node: node, counter: counter, instance: instance, text)
        guard checksum == row.integer(6), let name = DocumentName(document), let writer = NodeName(node) else {
            return nil
        }
        return OutgoingEntry(
            place: place, document: name, dot: Dot(node: writer, counter: counter), instance: instance, text: text)
    }

    // MARK: - Rows by key

    private func get(_ key: Key) throws(StoreFailure) -> String? {
        let row = try statement("SELECT value, checksum FROM replication WHERE key = ?")
        try row.bind(1, key.rawValue)
        defer { row.reset() }
        guard try row.step() else { return nil }
        let value = row.text(0)
        return row.integer(1) == Meta.checksum(key.rawValue, value) ? value : nil
    }

    private func set(_ key: Key, _ value: String) throws(StoreFailure) {
        let insertion = try statement("INSERT OR REPLACE INTO replication (key, value, checksum) VALUES (?, ?, ?)")
        try insertion.bind(1, key.rawValue)
        try insertion.bind(2, value)
        try insertion.bind(3, Meta.checksum(key.rawValue, value))
        try insertion.run()
    }

    /// What `--check` says of it. A state that no daemon of this release has opened has nothing of it.
    func checkReplication(_ report: inout CheckReport) throws(StoreFailure) {
        guard try database.number("SELECT 1 FROM sqlite_schema WHERE name = 'outgoing'") != nil else { return }
        let rows = try statement("SELECT \(Opened.outgoingColumns) FROM outgoing ORDER BY place")
        while try rows.step() {
            if Opened.outgoingEntry(rows) == nil {
                report.add("a write that the cluster may not have yet is damaged, at place \(rows.integer(0))")
            }
        }
        for key in Key.allCases {
            guard try database.number("SELECT 1 FROM replication WHERE key = '\(key.rawValue)'") != nil else {
                continue
            }
            if try get(key) == nil { report.add("what the state says of the cluster is damaged: \(key.rawValue)") }
        }
    }
}

extension StreamPlace {
    fileprivate init?(stored text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let sequence = UInt64(parts[0]) else { return nil }
        self.init(stream: String(parts[1]), sequence: sequence)
    }
}
