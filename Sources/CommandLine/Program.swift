// One table describes a program. Parsing, help, usage errors, completions and man pages are all readings of it, so what
// a user is told can't drift from what is accepted. It is data: nothing in it runs.

/// What a value or an argument stands for: it is checked when parsed (integers, seconds, choices) and completed by.
package enum ValueShape: Hashable, Sendable {
    case text, file, directory, address, document, section
    case documentOrFile
    case integer(ClosedRange<Int>)
    /// A decimal number of seconds with at most three digits after the point; read as milliseconds.
    case seconds
    case choice([String])
}

/// The value of an option: the name it has in help, in capitals, and its shape.
package struct OptionValue: Hashable, Sendable {
    package let name: String
    package let shape: ValueShape
    package init(_ name: String, _ shape: ValueShape = .text) {
        self.name = name
        self.shape = shape
    }
}

/// An option. `long` is without its dashes; `short` is one ASCII letter or digit. An option that may repeat keeps all
/// its values; of any other the last one given counts, so an alias can be overridden.
package struct Option: Hashable, Sendable {
    package let long: String
    package let short: Character?
    package let value: OptionValue?
    package let isRepeatable: Bool
    /// One sentence, without a period at the end.
    package let help: String
    package init(
        _ long: String, _ short: Character? = nil, value: OptionValue? = nil, isRepeatable: Bool = false, help: String
    ) {
        self.long = long
        self.short = short
        self.value = value
        self.isRepeatable = isRepeatable
        self.help = help
    }
}

/// Options of which at most one may be given, or exactly one.
package struct OptionGroup: Hashable, Sendable {
    package let options: [String]
    package let isRequired: Bool
    package init(_ options: [String], isRequired: Bool = false) {
        self.options = options
        self.isRequired = isRequired
    }
}

/// A positional argument. Those that must stand come before the one that may be absent; only the last may repeat.
package struct Argument: Hashable, Sendable {
    package let name: String
    package let shape: ValueShape
    package let isOptional: Bool
    package let isRepeatable: Bool

    package static func one(_ name: String, _ shape: ValueShape = .text) -> Argument {
        Argument(name: name, shape: shape, isOptional: false, isRepeatable: false)
    }
    package static func optional(_ name: String, _ shape: ValueShape = .text) -> Argument {
        Argument(name: name, shape: shape, isOptional: true, isRepeatable: false)
    }
    /// One or more.
    package static func several(_ name: String, _ shape: ValueShape = .text) -> Argument {
        Argument(name: name, shape: shape, isOptional: false, isRepeatable: true)
    }
}

package struct Example: Hashable, Sendable {
    /// The whole line as it is typed.
    package let line: String
    package let does: String
    package init(_ line: String, _ does: String) {
        self.line = line
        self.does = does
    }
}

package struct Command: Hashable, Sendable {
    /// One word, or words with a space between them: `token new`.
    package let name: String
    package let summary: String
    /// Paragraphs below the summary.
    package let details: [String]
    package let arguments: [Argument]
    package let options: [Option]
    package let groups: [OptionGroup]
    /// For other programs: neither told in help nor proposed.
    package let isHidden: Bool
    package let example: Example
    package init(
        _ name: String, summary: String, details: [String] = [], arguments: [Argument] = [], options: [Option] = [],
        groups: [OptionGroup] = [], isHidden: Bool = false, example: Example
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.arguments = arguments
        self.options = options
        self.groups = groups
        self.isHidden = isHidden
        self.example = example
    }
}

/// A term and what it means: an exit code, a variable of the environment, a file.
package struct Meaning: Hashable, Sendable {
    package let term: String
    package let text: String
    package init(_ term: String, _ text: String) {
        self.term = term
        self.text = text
    }
    package init(_ code: ExitCode, _ text: String) { self.init(String(code.rawValue), text) }
}

package struct Program: Hashable, Sendable {
    package var name: String
    package var version: String
    package var summary: String
    package var details: [String] = []
    /// Options of the program: before the command and after it. `--help`/`-h` and `--version` are always there.
    package var options: [Option]
    package var groups: [OptionGroup] = []
    /// Arguments of a program that has no commands.
    package var arguments: [Argument] = []
    package var commands: [Command] = []
    /// The command that is meant where the first word names none and the words fit it.
    package var defaultCommand: String?
    package var examples: [Example] = []
    package var exitCodes: [Meaning] = []
    package var environment: [Meaning] = []
    package var files: [Meaning] = []
    /// What a usage error ends with.
    package var usageExit: ExitCode = .usage
    /// Where its manual page stands; nil for a program that has none, and knows no `--manual`.
    package var page: ManualPage?

    package init(
        name: String, version: String, summary: String, details: [String] = [], options: [Option],
        groups: [OptionGroup] = [], arguments: [Argument] = [], commands: [Command] = [],
        defaultCommand: String? = nil, examples: [Example] = [], exitCodes: [Meaning] = [],
        environment: [Meaning] = [], files: [Meaning] = [], usageExit: ExitCode = .usage,
        page: ManualPage? = nil
    ) {
        self.name = name
        self.version = version
        self.summary = summary
        self.details = details
        self.options = options
        self.groups = groups
        self.arguments = arguments
        self.commands = commands
        self.defaultCommand = defaultCommand
        self.examples = examples
        self.exitCodes = exitCodes
        self.environment = environment
        self.files = files
        self.usageExit = usageExit
        self.page = page
    }

    package static let helpOption = Option("help", "h", help: "Print this help and exit")
    package static let versionOption = Option("version", help: "Print the version and exit")

    package func command(_ name: String) -> Command? { commands.first { $0.name == name } }

    /// Every option that may stand after `command`: its own, then the program's.
    package func options(after command: Command?) -> [Option] {
        (command?.options ?? []) + options + [Self.helpOption, Self.versionOption]
    }
}
