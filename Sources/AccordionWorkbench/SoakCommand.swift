// Why this file exists: `accordion-bench soak`: what is harmless for a second may fill a disk in a night. Writes for a given
// time, and watches what the daemon takes of memory and of the disk.

import CommandLine
import Glibc

enum SoakCommand: BenchCommand {
    static let table = Command(
        "soak", summary: "writes for a long time, and watches memory and the log that SQLite writes ahead",
        options: [
            Option("seconds", value: OptionValue("N", .integer(1...86_400)), help: "So long (600)"),
            Option("documents", value: OptionValue("N", .integer(1...10_000)), help: "So many documents (100)"),
        ],
        example: Example("accordion-bench soak --seconds 10", "a short form"))

    /// What the log may take at most.
    private static let logBytesMax = 64 << 20
    private static let batch = 200

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        let seconds = invocation.integer("seconds") ?? 600
        let documents = invocation.integer("documents") ?? 100
        let directory = try BenchDirectory()
        let daemon = try BenchDaemon(in: directory)
        defer { daemon.end() }
        let socket = try BenchSocket(.unix, daemon.place)
        for document in 0..<documents { try create(document, socket) }
        let (log, file) = (directory.state + "/accordion.db-wal", directory.state + "/accordion.db")
        let beforeKiB = daemon.place.residentKiB
        var (writes, logBytes, largest) = (0, 0, 0)
        let began = Bench.nowMicroseconds
        while Bench.nowMicroseconds - began < seconds * 1_000_000 {
            // Now and then something large, which the log has to take at once.
            if writes % 100_000 == 0 { try replace(writes / 100_000 % documents, socket) }
            var lines = ""
            for number in 0..<batch {
                let section = (writes + number) % 20
                lines += #"{"op":"toggle","doc":"d\#((writes + number) % documents)","section":"s\#(section)"}"# + "\n"
            }
            try socket.send(Array(lines.utf8))
            for _ in 0..<batch {
                guard let line = try socket.line(), line.contains(#""ok":true"#) else {
                    throw BenchFailure("a write failed after \(writes)")
                }
            }
            writes += batch
            logBytes = Bench.bytes(log)
            largest = max(largest, logBytes)
        }
        let lasted = Double(Bench.nowMicroseconds - began) / 1_000_000
        Bench.figure("writes", "\(writes) in \(Int(lasted)) s, \(Int(Double(writes) / lasted)) a second")
        Bench.figure("log at most", "\(largest >> 10) KiB, at the end \(logBytes >> 10) KiB")
        Bench.figure("database", "\(Bench.bytes(file) >> 10) KiB")
        Bench.figure(
            "memory",
            "\(beforeKiB) KiB before, \(daemon.place.peakKiB) KiB at most, \(daemon.place.residentKiB) KiB after")
        guard largest < logBytesMax else { throw BenchFailure("the log took \(largest) bytes") }
    }

    private static func create(_ document: Int, _ socket: BenchSocket) throws(BenchFailure) {
        let sections = (0..<20).map { #"{"id":"s\#($0)","title":"S","content":[]}"# }
        let line = #"{"op":"create","doc":"d\#(document)","content":[\#(sections.joined(separator: ","))]}"#
        guard try socket.ask(line)?.contains(#""ok":true"#) == true else { throw BenchFailure("no document") }
    }

    /// 4 MiB of text.
    private static func replace(_ document: Int, _ socket: BenchSocket) throws(BenchFailure) {
        let text = String(repeating: "x", count: 4 << 20)
        let sections = (0..<20).map { #"{"id":"s\#($0)","title":"S","content":[]}"# }
        let line =
            #"{"op":"replace","doc":"d\#(document)","content":["\#(text)",\#(sections.joined(separator: ","))]}"#
        guard try socket.ask(line)?.contains(#""ok":true"#) == true else { throw BenchFailure("no new content") }
    }
}
