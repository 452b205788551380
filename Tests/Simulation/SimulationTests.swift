// Why this file exists: every change is tried in some hundred worlds; and the simulator itself must be one that can be
// trusted: the same every time, and able to make short what fails. That it finds faults is planted-faults-check's to show.

import Testing

@testable import AccordionWorkbench

@Suite struct SimulationTests {
    @Test(arguments: 0..<4)
    func `two hundred worlds of three daemons come to agree`(_ part: Int) {
        for seed in UInt64(part * 50 + 1)...UInt64(part * 50 + 50) {
            let violations = Simulation.play(Plan(seed: seed, nodes: 3))
            #expect(violations.isEmpty, "accordion-bench simulate --seed \(seed) --seeds 1")
        }
    }

    @Test(arguments: [1, 2, 5])
    func `so do worlds of other sizes`(_ nodes: Int) {
        for seed in UInt64(1_000)...1_010 {
            let violations = Simulation.play(Plan(seed: seed, nodes: nodes))
            #expect(violations.isEmpty, "accordion-bench simulate --nodes \(nodes) --seed \(seed) --seeds 1")
        }
    }

    @Test func `a seed makes the same world every time`() {
        for seed in UInt64(1)...5 {
            let worlds = (0..<2).map { _ in World(Plan(seed: seed, nodes: 3)) }
            for world in worlds { #expect(world.play().isEmpty) }
            #expect(worlds[0].schedule.now == worlds[1].schedule.now)
            #expect(worlds[0].random.next() == worlds[1].random.next())
            #expect(worlds[0].ledger.operations.count == worlds[1].ledger.operations.count)
        }
    }

    @Test func `worlds are not idle: there is much to agree on, and to disagree on`() {
        var (operations, faults) = (0, 0)
        for seed in UInt64(1)...20 {
            let plan = Plan(seed: seed, nodes: 3)
            let world = World(plan)
            #expect(world.play().isEmpty)
            operations += world.ledger.operations.count
            faults += plan.steps.count { step in
                switch step.action {
                case .crash, .cutOff, .failCommits, .restore, .clone, .brokerDown, .brokerLosesTail, .brokerMadeAnew:
                    true
                default: false
                }
            }
        }
        #expect(operations > 300, "\(operations)")
        #expect(faults > 50, "\(faults)")
    }

    @Test func `what fails is made short, and fails still`() {
        var plan = Plan(seed: 3, nodes: 2)
        plan.steps.append(Step(number: plan.steps.count, afterMilliseconds: 10, action: .violate))
        let shrunk = Simulation.shrink(plan)
        #expect(shrunk.plan.steps.count == 1)
        #expect(shrunk.violations == ["the plan says so"])
    }
}
