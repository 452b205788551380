// Why this file exists: `accordion history`: who did what and when, newest first, read a page after the other for as long as
// somebody reads it.

import AccordionModel
import CommandLine
import Mirror
import Wire

enum HistoryCommand {
    /// On a terminal, where nothing else was asked for: newest first, the rest would push them off the screen.
    private static let terminalEntriesMax = 100

    static let table = Command(
        "history", summary: "who did what and when, newest first",
        details: [
            "A line for each change, and for each content. In a pipe a line has the number of the request, the time, who it "
                + "was, the section's path (empty for the whole document), what was done, and \"undo\", \"redo\" or \"lost\" "
                + "where it was that, with tabs between. With --json a line is a whole request as the protocol tells it.",
            "With SECTION only what was done to that section itself. The path of a section that is no longer there finds "
                + "what was done to it.",
            "Without --limit all that is kept is told, on a terminal the last \(terminalEntriesMax) requests.",
        ],
        arguments: [.document, .section],
        options: [
            Option(
                "limit", "n", value: OptionValue("N", .integer(1...Int(Int32.max))), help: "At most so many requests")
        ],
        example: Example("accordion history runbook \"Deploy/Smoke test\"", "who checked it, and when"))

    static func run(_ client: Client) throws(CommandFailure) {
        let name = try client.documentName()
        let output = client.output
        let limit =
            client.invocation.integer("limit")
            ?? (output.isTerminal && !output.isJSON ? terminalEntriesMax : Int.max)
        var section = client.invocation.argument("SECTION").map { SectionPath($0) }
        var page = try entries(client, name, section, before: nil, limit: limit)
        if page.isEmpty, let word = client.invocation.argument("SECTION") {
            guard let document = try client.replica(of: name).document else { return }
            let meant = document[try client.section(word, in: document, of: name)].path
            if meant == section { return }
            section = meant
            page = try entries(client, name, section, before: nil, limit: limit)
        }
        var left = limit
        while let last = page.last {
            for entry in page.prefix(left) { tell(entry, output) }
            left -= min(left, page.count)
            output.flush()
            if last.number <= 1 || (left == 0 && client.invocation.integer("limit") != nil) { return }
            page = try entries(client, name, section, before: last.number, limit: max(left, 1))
            if left == 0 { break }
        }
        if !page.isEmpty { Standard.error("accordion: there is more; --limit N tells as much as is wanted\n") }
    }

    private static func entries(
        _ client: Client, _ name: DocumentName, _ section: SectionPath?, before: Int64?, limit: Int
    ) throws(CommandFailure) -> [ServerHistoryEntry] {
        let reply = try client.ask(
            .history(
                Request.History(
                    name, section: section, before: before, limit: min(limit, Request.History.entriesMax))))
        guard let entries = reply.history else {
            throw CommandFailure(.noDaemon, "the daemon's answer lacks the history")
        }
        // A daemon that answers the same page again must not keep us for ever.
        if let before, entries.contains(where: { $0.number >= before }) {
            throw CommandFailure(.noDaemon, "the daemon answers with another page of the history")
        }
        return entries
    }

    private static func tell(_ entry: ServerHistoryEntry, _ output: Output) {
        if output.isJSON { return output.object { write(entry, $0) } }
        let kind = entry.undo != nil ? "undo" : entry.redo != nil ? "redo" : ""
        for fact in facts(of: entry) {
            let how = fact.isLost ? "lost" : kind
            if output.isTerminal {
                let subject = DisplayText.visible(fact.section.isEmpty ? fact.words : "\(fact.section) \(fact.words)")
                let name = DisplayText.pad(entry.by, toColumns: 12, ending: "…")
                let time = Standard.time(entry.milliseconds, .localDay)
                output.line("\(time)  \(name)  \(subject)\(how.isEmpty ? "" : " (\(how))")")
            } else {
                let time = Standard.time(entry.milliseconds, .utc)
                output.fields(["\(entry.number)", time, entry.by, fact.section, fact.words, how])
            }
        }
    }

    private struct Fact {
        var section = ""
        var words: String
        var isLost = false
    }

