// A table with everything that a table can say, for the tests of this room.
import CommandLine

let sample = Program(
    name: "squeeze", version: "1.0", summary: "a sample with commands",
    options: [
        Option("address", "a", value: OptionValue("ADDRESS", .address), help: "Where the daemon listens"),
        Option("json", help: "Print one JSON object a line"),
        Option("verbose", "v", isRepeatable: true, help: "Say more"),
    ],
    commands: [
        Command(
            "mirror", summary: "the live view", arguments: [.one("DOC-OR-FILE", .document)],
            options: [Option("no-animation", help: "Change at once")],
            example: Example("squeeze runbook", "Shows runbook as it stands, and every change")),
        Command(
            "show", summary: "print a document as it stands",
            details: ["Closed sections are printed closed."],
            arguments: [.one("DOC", .document), .optional("SECTION", .section)],
            options: [Option("all", "A", help: "Print closed sections too")],
            example: Example("squeeze show runbook --all", "Prints everything in runbook")),
        Command(
            "open", summary: "open sections", arguments: [.one("DOC", .document), .several("SECTION", .section)],
            example: Example("squeeze open runbook first second", "Opens two sections")),
        Command(
            "wait", summary: "return when a section is so",
            arguments: [.one("DOC", .document), .one("SECTION", .section)],
            options: [
                Option("open", help: "Until it is open"), Option("closed", help: "Until it is closed"),
                Option("timeout", "W", value: OptionValue("S", .seconds), help: "Give up after S seconds"),
                Option("count", "C", value: OptionValue("N", .integer(1...100)), help: "Until it was so N times"),
                Option("mode", value: OptionValue("MODE", .choice(["single", "multiple"])), help: "In this mode"),
                Option("tag", value: OptionValue("TAG"), isRepeatable: true, help: "Only with this tag"),
            ],
            groups: [OptionGroup(["open", "closed"], isRequired: true)],
            example: Example("squeeze wait runbook step --open", "Returns once step is open")),
        Command(
            "level", summary: "open down to a level",
            arguments: [.one("N", .integer(0...16)), .one("DOC", .document)],
            example: Example("squeeze level 2 runbook", "Opens two levels")),
        Command(
            "token new", summary: "make a token", arguments: [.one("NAME")],
            options: [Option("role", value: OptionValue("R"), help: "What it may do")],
            example: Example("squeeze token new alice", "Prints a token for alice")),
    ],
    defaultCommand: "mirror", exitCodes: [Meaning(.done, "done"), Meaning(.usage, "wrong usage")],
    environment: [Meaning("SQUEEZE_ADDRESS", "the address, where --address is not given")])

let sampleDaemon = Program(
    name: "squeezed", version: "1.0", summary: "a sample without commands",
    options: [
        Option("listen", "l", value: OptionValue("ADDRESS", .address), isRepeatable: true, help: "Listen there"),
        Option("check", help: "Check the store"),
        Option("backup", value: OptionValue("FILE", .file), help: "Copy the store"),
    ],
    groups: [OptionGroup(["check", "backup"])], usageExit: .daemonUsage)

extension Program {
    /// The invocation of a line that is to be run; nil if it is not.
    func run(_ line: String) throws(UsageError) -> Invocation? {
        if case .run(let invocation) = try parse(line.split(separator: " ").map(String.init)) {
            invocation
        } else {
            nil
        }
    }

    /// The error of a line that is to be refused; nil if it is not.
    func refusal(_ words: [String]) -> UsageError? {
        do {
            _ = try parse(words)
            return nil
        } catch {
            return error
        }
    }

    func refusal(_ line: String) -> String? {
        refusal(line.split(separator: " ").map(String.init))?.lines.first
    }
}
