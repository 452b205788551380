// Why this file exists: history is written far more often than it is read, so it has no index beyond its place; a reader
// goes back from the newest, turn by turn, and stops as soon as it has enough.

import AccordionModel
import Causality

extension Opened {
    /// How many turns are looked through for one person's own writes.
    static let ownRowsMax = 20_000
    /// And for one section's history, in one request.
    static let sectionRowsMax = 200_000

    func history(
        _ name: DocumentName, section: SectionPath?, before: Int64?, limit: Int, bytesMax: Int
    ) throws(StoreFailure) -> HistoryPage {
        var page = HistoryPage()
        guard let row = try row(of: name) else { return page }
        var bytes = 0
        guard limit > 0 else { return page }
        try scan(row.id, before: before, rowsMax: section == nil ? .max : Opened.sectionRowsMax, &page.rowsSetAside) {
            entry in
            if let before, entry.number >= before { return true }
            if let section {
                guard entry.flags.contains(where: { $0.section == section }) else { return true }
                page.entries.append(entry.only(section))
            } else {
                page.entries.append(entry)
            }
            bytes += 128 + entry.by.utf8.count + entry.flags.reduce(0) { $0 + 32 + $1.section.text.utf8.count }
            return page.entries.count < limit && bytes < bytesMax
        }
        rowsSetAside += page.rowsSetAside
        return page
    }

    func ownWrites(
        _ name: DocumentName, by person: String, node: NodeName, limit: Int
    ) throws(StoreFailure) -> [HistoryEntry] {
        guard let row = try row(of: name) else { return [] }
        var entries: [HistoryEntry] = []
        guard limit > 0 else { return entries }
        var damaged = 0
        try scan(row.id, before: nil, rowsMax: Opened.ownRowsMax, &damaged) { entry in
            if entry.by == person, entry.dot.node == node, entry.content == nil { entries.append(entry) }
            return entries.count < limit
        }
        rowsSetAside += damaged
        return entries
    }

    /// Gives every entry to `take`, newest first, until it returns false or `rowsMax` turns were read.
    private func scan(
        _ document: Int64, before: Int64?, rowsMax: Int, _ damaged: inout Int, _ take: (HistoryEntry) -> Bool
    ) throws(StoreFailure) {
        let statement = try statement(
            """
            SELECT first, count, total, milliseconds, entries, checksum FROM history
            WHERE document = ? AND first < ? ORDER BY first DESC
            """)
        try statement.bind(1, document)
        try statement.bind(2, before ?? .max)
        defer { statement.reset() }
        var rows = 0
        while rows < rowsMax, try statement.step() {
            rows += 1
            guard let entries = Opened.entries(statement, document) else {
                damaged += 1
                continue
            }
            for entry in entries.reversed() where !take(entry) { return }
        }
    }

    /// The entries of the row that `statement` stands at; nil where it is damaged.
    static func entries(_ statement: Statement, _ document: Int64) -> [HistoryEntry]? {
        let row = HistoryRow(
            document: document, first: statement.integer(0), count: statement.integer(1), total: statement.integer(2),
            milliseconds: statement.integer(3), entries: statement.blob(4))
        guard statement.integer(5) == RowChecksum.history(row) else { return nil }
        var unpacker = Unpacker(row.entries)
        do throws(Unreadable) { return try unpacker.history(first: row.first, count: row.count) } catch { return nil }
    }

    func retire(olderThan milliseconds: Int64, entriesMax: Int64, rowsMax: Int) throws(StoreFailure) -> Int {
        let newest = try lastHistoryTotal()
        let statement = try statement("SELECT id, total, milliseconds FROM history ORDER BY id LIMIT ?")
        try statement.bind(1, Int64(clamping: rowsMax))
        var (rows, last, total): (Int, Int64, Int64) = (0, 0, 0)
        while try statement.step() {
            guard statement.integer(2) < milliseconds || statement.integer(1) <= newest &- entriesMax else { break }
            rows += 1
            (last, total) = (statement.integer(0), statement.integer(1))
        }
        statement.reset()
        guard rows > 0 else { return 0 }
        try database.transaction { () throws(StoreFailure) in
            for text in ["DELETE FROM lost_content WHERE history <= ?", "DELETE FROM history WHERE id <= ?"] {
                let removal = try self.statement(text)
                try removal.bind(1, last)
                try removal.run()
            }
            try Meta(database).set(.retired, total)
        }
        historyTotal = nil
        return rows
    }
}

extension HistoryEntry {
    /// The entry with what it did to one section alone.
    fileprivate func only(_ section: SectionPath) -> HistoryEntry {
        HistoryEntry(
            number: number, dot: dot, stamp: stamp, by: by, kind: kind, born: born, target: target,
            flags: flags.filter { $0.section == section }, content: content,
            conflicts: conflicts.filter { $0.section == section }, lostContents: lostContents)
    }
}
