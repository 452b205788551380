// Why this file exists: `accordion-bench lonely`: a broker may be away for a night. What is written meanwhile is kept on disk,
// so the memory of the daemon must not grow with it, and all of it must follow when the broker is there.

import CommandLine
import Glibc

enum LonelyCommand: BenchCommand {
    static let table = Command(
        "lonely", summary: "writes while the cluster's broker is away, watches memory, and lets it come",
        options: [
            Option("minutes", value: OptionValue("N", .integer(1...10_000)), help: "So long (60)"),
            Option("rate", value: OptionValue("N", .integer(1...20_000)), help: "Writes a second (200)"),
            Option("documents", value: OptionValue("N", .integer(1...10_000)), help: "So many documents (20)"),
        ],
        example: Example("accordion-bench lonely --minutes 2", "a short form"))

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        let minutes = invocation.integer("minutes") ?? 60
        let rate = invocation.integer("rate") ?? 200
        let documents = invocation.integer("documents") ?? 20
        let brokers = try BenchBroker.started(1)
        brokers[0].kill()
        defer { brokers[0].kill() }
        let node = try BenchNode("n1", servers: [brokers[0].address], replicas: 1)
        try node.start()
        defer { node.daemon?.end() }
        guard let place = node.daemon?.place else { return }
        let socket = try BenchSocket(.unix, place)
        for document in 0..<documents { try create(document, socket) }
        var samples: [Int] = []
        var writes = 0
        let began = Bench.nowMicroseconds
        for second in 0..<minutes * 60 {
            var lines = ""
            for number in 0..<rate {
                lines +=
                    #"{"op":"toggle","doc":"d\#((writes + number) % documents)","section":"s\#(number % 20)"}"# + "\n"
            }
            try socket.send(Array(lines.utf8))
            for _ in 0..<rate {
                guard let line = try socket.line(), line.contains(#""ok":true"#) else {
                    throw BenchFailure("a write failed after \(writes)")
                }
            }
            writes += rate
            if second % 60 == 59 { samples.append(place.residentKiB) }
            let next = began + (second + 1) * 1_000_000
            let rest = next - Bench.nowMicroseconds
            if rest > 0 { usleep(UInt32(rest)) }
        }
        Bench.figure("writes", "\(writes) in \(minutes) minutes, broker away")
        let shown = samples.enumerated().filter {
            $0.offset < 5 || $0.offset % 10 == 9 || $0.offset == samples.count - 1
        }
        Bench.figure("memory", shown.map { "\($0.element >> 10) MiB at \($0.offset + 1) min" }.joined(separator: ", "))
        Bench.figure("database", "\(Bench.bytes(node.directory.state + "/accordion.db") >> 20) MiB")
        try brokers[0].start()
        let came = Bench.nowMicroseconds
        while try node.measure("cluster_last_message") < writes {
            guard Bench.nowMicroseconds - came < 1_800_000_000 else { throw BenchFailure("it does not follow") }
            usleep(200_000)
        }
        Bench.figure(
            "all of it followed", "within \((Bench.nowMicroseconds - came) / 1_000_000) s of the broker's start")
        Bench.figure("memory at most", "\(place.peakKiB >> 10) MiB")
    }

    private static func create(_ document: Int, _ socket: BenchSocket) throws(BenchFailure) {
        let sections = (0..<20).map { #"{"id":"s\#($0)","title":"S","content":[]}"# }
        let line = #"{"op":"create","doc":"d\#(document)","content":[\#(sections.joined(separator: ","))]}"#
        guard try socket.ask(line)?.contains(#""ok":true"#) == true else { throw BenchFailure("no document") }
    }
}
