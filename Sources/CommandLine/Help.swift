// What `--help` prints: the same table in the order in which a newcomer asks. Plain text, aligned, no line longer than
// the terminal is wide where a word allows it.

extension Program {
    /// Help for a command, or for the program where there is none. Ends with a newline. `columns` under 40 counts as 40.
    package func help(for command: Command? = nil, columns: Int) -> String {
        var page = Page(columns: max(40, columns))
        if let command {
            page.paragraph("\(name) \(command.name) – \(command.summary)")
        } else {
            page.paragraph("\(name) – \(summary)")
        }
        page.usage(command.map { [synopsis(of: $0)] } ?? synopses)
        for paragraph in command?.details ?? details { page.paragraph(paragraph, gap: true) }
        let own = command?.options ?? options
        if let command {
            page.list("Options", own.map(\.row))
            let common = options.map(\.spelling) + [Self.helpOption.spelling]
            page.list("Options of every command", [("", common.joined(separator: ", "))])
            page.list("Example", [], after: ["  " + command.example.line])
            page.paragraph("\(command.example.does).", indent: 4)
        } else {
            page.list("Commands", commands.filter { !$0.isHidden }.map { (headline(of: $0), $0.summary) })
            page.list("Options", (own + [Self.helpOption, Self.versionOption]).map(\.row))
            page.list("Environment", environment.map { ($0.term, $0.text) })
            page.list("Files", files.map { ($0.term, $0.text) })
            page.list("Exit", exitCodes.map { ($0.term, $0.text) })
            // Last, where whoever asked looks first once the rest has scrolled by.
            for (index, example) in examples.enumerated() {
                page.list(index == 0 ? "Examples" : nil, [], after: ["  " + example.line])
                page.paragraph("\(example.does).", indent: 4)
            }
            if !commands.isEmpty { page.paragraph("\(name) help COMMAND tells more of a command.", gap: true) }
        }
        return page.text
    }

    /// `accordion 1.0`, with a newline.
    package var versionText: String { "\(name) \(version)\n" }

    /// The forms of the program's own command line, without its commands' options.
    package var synopses: [String] {
        let flags = pieces(of: options, groups: groups).joined(separator: " ")
        let start = flags.isEmpty ? name : "\(name) \(flags)"
        if commands.isEmpty { return [([start] + arguments.map(\.spelling)).joined(separator: " ")] }
        let implied = defaultCommand.flatMap { command($0) }.map {
            (["\(name)"] + $0.arguments.map(\.spelling)).joined(separator: " ")
        }
        return ["\(start) COMMAND …"] + (implied.map { [$0] } ?? [])
    }

    /// `accordion show DOC [SECTION] [--all]`
    package func synopsis(of command: Command) -> String {
        let words = ["\(name) \(command.name)"] + command.arguments.map(\.spelling)
        return (words + pieces(of: command.options, groups: command.groups)).joined(separator: " ")
    }

    /// `show DOC [SECTION]`
    package func headline(of command: Command) -> String {
        ([command.name] + command.arguments.map(\.spelling)).joined(separator: " ")
    }

    /// Options as they stand in a synopsis: a group once, with bars, where its first option stands.
    private func pieces(of options: [Option], groups: [OptionGroup]) -> [String] {
        options.compactMap { option in
            guard let group = groups.first(where: { $0.options.contains(option.long) }) else {
                return "[\(option.spelling)]" + (option.isRepeatable ? "…" : "")
            }
            guard group.options.first == option.long else { return nil }
            let members = group.options.compactMap { name in options.first { $0.long == name }?.spelling }
            let all = members.joined(separator: " | ")
            return group.isRequired ? (members.count > 1 ? "{\(all)}" : all) : "[\(all)]"
        }
    }
}

extension Option {
    /// `--timeout S`
    package var spelling: String { "--" + long + (value.map { " " + $0.name } ?? "") }

    /// The two columns of help: `-W, --timeout S` and the sentence, with the choices that the table knows.
    var row: (String, String) {
        var text = help
        if case .choice(let choices) = value?.shape { text += " (\(choices.joined(separator: ", ")))" }
        return ((short.map { "-\($0), " } ?? "    ") + spelling, text + (isRepeatable ? "; may be repeated" : ""))
    }
}

extension Argument {
    /// `DOC`, `[SECTION]`, `SECTION…`
    package var spelling: String {
        let base = isRepeatable ? name + "…" : name
        return isOptional ? "[\(base)]" : base
    }
}

/// Lines being set. The texts are the table's own, in characters of one column each.
private struct Page {
    let columns: Int
    var text = ""

    init(columns: Int) { self.columns = columns }

    mutating func paragraph(_ words: String, indent: Int = 0, gap: Bool = false) {
        if gap { text += "\n" }
        let margin = String(repeating: " ", count: indent)
        for line in fold(words, columns: columns - indent) { text += margin + line + "\n" }
    }

    /// `Usage:` and each form below the other; a form too long goes on below its own options.
    mutating func usage(_ forms: [String]) {
        text += "\n"
        for (index, form) in forms.enumerated() {
            let margin = index == 0 ? "Usage: " : "       "
            for (number, line) in fold(form, columns: columns - 7, hanging: 4, keeping: true).enumerated() {
                text += (number == 0 ? margin : "           ") + line + "\n"
            }
        }
    }

    /// A heading and two columns; a left side wider than its column stands on its own line. Nothing for no rows.
    mutating func list(_ heading: String?, _ rows: [(String, String)], after: [String] = []) {
        guard !rows.isEmpty || !after.isEmpty else { return }
        if let heading { text += "\n\(heading):\n" }
        let leftMax = min(30, columns / 2 - 4)
        let widths = rows.map(\.0.count).filter { $0 <= leftMax }
        let left = widths.max() ?? 0
        let hasTerms = rows.contains { !$0.0.isEmpty }
        let start = left > 0 ? left + 4 : hasTerms ? 6 : 2
        for (term, meaning) in rows {
            let lines = fold(meaning, columns: columns - start)
            let fits = term.count <= left
            if !fits { text += "  \(term)\n" }
            let pad = String(repeating: " ", count: start)
            let first =
                fits && !term.isEmpty ? "  \(term)" + String(repeating: " ", count: start - 2 - term.count) : pad
            for (index, line) in lines.enumerated() { text += (index == 0 ? first : pad) + line + "\n" }
        }
        for line in after { text += line + "\n" }
    }
}

/// Breaks between words so that no line is longer than `columns`, those after the first by `hanging` less, unless a word
/// is. With `keeping`, what stands in brackets or braces is one word.
func fold(_ text: String, columns: Int, hanging: Int = 0, keeping: Bool = false) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words(of: text, keeping: keeping) {
        let room = lines.isEmpty ? columns : columns - hanging
        if !line.isEmpty && line.count + 1 + word.count > room {
            lines.append(line)
            line = ""
        }
        line += line.isEmpty ? word : " " + word
    }
    return lines + [line]
}

private func words(of text: String, keeping: Bool) -> [String] {
    var words: [String] = []
    var word = ""
    var depth = 0
    for character in text {
        if keeping && (character == "[" || character == "{") { depth += 1 }
        if keeping && (character == "]" || character == "}") { depth -= 1 }
        if character == " " && depth == 0 {
            if !word.isEmpty { words.append(word) }
            word = ""
        } else {
            word.append(character)
        }
    }
    return word.isEmpty ? words : words + [word]
}
