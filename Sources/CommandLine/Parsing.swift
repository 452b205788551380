// From words to what is meant, by the table: the program's options, the command, the command's options and arguments.
// Every word that does not fit is named in the error, and what was probably meant is proposed.

extension Program {
    /// Parses `words`, the program's name not among them. `--help` and `--version` win over any fault after them.
    /// Options of the program stand before the command or after it; options of the command before, between and after
    /// its arguments; `--` ends options. A long name may be cut to a beginning that only it has. `help` as the first word
    /// of a program with commands, none of that name, is `--help`, and `help COMMAND` that command's.
    package func parse(_ words: [String]) throws(UsageError) -> Outcome {
        if page != nil, words == ["--manual"] { return .manual }
        var reading = Reading(program: self)
        if commands.isEmpty { return try reading.readAll(words) }
        let head = scan(words, options: options(after: nil), stopsAtOperand: true)
        if let outcome = try reading.record(head) { return outcome }
        guard let first = head.rest.first else { throw reading.error("no command given") }
        if !head.isEndedByDashes, let (command, wordCount) = command(namedBy: head.rest) {
            reading.command = command
            return try reading.readAll(Array(head.rest.dropFirst(wordCount)))
        }
        if first == Self.helpOption.long, !head.isEndedByDashes { return try help(Array(head.rest.dropFirst())) }
        let inner = continuations(of: first)
        if !inner.isEmpty { throw incomplete(first, head.rest.dropFirst().first, inner) }
        guard let command = defaultCommand.flatMap({ command($0) }) else { throw unknownCommand(first) }
        reading.command = command
        reading.isCommandImplied = true
        do throws(UsageError) {
            if !head.isEndedByDashes { return try reading.readAll(head.rest) }
            reading.operands = head.rest
            return .run(try reading.finish())
        } catch {
            // Words that don't fit the default command were meant for another one, if one is near.
            let isMisfit = !reading.operandsFit || !nearestCommands(to: first).isEmpty
            throw isMisfit && !head.isEndedByDashes ? unknownCommand(first) : error
        }
    }

    /// `help`, alone or before a command, where no command has that name.
    private func help(_ words: [String]) throws(UsageError) -> Outcome {
        guard let first = words.first(where: { !$0.hasPrefix("-") }) else { return .help(nil) }
        if let (command, _) = command(namedBy: words) { return .help(command) }
        let inner = continuations(of: first)
        throw inner.isEmpty ? unknownCommand(first) : incomplete(first, words.dropFirst().first, inner)
    }

    /// The commands that a mistyped word was probably meant to be.
    package func nearestCommands(to word: String) -> [String] {
        nearest(word, among: commands.lazy.filter { !$0.isHidden }.map(\.name))
    }

    /// The command that the first words name, and how many they are; the longest name wins.
    func command(namedBy words: [String]) -> (Command, Int)? {
        var found: (Command, Int)?
        for command in commands {
            let name = command.name.split(separator: " ").map(String.init)
            guard words.starts(with: name), name.count > found?.1 ?? 0 else { continue }
            found = (command, name.count)
        }
        return found
    }

    /// The second words of the commands that begin with `first`: `new` for `token`.
    func continuations(of first: String) -> [String] {
        commands.map(\.name).filter { $0.hasPrefix(first + " ") }.map { String($0.dropFirst(first.count + 1)) }
    }

    private func incomplete(_ first: String, _ second: String?, _ inner: [String]) -> UsageError {
        guard let second else {
            let all = inner.joined(separator: ", ")
            return UsageError(message: "\(first) needs one of: \(all)", proposals: [], subject: name)
        }
        let near = nearest(second, among: inner)
        return UsageError(
            message: "no command \(quoted("\(first) \(second)"))",
            proposals: (near.isEmpty ? inner : near).map { "\(first) \($0)" }, subject: name)
    }

    private func unknownCommand(_ word: String) -> UsageError {
        UsageError(message: "no command \(quoted(word))", proposals: nearestCommands(to: word), subject: name)
    }
}

/// What was read so far.
private struct Reading {
    let program: Program
    var command: Command?
    var isCommandImplied = false
    var given: [String: [String]] = [:]
    var operands: [String] = []

    init(program: Program) { self.program = program }

    var arguments: [Argument] { command?.arguments ?? program.arguments }

    /// Reads options and arguments to the end.
    mutating func readAll(_ words: [String]) throws(UsageError) -> Outcome {
        let scanned = scan(words, options: program.options(after: command), stopsAtOperand: false)
        operands = scanned.items.compactMap { if case .operand(let word) = $0 { word } else { nil } } + scanned.rest
        if let outcome = try record(scanned) { return outcome }
        return .run(try finish())
    }

