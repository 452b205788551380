// Why this file exists: `accordion watch`: what happens in a document, told to a person, piped into a program, or answered by
// a command.

import AccordionModel
import CommandLine
import Mirror
import Wire

enum WatchCommand {
    static let table = Command(
        "watch", summary: "how a document stands, then a line for each change until interrupted",
        details: [
            "A line has the time, who did it, the section and what it is now; in a pipe with tabs between. Conflicts "
                + "are told as lines of their own. First comes how everything stands, a line for each section that can be "
                + "opened and for each task, by nobody, and again when the content is replaced; with --new-only only what "
                + "happens from now on. With SECTION only what is in it. A document that is deleted is told of, and "
                + "watched on: it may be created again.",
            "--exec runs COMMAND by /bin/sh after each line, with ACCORDION_DOC, ACCORDION_SECTION (empty for the whole "
                + "document), ACCORDION_FIELD (open, done, document, conflict), ACCORDION_VALUE (true, false, or words) "
                + "and ACCORDION_BY set, standard input empty, one command after the other. Write \"$ACCORDION_SECTION\" "
                + "with its quotes: it is text that others wrote, and nothing but your command decides what it does. "
                + "While \(NoticeCommands.waitingMax) wait the daemon is not read, and merges what is too much: states "
                + "in between may then be missed, never the last. A command that fails is told on standard error; the "
                + "watch goes on, and ends with 1 where it would have ended with 0. Interrupted or timed out it ends the "
                + "command that runs (with all of its process group) and forgets those that wait; at --count, and when "
                + "the daemon goes, they are done first.",
        ],
        arguments: [.document, .section],
        options: [
            Option("new-only", help: "Not how it stands, only what changes"),
            Option("count", "C", value: OptionValue("N", .integer(1...Int.max)), help: "End with 0 after N lines"),
            Option("timeout", "W", value: OptionValue("S", .seconds), help: "End with 6 after S seconds"),
            Option("exec", value: OptionValue("COMMAND"), help: "Run a shell command after each line"),
        ],
        example: Example(
            "accordion watch runbook Deploy --exec 'logger \"$ACCORDION_BY: $ACCORDION_SECTION $ACCORDION_VALUE\"'",
            "what happens in one section goes to the system's log"))

    static func run(_ client: Client) throws(CommandFailure) -> ExitCode {
        let name = try client.documentName()
        let timeout = client.invocation.milliseconds("timeout")
        let stay = try Stay(client, name, timeoutMilliseconds: timeout) {
            .failure(CommandFailure(.timedOut, "timed out"))
        }
        var commands: NoticeCommands?
        if let command = client.invocation.value("exec") {
            do throws(CommandFailure) {
                commands = try NoticeCommands(client.loop, command, document: name.text, address: client.address)
            } catch {
                stay.end(error)
            }
        }
        let watch = Watch(stay, commands)
        defer { withExtendedLifetime(watch) {} }
        return try stay.run(eachTurn: { watch.advance() }, atEnd: { commands?.close() })
    }
}

/// One watching: from events to what is told of them.
private final class Watch {
    private let stay: Stay
    private let output: Output
    private let commands: NoticeCommands?
    private let isNewOnly: Bool
    /// How many lines are still to be told; nil without end.
    private var left: Int?
    /// Where changes are told of: at this path and below it; nil everywhere.
    private var path: String?
    /// Nothing more is told; what ends the watch once no command is left to run, if that is not the count.
    private var isFinishing = false
    private var loss: CommandFailure?

    init(_ stay: Stay, _ commands: NoticeCommands?) {
        self.stay = stay
        self.commands = commands
        output = stay.client.output
        isNewOnly = stay.client.invocation.flag("new-only")
        left = stay.client.invocation.integer("count")
        stay.onEvent = { [unowned self] in receive($0, $1) }
        stay.onLost = { [unowned self] failure in
            if isFinishing { return }
            loss = failure
            isFinishing = true
        }
        stay.onFurtherSignal = { commands?.kill() }
    }

    /// Once what was told is written: a command follows its line.
    func advance() {
        commands?.advance()
        stay.isFull = isFinishing || commands?.isFull ?? false
        guard isFinishing, commands?.isIdle ?? true else { return }
        if let loss { return stay.end(loss) }
        stay.end(.exit(commands?.hasFailed ?? false ? .refused : .done))
    }

