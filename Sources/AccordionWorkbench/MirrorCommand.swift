// Why this file exists: `accordion-bench mirror`: a key must be answered before it is felt, also in a document of a hundred
// thousand sections.

import CommandLine

enum MirrorCommand: BenchCommand {
    static let table = Command(
        "mirror", summary: "types keys into a live view of a large document, and times each to the last byte drawn",
        options: [
            Option("sections", value: OptionValue("N", .integer(1_000...100_000)), help: "So many sections (100,000)"),
            Option("rounds", value: OptionValue("N", .integer(1...1_000)), help: "Each key so often (20)"),
        ],
        example: Example("accordion-bench mirror --sections 10000", "a smaller document"))

    /// What a key may take.
    private static let mostMicroseconds = 16_000
    private static let quietMicroseconds = 60_000

    private static let keys: [(name: String, text: String)] = [
        ("down", "j"), ("page down", "\u{1B}[6~"), ("end", "G"), ("home", "g"), ("toggle", " "), ("toggle back", " "),
        ("private on", "p"), ("private fold", " "), ("private off", "p"), ("next sibling", "J"), ("search", "/999\r"),
        ("panel", "W"), ("panel away", "W"),
    ]

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        let sections = invocation.integer("sections") ?? 100_000
        let rounds = invocation.integer("rounds") ?? 20
        let daemon = try BenchDaemon()
        defer { daemon.end() }
        let socket = try BenchSocket(.unix, daemon.place)
        // A hundred at the top, open, with the rest inside them.
        let inner = (0..<(sections / 100 - 1)).map { #"{"id":"s\#($0)","title":"Section \#($0)","content":["text"]}"# }
        let outer = (0..<100).map {
            #"{"id":"t\#($0)","title":"Part \#($0)","open":true,"content":[\#(inner.joined(separator: ","))]}"#
        }
        let line = #"{"op":"create","doc":"large","title":"Large","content":[\#(outer.joined(separator: ","))]}"#
        guard try socket.ask(line)?.contains(#""ok":true"#) == true else { throw BenchFailure("no document") }
        let terminal = try BenchTerminal(
            try BenchDaemon.besideThis("accordion"),
            ["--address", "unix:\(daemon.place.socketPath)", "mirror", "large", "--no-animation"], rows: 50,
            columns: 160)
        let first = terminal.drain(quietMicroseconds: 3_000_000)
        guard first.text.contains("Part 0") else { throw BenchFailure("the live view shows nothing of the document") }
        var worst = 0
        for key in keys {
            var times: [Int] = []
            for _ in 0..<rounds {
                let start = Bench.nowMicroseconds
                terminal.type(key.text)
                let (bytes, _, last) = terminal.drain(quietMicroseconds: quietMicroseconds)
                if bytes > 0 { times.append(last - start) }
            }
            guard !times.isEmpty else { continue }
            times.sort()
            let most = times[times.count - 1]
            worst = max(worst, most)
            Bench.figure(
                key.name,
                "median \(millis(times[times.count / 2])) ms, most \(millis(most)) ms, \(times.count) of \(rounds) drew"
            )
        }
        guard worst <= mostMicroseconds else {
            throw BenchFailure("a key took \(millis(worst)) ms; at most \(millis(mostMicroseconds)) is meant")
        }
    }

    private static func millis(_ microseconds: Int) -> String {
        "\(microseconds / 1_000).\(microseconds / 100 % 10)"
    }
}
