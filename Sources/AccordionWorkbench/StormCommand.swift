// Why this file exists: `accordion-bench storm`: after a restart, or a message to all hands, everybody comes at once and wants the
// whole document. Nobody may be refused, and what each then costs while nothing happens is what bounds how many there can be.

import CommandLine
import Glibc

enum StormCommand: BenchCommand {
    static let table = Command(
        "storm", summary: "many clients that connect at once and take a whole document; then what an idle one holds",
        options: [
            Option("clients", value: OptionValue("N", .integer(1...60_000)), help: "So many (10,000)"),
            Option("bytes", value: OptionValue("N", .integer(100...4_000_000)), help: "The snapshot's size (40,960)"),
            Option("rounds", value: OptionValue("N", .integer(1...99)), help: "So many times (3)"),
        ],
        example: Example("accordion-bench storm --clients 500 --rounds 1", "a short form"))

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        let clients = invocation.integer("clients") ?? 10_000
        let descriptors = Bench.raiseDescriptorLimit()
        guard descriptors > clients + 100 else {
            throw BenchFailure("\(descriptors) descriptors are too few for \(clients) clients")
        }
        let snapshotBytes = invocation.integer("bytes") ?? 40_960
        var (times, held) = (Figures(), Figures())
        var refused = 0
        for _ in 0..<(invocation.integer("rounds") ?? 3) {
            let daemon = try BenchDaemon()
            let place = daemon.place
            let text = String(repeating: "x", count: 1_000)
            let rows = (0..<max(1, snapshotBytes / 1_040)).map { "{\"title\":\"row \($0)\",\"content\":[\"\(text)\"]}" }
            let create = "{\"op\":\"create\",\"doc\":\"storm\",\"content\":[\(rows.joined(separator: ","))]}"
            guard try BenchSocket(.tcp, place).ask(create)?.contains(#""ok":true"#) == true else {
                throw BenchFailure("the document can't be made")
            }
            let before = place.residentKiB
            let began = Bench.nowMicroseconds
            let crowd = try Crowd(
                clients, port: place.port, hello: Array("{\"op\":\"subscribe\",\"doc\":\"storm\"}\n".utf8), mark: 0x0A)
            // A reply and a snapshot.
            try crowd.waitFor(messages: 2)
            times.add(Double(Bench.nowMicroseconds - began) / 1_000_000)
            refused += crowd.refused
            try settle(place)
            held.add(Double(place.residentKiB - before) / Double(clients))
            daemon.end()
        }
        Bench.figure("clients", "\(clients), each with a snapshot of about \(snapshotBytes) bytes")
        Bench.figure("until all have it", times.summary("s"))
        Bench.figure("refused", "\(refused)")
        Bench.figure("held for an idle, subscribed connection", held.summary("KiB"))
        if refused > 0 { throw BenchFailure("\(refused) clients were refused") }
    }

    /// Waits until what the daemon held for sending is given back: its memory does not shrink any more.
    private static func settle(_ place: DaemonPlace) throws(BenchFailure) {
        var last = place.residentKiB
        for _ in 0..<20 {
            usleep(100_000)
            let now = place.residentKiB
            if now >= last { return }
            last = now
        }
    }
}
