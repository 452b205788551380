// Why this file exists: a simulation is a list of steps that follows from a seed. A list can be made shorter, printed, and
// played again.

/// One thing that is done to the world, and how long after the one before.
struct Step {
    enum Action {
        case press(client: Int, document: Int, section: Int, isCheck: Bool)
        /// A gesture as a script asks for it; `kind` chooses which.
        case gesture(client: Int, document: Int, section: Int, kind: Int)
        case create(client: Int, document: Int, shape: Int)
        case replace(client: Int, document: Int, shape: Int)
        case delete(client: Int, document: Int)
        case undo(client: Int, document: Int, isRedo: Bool)
        case goOffline(client: Int)
        case comeBack(client: Int)
        case move(client: Int, to: Int)
        case sleep(client: Int)
        case wakeUp(client: Int)
        case cutOff(node: Int)
        case heal(node: Int)
        case crash(node: Int)
        case start(node: Int)
        case failCommits(node: Int, fates: [Int])
        case backUp(node: Int)
        case restore(node: Int)
        case setClock(node: Int, milliseconds: Int64)
        case clone(node: Int)
        case brokerDown
        case brokerUp
        case brokerLosesTail(Int)
        case brokerMadeAnew
        case brokerForgets(Int)
        case brokerForgetsRepetitions
        /// What must not happen happens: to try the simulator itself.
        case violate
    }

    /// Its place in the whole plan of its seed.
    let number: Int
    let afterMilliseconds: Int64
    let action: Action
}

/// What the simulation of a seed is made of.
struct Plan {
    let seed: UInt64
    let nodeCount: Int
    let clientCount: Int
    let documentCount: Int
    /// Of each node whether it answers only for what is stored.
    let isDurable: [Bool]
    let weather: SimulatedBroker.Weather
    /// Daemons hear nothing of each other but by the stream, which then forgets nothing: it must be enough. (Elsewhere what
    /// they tell each other beside it makes good what went wrong with it, and hides faults.)
    let isStreamAlone: Bool
    var steps: [Step]

    init(seed: UInt64, nodes: Int) {
        var random = SeededRandom(seed)
        self.seed = seed
        nodeCount = nodes
        clientCount = 2 + random.below(4)
        documentCount = 1 + random.below(3)
        isDurable = (0..<nodes).map { _ in !random.chance(20) }
        weather = SimulatedBroker.Weather(
            lossPercent: random.pick([0, 0, 2, 10]), repeatPercent: random.pick([0, 2, 10]),
            delayMilliseconds: random.pick([5, 40, 400]))
        steps = []
        isStreamAlone = random.chance(25)
        var clones = random.chance(8) && !isStreamAlone ? 1 : 0
        for document in 0..<documentCount {
            steps.append(
                Step(
                    number: steps.count, afterMilliseconds: 50,
                    action: .create(client: 0, document: document, shape: random.below(64))))
        }
        for _ in 0..<(20 + random.below(100)) {
            let gap: Int64 =
                switch random.below(20) {
                case 0: random.between(500, 5_000)
                case 1: random.below(4) == 0 ? random.between(5_000, 20_000) : 1_000
                case 2...6: random.between(20, 200)
                default: random.between(0, 20)
                }
            steps.append(
                Step(
                    number: steps.count, afterMilliseconds: gap, action: Plan.action(&random, self, &clones)))
        }
    }

    private static func action(_ random: inout SeededRandom, _ plan: Plan, _ clones: inout Int) -> Step.Action {
        let client = random.below(plan.clientCount)
        let document = random.below(plan.documentCount)
        let section = random.below(12)
        switch random.below(100) {
        case 0..<38: return .press(client: client, document: document, section: section, isCheck: random.chance(25))
        case 38..<54:
            return .gesture(client: client, document: document, section: section, kind: random.below(12))
        case 54..<57: return .create(client: client, document: document, shape: random.below(64))
        case 57..<61: return .replace(client: client, document: document, shape: random.below(64))
        case 61..<63: return .delete(client: client, document: document)
        case 63..<67: return .undo(client: client, document: document, isRedo: random.chance(30))
        case 67..<69: return .goOffline(client: client)
        case 69..<72: return .comeBack(client: client)
        case 72..<75: return .move(client: client, to: random.below(plan.nodeCount))
        case 75..<77: return .sleep(client: client)
        case 77..<79: return .wakeUp(client: client)
        default: return fault(&random, plan, &clones)
        }
    }

    private static func fault(_ random: inout SeededRandom, _ plan: Plan, _ clones: inout Int) -> Step.Action {
        let node = random.below(plan.nodeCount)
        switch random.below(21) {
        case 0, 1: return .cutOff(node: node)
        case 2, 3, 4: return .heal(node: node)
        case 5, 6: return .crash(node: node)
        case 7, 8, 9: return .start(node: node)
        case 10, 11: return .failCommits(node: node, fates: (0..<(1 + random.below(3))).map { _ in random.below(3) })
        case 12: return .backUp(node: node)
        case 13: return plan.isStreamAlone ? .start(node: node) : .restore(node: node)
        case 14:
            let years: Int64 = 365 * 24 * 3_600 * 1_000
            return .setClock(
                node: node, milliseconds: random.pick([0, 30_000, -30_000, 120_000, 10 * years, -10 * years]))
        case 15: return .brokerDown
        case 16, 17: return .brokerUp
        case 18: return plan.isStreamAlone ? .brokerDown : .brokerLosesTail(1 + random.below(6))
        case 19:
            if plan.isStreamAlone { return .brokerForgetsRepetitions }
            return random.pick([
                .brokerMadeAnew, .brokerForgets(1 + random.below(10)), .brokerForgetsRepetitions,
                .brokerForgetsRepetitions,
            ])
        default:
            guard clones > 0 else { return .heal(node: node) }
            clones -= 1
            return .clone(node: node)
        }
    }
}
