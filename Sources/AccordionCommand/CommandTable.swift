// Why this file exists: the command line of `accordion` as one table, from which it is parsed and explained. Each command's
// own entry stands in its own file.

import CommandLine
import EventLoop

enum CommandTable {
    static let version = "0.1.0"

    static let program = Program(
        name: "accordion", version: version,
        summary: "shared accordion documents: open a section, and it is open for everyone, now",
        details: [
            "Sections are named by their path (\"Deploy/Smoke test\"), by their place (\"#3.2\": the second inside the "
                + "third), or by a title that only one section has. Results go to standard output, aligned on a "
                + "terminal and separated by tabs in a pipe; everything else goes to standard error."
        ],
        options: [
            Option(
                "address", value: OptionValue("ADDRESS", .address),
                help:
                    "The daemon: unix:PATH, tcp://HOST:PORT or tls://HOST:PORT; otherwise the user's, then the system's"
            ),
            Option("name", value: OptionValue("NAME"), help: "The name that others see"),
            Option("token-file", value: OptionValue("FILE", .file), help: "A file that holds the token to be shown"),
            Option(
                "ca", value: OptionValue("FILE", .file),
                help: "Believe the authorities in this file (PEM) alone, for tls:// addresses"),
            Option("json", help: "One JSON object a line, safe for a terminal"),
            Option("no-start", help: "Don't start a daemon where none answers"),
        ],
        commands: commands, defaultCommand: MirrorRun.table.name,
        examples: [
            Example(
                "accordion runbook.md",
                "makes a shared document of the file (Markdown, OPML or JSON) and shows it live; the same in a second "
                    + "terminal shows the same document, and what is opened in one is open in both"),
            Example("accordion toggle runbook Deploy", "turns one section, for everyone"),
            Example("accordion wait runbook \"Deploy/Smoke test\" --done && ./release", "goes on once a task is done"),
            Example("accordion watch runbook", "a line for each change"),
        ],
        exitCodes: [
            Meaning(.done, "done"), Meaning(.refused, "refused by the daemon, or a script or command failed"),
            Meaning(.usage, "wrong usage"),
            Meaning(.notFound, "no such document or section"), Meaning(.notAllowed, "not allowed"),
            Meaning(.noDaemon, "no daemon reached, or it was lost"), Meaning(.timedOut, "timed out"),
            Meaning(.unreadableFile, "a file that can't be read or understood"),
            Meaning("130, 143, 129", "interrupted (SIGINT), ended (SIGTERM), hung up (SIGHUP), as a shell tells it"),
        ],
        environment: [
            Meaning("ACCORDION_ADDRESS", "the daemon, where --address is not given"),
            Meaning(
                "ACCORDION_TOKEN_FILE",
                "the file with the token, where --token-file is not given; else accordion/token in XDG_CONFIG_HOME or "
                    + ".config, which is shown to tls:// addresses and to this machine alone"),
            Meaning(
                "XDG_RUNTIME_DIR",
                "where the user's daemon has its socket, if it is a directory of the user's own; else accordiond-UID in "
                    + "TMPDIR or /tmp"),
            Meaning("XDG_STATE_HOME", "where a daemon that is started for you has its state and log, in accordiond"),
            Meaning("NO_COLOR", "no colours, where it is set and not empty"),
        ], files: files,
        page: ManualPage(section: 1, date: "2026-12-01", seeAlso: ["accordiond(8)", "accordion-protocol(7)"]))

    /// As it is for whoever asks: the socket that no variable names is hard to guess.
    private static var files: [Meaning] {
        var files: [Meaning] = []
        if let socket = try? UserSocket.path(makingDirectory: false) {
            files.append(Meaning(socket, "the socket of your own daemon"))
        }
        files.append(Meaning(DaemonFinder.systemSocket, "the socket of the system's"))
        if let state = try? UserState.directory() {
            files.append(Meaning(state, "the state and the log of a daemon that is started for you"))
        }
        return files
    }

    /// accordion(1): the places of files as they are for anyone.
    static var manual: String {
        var program = program
        program.files = [
            Meaning("$XDG_RUNTIME_DIR/accordiond.sock", "the socket of your own daemon"),
            Meaning(DaemonFinder.systemSocket, "the socket of the system's"),
            Meaning("~/.local/state/accordiond", "the state and the log of a daemon that is started for you"),
        ]
        return program.manual
    }

    private static let commands =
        [MirrorRun.table, ListCommand.table, ShowCommand.table] + GestureCommand.tables + BulkCommand.tables + [
            ImportCommand.table, ExportCommand.table, DeleteCommand.table, WatchCommand.table, WaitCommand.table,
        ] + PresenceCommand.tables + [HistoryCommand.table] + UndoCommand.tables + [
            StatusCommand.table, WhereCommand.table, SendCommand.table, ScriptCommand.table, TokenCommand.table,
            CompletionCommand.table,
            CandidatesCommand.table,
        ]

    /// Where a word was none of what is known.
    static var helpHint: String { "Try \"\(program.name) --help\"." }

    /// Does what was asked and returns the exit code.
    static func run(_ client: Client) throws(CommandFailure) -> ExitCode {
        let name = client.invocation.command?.name ?? ""
        if let gesture = GestureCommand(rawValue: name) { return try gesture.run(client) }
        if let bulk = BulkCommand(rawValue: name) { return try bulk.run(client) }
        if let undo = UndoCommand(rawValue: name) { return try undo.run(client) }
        if let presence = PresenceCommand(rawValue: name) { return try presence.run(client) }
        switch name {
        case ListCommand.table.name: try ListCommand.run(client)
        case ShowCommand.table.name: try ShowCommand.run(client)
        case ImportCommand.table.name: return try ImportCommand.run(client)
        case ExportCommand.table.name: try ExportCommand.run(client)
        case DeleteCommand.table.name: try DeleteCommand.run(client)
        case WatchCommand.table.name: return try WatchCommand.run(client)
        case WaitCommand.table.name: return try WaitCommand.run(client)
        case HistoryCommand.table.name: try HistoryCommand.run(client)
        case StatusCommand.table.name: try StatusCommand.run(client)
        case WhereCommand.table.name: try WhereCommand.run(client)
        case SendCommand.table.name: return try SendCommand.run(client)
        case TokenCommand.table.name: try TokenCommand.run(client)
        case CompletionCommand.table.name: CompletionCommand.run(client)
        case CandidatesCommand.table.name: CandidatesCommand.run(client)
        case ScriptCommand.table.name: try ScriptCommand.run(client)
        default: try MirrorRun.run(client)
        }
        return .done
    }
}

extension Argument {
    static let document = Argument.one("DOC", .document)
    static let section = Argument.optional("SECTION", .section)
}
