// Why this file exists: `accordion mirror`, and `accordion DOC-OR-FILE`: which document is meant, made of a file where it
// does not exist yet, and then the live view of it.

import AccordionModel
import CommandLine
import Glibc
import Wire

enum MirrorRun {
    static let table = Command(
        "mirror", summary: "the live view of a document; a file is imported first if its document does not exist",
        details: [
            "Keys: j k and the arrows move, Space or Enter toggles, l and h open and close, x sets a check mark, g and G "
                + "go to the ends, / searches, F1 tells all of them, q quits. The mouse: the arrow toggles, the title "
                + "selects, the wheel scrolls.",
            "Folds made after p are yours alone and are kept until the next time. P presents, and whoever presses F "
                + "follows. While the daemon is away presses are kept, marked, and sent when it is back.",
        ],
        arguments: [.one("DOC-OR-FILE", .documentOrFile)],
        options: [
            Option("no-animation", help: "Sections open at once; NO_COLOR in the environment means the same")
        ],
        example: Example("accordion mirror runbook", "everyone who does sees the same"))

    static func run(_ client: Client) throws(CommandFailure) {
        let word = client.invocation.argument("DOC-OR-FILE") ?? ""
        guard Standard.isTerminal(STDIN_FILENO), Standard.isTerminal(STDOUT_FILENO) else {
            throw noTerminal(word, client.invocation)
        }
        let name = try document(word, client)
        try LiveMirror(client, name).run()
    }

    /// Where the command was not named, the word may have been meant as one.
    private static func noTerminal(_ word: String, _ invocation: Invocation) -> CommandFailure {
        let why = "the live view needs a terminal; \"accordion show\" prints a document"
        guard invocation.isCommandImplied else { return CommandFailure(.usage, why) }
        let isName = DocumentName(word) != nil || Standard.isFile(word)
        let reason =
            isName
            ? "\(JSONEscape.quoted(word)) is no command"
            : "\(JSONEscape.quoted(word)) is no command, no document's name and no file"
        return CommandFailure(
            .usage, "\(reason); \(why)",
            proposals: CommandTable.program.nearestCommands(to: word).map { "accordion \($0)" },
            hint: CommandTable.helpHint)
    }

    /// The document that the word names; else the one of the file that it names, imported if it is not there.
    private static func document(_ word: String, _ client: Client) throws(CommandFailure) -> DocumentName {
        let name = DocumentName(word)
        if let name, try exists(name, client) { return name }
        guard Standard.isFile(word) else {
            guard let name else {
                throw CommandFailure(
                    .notFound, "\(JSONEscape.quoted(word)) is neither a document nor a file",
                    hint: client.invocation.isCommandImplied ? CommandTable.helpHint : nil)
            }
            throw try client.failure(
                ServerFailure(
                    code: ErrorCode.unknownDocument.rawValue,
                    message: "no document and no file \(JSONEscape.quoted(word))"), name)
        }
        let source = ImportCommand.Source(word)
        let imported = try ImportCommand.read(source)
        ImportCommand.tell(imported.notes, of: source)
        let made = try ImportCommand.name(of: imported, word, given: nil)
        if try exists(made, client) { return made }
        let reply = try client.call(.create(made, imported.document, Request.WriteOptions()))
        // Somebody else may have made it at the same moment.
        if let failure = reply.failure, failure.code != ErrorCode.documentExists.rawValue {
            throw CommandFailure(failure)
        }
        return made
    }

    private static func exists(_ name: DocumentName, _ client: Client) throws(CommandFailure) -> Bool {
        let reply = try client.call(.list(prefix: name.text, after: nil, limit: 1))
        if let failure = reply.failure { throw CommandFailure(failure) }
        return reply.documents?.first?.name == name
    }
}
