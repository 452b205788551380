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
        "import", summary: "makes a document of a file: Markdown, OPML, a province list or document JSON",
        details: [
            "The document is called what --as says, else what the file itself says, else as the file is called. What "
                + "the file is, is told by the end of its name (.md, .markdown, .opml, .json), else seen from its "
                + "beginning. FILE \"-\" is standard input.",
            "Markdown's headings and list items become sections, \"- [ ]\" and \"- [x]\" tasks; everything else stays as "
                + "text in its place. OPML's outlines become sections. What of a file is left out is told on standard "
                + "error with its line.",
            "With --watch the file is followed until interrupted: when it changes, also because an editor puts another in "
                + "its place, the document gets the new content and keeps what is open. A file that can't be understood "
                + "is told, and the document stays as it was.",
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
                help: "What the file is, where neither its name nor its beginning tells it"),
            Option("watch", help: "Keep the document in step with the file"),
        ],
        example: Example("accordion import runbook.md --watch", "a document that changes as its file is edited"))

    /// A file as the command line names it, and what it is to become.
    struct Source {
        let path: String
        let format: Format?
        let options: ImportOptions
        /// For messages.
        var name: String { path == "-" ? "standard input" : DisplayText.visible(path) }

        init(_ path: String, format: Format? = nil, _ options: ImportOptions = ImportOptions()) {
            self.path = path
            self.format = format
            self.options = options
        }
    }

    static func run(_ client: Client) throws(CommandFailure) -> ExitCode {
        let invocation = client.invocation
        let options = ImportOptions(
            mode: invocation.value("mode").flatMap { Mode(rawValue: $0) },
            initiallyOpen: invocation.flag("open") ? true : nil)
        let source = Source(
            invocation.argument("FILE") ?? "-", format: invocation.value("format").flatMap { Format(rawValue: $0) },
            options)
        if invocation.flag("watch"), source.path == "-" {
            throw CommandFailure(.usage, "standard input can't be watched: --watch needs a file")
        }
        // Before it is read: what changes from here on is seen.
        let state = Standard.fileState(source.path)
        let imported = try read(source)
        tell(imported.notes, of: source)
        let name = try name(of: imported, source.path, given: invocation.value("as"))
        tell(client.output, name, imported.document, try store(imported.document, name, client))
        guard invocation.flag("watch") else { return .done }
        client.output.flush()
        return try FileFollower(client, name, source, imported, state).run()
    }

    /// Makes the document, or gives one that exists the content where that was asked for.
    private static func store(
        _ document: Document, _ name: DocumentName, _ client: Client
    ) throws(CommandFailure) -> Replacement? {
        if client.invocation.flag("replace") {
            let reply = try client.call(.replace(name, document, Request.WriteOptions()))
            guard let failure = reply.failure else { return reply.replacement }
            guard failure.code == ErrorCode.unknownDocument.rawValue else { throw CommandFailure(failure) }
        }
        try create(client, name, document)
        return nil
    }

    static func read(_ source: Source) throws(CommandFailure) -> Imported {
        let (path, name) = (source.path, source.name)
        let bytes: [UInt8]
        do throws(Standard.FileFault) {
            bytes = try Standard.file(path, bytesMax: fileBytesMax)
        } catch {
            throw CommandFailure(.unreadableFile, "\(name): \(error.reason)")
        }
        guard let format = source.format ?? Format.detect(bytes.span, path: path) else {
            let known = Format.allCases.map(\.rawValue).joined(separator: ", ")
            let what = bytes.isEmpty ? "there is nothing in it" : "it is none of the formats that are known"
            throw CommandFailure(.unreadableFile, "\(name): \(what) (\(known); --format says which)")
        }
        do throws(ImportFault) {
            return try Imported(
                reading: bytes.span, as: format, title: FileName.stem(of: path), options: source.options)
        } catch {
            throw CommandFailure(.unreadableFile, "\(name):\(error.line == nil ? " " : "")\(error.message)")
        }
    }

    /// What is left out, on standard error.
    static func tell(_ notes: [ImportNote], of source: Source) {
        for note in notes {
            let place = source.name + (note.line == nil ? ": " : ":")
            Standard.error("accordion: \(place)\(DisplayText.visible(note.message))\n")
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