    private func receive(_ event: ServerEvent, _ changes: [ReplicaChange]) {
        switch event {
        case .snapshot(let snapshot) where snapshot.name == stay.name: receive(snapshot, changes)
        case .changed(let changed) where changed.name == stay.name:
            let moment = Moment(milliseconds: changed.milliseconds, by: changed.by)
            if changed.state == nil {
                for change in changed.changes { tell(change.section, change.field, change.value, moment) }
            } else {
                tellFlips(changes, moment)
            }
            tellConflicts(changed.conflicts, moment)
        case .deleted(stay.name, let by): tell("", .document("deleted"), now(by))
        case .goodbye(let reason):
            Standard.error("accordion: the daemon says goodbye: \(DisplayText.visible(reason))\n")
        default: break
        }
    }

    private func receive(_ snapshot: ServerEvent.Snapshot, _ changes: [ReplicaChange]) {
        if snapshot.reason == "subscribed" {
            guard settlePath() else { return }
        } else {
            for case .content(let reason) in changes { tell("", .document(reason), now("")) }
            tellFlips(changes, now(""))
        }
        let isContent = changes.contains { if case .content = $0 { true } else { false } }
        if isContent, !isNewOnly { return tellState(snapshot.state.conflicts) }
        if isContent, snapshot.reason != "subscribed" { tellConflicts(snapshot.state.conflicts, now("")) }
    }

    /// Finds the section that was named; false where there is none.
    private func settlePath() -> Bool {
        guard let text = stay.client.invocation.argument("SECTION"), let document = stay.replica.document else {
            return true
        }
        do throws(CommandFailure) {
            path = document[try stay.client.section(text, in: document, of: stay.name)].path.text
            return true
        } catch {
            stay.end(error)
            return false
        }
    }

    // MARK: - Telling

    private struct Moment {
        let milliseconds: Int64
        let by: String
        var isStanding = false
    }

    private func now(_ by: String) -> Moment {
        Moment(milliseconds: Int64(stay.client.loop.wallMilliseconds), by: by)
    }

    private func tellState(_ conflicts: [ServerConflict]) {
        guard let document = stay.replica.document else { return }
        var moment = now("")
        moment.isStanding = true
        for (index, section) in document.sections.enumerated() where !isFinishing {
            if !section.isRow { tell(section.path, .open, stay.replica.isOpen(Int32(index)), moment) }
            if section.attributes.task != nil { tell(section.path, .done, stay.replica.isDone(Int32(index)), moment) }
        }
        tellConflicts(conflicts, moment)
    }

    /// What differs, where the daemon tells the whole state.
    private func tellFlips(_ changes: [ReplicaChange], _ moment: Moment) {
        guard let document = stay.replica.document else { return }
        for case .flags(let flips) in changes {
            for flip in flips {
                let value = flip.field == .open ? stay.replica.isOpen(flip.section) : stay.replica.isDone(flip.section)
                tell(document[flip.section].path, flip.field, value, moment)
            }
        }
    }

    private func tellConflicts(_ conflicts: [ServerConflict], _ moment: Moment) {
        for conflict in conflicts where isWatched(conflict.section) {
            tell(conflict.section.text, .conflict(conflict.words), moment)
        }
    }

    private func isWatched(_ section: SectionPath) -> Bool {
        guard let path else { return true }
        return section.text == path || section.text.hasPrefix(path + "/")
    }

    private func tell(_ section: SectionPath, _ field: Field, _ value: Bool, _ moment: Moment) {
        guard isWatched(section) else { return }
        tell(section.text, field == .open ? .open(value) : .done(value), moment)
    }

    private func tell(_ section: String, _ fact: Notice.Fact, _ moment: Moment) {
        if isFinishing { return }
        let notice = Notice(
            milliseconds: moment.milliseconds, by: moment.by, section: section, fact: fact,
            isStanding: moment.isStanding)
        notice.write(to: output, document: stay.name.text)
        commands?.add(notice)
        guard let left else { return }
        self.left = left - 1
        isFinishing = left == 1
    }
}
