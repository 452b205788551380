// What a command line said, once it was understood; and what is told where it was not.

/// A parsed command line. Names are the table's; asking for one that the table does not have is a broken invariant.
package struct Invocation: Hashable, Sendable {
    /// Nil for a program without commands.
    package let command: Command?
    /// The command was not named: the table's default stood in. Where its first argument then turns out not to exist,
    /// it may have been a mistyped command.
    package let isCommandImplied: Bool
    private let options: [Option]
    private let declared: [Argument]
    private let given: [String: [String]]
    /// The arguments, in order.
    package let operands: [String]

    init(
        command: Command?, isCommandImplied: Bool, options: [Option], declared: [Argument], given: [String: [String]],
        operands: [String]
    ) {
        self.command = command
        self.isCommandImplied = isCommandImplied
        self.options = options
        self.declared = declared
        self.given = given
        self.operands = operands
    }

    /// True where the option was given, with a value or without.
    package func flag(_ long: String) -> Bool {
        precondition(options.contains { $0.long == long }, "no option --\(long) in the table")
        return given[long] != nil
    }

    /// All values, in the order given.
    package func values(_ long: String) -> [String] {
        precondition(options.contains { $0.long == long && $0.value != nil }, "no value --\(long) in the table")
        return given[long] ?? []
    }

    /// The last value given.
    package func value(_ long: String) -> String? { values(long).last }

    /// The value of an option declared `.integer`: within the range declared.
    package func integer(_ long: String) -> Int? { value(long).flatMap { Int($0) } }

    /// The value of an option declared `.seconds`.
    package func milliseconds(_ long: String) -> Int? { value(long).flatMap(milliseconds(fromSeconds:)) }

    /// The argument of that name, nil where it may be absent and is.
    package func argument(_ name: String) -> String? { arguments(name).first }

    /// The arguments of that name: one or more for one that may repeat.
    package func arguments(_ name: String) -> [String] {
        let index = declared.firstIndex { $0.name == name }
        precondition(index != nil, "no argument \(name) in the table")
        guard let index, index < operands.count else { return [] }
        return declared[index].isRepeatable ? Array(operands[index...]) : [operands[index]]
    }

    /// The integer of an argument declared `.integer`.
    package func integerArgument(_ name: String) -> Int? { argument(name).flatMap { Int($0) } }
}

/// What to do: run, or print something that was asked for and end with 0.
package enum Outcome: Hashable, Sendable {
    case run(Invocation)
    /// `--help`, of the program or of a command.
    case help(Command?)
    case version
    /// `--manual` alone: the page from which the manual is made; told nowhere, since nobody who uses the program needs it.
    case manual
}

/// A command line that can't be meant. The caller prints `lines` on standard error and ends with the table's `usageExit`.
package struct UsageError: Error, Hashable, Sendable {
    /// What was wrong, naming it; text of the user is quoted, control characters escaped.
    package let message: String
    /// What was probably meant: whole options with dashes, or commands; several where equally near.
    package let proposals: [String]
    /// The program, and the command where one was recognised: `accordion show`.
    package let subject: String

    package init(message: String, proposals: [String], subject: String) {
        self.message = message
        self.proposals = proposals
        self.subject = subject
    }

    /// `accordion show: no option "--al"; did you mean --all?` and where help is found.
    package var lines: [String] {
        var first = "\(subject): \(message)"
        if let last = proposals.last {
            let all = proposals.dropLast().joined(separator: ", ")
            first += "; did you mean " + (all.isEmpty ? last : "\(all) or \(last)") + "?"
        }
        return [first, "Try \"\(subject) --help\"."]
    }
}

/// Text of the user inside a message: in quotes, what a terminal would obey escaped, cut after 128 scalars.
func quoted(_ text: String) -> String {
    let scalarsMax = 128
    var result = "\""
    for scalar in text.unicodeScalars.prefix(scalarsMax) {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
            result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + (text.unicodeScalars.count > scalarsMax ? "…\"" : "\"")
}

/// `30`, `0.25`: digits, and at most three after a point; nil for anything else and above a thousand million seconds.
func milliseconds(fromSeconds text: String) -> Int? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, !whole.isEmpty, whole.utf8.count <= 9, whole.utf8.allSatisfy(isDigit) else {
        return nil
    }
    guard let seconds = Int(whole) else { return nil }
    guard parts.count == 2 else { return seconds * 1000 }
    let fraction = parts[1]
    guard (1...3).contains(fraction.utf8.count), fraction.utf8.allSatisfy(isDigit) else { return nil }
    let padded = fraction + String(repeating: "0", count: 3 - fraction.utf8.count)
    return Int(padded).map { seconds * 1000 + $0 }
}

private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
