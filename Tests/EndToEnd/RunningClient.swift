// Why this file exists: some commands of the client stay until something happens; tests look at what they have printed so far
// while they run.

import Glibc
import TestSupport

/// A client that runs against a daemon of the test's own.
final class RunningClient {
    let process: Process
    private let outputPath: String
    private let errorsPath: String

    init(_ daemon: TestDaemon, _ arguments: [String], environment: [String] = [], input: String? = nil) throws {
        let number = UInt32.random(in: 0...UInt32.max)
        (outputPath, errorsPath) = ("\(daemon.scratch.path)/out.\(number)", "\(daemon.scratch.path)/err.\(number)")
        process = try Process(
            productsDirectory + "/accordion", ["--address", daemon.address] + arguments, environment: environment,
            input: input, output: outputPath, errors: errorsPath)
    }

    var output: String { contents(outputPath) }
    var errors: String { contents(errorsPath) }

    /// What it has printed, without the times in front.
    var lines: [String] {
        output.split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).dropFirst().joined(separator: "\t")
        }
    }

    func awaitOutput(_ text: String) throws {
        try until("it prints \(text)") {
            if output.contains(text) { return true }
            if process.hasEnded { throw TookTooLong(description: "ended before \(text): \(output)\(errors)") }
            return false
        }
    }
}

extension TestDaemon {
    /// Says each line and expects that it is done.
    func tell(_ lines: String...) throws {
        let socket = try TestSocket(unix: socketPath)
        for line in lines {
            let reply = try socket.ask(line) ?? "nothing"
            guard reply.contains(#""ok":true"#) else { throw TookTooLong(description: "\(line) is answered \(reply)") }
        }
    }

    /// A document with a section of each kind.
    func makeRunbook() throws {
        try tell(
            #"{"op":"create","doc":"runbook","content":[{"title":"Deploy","content":["text",{"title":"Smoke","task":false}]},"#
                + #"{"title":"Tools","content":[],"open":true},{"title":"Row"},{"title":"Rules","content":[],"locked":true}]}"#
        )
    }
}

/// The commands that the client's help names.
func clientCommands() throws -> [String] {
    let scratch = try Scratch()
    let process = try Process(productsDirectory + "/accordion", ["--help"], output: scratch.path + "/help")
    guard try process.waitForEnd() == 0 else { throw TookTooLong(description: "no help") }
    let lines = contents(scratch.path + "/help").split(separator: "\n", omittingEmptySubsequences: false)
    let list = lines.drop { $0 != "Commands:" }.dropFirst().prefix { !$0.isEmpty }
    return list.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.compactMap { line in
        // The one that is two words, `token new`, is tried by itself.
        line.split(separator: " ").first.map(String.init)
    }.filter { $0 != "token" }
}
