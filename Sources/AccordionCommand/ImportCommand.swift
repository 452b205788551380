// Why this file exists: `accordion import`: a file becomes a document that everyone can see.

import AccordionModel
import CommandLine
import Formats
import Mirror
import Wire

enum ImportCommand {
    /// Of a file; what a document may hold is less.
    static let fileBytesMax = 256 << 20

    static let table = Command(
        "import", summary: "makes a document of a file: a province list or document JSON",
        details: [
            "The document is called what --as says, else what the file itself says, else as the file is called. What "
                + "of a file is left out is told on standard error."
        ],
        arguments: [.one("FILE", .file)],
        options: [
            Option("as", value: OptionValue("DOC", .document), help: "The document's name"),
            Option("replace", help: "Replace the content where the document exists; what is open stays open"),
            Option(
                "mode", value: OptionValue("MODE", .choice(["multiple", "single"])),
                help: "How many sections at the top may be open"),
            Option("open", help: "Sections that nobody has touched stand open"),
            Option(
                "format", value: OptionValue("F", .choice(Format.allCases.map(\.rawValue))),
                help: "What the file is, where it can't be seen from its beginning"),
        ],
        example: Example("accordion import provinces.json --as provinces", "the list of a file"))

    static func run(_ client: Client) throws(CommandFailure) {
        let invocation = client.invocation
        let path = invocation.argument("FILE") ?? "-"
        let options = ImportOptions(
            mode: invocation.value("mode").flatMap { Mode(rawValue: $0) },
            initiallyOpen: invocation.flag("open") ? true : nil)
        let imported = try read(path, format: invocation.value("format").flatMap { Format(rawValue: $0) }, options)
        let name = try name(of: imported, path, given: invocation.value("as"))
        let document = imported.document
        guard invocation.flag("replace") else {
            try create(client, name, document)
            return tell(client.output, name, document, nil)
        }
        let reply = try client.call(.replace(name, document, Request.WriteOptions()))
        if reply.failure?.code == ErrorCode.unknownDocument.rawValue {
            try create(client, name, document)
            return tell(client.output, name, document, nil)
        }
        if let failure = reply.failure { throw CommandFailure(failure) }
        tell(client.output, name, document, reply.replacement)
    }

    /// Reads the file and tells on standard error what is left out.
    static func read(_ path: String, format: Format? = nil, _ options: ImportOptions) throws(CommandFailure) -> Imported
    {
        let bytes: [UInt8]
        let source = path == "-" ? "standard input" : path
        do throws(Standard.FileFault) {
            bytes = try Standard.file(path, bytesMax: fileBytesMax)
        } catch {
            throw CommandFailure(.unreadableFile, "\(source): \(error.reason)")
        }
        guard let format = format ?? Format.detect(bytes.span, path: path) else {
            let known = Format.allCases.map(\.rawValue).joined(separator: ", ")
            let what = bytes.isEmpty ? "there is nothing in it" : "it is none of the formats that are known"
            throw CommandFailure(.unreadableFile, "\(source): \(what) (\(known); --format says which)")
        }
        do throws(ImportFault) {
            let imported = try Imported(
                reading: bytes.span, as: format, title: FileName.stem(of: path), options: options)
            for note in imported.notes {
                let place = DisplayText.visible(source) + (note.line == nil ? ": " : ":")
                Standard.error("accordion: \(place)\(DisplayText.visible(note.message))\n")
            }
            return imported
        } catch {
            throw CommandFailure(.unreadableFile, "\(source):\(error.line == nil ? " " : "")\(error.message)")
        }
    }

    static func name(of imported: Imported, _ path: String, given: String?) throws(CommandFailure) -> DocumentName {
        if let given {
            guard let name = DocumentName(given) else { throw .noName(given, of: "--as ") }
            return name
        }
        if let name = imported.name ?? FileName.proposal(for: path) { return name }
        throw CommandFailure(.usage, "the document needs a name: --as DOC")
    }

    static func create(_ client: Client, _ name: DocumentName, _ document: Document) throws(CommandFailure) {
        let reply = try client.call(.create(name, document, Request.WriteOptions()))
        guard let failure = reply.failure else { return }
        guard failure.code == ErrorCode.documentExists.rawValue else { throw CommandFailure(failure) }
        throw CommandFailure(
            .refused, "\(failure.message) (\(failure.code)); --replace gives it this content, --as another name")
    }

    private static func tell(
        _ output: Output, _ name: DocumentName, _ document: Document, _ replacement: Replacement?
    ) {
        let sections = document.sections.count
        if output.isJSON {
            return output.object { writer in
                writer.raw("\"doc\":")
                writer.string(name.text)
                writer.raw(",\"sections\":")
                writer.integer(sections)
                guard let replacement else { return }
                writer.raw(",\"kept\":")
                writer.integer(replacement.kept)
                writer.raw(",\"removed\":")
                writer.integer(replacement.removed)
                writer.raw(",\"added\":")
                writer.integer(replacement.added)
            }
        }
        var heading = ["NAME", "SECTIONS"]
        var row = [name.text, "\(sections)"]
        if let replacement {
            heading += ["KEPT", "REMOVED", "ADDED"]
            row += ["\(replacement.kept)", "\(replacement.removed)", "\(replacement.added)"]
        }
        output.table(heading, [row])
    }
}
