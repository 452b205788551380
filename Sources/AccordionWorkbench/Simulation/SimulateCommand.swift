// Why this file exists: `accordion-bench simulate`: daemons that converge and clients that agree with them, not believed but
// tried, in as many worlds as there is time for.

import CommandLine
import Glibc

enum SimulateCommand: BenchCommand {
    static let table = Command(
        "simulate", summary: "tries to make daemons and clients disagree, in simulated worlds that follow from seeds",
        details: [
            "Each seed is a world of daemons, a broker and clients, made of the real causality, model, hub, replication and "
                + "replica, in which messages are lost, delayed and repeated, disks fail, daemons crash, are cut off, put "
                + "back and copied, and clocks are wrong. Afterwards everybody must agree and nothing that was acknowledged "
                + "may be gone. A seed that fails is made short and printed; --seed and --steps play it again."
        ],
        options: [
            Option("seeds", value: OptionValue("N", .integer(1...10_000_000)), help: "So many seeds (200)"),
            Option("seed", value: OptionValue("N", .integer(0...Int.max)), help: "The first seed (1)"),
            Option("nodes", value: OptionValue("K", .integer(1...16)), help: "Daemons in each world (3)"),
            Option("steps", value: OptionValue("LIST", .text), help: "Of one seed only these steps, as printed"),
        ],
        example: Example("accordion-bench simulate --seeds 2000 --nodes 3", "two thousand worlds of three daemons"))

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        let nodes = invocation.integer("nodes") ?? 3
        let first = UInt64(invocation.integer("seed") ?? 1)
        let hasSteps = invocation.value("steps") != nil
        let seeds = UInt64(hasSteps ? 1 : invocation.integer("seeds") ?? 200)
        let began = Bench.nowMicroseconds
        for seed in first..<(first + seeds) {
            let whole = Plan(seed: seed, nodes: nodes)
            var plan = whole
            if let list = invocation.value("steps") {
                let kept = Set(list.split(separator: ",").compactMap { Int($0) })
                plan.steps = plan.steps.filter { kept.contains($0.number) }
            }
            let violations = Simulation.play(plan)
            if violations.isEmpty { continue }
            let shrunk = hasSteps ? SimulationFailure(plan: plan, violations: violations) : Simulation.shrink(plan)
            tell(shrunk, seeds: Int(seed - first) + 1, nodes)
            throw BenchFailure("seed \(seed) fails, after \(seed - first) that did not")
        }
        let seconds = Double(Bench.nowMicroseconds - began) / 1_000_000
        Bench.figure("seeds", "\(seeds) from \(first) with \(nodes) daemons, 0 violations")
        Bench.figure("speed", "\(Int(Double(seeds) / max(seconds, 0.001))) seeds a second, \(Int(seconds)) s")
    }

    private static func tell(_ failure: SimulationFailure, seeds: Int, _ nodes: Int) {
        let plan = failure.plan
        Bench.figure("fails", "seed \(plan.seed), the \(seeds). that was tried")
        for violation in failure.violations { Bench.figure("violation", violation) }
        let durable = plan.isDurable.map { $0 ? "durable" : "relaxed" }.joined(separator: ", ")
        Bench.figure(
            "world",
            "\(nodes) daemons (\(durable)), \(plan.clientCount) clients, \(plan.documentCount) documents, "
                + "\(plan.weather.lossPercent) % lost, \(plan.weather.repeatPercent) % repeated, up to "
                + "\(plan.weather.delayMilliseconds) ms late"
                + (plan.isStreamAlone ? ", nothing beside the stream" : ""))
        for step in plan.steps { Bench.figure("step \(step.number)", "+\(step.afterMilliseconds) ms \(step.action)") }
        let list = plan.steps.map { "\($0.number)" }.joined(separator: ",")
        Bench.figure(
            "again",
            "accordion-bench simulate --nodes \(nodes) --seed \(plan.seed) --steps \(list.isEmpty ? "-" : list)")
    }
}
