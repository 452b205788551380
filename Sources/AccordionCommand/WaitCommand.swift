// Why this file exists: `accordion wait`: a script goes on when people are so far.

import AccordionModel
import CommandLine
import Mirror
import Wire

enum WaitCommand {
    private static let states: [(option: String, field: Field, value: Bool, help: String)] = [
        ("open", .open, true, "Until it is open"), ("closed", .open, false, "Until it is closed"),
        ("done", .done, true, "Until its check mark is set"), ("undone", .done, false, "Until it is not set"),
    ]

    static let table = Command(
        "wait", summary: "returns when a section is as it should be, at once where it is",
        details: [
            "The section is then told, and what it is. It ends with 3 when the document is deleted or a new content lacks "
                + "the section, with 5 when the daemon goes away, with 6 after --timeout, counted from the daemon's first "
                + "answer (0 looks once), and with 1 for what can't come to be: a row is never open, what is no task never "
                + "done, and a locked section, or one whose header is hidden, stays as it is."
        ],
        arguments: [.document, .one("SECTION", .section)],
        options: states.map { Option($0.option, help: $0.help) } + [
            Option("timeout", "W", value: OptionValue("S", .seconds), help: "End with 6 after S seconds")
        ],
        groups: [OptionGroup(states.map(\.option), isRequired: true)],
        example: Example(
            "accordion wait runbook \"Deploy/Smoke test\" --done && ./release", "goes on once the task is done"))

    static func run(_ client: Client) throws(CommandFailure) -> ExitCode {
        let name = try client.documentName()
        guard let state = states.first(where: { client.invocation.flag($0.option) }) else { return .usage }
        let timeout = client.invocation.milliseconds("timeout")
        let stay = try Stay(client, name, timeoutMilliseconds: timeout) {
            .failure(CommandFailure(.timedOut, "timed out"))
        }
        let wait = Wait(stay, state.field, state.value)
        defer { withExtendedLifetime(wait) {} }
        return try stay.run()
    }
}

/// One waiting, for one state of one section.
private final class Wait {
    private let stay: Stay
    private let field: Field
    private let value: Bool
    /// Known from the first snapshot on.
    private var path: SectionPath?

    init(_ stay: Stay, _ field: Field, _ value: Bool) {
        self.stay = stay
        self.field = field
        self.value = value
        stay.onEvent = { [unowned self] in receive($0, $1) }
        stay.onTimeout = { [unowned self] in .failure(CommandFailure(.timedOut, "timed out: \(standing(!value))")) }
    }

    private func receive(_ event: ServerEvent, _ changes: [ReplicaChange]) {
        if case .deleted = stay.replica.life { return stay.end(stay.deletion) }
        guard let document = stay.replica.document else { return }
        do throws(CommandFailure) {
            let section = try section(in: document)
            let isSo = field == .open ? stay.replica.isOpen(section) : stay.replica.isDone(section)
            if let failure = refusal(document[section], document, isSo: isSo == value) { throw failure }
            if isSo == value { finish() }
        } catch {
            stay.end(error)
        }
    }

    private func section(in document: Document) throws(CommandFailure) -> Int32 {
        if let path {
            if let section = document.find(path) { return section }
            throw CommandFailure(.notFound, "\(quotedPath) is in \(stay.name) no longer")
        }
        let word = stay.client.invocation.argument("SECTION") ?? ""
        let section = try stay.client.section(word, in: document, of: stay.name)
        path = document[section].path
        return section
    }

    /// Why it can never be so.
    private func refusal(_ section: Section, _ document: Document, isSo: Bool) -> CommandFailure? {
        if field == .done {
            guard section.attributes.task == nil else { return nil }
            return CommandFailure(.refused, "\(quotedPath) is no task (\(ErrorCode.notATask.rawValue))")
        }
        if section.isRow {
            let code = ErrorCode.notOpenable.rawValue
            return CommandFailure(.refused, "\(quotedPath) is a row: it is never open nor closed (\(code))")
        }
        if isSo { return nil }
        if section.attributes.locked {
            let code = ErrorCode.locked.rawValue
            return CommandFailure(.refused, "\(quotedPath) is locked, and stays \(word(!value)) (\(code))")
        }
        if document.attributes.headers { return nil }
        let code = ErrorCode.headersHidden.rawValue
        return CommandFailure(.refused, "the headers of \(stay.name) are hidden: nothing opens or closes (\(code))")
    }

    private var quotedPath: String { JSONEscape.quoted(path?.text ?? "") }

    private func word(_ value: Bool) -> String {
        field == .open ? (value ? "open" : "closed") : value ? "done" : "not done"
    }

    private func standing(_ value: Bool) -> String { "\(quotedPath) is \(word(value))" }

    private func finish() {
        let output = stay.client.output
        let path = path?.text ?? ""
        if output.isJSON {
            output.object { writer in
                writer.raw("\"section\":")
                writer.string(path)
                writer.raw(field == .open ? ",\"open\":" : ",\"done\":")
                writer.bool(value)
            }
        } else {
            output.table(["SECTION", "NOW"], [[path, word(value)]])
        }
        stay.end(.exit(.done))
    }
}
