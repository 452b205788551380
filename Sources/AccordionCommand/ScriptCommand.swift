// Why this file exists: `accordion script`: a conversation that was written down is played, and fails where it goes
// otherwise.

import CommandLine
import EventLoop
import Glibc
import Wire

enum ScriptCommand {
    private static let scriptBytesMax = 64 << 20

    static let table = Command(
        "script", summary: "plays a conversation with the daemon and compares what comes back",
        details: [
            "A line is \"> {request}\", \"< {pattern}\" (the members given must match, \"*\" is any value), \"< end\" (the "
                + "connection ends), \"@ NAME\" (another client speaks), \"! SECONDS\" (wait) or \"# comment\".",
            "With --private it is played with a daemon of its own, which is empty, named n1, and gone afterwards: what "
                + "is written for such a one need not come true with a daemon that holds documents already.",
        ],
        arguments: [.one("FILE", .file)],
        options: [Option("private", help: "Play it with an empty daemon of its own, named n1")],
        example: Example(
            "accordion script toggle.accordion --private", "exit 1 where something else came, with line and both"))

    static func run(_ client: Client) throws(CommandFailure) {
        let path = client.invocation.argument("FILE") ?? "-"
        let script = try read(path)
        guard client.invocation.flag("private") else {
            _ = try client.connect()
            guard let address = client.address else { throw CommandFailure(.noDaemon, "no daemon answers") }
            return try play(script, path, client, address)
        }
        let daemon = try PrivateDaemon(client.loop)
        defer { daemon.end() }
        try play(script, path, client, daemon.address)
    }

    private static func play(
        _ script: Script, _ path: String, _ client: Client, _ address: Address
    ) throws(CommandFailure) {
        let runner = ScriptRunner(client.loop, address)
        var signals: [SignalWatcher] = []
        defer { for signal in signals { signal.close() } }
        do throws(SystemError) {
            for signal in [SIGINT, SIGTERM, SIGHUP] where !Standard.isIgnored(signal) {
                signals.append(
                    try SignalWatcher(client.loop, signal: signal) { [unowned runner] in runner.interruption = signal })
            }
        } catch {
            throw CommandFailure(.noDaemon, "\(error)")
        }
        do throws(ScriptRunner.Failed) {
            try runner.play(script)
        } catch {
            client.interruption = runner.interruption
            if client.interruption != nil { return }
            let hint =
                client.invocation.flag("private") || error.isUnreachable
                ? "" : "\nWhat is written for an empty daemon named n1 is played with --private."
            throw CommandFailure(
                error.isUnreachable ? .noDaemon : .refused, "\(path):\(error.line): \(error.reason)\(hint)")
        }
        guard client.output.isJSON else {
            return client.output.line("passed: \(runner.said) requests, \(runner.matched) replies and events matched")
        }
        client.output.object { writer in
            writer.raw("\"requests\":")
            writer.integer(runner.said)
            writer.raw(",\"matched\":")
            writer.integer(runner.matched)
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
