// Why this file exists: `accordion export`: a document as a file that `import` makes the same document of.

import Bytes
import CommandLine
import Wire

enum ExportCommand {
    static let table = Command(
        "export", summary: "writes the document to standard output", arguments: [.document],
        options: [
            Option(
                "format", value: OptionValue("F", .choice(["json"])), help: "What to write; document JSON by default")
        ],
        example: Example("accordion export runbook > runbook.json", "a file to keep"))

    static func run(_ client: Client) throws(CommandFailure) {
        let name = try client.documentName()
        let reply = try client.ask(.get(name, section: .top))
        guard let document = reply.document?.document else {
            throw CommandFailure(.noDaemon, "the daemon's answer lacks the document")
        }
        let frame = Frame(capacityBytes: document.textBytes * 2)
        DocumentFile.write(document, name: name, into: frame)
        client.output.append(frame)
    }
}
