// Why this file exists: what a turn has changed becomes one transaction. Each register is one row however often it changed,
// and the turn's history of a document is one row more.

import AccordionModel
import Bytes
import Causality
import Wire

extension Opened {
    func commit(
        _ deltas: [DocumentDelta], _ replication: ReplicationDelta = ReplicationDelta()
    ) throws(StoreFailure) {
        try ensureOpen()
        do throws(StoreFailure) {
            try ensureOwnFiles()
            try database.transaction { () throws(StoreFailure) in
                for delta in deltas { try store(delta) }
                try store(replication)
            }
            noteLogFile()
        } catch {
            historyTotal = nil
            // A failure that is worse is not forgotten for a milder one.
            if lastFailure == nil || lastFailure == .untouched || lastFailure == .full && error.kind != .untouched {
                lastFailure = error.kind
            }
            throw error
        }
    }

    /// The row of a document; nil where there is none. A damaged one is an error: nothing may be put in its place.
    func row(of name: DocumentName) throws(StoreFailure) -> DocumentRow? {
        try ensureOpen()
        let statement = try statement("SELECT \(DocumentRow.columns) FROM document WHERE name = ?")
        try statement.bind(1, name.text)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        guard let row = DocumentRow(statement), row.outline.name == name else {
            throw StoreFailure(.damaged, "its row is damaged; `accordiond --check` says more")
        }
        return row
    }

    private func store(_ delta: DocumentDelta) throws(StoreFailure) {
        var row: DocumentRow
        var isNew = false
        if let known = try self.row(of: delta.outline.name) {
            row = known
        } else {
            row = DocumentRow(new: try nextDocument(), delta.outline)
            isNew = true
        }
        let before = row.outline.version
        row.outline = delta.outline
        row.clock = delta.clock
        if let content = delta.content { try store(content, &row) }
        if delta.isWhole { try removeFlags(&row) }
        for change in delta.flags { try store(change, &row) }
        try store(history: delta, &row, before: isNew ? VersionVector() : before)
        packer.removeAll()
        packer.version(delta.outline.version)
        row.versionBytes = packer.bytes
        try write(row, isNew: isNew)
    }

    /// A number that no document has had.
    private func nextDocument() throws(StoreFailure) -> Int64 {
        let meta = Meta(database)
        guard let made = try meta.number(.documents), made >= 0, made < .max else {
            throw StoreFailure(
                .damaged, "\(path): the count of documents is damaged; it is made anew at the next start")
        }
        try meta.set(.documents, made + 1)
        return made + 1
    }

