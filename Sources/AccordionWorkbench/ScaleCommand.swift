// Why this file exists: `accordion-bench scale`: a toggle must cost the same whatever else the daemon holds: ten documents or a
// hundred thousand, ten sections in the document or a hundred thousand.

import CommandLine

enum ScaleCommand: BenchCommand {
    static let table = Command(
        "scale", summary: "what one toggle costs with few and many documents, with few and many sections",
        details: [
            "Each figure is the time of one toggle of a client that does not wait for answers, in one section after the other; "
                + "small and large are measured in turn. A daemon stores what was toggled in a turn."
        ],
        options: [
            Option("documents", value: OptionValue("N", .integer(10...1_000_000)), help: "Many documents (100,000)"),
            Option("sections", value: OptionValue("N", .integer(10...100_000)), help: "Many sections (100,000)"),
            Option("toggles", value: OptionValue("N", .integer(10...10_000_000)), help: "In each round (100,000)"),
            Option("rounds", value: OptionValue("N", .integer(1...99)), help: "So many of each (5)"),
        ],
        example: Example(
            "accordion-bench scale --documents 100 --sections 100 --toggles 1000 --rounds 1", "a short form"))

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        let toggles = invocation.integer("toggles") ?? 100_000
        let rounds = invocation.integer("rounds") ?? 5
        let (documents, sections) = (
            invocation.integer("documents") ?? 100_000, invocation.integer("sections") ?? 100_000
        )
        let (few, many) = (try Stock(documents: 10, sections: 10), try Stock(documents: documents, sections: 10))
        try compare("10 documents", few, "\(documents) documents", many, toggles, rounds)
        let large = try Stock(documents: 10, sections: sections)
        try compare("10 sections", few, "\(sections) sections", large, toggles, rounds)
    }

    private static func compare(
        _ smallName: String, _ small: Stock, _ largeName: String, _ large: Stock, _ toggles: Int, _ rounds: Int
    ) throws(BenchFailure) {
        var (a, b) = (Figures(), Figures())
        for _ in 0..<rounds {
            a.add(try small.microsecondsOfOne(toggles))
            b.add(try large.microsecondsOfOne(toggles))
        }
        Bench.figure("a toggle, \(smallName)", a.summary("µs"))
        Bench.figure("a toggle, \(largeName)", b.summary("µs"))
        Bench.figure("  ratio", Figures.text(b.median / a.median))
    }
}

/// A daemon with documents, the first of which has so many sections.
private final class Stock {
    private let daemon: BenchDaemon
    private let socket: BenchSocket
    private let sections: Int
    /// Sections that are toggled: as many in a small document as in a large one, spread over it.
    private static let toggledCount = 10

    init(documents: Int, sections: Int) throws(BenchFailure) {
        daemon = try BenchDaemon(["--durability", "relaxed"])
        socket = try BenchSocket(.tcp, daemon.place)
        self.sections = sections
        let rows = (0..<sections).map { "{\"id\":\"s\($0)\",\"title\":\"Section \($0)\",\"content\":[]}" }
        try make(["{\"op\":\"create\",\"doc\":\"d0\",\"content\":[\(rows.joined(separator: ","))]}"])
        var number = 1
        while number < documents {
            let end = min(documents, number + 500)
            try make((number..<end).map { "{\"op\":\"create\",\"doc\":\"d\($0)\",\"content\":[\"text\"]}" })
            number = end
        }
    }

    private func make(_ lines: [String]) throws(BenchFailure) {
        try socket.send(Array((lines.joined(separator: "\n") + "\n").utf8))
        for _ in lines {
            guard try socket.line()?.contains(#""ok":true"#) == true else {
                throw BenchFailure("a document can't be made")
            }
        }
    }

    func microsecondsOfOne(_ toggles: Int) throws(BenchFailure) -> Double {
        let step = sections / Stock.toggledCount
        let lines = (0..<1_000).map {
            "{\"op\":\"toggle\",\"doc\":\"d0\",\"section\":\"s\($0 % Stock.toggledCount * step)\",\"ack\":\"none\"}\n"
        }
        let chunk = Array(lines.joined().utf8)
        let began = Bench.nowMicroseconds
        for _ in 0..<max(1, toggles / 1_000) { try socket.send(chunk) }
        guard try socket.ask(#"{"op":"ping"}"#)?.contains(#""ok":true"#) == true else {
            throw BenchFailure("the daemon does not answer")
        }
        return Double(Bench.nowMicroseconds - began) / Double(max(1, toggles / 1_000) * 1_000)
    }
}
