// Why this file exists: `accordion-bench sleepers`: clients that subscribe and then read nothing, while others go on. They
// must cost the daemon what its limits say and no more, and know the present when they wake.

import CommandLine

enum SleepersCommand: BenchCommand {
    static let table = Command(
        "sleepers", summary: "subscribers that do not read, one that does, and many toggles",
        options: [
            Option("sleepers", value: OptionValue("N", .integer(1...1_000)), help: "So many do not read (50)"),
            Option("toggles", value: OptionValue("N", .integer(1...10_000_000)), help: "So many toggles (100,000)"),
        ],
        example: Example("accordion-bench sleepers --sleepers 10 --toggles 20000", "a short form"))

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        let sleepers = invocation.integer("sleepers") ?? 50
        let toggles = invocation.integer("toggles") ?? 100_000
        let daemon = try BenchDaemon()
        defer { daemon.end() }
        let place = daemon.place
        Bench.figure("sleepers", "\(sleepers)")
        let latencies = try Neighbour.accompany(place) { () throws(BenchFailure) in
            try Dormitory(place, sleepers: sleepers).run(toggles)
        }
        Bench.figure("neighbour's ping", latencies.summary)
    }
}