    private func write(_ row: DocumentRow, isNew: Bool) throws(StoreFailure) {
        let statement = try statement(
            isNew
                ? "INSERT INTO document (\(DocumentRow.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                : """
                UPDATE document SET version = ?3, clock_milliseconds = ?4, clock_count = ?5, is_present = ?6, title = ?7,
                    sections = ?8, open = ?9, tasks = ?10, done = ?11, next_history = ?12, rows = ?13, digest = ?14,
                    checksum = ?15
                WHERE id = ?1 AND name = ?2
                """)
        try statement.bind(1, row.id)
        try statement.bind(2, row.outline.name.text)
        try statement.bind(3, row.versionBytes)
        try statement.bind(4, row.clock.milliseconds)
        try statement.bind(5, row.clock.count)
        try statement.bind(6, row.outline.exists ? 1 : 0)
        try statement.bind(7, row.outline.title)
        try statement.bind(8, Int64(row.outline.sections))
        try statement.bind(9, Int64(row.outline.open))
        try statement.bind(10, Int64(row.outline.tasks))
        try statement.bind(11, Int64(row.outline.done))
        try statement.bind(12, row.nextHistoryNumber)
        try statement.bind(13, row.rows)
        try statement.bind(14, row.digest)
        try statement.bind(15, row.checksum)
        try statement.run()
    }

    // MARK: - Flags

    private func store(_ change: DocumentDelta.FlagChange, _ row: inout DocumentRow) throws(StoreFailure) {
        let register = change.register
        let known = try statement(
            "SELECT checksum FROM flag WHERE document = ? AND born = ? AND field = ? AND path = ?")
        try bind(known, register, row.id)
        if try known.step() {
            row.rows -= 1
            row.digest ^= known.integer(0)
        }
        known.reset()
        guard !change.siblings.isEmpty else {
            let removal = try statement(
                "DELETE FROM flag WHERE document = ? AND born = ? AND field = ? AND path = ?")
            try bind(removal, register, row.id)
            return try removal.run()
        }
        packer.removeAll()
        packer.siblings(change.siblings)
        let checksum = RowChecksum.flag(document: row.id, register, packer.bytes)
        let insertion = try statement(
            "INSERT OR REPLACE INTO flag (document, born, field, path, siblings, checksum) VALUES (?, ?, ?, ?, ?, ?)")
        try bind(insertion, register, row.id)
        try insertion.bind(5, packer.bytes)
        try insertion.bind(6, checksum)
        try insertion.run()
        row.rows += 1
        row.digest ^= checksum
    }

    private func bind(_ statement: Statement, _ register: FlagRegister, _ document: Int64) throws(StoreFailure) {
        try statement.bind(1, document)
        try statement.bind(2, register.born)
        try statement.bind(3, Int64(register.field.rawValue))
        try statement.bind(4, register.path.text)
    }

    private func removeFlags(_ row: inout DocumentRow) throws(StoreFailure) {
        let known = try statement("SELECT checksum FROM flag WHERE document = ?")
        try known.bind(1, row.id)
        while try known.step() {
            row.rows -= 1
            row.digest ^= known.integer(0)
        }
        let removal = try statement("DELETE FROM flag WHERE document = ?")
        try removal.bind(1, row.id)
        try removal.run()
    }

    // MARK: - Content

    /// Contents are large: those that stay are not written again.
    private func store(_ register: CausalRegister<Content>, _ row: inout DocumentRow) throws(StoreFailure) {
        var kept: Set<Dot> = []
        var gone: [(node: String, counter: Int64, checksum: Int64)] = []
        let known = try statement("SELECT node, counter, checksum FROM content WHERE document = ?")
        try known.bind(1, row.id)
        while try known.step() {
            let (node, counter) = (known.text(0), known.integer(1))
            if let name = NodeName(node), register.contains(Dot(node: name, counter: counter)) {
                kept.insert(Dot(node: name, counter: counter))
            } else {
                gone.append((node, counter, known.integer(2)))
            }
        }
        let removal = try statement("DELETE FROM content WHERE document = ? AND node = ? AND counter = ?")
        for sibling in gone {
            try removal.bind(1, row.id)
            try removal.bind(2, sibling.node)
            try removal.bind(3, sibling.counter)
            try removal.run()
            row.rows -= 1
            row.digest ^= sibling.checksum
        }
        for sibling in register.latestFirst where !kept.contains(sibling.dot) { try insert(sibling, &row) }
    }

    private func insert(_ sibling: Sibling<Content>, _ row: inout DocumentRow) throws(StoreFailure) {
        let body = Opened.body(of: sibling.value, row.outline.name)
        let checksum = RowChecksum.content(
            document: row.id, sibling.dot, born: sibling.value.born, sibling.stamp, by: sibling.by,
            session: Int64(bitPattern: sibling.session), body)
        let insertion = try statement(
            """
            INSERT INTO content (document, node, counter, born, milliseconds, count, by, session, body, checksum)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        try insertion.bind(1, row.id)
        try insertion.bind(2, sibling.dot.node.description)
        try insertion.bind(3, sibling.dot.counter)
        try insertion.bind(4, sibling.value.born)
        try insertion.bind(5, sibling.stamp.milliseconds)
        try insertion.bind(6, sibling.stamp.count)
        try insertion.bind(7, sibling.by)
        try insertion.bind(8, Int64(bitPattern: sibling.session))
        try insertion.bind(9, body)
        try insertion.bind(10, checksum)
        try insertion.run()
        insertion.reset()
        row.rows += 1
        row.digest ^= checksum
    }

    /// A document as its JSON; nil for a tombstone.
    private static func body(of content: Content, _ name: DocumentName) -> [UInt8]? {
        guard let document = content.document else { return nil }
        let frame = Frame(capacityBytes: 512 + document.textBytes * 2)
        DocumentFile.write(document, name: name, into: frame)
        return frame.withSpan { span in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(span.count)
            for place in span.indices { bytes.append(span[place]) }
            return bytes
        }
    }

    // MARK: - History

    /// A row ends with the entry that reaches one of these, so that reading one page never unpacks much more than it.
    private static var rowEntriesMax: Int { 1_000 }
    private static var rowBytesMax: Int { 128 << 10 }

    private func store(
        history delta: DocumentDelta, _ row: inout DocumentRow, before version: VersionVector
    ) throws(StoreFailure) {
        // A commit that failed may be there all the same; with `relaxed` it is tried again, and may then hold more besides.
        var rest = delta.history.drop { $0.number < row.nextHistoryNumber && version.covers($0.dot) }
        let isNew = !rest.isEmpty
        while !rest.isEmpty {
            packer.removeAll()
            let count = packer.history(rest, entriesMax: Opened.rowEntriesMax, bytesMax: Opened.rowBytesMax)
            let packed = rest.prefix(count)
            for entry in packed {
                guard entry.number == row.nextHistoryNumber else {
                    throw StoreFailure(
                        .refused,
                        "the history of \(row.outline.name) goes on with \(row.nextHistoryNumber), not \(entry.number)")
                }
                row.nextHistoryNumber += 1
            }
            try store(packed, packer.bytes, row)
            rest = rest.dropFirst(count)
        }
        guard !delta.lostContents.isEmpty, isNew else { return }
        let place = database.lastRow
        for content in delta.lostContents { try store(lost: content, at: place, delta.outline.name) }
    }

    private func store(
        _ entries: ArraySlice<HistoryEntry>, _ bytes: [UInt8], _ row: DocumentRow
    ) throws(StoreFailure) {
        guard let first = entries.first, let last = entries.last else { return }
        let total = try lastHistoryTotal() &+ Int64(entries.count)
        let entry = HistoryRow(
            document: row.id, first: first.number, count: Int64(entries.count), total: total,
            milliseconds: last.stamp.milliseconds, entries: bytes)
        let insertion = try statement(
            """
            INSERT INTO history (document, first, count, total, milliseconds, entries, checksum)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        try insertion.bind(1, entry.document)
        try insertion.bind(2, entry.first)
        try insertion.bind(3, entry.count)
        try insertion.bind(4, entry.total)
        try insertion.bind(5, entry.milliseconds)
        try insertion.bind(6, entry.entries)
        try insertion.bind(7, RowChecksum.history(entry))
        try insertion.run()
        historyTotal = total
    }

    /// How many entries were ever written.
    func lastHistoryTotal() throws(StoreFailure) -> Int64 {
        if let historyTotal { return historyTotal }
        let newest = try statement(
            "SELECT first, count, total, milliseconds, entries, checksum, document FROM history ORDER BY id DESC LIMIT 8"
        )
        defer { newest.reset() }
        // A damaged number here would take all history for too much.
        while try newest.step() {
            if Opened.entries(newest, newest.integer(6)) != nil { return newest.integer(2) }
        }
        return try Meta(database).number(.retired) ?? 0
    }

    private func store(
        lost content: Sibling<Content>, at place: Int64, _ name: DocumentName
    ) throws(StoreFailure) {
        guard let body = Opened.body(of: content.value, name) else { return }
        let checksum = RowChecksum.lost(
            history: place, node: content.dot.node.description, counter: content.dot.counter, by: content.by, body)
        let insertion = try statement(
            "INSERT OR REPLACE INTO lost_content (history, node, counter, by, body, checksum) VALUES (?, ?, ?, ?, ?, ?)"
        )
        try insertion.bind(1, place)
        try insertion.bind(2, content.dot.node.description)
        try insertion.bind(3, content.dot.counter)
        try insertion.bind(4, content.by)
        try insertion.bind(5, body)
        try insertion.bind(6, checksum)
        try insertion.run()
        insertion.reset()
    }
}
