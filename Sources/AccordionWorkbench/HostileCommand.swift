// Why this file exists: `accordion-bench hostile`: everything that a client should not send, by thousands of connections,
// while a neighbour wants nothing but its answers.

import CommandLine

enum HostileCommand: BenchCommand {
    static let table = Command(
        "hostile", summary: "sends what no client should, and looks what the others notice",
        details: [
            "Fourteen clients send 100 MB each without the end of a line. Then half of the connections send 64 KiB of "
                + "noise, the others the table of inputs that the tests read, in turn. Then some send a byte at a time, and "
                + "some leave in the middle."
        ],
        options: [
            Option(
                "connections", value: OptionValue("N", .integer(1...1_000_000)),
                help: "So many connections in all (10,000)"),
            Option(
                "seed", value: OptionValue("N", .integer(0...Int.max)), help: "Which noise is sent; chosen otherwise"),
        ],
        example: Example("accordion-bench hostile --connections 2000", "a short form"))

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        let connections = invocation.integer("connections") ?? 10_000
        let seed = invocation.integer("seed").map { UInt64($0) } ?? UInt64.random(in: 0...UInt64(Int.max))
        Bench.figure("seed", "\(seed)")
        Bench.figure("inputs in the table", "\(HostileInput.all.count)")
        let atOnceMax = max(1, min(500, Bench.raiseDescriptorLimit() / 4))
        let daemon = try BenchDaemon()
        defer { daemon.end() }
        let place = daemon.place
        guard try BenchSocket(.unix, place).ask(HostileInput.preparation) != nil else {
            throw BenchFailure("the daemon makes no document")
        }
        // First: what it costs is seen best where nothing has been used and given back yet.
        try measure("fourteen clients, 100 MB without the end of a line", place) { () throws(BenchFailure) in
            try Attack(place, seed: seed).endlessLines(14, bytes: 100_000_000)
        }
        try measure("table and noise", place) { () throws(BenchFailure) in
            try Attack(place, seed: seed).run(connections, atOnceMax: atOnceMax)
        }
        for door in Door.allCases {
            Bench.figure("connections by \(door)", "\((connections + (door == .unix ? 1 : 0)) / 2)")
        }
        try measure("twenty clients, a byte at a time", place) { () throws(BenchFailure) in
            try Attack(place, seed: seed).drip(20)
        }
        try measure("clients that leave in the middle", place) { () throws(BenchFailure) in
            try Attack(place, seed: seed).leaveEarly()
        }
        guard daemon.isRunning else { throw BenchFailure("the daemon has ended: \(daemon.log)") }
        Bench.figure("daemon's process throughout", "\(place.identifier)")
        Bench.figure("lines in the daemon's log", "\(daemon.log.split(separator: "\n").count)")
    }

    private static func measure(
        _ name: String, _ daemon: DaemonPlace, _ attack: @escaping @Sendable () throws(BenchFailure) -> Void
    ) throws(BenchFailure) {
        daemon.forgetPeak()
        let beforeKiB = daemon.residentKiB
        let began = Bench.nowMicroseconds
        let latencies = try Neighbour.accompany(daemon, attack)
        Bench.figure(name, "\((Bench.nowMicroseconds - began) / 1_000) ms")
        Bench.figure("  neighbour's ping", latencies.summary)
        Bench.figure(
            "  memory", "\(beforeKiB) KiB before, \(daemon.peakKiB) KiB at most, \(daemon.residentKiB) KiB after")
    }
}
