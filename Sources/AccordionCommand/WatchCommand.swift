// Why this file exists: `accordion watch`: what happens in a document, told to a person or piped into a program.

import AccordionModel
import CommandLine
import EventLoop
import Glibc
import Mirror
import Wire

enum WatchCommand {
    static let table = Command(
        "watch", summary: "a line for each change until interrupted",
        details: [
            "A line has the time, who did it, the section and what it is now; in a pipe with tabs between. Conflicts "
                + "are told as lines of their own. With SECTION only what is in it."
        ],
        arguments: [.document, .section],
        example: Example("accordion watch runbook Deploy", "what happens in one section"))

    static func run(_ client: Client) throws(CommandFailure) {
        let name = try client.documentName()
        let connection = try client.connect()
        let watch = try Watch(client, name)
        defer { watch.close() }
        connection.onEvent = { watch.receive($0) }
        let reply = try client.call(.subscribe(Request.Subscribe(name)))
        if let failure = reply.failure { throw try client.failure(failure, name) }
        connection.onLost = { watch.end(CommandFailure(.noDaemon, $0)) }
        while !watch.isOver { client.loop.turn() }
        if let failure = watch.failure { throw failure }
    }
}

/// One watching, from the subscription to its end.
private final class Watch {
    private let client: Client
    private let output: Output
    private let name: DocumentName
    private var replica: Replica
    private var signals: [SignalWatcher] = []
    /// Where changes are told of: at this path and below it; nil everywhere.
    private var path: String?
    private(set) var isOver = false
    private(set) var failure: CommandFailure?

    init(_ client: Client, _ name: DocumentName) throws(CommandFailure) {
        self.client = client
        self.name = name
        output = client.output
        replica = Replica(name)
        do throws(SystemError) {
            for signal in [SIGINT, SIGTERM, SIGHUP] {
                signals.append(try SignalWatcher(client.loop, signal: signal) { [unowned self] in end(nil) })
            }
        } catch {
            close()
            throw CommandFailure(.noDaemon, "\(error)")
        }
    }

    func close() {
        for signal in signals { signal.close() }
        signals = []
    }

    func end(_ failure: CommandFailure?) {
        if isOver { return }
        isOver = true
        self.failure = failure
    }

    func receive(_ event: ServerEvent) {
        if isOver { return }
        let isFirst = replica.document == nil
        let changes = replica.receive(event)
        switch event {
        case .snapshot where isFirst: settlePath()
        case .snapshot(let snapshot):
            tellContent(changes)
            tellFlips(changes, Moment(milliseconds: Int64(client.loop.wallMilliseconds), by: ""))
            if snapshot.reason != "resync" { tellConflicts(snapshot.state.conflicts, now("")) }
        case .changed(let changed):
            let moment = Moment(milliseconds: changed.milliseconds, by: changed.by)
            if changed.state == nil {
                for change in changed.changes { tell(change.section, change.field, change.value, moment) }
            } else {
                tellFlips(changes, moment)
            }
            tellConflicts(changed.conflicts, moment)
        case .deleted(_, let by): tell("", "document", "deleted", now(by))
        case .goodbye(let reason):
            Standard.error("accordion: the daemon says goodbye: \(DisplayText.visible(reason))\n")
        case .listed, .unlisted, .presence, .other: break
        }
        output.flush()
    }

    private func settlePath() {
        guard let text = client.invocation.argument("SECTION"), let document = replica.document else { return }
        do throws(CommandFailure) {
            path = document[try client.section(text, in: document, of: name)].path.text
        } catch {
            end(error)
        }
    }

    private struct Moment {
        let milliseconds: Int64
        let by: String
    }

    private func now(_ by: String) -> Moment { Moment(milliseconds: Int64(client.loop.wallMilliseconds), by: by) }

    private func tellContent(_ changes: [ReplicaChange]) {
        for change in changes {
            guard case .content(let reason) = change else { continue }
            tell("", "document", reason, now(""))
        }
    }

    /// What differs, where the daemon tells the whole state.
    private func tellFlips(_ changes: [ReplicaChange], _ moment: Moment) {
        guard let document = replica.document else { return }
        for case .flags(let flips) in changes {
            for flip in flips {
                let value = flip.field == .open ? replica.isOpen(flip.section) : replica.isDone(flip.section)
                tell(document[flip.section].path, flip.field, value, moment)
            }
        }
    }

    private func isWatched(_ section: SectionPath) -> Bool {
        guard let path else { return true }
        return section.text == path || section.text.hasPrefix(path + "/")
    }

    private func tell(_ section: SectionPath, _ field: Field, _ value: Bool, _ moment: Moment) {
        guard isWatched(section) else { return }
        if output.isJSON {
            return output.object { writer in
                write(moment, section.text, to: writer)
                writer.raw(field == .open ? ",\"open\":" : ",\"done\":")
                writer.bool(value)
            }
        }
        let word = field == .open ? (value ? "open" : "closed") : value ? "done" : "not done"
        line(moment, section.text, word)
    }

    private func tell(_ section: String, _ kind: StaticString, _ word: String, _ moment: Moment) {
        if output.isJSON {
            return output.object { writer in
                write(moment, section, to: writer)
                writer.raw(",\"")
                writer.raw(kind)
                writer.raw("\":")
                writer.string(word)
            }
        }
        line(moment, section, "\(kind) \(word)")
    }

    private func tellConflicts(_ conflicts: [ServerConflict], _ moment: Moment) {
        for conflict in conflicts where isWatched(conflict.section) {
            let lost = conflict.lost.map { "\($0.value) by \($0.by)" }.joined(separator: ", ")
            tell(
                conflict.section.text, "conflict",
                "\(conflict.field): \(conflict.kept.value) by \(conflict.kept.by) stands, lost is \(lost)", moment)
        }
    }

    private func write(_ moment: Moment, _ section: String, to writer: JSONWriter) {
        writer.raw("\"at\":")
        writer.integer(Int(moment.milliseconds))
        writer.raw(",\"by\":")
        writer.string(moment.by)
        writer.raw(",\"section\":")
        writer.string(section)
    }

    private func line(_ moment: Moment, _ section: String, _ word: String) {
        guard output.isTerminal else {
            return output.fields([Standard.time(moment.milliseconds, isLocal: false), moment.by, section, word])
        }
        let time = Standard.time(moment.milliseconds, isLocal: true)
        let by = DisplayText.pad(moment.by, toColumns: 12, ending: "…")
        output.line(
            "\(time)  \(by)  \(DisplayText.visible(section.isEmpty ? name.text : section))  \(DisplayText.visible(word))"
        )
    }
}
