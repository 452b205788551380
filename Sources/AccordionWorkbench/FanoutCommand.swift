// Why this file exists: `accordion-bench fanout` and `ingest`: the two things that a daemon does all day, beside programs that
// do less for it.

import CommandLine

enum FanoutCommand: BenchCommand {
    static let table = Command(
        "fanout", summary: "the time until all have one toggle, and deliveries a second in a flood",
        details: [
            "Beside it run those of Redis, NATS and mosquitto that are installed, each started for this on a port of its own, and "
                + "a broadcaster that does nothing else. Every figure is the median of the rounds, with the least and the most. "
                + "Where there are two processors or more, servers are kept on the first and this program on the second; with "
                + "durability the daemon and Redis may use both."
        ],
        options: [
            Option(
                "subscribers", value: OptionValue("N", .integer(1...20_000)), isRepeatable: true,
                help: "So many (100, then 1000)"),
            Option("deliveries", value: OptionValue("N", .integer(1...100_000_000)), help: "In each flood (2,000,000)"),
            Option("rounds", value: OptionValue("N", .integer(1...99)), help: "So many of each (3)"),
            Option("alone", help: "Without the others"),
        ],
        example: Example("accordion-bench fanout --subscribers 100 --rounds 1 --deliveries 100000", "a short form"))

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        _ = Bench.raiseDescriptorLimit()
        let sizes = invocation.values("subscribers").compactMap { Int($0) }
        let deliveries = invocation.integer("deliveries") ?? 2_000_000
        let rounds = invocation.integer("rounds") ?? 3
        let arena = try Arena(isAlone: invocation.flag("alone"))
        for size in sizes.isEmpty ? [100, 1_000] : sizes {
            Bench.figure("subscribers", "\(size)")
            let messages = max(10, deliveries / size)
            var (times, rates): ([String: Figures], [String: Figures]) = ([:], [:])
            for _ in 0..<rounds {
                for contestant in arena.contestants {
                    let contest = try Contest(contestant, subscribers: size)
                    times[contestant.name, default: Figures()].add(try contest.timeToEveryone() / 1_000)
                    // mosquitto takes twenty times as long as the others.
                    let share = contestant.name == "mosquitto" ? 20 : 1
                    rates[contestant.name, default: Figures()].add(try contest.flood(max(10, messages / share)))
                }
            }
            for contestant in arena.contestants {
                let name = contestant.name
                Bench.figure(
                    "  \(name)",
                    "to everyone \(times[name]?.summary("ms") ?? "–"), flood \(rates[name]?.summary("/s") ?? "–")")
            }
            arena.ratio("  to everyone, relaxed, of the bare broadcaster", times, Arena.relaxed, Rival.floor.name)
            arena.ratio("  flood, relaxed, of redis PUBLISH", rates, Arena.relaxed, Rival.redis().name)
            arena.ratio(
                "  flood, durable, of redis that always syncs", rates, Arena.durable,
                Rival.redis(storing: "always").name)
        }
    }
}

enum IngestCommand: BenchCommand {
    static let table = Command(
        "ingest", summary: "toggles a second of one client that does not wait for answers",
        details: ["One other client watches. Beside it run those servers that are installed, as with fanout."],
        options: [
            Option("toggles", value: OptionValue("N", .integer(1...100_000_000)), help: "So many (300,000)"),
            Option("rounds", value: OptionValue("N", .integer(1...99)), help: "So many times (5)"),
            Option("alone", help: "Without the others"),
        ],
        example: Example("accordion-bench ingest --toggles 10000 --rounds 1", "a short form"))

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        let toggles = invocation.integer("toggles") ?? 300_000
        let arena = try Arena(isAlone: invocation.flag("alone"), storing: ["everysec", "always"])
        var rates: [String: Figures] = [:]
        for _ in 0..<(invocation.integer("rounds") ?? 5) {
            for contestant in arena.contestants {
                let rate = try Contest(contestant, subscribers: 1).flood(toggles)
                rates[contestant.name, default: Figures()].add(rate)
            }
        }
        for contestant in arena.contestants {
            Bench.figure(contestant.name, rates[contestant.name]?.summary("a second") ?? "–")
        }
        arena.ratio(
            "durable, of redis that syncs each second", rates, Arena.durable, Rival.redis(storing: "everysec").name)
    }
}

/// All who are measured, started.
private struct Arena {
    static let relaxed = "accordiond, relaxed"
    static let durable = "accordiond, durable"

    let contestants: [Contestant]
    private let directories: [BenchDirectory]
    private let daemons: [BenchDaemon]
    private let rivals: [RunningRival]

    init(isAlone: Bool, storing: [String] = ["always"]) throws(BenchFailure) {
        // Two processors or more: one for the server, one for us.
        let isWide = Bench.processorCount > 1
        if isWide { Bench.pin(Bench.ownIdentifier, to: 1) }
        var (contestants, daemons, rivals): ([Contestant], [BenchDaemon], [RunningRival]) = ([], [], [])
        let home = try BenchDirectory()
        var directories = [home]
        for (name, durability, processor) in [(Arena.relaxed, "relaxed", 0), (Arena.durable, "durable", nil)] {
            let directory = try BenchDirectory()
            let daemon = try BenchDaemon(["--durability", durability], in: directory)
            Bench.pin(daemon.place.identifier, to: isWide ? processor : nil)
            directories.append(directory)
            daemons.append(daemon)
            contestants.append(try Contestant(name, daemon.place))
        }
        if !isAlone {
            let others: [(Rival, Int?)] =
                [(Rival.floor, 0), (.redis(), 0)] + storing.map { (.redis(storing: $0), nil) }
                + [(.nats, 0), (.mosquitto, 0)]
            for (rival, processor) in others {
                guard let running = try RunningRival(rival, in: home, processor: isWide ? processor : nil) else {
                    Bench.figure(rival.name, "not installed")
                    continue
                }
                rivals.append(running)
                contestants.append(Contestant(running))
            }
        }
        (self.contestants, self.daemons, self.rivals, self.directories) = (contestants, daemons, rivals, directories)
    }

    func ratio(_ what: String, _ figures: [String: Figures], _ ours: String, _ others: String) {
        guard let mine = figures[ours]?.median, let theirs = figures[others]?.median, theirs > 0 else { return }
        Bench.figure(what, Figures.text(mine / theirs))
    }
}
