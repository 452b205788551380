// Why this file exists: `accordion undo` and `accordion redo`: whoever takes something back wants to be told what it was.

import AccordionModel
import Causality
import CommandLine
import Wire

enum UndoCommand: String, CaseIterable {
    case undo, redo

    static var tables: [Command] { allCases.map(\.table) }

    private var table: Command {
        let common =
            "It is one's own, by the name that others see: --name asks for that of another name. What somebody else has "
            + "changed since stays, and contents (import, delete) are never taken back."
        return switch self {
        case .undo:
            Command(
                rawValue, summary: "takes back your last change of what is open or checked",
                details: [
                    "Told is how each section stands now. \(common) Ends with 1 where no change of yours is left to take "
                        + "back."
                ], arguments: [.document],
                example: Example("accordion undo runbook", "how it was before the last press"))
        case .redo:
            Command(
                rawValue, summary: "makes your last change again that was taken back",
                details: [
                    "Told is how each section stands now. \(common) A change of yours ends what can be made again."
                ],
                arguments: [.document],
                example: Example("accordion redo runbook", "as if it had not been taken back"))
        }
    }

    func run(_ client: Client) throws(CommandFailure) -> ExitCode {
        let name = try client.documentName()
        let greeting = try client.greet()
        let reply = try client.ask(self == .undo ? .undo(name) : .redo(name))
        let changed = reply.changed ?? 0
        let entry = try written(client, name, greeting, reply)
        guard client.output.isJSON else {
            guard let entry else {
                client.output.line("\(changed) changed")
                return .done
            }
            client.output.table(
                ["SECTION", "NOW"],
                entry.changes.map { [$0.section.text, HistoryCommand.words($0.field, $0.value)] })
            if entry.more > 0 { client.output.line("and \(entry.more) more") }
            return .done
        }
        client.output.object { writer in
            writer.raw("\"changed\":")
            writer.integer(changed)
            if let entry { HistoryCommand.write(entry.changes, more: entry.more, writer) }
        }
        return .done
    }

    /// The reply says how many changed; which they are stands in the history. Nil where it is too far down already.
    private func written(
        _ client: Client, _ name: DocumentName, _ greeting: ServerGreeting, _ reply: ServerReply
    ) throws(CommandFailure) -> ServerHistoryEntry? {
        guard let node = NodeName(greeting.node), let counter = reply.version?[node] else { return nil }
        let page = try client.ask(.history(Request.History(name, limit: Request.History.entriesMax)))
        return page.history?.first { $0.counter == counter && $0.node == greeting.node }
    }
}
