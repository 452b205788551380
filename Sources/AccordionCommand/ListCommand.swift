// Why this file exists: `accordion list`: which documents there are, and how they stand.

import CommandLine
import Wire

enum ListCommand {
    static let table = Command(
        "list", summary: "documents: name, title, open and all sections, done and all tasks, who is there",
        arguments: [.optional("PREFIX")],
        example: Example("accordion list run", "the documents whose name begins with \"run\""))

    static func run(_ client: Client) throws(CommandFailure) {
        let summaries = try client.summaries(prefix: client.invocation.argument("PREFIX") ?? "")
        guard client.output.isJSON else {
            return client.output.table(
                ["NAME", "TITLE", "OPEN", "DONE", "THERE"],
                summaries.map { summary in
                    [
                        summary.name.text, summary.title, "\(summary.open)/\(summary.sections)",
                        "\(summary.done)/\(summary.tasks)", "\(summary.subscribers)",
                    ]
                })
        }
        for summary in summaries {
            client.output.object { writer in
                writer.raw("\"doc\":")
                writer.string(summary.name.text)
                writer.raw(",\"title\":")
                writer.string(summary.title)
                writer.raw(",\"open\":")
                writer.integer(summary.open)
                writer.raw(",\"sections\":")
                writer.integer(summary.sections)
                writer.raw(",\"done\":")
                writer.integer(summary.done)
                writer.raw(",\"tasks\":")
                writer.integer(summary.tasks)
                writer.raw(",\"subscribers\":")
                writer.integer(summary.subscribers)
            }
        }
    }
}