    /// At least one: every request is told.
    private static func facts(of entry: ServerHistoryEntry) -> [Fact] {
        var facts = entry.changes.map { change in
            Fact(section: change.section.text, words: words(change.field, change.value), isLost: change.isLost)
        }
        if entry.more > 0 { facts.append(Fact(words: "and \(entry.more) more")) }
        if !entry.effect.isEmpty {
            let measure = entry.measure.map { ": \($0.title), \($0.sections) sections" } ?? ""
            facts.append(Fact(words: "document \(entry.effect)\(measure)"))
        }
        for conflict in entry.conflicts {
            facts.append(Fact(section: conflict.section.text, words: "conflict \(conflict.words)"))
        }
        for lost in entry.lost {
            let what = lost.measure.map { "content \($0.title), \($0.sections) sections" } ?? "deletion"
            facts.append(Fact(words: "\(what) by \(lost.by)", isLost: true))
        }
        return facts.isEmpty ? [Fact(words: "")] : facts
    }

    static func words(_ field: Field, _ value: Bool) -> String {
        field == .open ? (value ? "open" : "closed") : value ? "done" : "not done"
    }

    // MARK: - JSON

    private static func write(_ entry: ServerHistoryEntry, _ writer: JSONWriter) {
        writer.raw("\"number\":")
        writer.integer(Int(entry.number))
        writer.raw(",\"at\":")
        writer.integer(Int(entry.milliseconds))
        writer.raw(",\"by\":")
        writer.string(entry.by)
        writer.raw(",\"node\":")
        writer.string(entry.node)
        writer.raw(",\"counter\":")
        writer.integer(Int(entry.counter))
        if let undo = entry.undo {
            writer.raw(",\"undo\":")
            writer.integer(Int(undo))
        }
        if let redo = entry.redo {
            writer.raw(",\"redo\":")
            writer.integer(Int(redo))
        }
        if !entry.effect.isEmpty {
            writer.raw(",\"content\":{\"effect\":")
            writer.string(entry.effect)
            if let measure = entry.measure { write(measure, writer) }
            writer.raw("}")
        }
        write(entry.changes, more: entry.more, writer)
        if !entry.conflicts.isEmpty {
            writer.raw(",\"conflicts\":")
            writer.array(entry.conflicts) { write($0, writer) }
        }
        guard !entry.lost.isEmpty else { return }
        writer.raw(",\"lost\":")
        writer.array(entry.lost) { lost in
            writer.raw("{\"by\":")
            writer.string(lost.by)
            if let measure = lost.measure { write(measure, writer) } else { writer.raw(",\"deleted\":true") }
            writer.raw("}")
        }
    }

    /// `changes` and `more`, a comma before; nothing where there are none.
    static func write(_ changes: [ServerHistoryEntry.Change], more: Int, _ writer: JSONWriter) {
        if !changes.isEmpty {
            writer.raw(",\"changes\":")
            writer.array(changes) { change in
                writer.raw("{\"section\":")
                writer.string(change.section.text)
                writer.raw(change.field == .open ? ",\"open\":" : ",\"done\":")
                writer.bool(change.value)
                writer.raw(change.isLost ? ",\"lost\":true}" : "}")
            }
        }
        guard more > 0 else { return }
        writer.raw(",\"more\":")
        writer.integer(more)
    }

    private static func write(_ measure: ServerHistoryEntry.Measure, _ writer: JSONWriter) {
        writer.raw(",\"title\":")
        writer.string(measure.title)
        writer.raw(",\"sections\":")
        writer.integer(measure.sections)
        writer.raw(",\"bytes\":")
        writer.integer(measure.bytes)
        writer.raw(",\"hash\":")
        writer.string(measure.hash)
    }

    /// The values are in words, as the client keeps them.
    private static func write(_ conflict: ServerConflict, _ writer: JSONWriter) {
        func write(_ claim: ServerConflict.Claim) {
            writer.raw("{\"value\":")
            writer.string(claim.value)
            writer.raw(",\"by\":")
            writer.string(claim.by)
            writer.raw("}")
        }
        writer.raw("{\"section\":")
        writer.string(conflict.section.text)
        writer.raw(",\"field\":")
        writer.string(conflict.field)
        writer.raw(",\"kept\":")
        write(conflict.kept)
        writer.raw(",\"lost\":")
        writer.array(conflict.lost, write)
        writer.raw("}")
    }
}

extension ServerConflict {
    /// `open: open by alice stands, lost is closed by bob`
    var words: String {
        let all = lost.map { "\($0.value) by \($0.by)" }.joined(separator: ", ")
        return "\(field): \(kept.value) by \(kept.by) stands, lost is \(all)"
    }
}
