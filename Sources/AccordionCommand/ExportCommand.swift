// Why this file exists: `accordion export`: a document as a file that `import` makes the same document of.

import Bytes
import CommandLine
import Formats
import Mirror
import Wire

enum ExportCommand {
    static let table = Command(
        "export", summary: "writes the document to standard output, as a file that import makes the same of",
        details: [
            "The document is written as it was made, not as it stands: what is open or checked now is no part of it. "
                + "Markdown and OPML hold what they have no words for as JSON that other programs pass over."
        ],
        arguments: [.document],
        options: [
            Option(
                "format", value: OptionValue("F", .choice(Format.exported.map(\.rawValue))),
                help: "What to write; document JSON by default")
        ],
        example: Example("accordion export runbook --format markdown > runbook.md", "a file to read and to keep"))

    static func run(_ client: Client) throws(CommandFailure) {
        let name = try client.documentName()
        let reply = try client.ask(.get(name, section: .top))
        guard let document = reply.document?.document else {
            throw CommandFailure(.noDaemon, "the daemon's answer lacks the document")
        }
        let frame = Frame(capacityBytes: document.textBytes * 2)
        switch client.invocation.value("format").flatMap({ Format(rawValue: $0) }) {
        case .markdown: MarkdownWriter.write(document, into: frame)
        case .opml: OPMLWriter.write(document, into: frame)
        default: DocumentFile.write(document, name: name, into: frame)
        }
        if client.output.isJSON, let format = client.invocation.value("format"), format != Format.documentJSON.rawValue
        {
            return client.output.object { writer in
                writer.raw("\"doc\":")
                writer.string(name.text)
                writer.raw(",\"format\":")
                writer.string(format)
                writer.raw(",\"text\":")
                frame.withSpan { writer.string($0) }
            }
        }
        guard client.output.isTerminal else { return client.output.append(frame) }
        // A tab in code is the file's, and other programs' terminals may hide what ours shows.
        let bytes = frame.withSpan { span in span.indices.map { span[$0] } }
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            let text = String(decoding: line, as: UTF8.self)
            client.output.line(DisplayText.visible(DisplayText.expandTabs(text)))
        }
    }
}
