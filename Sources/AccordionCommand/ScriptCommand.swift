// Why this file exists: `accordion script`: a conversation that was written down is played, and fails where it goes
// otherwise.

import CommandLine
import Wire

enum ScriptCommand {
    private static let scriptBytesMax = 64 << 20

    static let table = Command(
        "script", summary: "plays a conversation with the daemon and compares what comes back",
        details: [
            "A line is \"> {request}\", \"< {pattern}\" (the members given must match, \"*\" is any value), \"@ NAME\" "
                + "(another client speaks), \"! SECONDS\" (wait) or \"# comment\"."
        ],
        arguments: [.one("FILE", .file)],
        example: Example("accordion script toggle.accordion", "exit 1 where something else came, with line and both"))

    static func run(_ client: Client) throws(CommandFailure) {
        let path = client.invocation.argument("FILE") ?? "-"
        let script = try read(path)
        _ = try client.connect()
        guard let address = client.address else { throw CommandFailure(.noDaemon, "no daemon answers") }
        do throws(ScriptRunner.Failed) {
            try ScriptRunner(client.loop, address).play(script)
        } catch {
            throw CommandFailure(error.isUnreachable ? .noDaemon : .refused, "\(path):\(error.line): \(error.reason)")
        }
    }

    private static func read(_ path: String) throws(CommandFailure) -> Script {
        let bytes: [UInt8]
        do throws(Standard.FileFault) {
            bytes = try Standard.file(path, bytesMax: scriptBytesMax)
        } catch {
            throw CommandFailure(.unreadableFile, "\(path): \(error.reason)")
        }
        do throws(Script.Fault) {
            return try Script(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw CommandFailure(.unreadableFile, "\(path):\(error.line): \(error.reason)")
        }
    }
}
