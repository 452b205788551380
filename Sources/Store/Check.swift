// Why this file exists: whether a state is whole is asked before an upgrade, after a crash and before a backup is trusted.
// SQLite knows whether its pages are in order; whether every row is the one that was stored, we know.

import AccordionModel
import Causality

/// What `DocumentStore.check` found.
package struct CheckReport: Sendable {
    /// What is damaged, one finding a line, at most `linesMax` of them.
    package var findings: [String] = []
    package var documents = 0
    package var historyEntries: Int64 = 0
    package static let linesMax = 1_000

    package var isWhole: Bool { findings.isEmpty }

    mutating func add(_ finding: String) { if findings.count < CheckReport.linesMax { findings.append(finding) } }
}

extension DocumentStore {
    /// Reads everything in `directory`, also while a daemon writes to it; changes nothing. Throws where it can't be opened.
    package static func check(_ directory: String) throws(StoreFailure) -> CheckReport {
        let path = directory + "/" + fileName
        guard System.exists(path) else { throw StoreFailure(.refused, "there is no state in \(directory)") }
        let opened = try Opened(reading: path)
        defer { opened.close() }
        try Migrations.examine(opened.database)
        return try opened.report()
    }
}

extension Opened {
    /// What is damaged at one moment of the database, whatever a daemon writes meanwhile. Damage that ends the reading is a
    /// finding too.
    func report() throws(StoreFailure) -> CheckReport {
        var report = CheckReport()
        do throws(StoreFailure) {
            try database.run("BEGIN")
            let pages = try database.prepare("PRAGMA integrity_check(100)")
            while try pages.step() {
                if pages.text(0) != "ok" { report.add("pages: \(pages.text(0))") }
            }
            try check(&report)
            try database.run("COMMIT")
        } catch {
            guard error.kind == .damaged else { throw error }
            report.add("the reading ended early: \(error.message)")
        }
        return report
    }

    private func check(_ report: inout CheckReport) throws(StoreFailure) {
        try checkMeta(&report)
        var rows: [DocumentRow] = []
        let documents = try statement("SELECT \(DocumentRow.columns) FROM document ORDER BY id")
        while try documents.step() {
            report.documents += 1
            if let row = DocumentRow(documents) {
                rows.append(row)
            } else {
                report.add("the row \(documents.integer(0)) of a document is damaged")
            }
        }
        let made = try Meta(database).number(.documents) ?? 0
        if made > Int64(report.documents) {
            report.add("\(made) documents were made, \(report.documents) are there")
        }
        try checkTotals(&report)
        try checkLostContents(&report)
        try checkReplication(&report)
        for row in rows {
            let parts = try parts(of: row)
            for fault in parts.faults { report.add("\(row.outline.name): \(fault)") }
            try checkHistory(of: row, &report)
        }
        for table in ["content", "flag", "history"] {
            let strays = try database.number(
                "SELECT count(*) FROM \(table) WHERE document NOT IN (SELECT id FROM document)")
            if let strays, strays > 0 { report.add("\(strays) rows of \(table) belong to no document") }
        }
    }

    private func checkMeta(_ report: inout CheckReport) throws(StoreFailure) {
        let meta = Meta(database)
        for key in Meta.Key.allCases where try meta.get(key) == nil {
            report.add("what the state says of itself is damaged or missing: \(key.rawValue)")
        }
    }

    /// Each row of the history says how many entries there were ever, its own included: so one that is gone is missed, the
    /// oldest too.
    private func checkTotals(_ report: inout CheckReport) throws(StoreFailure) {
        let statement = try statement("SELECT id, count, total FROM history ORDER BY id")
        var total = try Meta(database).number(.retired) ?? 0
        while try statement.step() {
            if total &+ statement.integer(1) != statement.integer(2) {
                report.add("history is missing or damaged before its row \(statement.integer(0))")
            }
            total = statement.integer(2)
        }
    }

    private func checkLostContents(_ report: inout CheckReport) throws(StoreFailure) {
        let statement = try statement("SELECT history, node, counter, by, body, checksum FROM lost_content")
        while try statement.step() {
            let checksum = RowChecksum.lost(
                history: statement.integer(0), node: statement.text(1), counter: statement.integer(2),
                by: statement.text(3), statement.blob(4))
            if checksum != statement.integer(5) {
                report.add(
                    "a content that lost to another is damaged, beside the row \(statement.integer(0)) of history")
            }
        }
    }

    private func checkHistory(of row: DocumentRow, _ report: inout CheckReport) throws(StoreFailure) {
        let statement = try statement(
            """
            SELECT first, count, total, milliseconds, entries, checksum FROM history
            WHERE document = ? ORDER BY first DESC
            """)
        try statement.bind(1, row.id)
        var next = row.nextHistoryNumber
        while try statement.step() {
            let (first, count) = (statement.integer(0), statement.integer(1))
            report.historyEntries += max(0, count)
            guard let entries = Opened.entries(statement, row.id) else {
                report.add("\(row.outline.name): the history from entry \(first) on is damaged")
                next = first
                continue
            }
            if first &+ count != next {
                report.add("\(row.outline.name): history is missing between entries \(first &+ count) and \(next)")
            }
            if let entry = entries.first(where: { !row.outline.version.covers($0.dot) }) {
                report.add(
                    "\(row.outline.name): its version does not include the write of history entry \(entry.number)")
            }
            next = first
        }
    }
}
