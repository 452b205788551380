// Why this file exists: scripts go by the exit code and people by the message, so every way to fail has both.

import AccordionModel
import CommandLine
import Mirror
import Wire

/// Why a command ends without having done what it was asked to.
struct CommandFailure: Error {
    let exit: ExitCode
    let message: String
    /// What was probably meant.
    var proposals: [String] = []
    /// Where more is told, for whoever has got no proposal.
    var hint: String?

    init(_ exit: ExitCode, _ message: String, proposals: [String] = [], hint: String? = nil) {
        self.exit = exit
        self.message = message
        self.proposals = proposals
        self.hint = hint
    }

    /// A word that can't be the name of a document.
    static func noName(_ text: String, of option: String = "") -> CommandFailure {
        CommandFailure(
            .usage,
            "\(option)\(JSONEscape.quoted(text)) is no document's name: 1 to \(DocumentName.bytesMax) bytes of letters, "
                + "digits, \".\", \"_\" and \"-\", not beginning with \".\" or \"-\"")
    }

    /// A refusal by the daemon.
    init(_ failure: ServerFailure) {
        let exit: ExitCode =
            switch failure.code {
            case ErrorCode.unknownDocument.rawValue, ErrorCode.unknownSection.rawValue: .notFound
            case ErrorCode.unauthorized.rawValue, ErrorCode.forbidden.rawValue: .notAllowed
            default: .refused
            }
        let place = failure.at.map { ", at position \($0 + 1)" } ?? ""
        // A line of its own would look like one of ours.
        self.init(exit, DisplayText.visible("\(failure.message)\(place) (\(failure.code))"))
    }

    /// For standard error. What came from outside is made visible.
    var lines: String {
        let parts = message.split(separator: "\n").map { DisplayText.visible(String($0)) }
        var text = "accordion: \(parts.joined(separator: "\n"))\n"
        if let last = proposals.last {
            let all = proposals.dropLast().map(DisplayText.visible).joined(separator: ", ")
            let named = DisplayText.visible(last)
            text += "Did you mean " + (all.isEmpty ? named : "\(all) or \(named)") + "?\n"
        } else if let hint {
            text += "\(hint)\n"
        }
        return text
    }
}
