// Why this file exists: `expand`, `collapse`, `level` and `reset`: gestures on all that is below.

import AccordionModel
import CommandLine
import Wire

enum BulkCommand: String, CaseIterable {
    case expand, collapse, level, reset

    static var tables: [Command] { allCases.map(\.table) }

    private var table: Command {
        switch self {
        case .expand:
            Command(
                rawValue, summary: "opens all sections of the document, or below one",
                arguments: [.document, .section],
                example: Example("accordion expand runbook Deploy", "all that is inside one section"))
        case .collapse:
            Command(
                rawValue, summary: "closes all sections of the document, or below one",
                arguments: [.document, .section],
                example: Example("accordion collapse runbook", "the whole document"))
        case .level:
            Command(
                rawValue, summary: "opens sections down to a level, closes those below",
                arguments: [.one("N", .integer(0...Limits().depthMax)), .document],
                example: Example("accordion level 2 runbook", "the sections at the top open, those inside them closed"))
        case .reset:
            Command(
                rawValue, summary: "back to how the document says, check marks too; all of it, or below one section",
                arguments: [.document, .section],
                example: Example("accordion reset runbook", "the whole document"))
        }
    }

    func run(_ client: Client) throws(CommandFailure) -> ExitCode {
        let name = try client.documentName()
        let word = self == .level ? nil : client.invocation.argument("SECTION")
        var under = word.map { SectionPath($0) } ?? .top
        var reply = try client.call(action(client, name, under))
        if let word, reply.failure?.code == ErrorCode.unknownSection.rawValue {
            guard let document = try client.replica(of: name).document else { return .done }
            under = document[try client.section(word, in: document, of: name)].path
            reply = try client.call(action(client, name, under))
        }
        if let failure = reply.failure { throw try client.failure(failure, name) }
        Self.tell(reply, client.output)
        return .done
    }

    private func action(_ client: Client, _ name: DocumentName, _ under: SectionPath) -> Request.Action {
        let gesture: Gesture =
            switch self {
            case .expand: .openAll(under: under)
            case .collapse: .closeAll(under: under)
            case .level: .level(under: under, depth: client.invocation.integerArgument("N") ?? 0)
            case .reset: .reset(under: under)
            }
        return .gesture(name, gesture, Request.WriteOptions())
    }

    /// How many flags changed.
    static func tell(_ reply: ServerReply, _ output: Output) {
        let changed = reply.changed ?? 0
        if output.isJSON {
            output.object { writer in
                writer.raw("\"changed\":")
                writer.integer(changed)
            }
        } else {
            output.line("\(changed) changed")
        }
    }
}
