// Why this file exists: `accordion token new`: a secret that nobody has seen before, and the entry by which a daemon knows it
// without holding it.

import CommandLine
import Transport
import Wire

enum TokenCommand {
    static let table = Command(
        "token new", summary: "makes a token, prints it once, and the daemon's entry for it",
        details: [
            "The token goes to whoever is to have it, into a file of their own (~/.config/accordion/token, mode 0600); the "
                + "entry, which holds its digest alone, into the daemon's configuration. Nothing keeps the token itself."
        ],
        arguments: [.one("NAME", .text)],
        options: [
            Option(
                "role", value: OptionValue("R", .choice(["viewer", "toggler", "editor", "admin"])),
                help: "What it allows (toggler)"),
            Option(
                "documents", value: OptionValue("PATTERN"), isRepeatable: true,
                help: "Which documents, \"*\" for any characters; all where it is not given"),
        ],
        example: Example("accordion token new pipeline --role toggler --documents 'runbook-*'", "for a program"))

    static func run(_ client: Client) throws(CommandFailure) {
        let name = client.invocation.argument("NAME") ?? ""
        guard !name.isEmpty, name.utf8.count <= 64,
            name.unicodeScalars.allSatisfy({
                $0.value >= 0x20 && $0 != "/" && $0 != "\"" && $0 != "\\" && $0.value != 0x7F
            })
        else { throw CommandFailure(.usage, "a name has 1 to 64 bytes without control characters, quotes and \"/\"") }
        guard let bytes = Digest.random(bytes: 32) else {
            throw CommandFailure(.refused, "the system has no random bytes")
        }
        let token = encoded(bytes)
        let digest = Digest.sha256(token)
        let role = client.invocation.value("role") ?? "toggler"
        let documents = client.invocation.values("documents")
        var lines = ["[[token]]", "name = \"\(name)\"", "sha256 = \"\(digest)\"", "role = \"\(role)\""]
        if !documents.isEmpty {
            let listed = documents.map { pattern in
                "\"" + pattern.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
            }
            lines.append("documents = [\(listed.joined(separator: ", "))]")
        }
        let entry = lines.map { $0 + "\n" }.joined()
        if client.output.isJSON {
            client.output.object { writer in
                writer.raw("\"token\":")
                writer.string(token)
                writer.raw(",\"entry\":")
                writer.string(entry)
            }
        } else {
            client.output.line(token)
            Standard.error("\n# for the daemon's configuration:\n" + entry)
        }
    }

    /// Base 64 for names of files and of hosts: letters, digits, "-" and "_".
    private static func encoded(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var (text, bits, count) = ("", UInt32(0), 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(letters[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(letters[Int(bits << UInt32(6 - count) & 63)]) }
        return text
    }
}
