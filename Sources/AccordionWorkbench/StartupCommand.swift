// Why this file exists: `accordion-bench startup`: a daemon with very many documents must answer as soon as one with none.

import CommandLine

enum StartupCommand: BenchCommand {
    static let table = Command(
        "startup", summary: "how long a start takes with very many documents on disk",
        options: [
            Option("documents", value: OptionValue("N", .integer(1...1_000_000)), help: "So many documents (100,000)"),
            Option("starts", value: OptionValue("N", .integer(1...1_000)), help: "So many starts (9)"),
        ],
        example: Example("accordion-bench startup --documents 1000", "a short form"))

    /// Created without waiting for replies that many at a time.
    private static let batch = 500

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        let documents = invocation.integer("documents") ?? 100_000
        let starts = invocation.integer("starts") ?? 9
        let directory = try BenchDirectory()
        let began = Bench.nowMicroseconds
        let first = try BenchDaemon(in: directory)
        try fill(first.place, documents)
        Bench.figure("documents", "\(documents), made in \((Bench.nowMicroseconds - began) / 1_000) ms")
        first.end()
        for request in [
            #"{"op":"ping"}"#, #"{"op":"get","doc":"d\#(documents / 2)"}"#, #"{"op":"list","limit":10}"#,
        ] {
            var latencies = Latencies()
            for _ in 0..<starts {
                let spawned = Bench.nowMicroseconds
                let daemon = try BenchDaemon(in: directory)
                guard let reply = try BenchSocket(.unix, daemon.place).ask(request), reply.contains(#""ok":true"#)
                else {
                    throw BenchFailure("no reply to \(request)")
                }
                latencies.add(Bench.nowMicroseconds - spawned)
                if request.contains("list") {
                    Bench.figure("  memory then", "\(daemon.place.residentKiB) KiB")
                }
                daemon.end()
            }
            Bench.figure("from the start to the reply of \(request)", latencies.summary)
        }
    }

    private static func fill(_ place: DaemonPlace, _ documents: Int) throws(BenchFailure) {
        let socket = try BenchSocket(.unix, place)
        var number = 0
        while number < documents {
            let end = min(documents, number + batch)
            var lines = ""
            for document in number..<end {
                lines +=
                    #"{"op":"create","doc":"d\#(document)","title":"Document \#(document)","content":[{"id":"a","title":"A","content":["text"]},{"id":"b","title":"B","task":false}]}"#
                    + "\n"
            }
            try socket.send(Array(lines.utf8))
            for _ in number..<end {
                guard let line = try socket.line(), line.contains(#""ok":true"#) else {
                    throw BenchFailure("a document can't be made")
                }
            }
            number = end
        }
    }
}
