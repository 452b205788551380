// Why this file exists: many runbooks begin with a block of YAML for the program that publishes them. It is no content; of
// all its keys the title is taken, and one key of our own for what Markdown has no words for.

import AccordionModel
import Wire

/// The block between two lines `---` at the beginning of a text.
struct FrontMatter {
    /// Of the key `accordion`: a document's members as one JSON object on the same line (which is YAML, too).
    static let ownKey = "accordion"
    private static let namedKeysMax = 10

    private(set) var title: String?
    /// The bytes of the JSON, and its line.
    private(set) var members: (json: [UInt8], line: Int)?
    /// Keys that are not taken, in their order.
    private(set) var otherKeys: [String] = []
    /// How many lines it has, both rules included.
    let lineCount: Int

    /// Nil where the text does not begin with such a block: two rules with prose between them are content.
    init?(_ source: SourceText) {
        func isRule(_ line: String) -> Bool {
            let line = line.trimmed
            return line == "---" || line == "..."
        }
        guard source.text(ofLine: 1).hasPrefix("---"), isRule(source.text(ofLine: 1)) else { return nil }
        var lines: [String] = []
        var number = 2
        while number <= source.lineStarts.count {
            let line = source.text(ofLine: number)
            if line.first != " ", isRule(line) { break }
            lines.append(line)
            number += 1
        }
        guard number <= source.lineStarts.count else { return nil }
        lineCount = number
        var index = 0
        while index < lines.count {
            let line = lines[index]
            if line.trimmed.isEmpty || line.hasPrefix("#") {
                index += 1
                continue
            }
            guard let (key, value) = Self.entry(line) else { return nil }
            let start = index
            index += 1
            while index < lines.count, Self.continues(lines[index]) { index += 1 }
            let more = lines[(start + 1)..<index].map(\.trimmed).filter { !$0.isEmpty }
            switch key {
            case "title": title = Self.scalar(value, more)
            case Self.ownKey: members = (Array(value.utf8), start + 2)
            default: otherKeys.append(key)
            }
        }
    }

    /// What is told of the keys that are not taken; nil where there is none.
    var note: String? {
        guard !otherKeys.isEmpty else { return nil }
        let named = otherKeys.prefix(Self.namedKeysMax).map { JSONEscape.quoted($0) }.joined(separator: ", ")
        let more = otherKeys.count > Self.namedKeysMax ? " and \(otherKeys.count - Self.namedKeysMax) more" : ""
        return "the front matter's \(named)\(more) \(otherKeys.count == 1 ? "is" : "are") left out"
    }

    /// A key at the beginning of the line, and what follows its colon.
    private static func entry(_ line: String) -> (key: String, value: String)? {
        guard let colon = line.firstIndex(of: ":"), let first = line.unicodeScalars.first else { return nil }
        let isWord = first == "\"" || first == "'" || first == "_" || first.properties.isAlphabetic
        let after = line[line.index(after: colon)...]
        guard isWord, after.isEmpty || after.first == " " || after.first == "\t" else { return nil }
        let key = String(line[..<colon]).trimmed
        let words = key.split(separator: " ").count
        return words <= 3 ? (unquoted(key), String(after).trimmed) : nil
    }

    /// A line that belongs to the key before it.
    private static func continues(_ line: String) -> Bool {
        guard let first = line.first else { return true }
        return first == " " || first == "\t" || line == "-" || line.hasPrefix("- ") || line == "]" || line == "}"
    }

    /// A value on the key's line, or folded over lines of its own.
    private static func scalar(_ value: String, _ more: [String]) -> String {
        let isBlock = value.hasPrefix("|") || value.hasPrefix(">")
        if isBlock { return more.joined(separator: " ") }
        let whole = ([value] + more).joined(separator: " ")
        if whole.hasPrefix("\"") || whole.hasPrefix("'") { return unquoted(whole) }
        guard let comment = whole[...].firstPlace(of: " #") else { return whole.trimmed }
        return String(whole[..<comment.lowerBound]).trimmed
    }

    private static func unquoted(_ text: String) -> String {
        if text.count >= 2, text.hasPrefix("'"), text.hasSuffix("'") {
            return String(text.dropFirst().dropLast()).withEach("''", as: "'")
        }
        guard text.count >= 2, text.hasPrefix("\"") else { return text }
        // YAML's double quotes are JSON's, but for escapes that hardly anybody writes.
        let json = Array("{\"a\":\(text)}".utf8)
        let parser = JSONParser()
        let read = try? parser.parse(json.span, refuse: { Failure($0) }) { object throws(Failure) in
            object["a"]?.string
        }
        return (read ?? nil) ?? String(text.dropFirst().dropLast(text.hasSuffix("\"") ? 1 : 0))
    }
}
