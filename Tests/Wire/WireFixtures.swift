// Why this file exists: what the tests of requests, documents and server lines share: reading a line, or its refusal, and
// documents that nobody would write.
import AccordionModel
import Bytes
import Causality
import Testing
import Wire

func request(_ line: String) -> Result<Request, Failure> {
    do throws(Failure) {
        return .success(try RequestReader().read(Array(line.utf8).span))
    } catch {
        return .failure(error)
    }
}

func code(_ line: String) -> ErrorCode? {
    guard case .failure(let failure) = request(line) else { return nil }
    return failure.code
}

func text(_ request: Request) -> String {
    let frame = Frame()
    request.write(into: frame)
    return frame.text
}

func serverLine(_ text: String) -> ServerLine? {
    do throws(Failure) {
        return try ServerLineReader().read(Array(text.utf8).span)
    } catch {
        Issue.record("\(error.message): \(text)")
        return nil
    }
}

func event(_ write: (EventWriter) -> Void) -> ServerEvent? {
    let frame = Frame()
    write(EventWriter(frame))
    guard frame.text.last == "\n", case .event(let event)? = serverLine(String(frame.text.dropLast())) else {
        return nil
    }
    return event
}

func reply(_ reply: Reply, id: RequestID? = nil, isClamped: Bool = false) -> ServerReply? {
    let frame = Frame()
    reply.write(id: id, isClamped: isClamped, into: frame)
    guard frame.text.last == "\n", case .reply(let read)? = serverLine(String(frame.text.dropLast())) else {
        return nil
    }
    return read
}

enum Made {
    static let words = [
        "a", "广东省", "深圳市", "é", "e\u{301}", "🪗", "\"quoted\"", "back\\slash", "two words", "a~2", "-", ".", "…",
        "\u{1F468}\u{200D}\u{1F469}",
    ]
    /// What no name may hold, but a text may.
    static let texts =
        words + ["", "line\nline\ttab", "\u{9B}2J", "\u{202E}turned", "\u{FEFF}", "\u{7F}\u{1}\u{1B}[0m", "a/b"]

    static func document(_ random: inout SeededRandom, sections: Int = 40) -> Document {
        var builder = DocumentBuilder()
        var attributes = DocumentAttributes()
        attributes.title = texts.randomElement(using: &random) ?? ""
        attributes.mode = Bool.random(using: &random) ? .single : .multiple
        attributes.initiallyOpen = Bool.random(using: &random)
        attributes.headers = Bool.random(using: &random)
        attributes.conflicts = [ConflictPolicy.last, .open, .closed].randomElement(using: &random) ?? .last
        attributes.collapsible = Bool.random(using: &random)
        do throws(InvalidDocument) {
            for number in 0..<Int.random(in: 0...sections, using: &random) {
                while builder.depth > 0, builder.depth == 16 || Int.random(in: 0..<3, using: &random) == 0 {
                    builder.endSection()
                }
                switch Int.random(in: 0..<6, using: &random) {
                case 0: try builder.addText(texts.randomElement(using: &random) ?? "")
                case 1:
                    let language = Bool.random(using: &random) ? words.randomElement(using: &random) : nil
                    try builder.addCode(texts.randomElement(using: &random) ?? "", language: language)
                default: try section(number, &random, &builder)
                }
            }
            return try builder.finish(attributes)
        } catch {
            Issue.record("\(error)")
            return document(&random, sections: 0)
        }
    }

    private static func section(
        _ number: Int, _ random: inout SeededRandom, _ builder: inout DocumentBuilder
    ) throws(InvalidDocument) {
        func maybe() -> Bool? { [true, false, nil].randomElement(using: &random) ?? nil }
        var attributes = SectionAttributes()
        attributes.mode = [Mode.single, .multiple, nil].randomElement(using: &random) ?? nil
        attributes.open = maybe()
        attributes.collapsible = Bool.random(using: &random)
        attributes.locked = Bool.random(using: &random)
        attributes.task = maybe()
        attributes.tint = ["red", "bright-cyan", "#12abEF", nil].randomElement(using: &random) ?? nil
        let id = Bool.random(using: &random) ? "\(words.randomElement(using: &random) ?? "") \(number)" : nil
        let hasContent = Bool.random(using: &random)
        try builder.beginSection(
            id: id, title: texts.randomElement(using: &random) ?? "", attributes: attributes, hasContent: hasContent)
        if !hasContent { builder.endSection() }
    }
}
