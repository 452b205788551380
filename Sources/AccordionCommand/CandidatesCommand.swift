// Why this file exists: what can be typed next is known in two places: the table of the commands, and the daemon, which knows
// its documents and their sections. A shell asks here for both. It asks at the press of a key, so the answer comes soon or
// not at all, nothing is started for it, and nothing is told of what went wrong.

import AccordionModel
import CommandLine
import Mirror
import Wire

enum CandidatesCommand {
    private static let connectMilliseconds = 1_000
    private static let replyMilliseconds = 2_000
    /// Nobody chooses from more.
    private static let candidatesMax = 1_000

    static let table = Command(
        "candidates", summary: "for shells: what may stand in place of the last WORD",
        details: [
            "The first line says what else the shell has to look for: \"words\" nothing, \"files PREFIX\" or \"directories "
                + "PREFIX\" names of files, behind PREFIX. Every further line is a word, and behind a tab what it means."
        ],
        arguments: [.several("WORD")], isHidden: true,
        example: Example("accordion candidates -- show run", "documents that begin with \"run\""))

    static func run(_ client: Client) {
        let words = client.invocation.arguments("WORD")
        var completion = CommandTable.program.completion(after: words.dropLast(), of: words.last ?? "")
        var kind = "words"
        for shape in completion.shapes {
            switch shape {
            case .file: kind = isPathWanted(completion) ? "files \(completion.prefix)" : kind
            case .directory: kind = "directories \(completion.prefix)"
            case .document: completion.candidates += known(completion, client, documents)
            case .section: completion.candidates += known(completion, client, sections)
            default: break
            }
        }
        client.output.line(kind)
        // What a shell would write to the terminal as it is, or take for two lines, is left out.
        let tellable = completion.candidates.lazy.filter { DisplayText.visible($0.word) == $0.word }
        for candidate in tellable.prefix(candidatesMax) {
            client.output.line("\(candidate.word)\t\(DisplayText.visible(candidate.about))")
        }
    }

    /// Where a document or a command may stand too, files are told once something was typed.
    private static func isPathWanted(_ completion: Completion) -> Bool {
        !completion.shapes.contains(.document) || !completion.value.isEmpty
    }

    // MARK: - What the daemon knows

    private typealias Look = (Client, Completion) throws(CommandFailure) -> [Completion.Candidate]

    /// Asks the daemon that the words name, else the one that every command finds; nothing where none answers.
    private static func known(_ completion: Completion, _ client: Client, _ look: Look) -> [Completion.Candidate] {
        let patience = Client.Patience(
            address: completion.values["address"], mayStart: false, connectMilliseconds: connectMilliseconds,
            replyMilliseconds: replyMilliseconds)
        do throws(CommandFailure) {
            let asking = try Client(client.invocation, patience)
            defer { asking.close() }
            return try look(asking, completion)
        } catch {
            return []
        }
    }

    private static func documents(
        _ client: Client, _ completion: Completion
    ) throws(CommandFailure) -> [Completion.Candidate] {
        let reply = try client.ask(.list(prefix: completion.value, after: nil, limit: candidatesMax))
        return (reply.documents ?? []).map { Completion.Candidate(completion.prefix + $0.name.text, $0.title) }
    }

    /// The paths that begin with the value, as far as the next "/", as a shell does with files; inside the section that the
    /// value names already, one further. Where no path begins so, titles of the whole document that do.
    private static func sections(
        _ client: Client, _ completion: Completion
    ) throws(CommandFailure) -> [Completion.Candidate] {
        guard let name = completion.arguments["DOC"].flatMap({ DocumentName($0) }) else { return [] }
        let value = completion.value
        let end = value.utf8.lastIndex(of: UInt8(ascii: "/")) ?? value.startIndex
        let around = String(value[..<end])
        guard let document = try client.ask(.get(name, section: SectionPath(around))).document?.document else {
            return []
        }
        var candidates: [Completion.Candidate] = []
        func offer(_ index: Int32) -> Bool {
            let path = (around.isEmpty ? "" : around + "/") + document[index].path.text
            guard path.hasPrefix(value) else { return false }
            let isTitled = path == document[index].title || path.hasSuffix("/" + document[index].title)
            candidates.append(Completion.Candidate(path, isTitled ? "" : document[index].title))
            return path == value
        }
        for index in document.children(of: -1) where offer(index) {
            for inner in document.children(of: index) { _ = offer(inner) }
        }
        guard candidates.isEmpty, around.isEmpty else { return candidates }
        return document.sections.filter { $0.title.hasPrefix(value) }.map { .init($0.title, $0.path.text) }
    }
}
