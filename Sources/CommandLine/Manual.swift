// The manual page is one more reading of the table, in the language of man(7). What a table can't say – what stands in
// which section of the manual, and what else is worth reading – is given beside it.

/// Where a page stands, and what it names besides the table.
package struct ManualPage: Hashable, Sendable {
    /// 1 for commands, 8 for daemons.
    package let section: Int
    /// Of the text, `2026-05-01`: a page that is made anew of the same table must be the same.
    package let date: String
    /// Other pages: `accordiond(8)`.
    package let seeAlso: [String]

    package init(section: Int, date: String, seeAlso: [String] = []) {
        self.section = section
        self.date = date
        self.seeAlso = seeAlso
    }
}

extension Program {
    /// The whole page, ended by a newline; empty where the table has none. Hidden commands are not in it.
    package var manual: String {
        guard let page else { return "" }
        var roff = Roff()
        roff.text += ".\\\" Made from the table of the command line by \"\(name) --manual\"; change that, not this.\n"
        roff.text +=
            ".TH \"\(name.uppercased())\" \"\(page.section)\" \"\(page.date)\" \"\(name) \(version)\" \"Accordion manual\"\n"
        // Names of options and paths are not to be broken or spread.
        roff.text += ".nh\n.ad l\n"
        roff.heading("Name")
        roff.words("\(name) \u{2013} \(summary)", isName: true)
        roff.heading("Synopsis")
        for (index, form) in synopses.enumerated() {
            if index > 0 { roff.request("br") }
            roff.synopsis(form, of: name)
        }
        roff.heading("Description")
        roff.paragraphs(details.isEmpty ? [sentence(summary)] : details, isFirst: true)
        let shown = commands.filter { !$0.isHidden }
        if !shown.isEmpty {
            roff.heading("Commands")
            for command in shown { describe(command, &roff) }
        }
        roff.heading("Options")
        for option in options + [Self.helpOption, Self.versionOption] { roff.item(option) }
        for (title, meanings) in [("Environment", environment), ("Files", files), ("Exit status", exitCodes)] {
            guard !meanings.isEmpty else { continue }
            roff.heading(title)
            for meaning in meanings { roff.item(Roff.bold(meaning.term), sentence(meaning.text)) }
        }
        if !examples.isEmpty {
            roff.heading("Examples")
            for (index, example) in examples.enumerated() { roff.example(example, isFirst: index == 0) }
        }
        if !page.seeAlso.isEmpty {
            roff.heading("See also")
            roff.references(page.seeAlso)
        }
        return roff.text
    }

    private func describe(_ command: Command, _ roff: inout Roff) {
        roff.request("SS", [command.name])
        roff.synopsis(synopsis(of: command), of: "\(name) \(command.name)")
        roff.paragraphs([sentence(command.summary)] + command.details)
        for option in command.options { roff.item(option) }
        roff.example(command.example)
    }
}

/// What the table says in a few words, as a sentence.
private func sentence(_ words: String, ending: String = ".") -> String {
    words.prefix(1).uppercased() + words.dropFirst() + ending
}

/// Lines of man(7) being written. Every text is escaped, and none can begin a request by itself.
private struct Roff {
    static let columns = 100
    var text = ""

    mutating func request(_ name: String, _ arguments: [String] = []) {
        let quoted = arguments.map { " \"" + Roff.escaped($0).replacing("\"", with: "\\(dq") + "\"" }
        text += "." + name + quoted.joined() + "\n"
    }

    mutating func heading(_ title: String) { request("SH", [title.uppercased()]) }

    /// A text in lines of its own.
    mutating func words(_ words: String, isName: Bool = false) {
        for line in fold(words, columns: Roff.columns) {
            // What stands before the dash is the name, for those who search pages by it.
            lines(isName ? Roff.escaped(line).replacing(" \u{2013} ", with: " \\- ") : Roff.escaped(line))
        }
    }

    /// The first below a heading needs no request.
    mutating func paragraphs(_ paragraphs: [String], isFirst: Bool = false) {
        for (index, paragraph) in paragraphs.enumerated() {
            if index > 0 || !isFirst { request("PP") }
            words(paragraph)
        }
    }

    mutating func item(_ term: String, _ meaning: String) {
        request("TP")
        lines(term)
        words(meaning)
    }

    mutating func item(_ option: Option) {
        let short = option.short.map { Roff.bold("-\($0)") + ", " } ?? ""
        let value = option.value.map { " " + Roff.italic($0.name) } ?? ""
        item(short + Roff.bold("--" + option.long) + value, option.row.1 + ".")
    }

    /// The name in bold, what is put in its place in italics, options in bold.
    mutating func synopsis(_ form: String, of name: String) {
        let rest = form.hasPrefix(name) ? String(form.dropFirst(name.count)) : " " + form
        var parts: [String] = []
        for word in rest.split(separator: " ") {
            let start = word.firstIndex { $0.isLetter || $0 == "-" } ?? word.endIndex
            let stop = word.lastIndex { $0.isLetter || $0.isNumber }.map { word.index(after: $0) } ?? start
            guard start < stop else {
                parts.append(Roff.escaped(String(word)))
                continue
            }
            let core = String(word[start..<stop])
            let styled = core.hasPrefix("-") ? Roff.bold(core) : Roff.italic(core)
            parts.append(Roff.escaped(String(word[..<start])) + styled + Roff.escaped(String(word[stop...])))
        }
        lines(([Roff.bold(name)] + parts).joined(separator: " "))
    }

    mutating func example(_ example: Example, isFirst: Bool = false) {
        if !isFirst { request("PP") }
        words(sentence(example.does, ending: ":"))
        request("PP")
        request("RS", ["4"])
        request("EX")
        lines(Roff.escaped(example.line))
        request("EE")
        request("RE")
    }

    /// `accordiond(8), accordion-protocol(7)`
    mutating func references(_ pages: [String]) {
        let all = pages.map { page in
            let name = page.prefix { $0 != "(" }
            return Roff.bold(String(name)) + Roff.escaped(String(page.dropFirst(name.count)))
        }
        lines(all.joined(separator: ", "))
    }

    private mutating func lines(_ line: String) {
        // At the beginning of a line these two begin a request.
        text += (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + line + "\n"
    }

    static func bold(_ text: String) -> String { "\\fB" + escaped(text) + "\\fR" }
    static func italic(_ text: String) -> String { "\\fI" + escaped(text) + "\\fR" }

    /// A dash is the one that can be typed, as are the marks that typography would bend.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            default: result.append(character)
            }
        }
        return result
    }
}
