// Why this file exists: `open`, `close`, `toggle`, `check` and `uncheck`: one press, or several that happen together.

import AccordionModel
import CommandLine
import Wire

enum GestureCommand: String, CaseIterable {
    case open, close, toggle, check, uncheck

    static var tables: [Command] { allCases.map(\.table) }

    private var table: Command {
        let (summary, example) = words
        return Command(
            rawValue, summary: summary,
            details: ["Several sections change together or, where one is refused, not at all."],
            arguments: [.document, .several("SECTION", .section)], example: example)
    }

    private var words: (String, Example) {
        switch self {
        case .open: ("opens sections", Example("accordion open runbook Deploy \"#3.2\"", "two sections at once"))
        case .close: ("closes sections", Example("accordion close runbook Deploy", "one section"))
        case .toggle:
            ("opens what is closed, closes what is open", Example("accordion toggle provinces 广东省", "one section"))
        case .check: ("marks tasks as done", Example("accordion check runbook \"Deploy/Smoke test\"", "one task"))
        case .uncheck:
            ("marks tasks as not done", Example("accordion uncheck runbook \"Deploy/Smoke test\"", "one task"))
        }
    }

    private func gesture(_ path: SectionPath) -> Gesture {
        switch self {
        case .open: .set(path, .open, true)
        case .close: .set(path, .open, false)
        case .toggle: .toggle(path, to: nil)
        case .check: .set(path, .done, true)
        case .uncheck: .set(path, .done, false)
        }
    }

    func run(_ client: Client) throws(CommandFailure) -> ExitCode {
        let name = try client.documentName()
        let words = client.invocation.arguments("SECTION")
        // Words are taken for paths first: then the document need not be looked at.
        var paths = words.map { SectionPath($0) }
        var reply = try client.call(action(name, paths))
        if reply.failure?.code == ErrorCode.unknownSection.rawValue {
            guard let document = try client.replica(of: name).document else { return .done }
            var resolved: [SectionPath] = []
            for word in words { resolved.append(document[try client.section(word, in: document, of: name)].path) }
            paths = resolved
            reply = try client.call(action(name, paths))
        }
        if let failure = reply.failure { throw try client.failure(failure, name) }
        tell(reply, paths, client.output)
        return .done
    }

    private func action(_ name: DocumentName, _ paths: [SectionPath]) -> Request.Action {
        if paths.count == 1 { return .gesture(name, gesture(paths[0]), Request.WriteOptions()) }
        return .batch(name, paths.map(gesture), Request.WriteOptions())
    }

    private func tell(_ reply: ServerReply, _ paths: [SectionPath], _ output: Output) {
        guard paths.count == 1 else { return BulkCommand.tell(reply, output) }
        if output.isJSON {
            output.object { writer in
                writer.raw("\"section\":")
                writer.string(paths[0].text)
                if let open = reply.open {
                    writer.raw(",\"open\":")
                    writer.bool(open)
                }
                if let done = reply.done {
                    writer.raw(",\"done\":")
                    writer.bool(done)
                }
            }
            return
        }
        let word = reply.open.map { $0 ? "open" : "closed" } ?? reply.done.map { $0 ? "done" : "not done" } ?? ""
        output.table(["SECTION", "NOW"], [[paths[0].text, word]])
    }
}
