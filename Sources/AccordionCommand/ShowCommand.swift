// Why this file exists: `accordion show`: a document as it stands, printed once.

import AccordionModel
import CommandLine
import Mirror
import Wire

enum ShowCommand {
    static let table = Command(
        "show", summary: "prints the document as it stands: closed sections closed",
        details: [
            "In a pipe a line has the depth, what it is (section, row, text, code), open or closed, done or undone, the "
                + "section's path, and the title or text, with tabs between."
        ],
        arguments: [.document, .section], options: [Option("all", help: "What is inside closed sections, too")],
        example: Example("accordion show runbook Deploy --all", "all of one section"))

    static func run(_ client: Client) throws(CommandFailure) {
        let name = try client.documentName()
        let replica = try client.replica(of: name)
        guard let document = replica.document else { return }
        var section: Int32?
        if let text = client.invocation.argument("SECTION") {
            section = try client.section(text, in: document, of: name)
        }
        let outline = Outline(replica, section: section, showsAll: client.invocation.flag("all"))
        if client.output.isTerminal, !client.output.isJSON, section == nil, !document.attributes.title.isEmpty {
            client.output.line(DisplayText.visible(document.attributes.title))
        }
        for line in outline.lines {
            if client.output.isJSON {
                client.output.object { object(line, replica, document, $0) }
            } else if client.output.isTerminal {
                for text in plain(line, replica, document) { client.output.line(text) }
            } else {
                client.output.fields(fields(line, replica, document))
            }
        }
    }

    private static func plain(_ line: Outline.Line, _ replica: Replica, _ document: Document) -> [String] {
        let indent = String(repeating: "  ", count: line.depth)
        switch line.item {
        case .section(let index):
            let section = document[index]
            let arrow = section.isRow ? "  " : replica.isOpen(index) ? "▾ " : "▸ "
            let mark = section.attributes.task == nil ? "" : replica.isDone(index) ? "[x] " : "[ ] "
            return [indent + arrow + mark + DisplayText.visible(section.title)]
        case .text(let text), .code(let text):
            return DisplayText.expandTabs(text).split(separator: "\n", omittingEmptySubsequences: false).map {
                indent + "  " + DisplayText.visible(String($0))
            }
        }
    }

    private static func fields(_ line: Outline.Line, _ replica: Replica, _ document: Document) -> [String] {
        let path = line.owner < 0 ? "" : document[line.owner].path.text
        switch line.item {
        case .section(let index):
            let section = document[index]
            let open = section.isRow ? "" : replica.isOpen(index) ? "open" : "closed"
            let done = section.attributes.task == nil ? "" : replica.isDone(index) ? "done" : "undone"
            return ["\(line.depth)", section.isRow ? "row" : "section", open, done, path, section.title]
        case .text(let text): return ["\(line.depth)", "text", "", "", path, text]
        case .code(let text): return ["\(line.depth)", "code", "", "", path, text]
        }
    }

    private static func object(
        _ line: Outline.Line, _ replica: Replica, _ document: Document, _ writer: JSONWriter
    ) {
        writer.raw("\"depth\":")
        writer.integer(line.depth)
        writer.raw(",\"section\":")
        writer.string(line.owner < 0 ? "" : document[line.owner].path.text)
        switch line.item {
        case .section(let index):
            let section = document[index]
            writer.raw(",\"title\":")
            writer.string(section.title)
            if !section.isRow {
                writer.raw(",\"open\":")
                writer.bool(replica.isOpen(index))
            }
            if section.attributes.task != nil {
                writer.raw(",\"done\":")
                writer.bool(replica.isDone(index))
            }
        case .text(let text):
            writer.raw(",\"text\":")
            writer.string(text)
        case .code(let text):
            writer.raw(",\"code\":")
            writer.string(text)
        }
    }
}
