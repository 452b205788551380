// Why this file exists: a seed is played; one that fails is made as short as it can be, so that a person can read it.

/// What came of a seed.
struct SimulationFailure {
    let plan: Plan
    let violations: [String]
}

enum Simulation {
    /// Plays the seed's plan, and returns what must not have happened.
    static func play(_ plan: Plan) -> [String] { World(plan).play() }

    /// Takes steps away as long as it still fails: first many at once, then each by itself. `triesMax` bounds the effort.
    static func shrink(_ plan: Plan, triesMax: Int = 2_000) -> SimulationFailure {
        var best = SimulationFailure(plan: plan, violations: play(plan))
        var tries = 0
        var size = max(1, plan.steps.count / 2)
        while size >= 1, tries < triesMax {
            var place = 0
            var hasShrunk = false
            while place < best.plan.steps.count, tries < triesMax {
                var shorter = best.plan
                shorter.steps.removeSubrange(place..<min(place + size, shorter.steps.count))
                tries += 1
                let violations = play(shorter)
                if violations.isEmpty {
                    place += size
                } else {
                    best = SimulationFailure(plan: shorter, violations: violations)
                    hasShrunk = true
                }
            }
            if size == 1, !hasShrunk { break }
            size = size == 1 ? 1 : size / 2
        }
        return best
    }
}
