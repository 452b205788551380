// Why this file exists: a conversation with the daemon, written down, is a test that anybody can read and run again: what
// clients say, what each must hear, in order.

import Wire

/// A conversation: one step a line.
struct Script {
    enum Action {
        /// `> {request}`: the client says it.
        case say(String)
        /// `< {pattern}`: the next line that the client hears must be like it.
        case hear(JSONPattern)
        /// `< end`: the connection ends, and nothing comes before.
        case hearEnd
        /// `@ NAME`: from here on another client speaks; one that is new connects.
        case turnTo(String)
        /// `! SECONDS`: nothing is said for so long; what is heard is kept.
        case wait(milliseconds: Int)
    }
    struct Step {
        /// In the file, counted from 1.
        let line: Int
        let action: Action
    }
    struct Fault: Error {
        let line: Int
        let reason: String
    }

    static let waitSecondsMax = 600

    let steps: [Step]

    init(_ text: String) throws(Fault) {
        var steps: [Step] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.hasSuffix("\r") ? line.dropLast() : line
            guard let action = try Script.action(line, number + 1) else { continue }
            steps.append(Step(line: number + 1, action: action))
        }
        self.steps = steps
    }

    private static func action(_ line: Substring, _ number: Int) throws(Fault) -> Action? {
        guard let first = line.first, first != "#" else { return nil }
        let rest = line.dropFirst().drop { $0 == " " }
        switch first {
        case ">": return .say(String(rest))
        case "<":
            if rest.allSatisfy({ $0 != "{" }), rest.split(separator: " ") == ["end"] { return .hearEnd }
            do throws(Failure) {
                return .hear(try JSONPattern(String(rest)))
            } catch {
                throw Fault(line: number, reason: "the pattern is no JSON: \(error.message)")
            }
        case "@":
            guard !rest.isEmpty else { throw Fault(line: number, reason: "@ needs the name of a client") }
            return .turnTo(String(rest))
        case "!":
            guard let seconds = Double(rest), seconds >= 0, seconds <= Double(waitSecondsMax) else {
                throw Fault(line: number, reason: "! needs seconds, \(waitSecondsMax) at most")
            }
            return .wait(milliseconds: Int(seconds * 1_000))
        default:
            if line.allSatisfy(\.isWhitespace) { return nil }
            throw Fault(
                line: number, reason: "a step begins with >, <, @, ! or #, not with \(JSONEscape.quoted(String(first)))"
            )
        }
    }
}
