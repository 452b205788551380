// What could be typed at the end of a command line, by the same table and the same reading of options as parsing: a shell
// hands over the words, and is told what the table knows and what has to be looked up elsewhere.

/// What may stand in the place of the word that is being typed.
package struct Completion: Hashable, Sendable {
    package struct Candidate: Hashable, Sendable {
        /// The whole word.
        package let word: String
        /// What it does, in a few words; empty where that is not known.
        package let about: String

        package init(_ word: String, _ about: String = "") {
            self.word = word
            self.about = about
        }
    }

    /// Those of the table that begin with what was typed, in the table's order.
    package var candidates: [Candidate] = []
    /// What else may stand here, for the caller to look up: a document, a section, a file. None where the table says all.
    package var shapes: [ValueShape] = []
    /// What of the word stands before the value that is looked for: `--as=`, else nothing.
    package var prefix = ""
    /// The beginning of the value.
    package var value = ""
    /// The arguments that stand before it, by the names of the table, as far as they go.
    package var arguments: [String: String] = [:]
    /// The last value of each option that stands before it.
    package var values: [String: String] = [:]

    package init() {}

    fileprivate mutating func offer(_ word: String, _ about: String = "") {
        if word.hasPrefix(prefix + value) { candidates.append(Candidate(word, about)) }
    }

    fileprivate mutating func look(for shape: ValueShape) {
        switch shape {
        case .choice(let choices): for choice in choices { offer(prefix + choice) }
        case .documentOrFile: shapes += [.document, .file]
        default: shapes.append(shape)
        }
    }
}

extension Program {
    /// What may be typed in place of `current`, the last word, which may be empty; `words` are those before it, the program's
    /// name not among them. Nothing where those make no sense.
    package func completion(after words: [String], of current: String) -> Completion {
        var result = Completion()
        result.value = current
        guard !commands.isEmpty else {
            complete(words, of: nil, &result)
            return result
        }
        let head = scan(words, options: options(after: nil), stopsAtOperand: true)
        guard keep(head, options(after: nil), &result) else { return result }
        guard let first = head.rest.first else {
            if head.isEndedByDashes || !current.hasPrefix("-") {
                firstWord(&result, isAfterDashes: head.isEndedByDashes)
            } else {
                offerOptions(options(after: nil), groups: groups, &result)
            }
            return result
        }
        if !head.isEndedByDashes, let (command, count) = command(namedBy: head.rest) {
            complete(Array(head.rest.dropFirst(count)), of: command, &result)
        } else if !head.isEndedByDashes, first == Self.helpOption.long {
            if head.rest.count == 1 { offerCommands(&result) }
        } else if !head.isEndedByDashes, !continuations(of: first).isEmpty {
            guard head.rest.count == 1 else { return result }
            for word in continuations(of: first) { result.offer(word, command("\(first) \(word)")?.summary ?? "") }
        } else if let command = defaultCommand.flatMap({ command($0) }) {
            complete(head.isEndedByDashes ? ["--"] + head.rest : head.rest, of: command, &result)
        }
        return result
    }

    /// The command itself, or the first argument of the one that need not be named.
    private func firstWord(_ result: inout Completion, isAfterDashes: Bool) {
        if !isAfterDashes {
            offerCommands(&result)
            result.offer(Self.helpOption.long, "tells more of a command")
        }
        guard let command = defaultCommand.flatMap({ command($0) }), let argument = command.arguments.first else {
            return
        }
        result.look(for: argument.shape)
    }

    private func offerCommands(_ result: inout Completion) {
        var offered: Set<Substring> = []
        for command in commands where !command.isHidden {
            let word = command.name.prefix { $0 != " " }
            guard offered.insert(word).inserted else { continue }
            result.offer(String(word), word.count == command.name.count ? command.summary : "")
        }
    }

    /// Behind a command, or for a program without commands.
    private func complete(_ words: [String], of command: Command?, _ result: inout Completion) {
        let all = options(after: command)
        let scanned = scan(words, options: all, stopsAtOperand: false)
        guard keep(scanned, all, &result) else { return }
        let current = result.value
        if current.hasPrefix("-"), !scanned.isEndedByDashes {
            offerOptions(all, groups: groups + (command?.groups ?? []), &result)
            // By itself it is an argument, as a name of standard input.
            if current != "-" { return }
        }
        let operands =
            scanned.items.compactMap { if case .operand(let word) = $0 { word } else { nil } } + scanned.rest
        let declared = command?.arguments ?? arguments
        for (argument, operand) in zip(declared, operands) { result.arguments[argument.name] = operand }
        if let next = operands.count < declared.count ? declared[operands.count] : declared.last,
            operands.count < declared.count || next.isRepeatable
        {
            result.look(for: next.shape)
        }
    }

    /// Takes the options of a scan; false where nothing is left to do: the word is an option's value, or what stands before
    /// it makes no sense.
    private func keep(_ scanned: Scan, _ options: [Option], _ result: inout Completion) -> Bool {
        for case .option(let index, let value) in scanned.items { result.values[options[index].long] = value ?? "" }
        switch scanned.fault {
        case nil: return true
        case .missingValue(let index)?:
            if let shape = options[index].value?.shape { result.look(for: shape) }
            return false
        case .unknown?, .unexpectedValue?: return false
        }
    }

    /// Options that may still be given; with a `=` in the word, the values of the one before it.
    private func offerOptions(_ options: [Option], groups: [OptionGroup], _ result: inout Completion) {
        if let equals = result.value.firstIndex(of: "="), result.value.hasPrefix("--") {
            let typed = result.value[..<equals].dropFirst(2)
            let begun = options.filter { $0.long.hasPrefix(typed) }
            let meant = begun.first { $0.long == typed } ?? (begun.count == 1 ? begun.first : nil)
            guard let shape = meant?.value?.shape else { return }
            let start = result.value.index(after: equals)
            result.prefix = String(result.value[..<start])
            result.value = String(result.value[start...])
            return result.look(for: shape)
        }
        for option in options {
            let isGiven = result.values[option.long] != nil && !option.isRepeatable
            let isExcluded = groups.contains { group in
                group.options.contains(option.long) && group.options.contains { result.values[$0] != nil }
            }
            if !isGiven, !isExcluded { result.offer("--" + option.long, option.help) }
        }
    }
}
