// Why this file exists: what is on disk becomes a state again, and what was damaged there does not become part of it.

import AccordionModel
import Causality
import Wire

extension Opened {
    func outlines(after name: DocumentName?, limit: Int) throws(StoreFailure) -> [DocumentOutline] {
        let statement = try statement(
            "SELECT \(DocumentRow.columns) FROM document WHERE name > ? ORDER BY name LIMIT ?")
        try statement.bind(1, name?.text ?? "")
        try statement.bind(2, Int64(limit))
        defer { statement.reset() }
        let made = Int(clamping: try Meta(database).number(.documents) ?? 0)
        var outlines: [DocumentOutline] = []
        outlines.reserveCapacity(min(max(made, 0), 1 << 20))
        var rows = 0
        defer { rowsSetAside += max(0, made - rows) }
        while try statement.step() {
            rows += 1
            if let row = DocumentRow(statement) {
                outlines.append(row.outline)
                continue
            }
            rowsSetAside += 1
            guard let name = DocumentName(statement.text(1)) else { continue }
            outlines.append(
                DocumentOutline(
                    name: name, exists: true, title: "", sections: 0, open: 0, tasks: 0, done: 0,
                    version: VersionVector()))
        }
        return outlines
    }

    func load(_ name: DocumentName) throws(StoreFailure) -> StoredDocument? {
        guard let row = try row(of: name) else { return nil }
        let parts = try parts(of: row)
        rowsSetAside += parts.rowsSetAside
        guard !parts.content.isEmpty else {
            throw StoreFailure(.damaged, "its content is damaged; `accordiond --check` says more")
        }
        let state = SharedState(
            version: row.outline.version, clock: HybridClock(latest: row.clock), content: parts.content,
            flags: parts.flags)
        return StoredDocument(
            name: name, state: state, nextHistoryNumber: row.nextHistoryNumber, rowsSetAside: parts.rowsSetAside)
    }

    /// The registers of a document, without damaged rows.
    struct DocumentParts {
        var content = CausalRegister<Content>()
        var flags: [FlagRegister: CausalRegister<Setting>] = [:]
        /// What was damaged, in words.
        var faults: [String] = []
        var rows: Int64 = 0
        var digest: Int64 = 0
        /// Damaged rows, and those that are missing.
        var rowsSetAside = 0
    }

    func parts(of row: DocumentRow) throws(StoreFailure) -> DocumentParts {
        var parts = DocumentParts()
        try readContents(of: row, &parts)
        try readFlags(of: row, &parts)
        parts.rowsSetAside = parts.faults.count
        if parts.rows != row.rows {
            parts.rowsSetAside += Int(clamping: max(0, row.rows - parts.rows))
            parts.faults.append("\(row.rows) rows belong to it, \(parts.rows) are there")
        } else if parts.digest != row.digest, parts.faults.isEmpty {
            parts.rowsSetAside = 1
            parts.faults.append("its rows are not those that were stored last")
        }
        return parts
    }

    private func readContents(of row: DocumentRow, _ parts: inout DocumentParts) throws(StoreFailure) {
        let statement = try statement(
            """
            SELECT node, counter, born, milliseconds, count, by, session, body, checksum FROM content
            WHERE document = ? ORDER BY node, counter
            """)
        try statement.bind(1, row.id)
        defer { statement.reset() }
        while try statement.step() {
            parts.rows += 1
            parts.digest ^= statement.integer(8)
            let body = statement.isNull(7) ? nil : statement.blob(7)
            let counter = statement.integer(1)
            let stamp = Stamp(milliseconds: statement.integer(3), count: statement.integer(4))
            guard let node = NodeName(statement.text(0)),
                statement.integer(8)
                    == RowChecksum.content(
                        document: row.id, Dot(node: node, counter: counter), born: statement.integer(2), stamp,
                        by: statement.text(5), session: statement.integer(6), body),
                row.outline.version.covers(Dot(node: node, counter: counter))
            else {
                parts.faults.append("a content is damaged")
                continue
            }
            var document: Document?
            if let body {
                do throws(Failure) {
                    document = try DocumentFile(reading: body.span, limits: .accepted).document
                } catch {
                    parts.faults.append("a content can't be read: \(error.message)")
                    continue
                }
            }
            parts.content.write(
                Sibling(
                    dot: Dot(node: node, counter: counter),
                    value: Content(born: statement.integer(2), document: document), stamp: stamp,
                    by: statement.text(5), session: UInt64(bitPattern: statement.integer(6))),
                replacing: DotSet())
        }
    }

    private func readFlags(of row: DocumentRow, _ parts: inout DocumentParts) throws(StoreFailure) {
        let statement = try statement(
            "SELECT born, field, path, siblings, checksum FROM flag WHERE document = ?")
        try statement.bind(1, row.id)
        defer { statement.reset() }
        parts.flags.reserveCapacity(Int(clamping: min(max(row.rows, 0), 1 << 18)))
        while try statement.step() {
            parts.rows += 1
            parts.digest ^= statement.integer(4)
            let packed = statement.blob(3)
            guard let raw = UInt8(exactly: statement.integer(1)), let field = Field(rawValue: raw) else {
                parts.faults.append("a flag is damaged")
                continue
            }
            let register = FlagRegister(
                field, born: statement.integer(0), path: SectionPath(statement.text(2)))
            guard RowChecksum.flag(document: row.id, register, packed) == statement.integer(4),
                let siblings = Opened.siblings(packed, within: row.outline.version)
            else {
                parts.faults.append("a flag is damaged")
                continue
            }
            parts.flags[register] = siblings
        }
    }

    /// Nil where they can't be what was stored.
    private static func siblings(_ packed: [UInt8], within version: VersionVector) -> CausalRegister<Setting>? {
        var unpacker = Unpacker(packed)
        do throws(Unreadable) {
            let register = try unpacker.siblings()
            var isKnown = !register.isEmpty
            register.forEach { if !version.covers($0.dot) { isKnown = false } }
            return isKnown ? register : nil
        } catch {
            return nil
        }
    }
}
