// Why this file exists: `accordion delete`.

import CommandLine
import Wire

enum DeleteCommand {
    static let table = Command(
        "delete", summary: "deletes the document, for everyone", arguments: [.document],
        example: Example("accordion delete runbook", "those who look at it are told"))

    static func run(_ client: Client) throws(CommandFailure) {
        let name = try client.documentName()
        _ = try client.ask(.delete(name, Request.WriteOptions()))
        guard client.output.isJSON else { return client.output.line("\(name) deleted") }
        client.output.object { writer in
            writer.raw("\"doc\":")
            writer.string(name.text)
            writer.raw(",\"deleted\":true")
        }
    }
}