    /// Keeps the options of a scan; the outcome where one of them asks for help or the version.
    mutating func record(_ scanned: Scan) throws(UsageError) -> Outcome? {
        let options = program.options(after: command)
        for case .option(let index, let value) in scanned.items {
            let option = options[index]
            if option == Program.helpOption { return .help(isCommandImplied ? nil : command) }
            if option == Program.versionOption { return .version }
            guard let value, let shape = option.value?.shape else {
                given[option.long] = []
                continue
            }
            if let fault = shape.fault(value) {
                throw error("--\(option.long) \(fault), not \(quoted(value))", proposals: shape.proposals(for: value))
            }
            given[option.long, default: []].append(value)
        }
        if let fault = scanned.fault { throw describe(fault, options) }
        return nil
    }

    func finish() throws(UsageError) -> Invocation {
        for group in program.groups + (command?.groups ?? []) {
            let present = group.options.filter { given[$0] != nil }.map { "--" + $0 }
            if present.count > 1 { throw error("\(present.joined(separator: " and ")) exclude each other") }
            let all = group.options.map { "--" + $0 }.joined(separator: ", ")
            if group.isRequired && present.isEmpty { throw error("one of \(all) is needed") }
        }
        let missing = arguments.dropFirst(operands.count).filter { !$0.isOptional }.map(\.name)
        if let last = missing.last {
            let others = missing.dropLast().joined(separator: ", ")
            throw error(others.isEmpty ? "\(last) is missing" : "\(others) and \(last) are missing")
        }
        if !operandsFit { throw error("unexpected argument \(quoted(operands[arguments.count]))") }
        for (index, operand) in operands.enumerated() {
            let argument = arguments[min(index, arguments.count - 1)]
            if let fault = argument.shape.fault(operand) {
                throw error(
                    "\(argument.name) \(fault), not \(quoted(operand))",
                    proposals: argument.shape.proposals(for: operand))
            }
        }
        return Invocation(
            command: command, isCommandImplied: isCommandImplied, options: program.options(after: command),
            declared: arguments, given: given, operands: operands)
    }

    var operandsFit: Bool {
        let least = arguments.count { !$0.isOptional }
        let repeats = arguments.last?.isRepeatable ?? false
        return operands.count >= least && (repeats || operands.count <= arguments.count)
    }

    func error(_ message: String, proposals: [String] = []) -> UsageError {
        let subject = command.map { "\(program.name) \($0.name)" } ?? program.name
        return UsageError(message: message, proposals: proposals, subject: isCommandImplied ? program.name : subject)
    }

    private func describe(_ fault: Scan.Fault, _ options: [Option]) -> UsageError {
        switch fault {
        case .missingValue(let index):
            let name = options[index].value?.name ?? "a value"
            return error("--\(options[index].long) needs \(name)")
        case .unexpectedValue(let index): return error("--\(options[index].long) takes no value")
        case .unknown(let word, let short): return describe(unknown: word, short, options)
        }
    }

    private func describe(unknown word: String, _ short: Character?, _ options: [Option]) -> UsageError {
        if word.hasPrefix("--") {
            let typed = String(word.dropFirst(2).prefix { $0 != "=" })
            let begun = options.filter { $0.long.hasPrefix(typed) }.map { "--" + $0.long }
            if begun.count > 1 { return error("--\(typed) may be any of \(begun.joined(separator: ", "))") }
            let near = nearest(typed, among: options.map(\.long)).map { "--" + $0 }
            return error("no option \(quoted("--" + typed))", proposals: near)
        }
        let name = short.map { "-\($0)" } ?? word
        if word.dropFirst().first?.isNumber ?? false {
            return error("no option \(quoted(name)) (what begins with \"-\" is an argument only after \"--\")")
        }
        // `-open` for `--open`: the dash that was forgotten, if the word is an option's name.
        let meant = nearest(String(word.dropFirst()), among: options.map(\.long)).map { "--" + $0 }
        return error("no option \(quoted(name))", proposals: word.count > 3 ? meant : [])
    }
}

extension ValueShape {
    /// Of the values that may be chosen from, those that were probably meant.
    fileprivate func proposals(for text: String) -> [String] {
        if case .choice(let choices) = self { nearest(text, among: choices) } else { [] }
    }

    /// What a value has to be where `text` is none: `is a whole number from 1 to 9`.
    func fault(_ text: String) -> String? {
        switch self {
        case .text, .file, .directory, .address, .document, .documentOrFile, .section: return nil
        case .integer(let range):
            guard let value = Int(text), range.contains(value), text.utf8.first != UInt8(ascii: "+") else {
                return range.upperBound == .max
                    ? "is a whole number from \(range.lowerBound)"
                    : "is a whole number from \(range.lowerBound) to \(range.upperBound)"
            }
            return nil
        case .seconds: return milliseconds(fromSeconds: text) == nil ? "is a number of seconds" : nil
        case .choice(let choices):
            return choices.contains(text) ? nil : "is one of \(choices.joined(separator: ", "))"
        }
    }
}
