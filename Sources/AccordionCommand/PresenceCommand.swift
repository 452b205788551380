// Why this file exists: `accordion select` and `accordion present`: a script is somewhere in a document, as people are.

import AccordionModel
import CommandLine
import EventLoop
import Glibc
import Mirror
import Wire

enum PresenceCommand: String, CaseIterable {
    case select, present

    static var tables: [Command] { allCases.map(\.table) }

    private static let staying =
        "Presence lasts as long as the connection, so the command stays: until it is interrupted, until --timeout has "
        + "passed (then it ends with 0), or, where standard input is a pipe, until whoever holds its other end is gone; "
        + "nothing is read from it. A line is printed once others can see it. It ends with 3 when the document is deleted "
        + "or a new content lacks the section."

    private var table: Command {
        let timeout = Option("timeout", "W", value: OptionValue("S", .seconds), help: "End with 0 after S seconds")
        switch self {
        case .select:
            return Command(
                rawValue, summary: "shows others that one is at a section, for as long as it runs",
                details: [Self.staying], arguments: [.document, .one("SECTION", .section)], options: [timeout],
                example: Example("accordion select runbook Deploy --name pipeline &", "a pipeline says where it is"))
        case .present:
            return Command(
                rawValue, summary: "presents a document, at a section: others may follow, for as long as it runs",
                details: [Self.staying], arguments: [.document, .section], options: [timeout],
                example: Example("accordion present runbook Deploy --timeout 60", "for a minute"))
        }
    }

    func run(_ client: Client) throws(CommandFailure) -> ExitCode {
        let name = try client.documentName()
        let timeout = client.invocation.milliseconds("timeout")
        let stay = try Stay(client, name, timeoutMilliseconds: timeout) { .exit(.done) }
        let presence = Presence(stay, isPresenting: self == .present)
        return try stay.run(atEnd: { presence.close() })
    }
}

/// One presence, from the first snapshot on.
private final class Presence {
    private let stay: Stay
    private let isPresenting: Bool
    private var path: SectionPath?
    private var hasBegun = false
    private var input: FileReadiness?

    init(_ stay: Stay, isPresenting: Bool) {
        self.stay = stay
        self.isPresenting = isPresenting
        stay.onEvent = { [unowned self] in receive($0, $1) }
        guard Standard.isPipe(STDIN_FILENO) else { return }
        // One that can't be watched ends nothing.
        input = try? FileReadiness(stay.client.loop, descriptor: STDIN_FILENO) { [unowned self] _ in
            self.stay.end(.exit(.done))
        }
        input?.start(.disconnected)
    }

    func close() {
        input?.close()
        input = nil
    }

    private func receive(_ event: ServerEvent, _ changes: [ReplicaChange]) {
        if case .deleted = stay.replica.life { return stay.end(stay.deletion) }
        guard let document = stay.replica.document else { return }
        if hasBegun {
            if let path, document.find(path) == nil {
                stay.end(CommandFailure(.notFound, "\(JSONEscape.quoted(path.text)) is in \(stay.name) no longer"))
            }
            return
        }
        hasBegun = true
        do throws(CommandFailure) {
            try begin(document)
        } catch {
            stay.end(error)
        }
    }

    private func begin(_ document: Document) throws(CommandFailure) {
        if let word = stay.client.invocation.argument("SECTION") {
            path = document[try stay.client.section(word, in: document, of: stay.name)].path
        }
        if let path {
            stay.connection.request(.select(stay.name, section: path)) { [unowned self] reply in
                if let failure = reply.failure { return stay.end(.refusal(failure)) }
                if !isPresenting { tell() }
            }
        }
        guard isPresenting else { return }
        stay.connection.request(.present(stay.name, true)) { [unowned self] reply in
            if let failure = reply.failure { return stay.end(.refusal(failure)) }
            tell()
        }
    }

    private func tell() {
        let output = stay.client.output
        guard output.isJSON else {
            let word = isPresenting ? "presented" : "selected"
            return output.table(["SECTION", "NOW"], [[path?.text ?? stay.name.text, word]])
        }
        output.object { writer in
            writer.raw("\"doc\":")
            writer.string(stay.name.text)
            if let path {
                writer.raw(",\"section\":")
                writer.string(path.text)
            }
            writer.raw(isPresenting ? ",\"presenting\":true" : ",\"presenting\":false")
        }
    }
}
