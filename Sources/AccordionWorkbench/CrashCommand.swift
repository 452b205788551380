// Why this file exists: `accordion-bench crash`: what was acknowledged has happened, whenever the daemon is killed.

import CommandLine

enum CrashCommand: BenchCommand {
    static let table = Command(
        "crash", summary: "kills a daemon under load, many times, and looks whether it kept what it told",
        details: [
            "Three clients toggle without waiting for replies; the daemon is killed at a random moment and started again "
                + "on what it has left. Every write that was acknowledged must be in the history, under its own "
                + "counter, and no counter may stand there twice."
        ],
        options: [
            Option("kills", value: OptionValue("N", .integer(1...1_000_000)), help: "So many times (1,000)"),
            Option("seed", value: OptionValue("N", .integer(0...Int.max)), help: "Which moments; chosen otherwise"),
        ],
        example: Example("accordion-bench crash --kills 50", "a short form"))

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        let kills = invocation.integer("kills") ?? 1_000
        let seed = invocation.integer("seed").map { UInt64($0) } ?? UInt64.random(in: 0...UInt64(Int.max))
        Bench.figure("seed", "\(seed)")
        let directory = try BenchDirectory()
        let began = Bench.nowMicroseconds
        var witness = Witness(seed: seed)
        for number in 0..<kills {
            let daemon = try BenchDaemon(["--node", "n1"], in: directory)
            do throws(BenchFailure) {
                try witness.examine(daemon.place)
                try witness.load(daemon)
            } catch {
                daemon.kill()
                throw BenchFailure("after \(number) kills, seed \(seed): \(error.message)")
            }
        }
        let daemon = try BenchDaemon(["--node", "n1"], in: directory)
        try witness.examine(daemon.place)
        daemon.end()
        let (report, status) = try BenchDaemon.run(["--state", directory.state, "--check"], in: directory)
        guard status == 0 else { throw BenchFailure("--check: \(report)") }
        Bench.figure("kills", "\(kills), in \((Bench.nowMicroseconds - began) / 1_000_000) s")
        Bench.figure("acknowledged writes", "\(witness.acknowledgedCount)")
        Bench.figure("of these lost", "0")
        Bench.figure("counters used twice", "0")
        Bench.figure("--check", String(report.prefix { $0 != "\n" }))
    }
}
