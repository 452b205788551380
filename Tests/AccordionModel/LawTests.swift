// Why this file exists: that replicas agree, and lose nothing, is no matter of examples. Every history of a few steps is
// looked at: a step is a write that changes something, a delivery of something new, or a join that brings something.
// Histories that lead to the same world are counted and looked at once.

import AccordionModel
import Causality
import Testing

/// Walks all histories of a scene and checks the laws in each world that they reach.
private struct Walk {
    let scene: Scene
    var histories = 0
    var worlds = 0
    var faults: [String] = []
    /// Logs of at most four writes, by hash.
    var logs: [Int: [Operation]] = [:]
    private var checked: Set<Int> = []

    init(_ scene: Scene) { self.scene = scene }

    /// Every history of exactly `steps` steps, all shorter ones on the way.
    mutating func run(steps: Int) {
        var level: [Int: (world: World, histories: Int)] = [scene.start.hash: (scene.start, 1)]
        for step in 1...steps {
            var next: [Int: (world: World, histories: Int)] = [:]
            var seen: Set<Int> = []
            for (world, count) in level.values {
                world.forEachStep(scene) { reached, changed in
                    let hash = reached.hash
                    if seen.insert(hash).inserted { check(reached, changed) }
                    if step == steps {
                        histories += count
                    } else {
                        next[hash, default: (reached, 0)].histories += count
                    }
                }
            }
            worlds += seen.count
            level = next
        }
    }

    private mutating func fault(_ law: String, _ world: World) {
        if faults.count < 3 {
            faults.append("\(law): " + world.states.map { "\($0.version) \($0.openPaths)" }.joined(separator: " | "))
        }
    }

    private mutating func isNew(_ numbers: [Int]) -> Bool { checked.insert(numbers.hashValue).inserted }

    private mutating func check(_ world: World, _ changed: Int) {
        let state = world.states[changed]
        let known = world.known(state.version)
        if logs[world.logHash] == nil, world.log.count <= 5 { logs[world.logHash] = world.log }
        let knownHash = known.reduce(0) { $0 &+ Agreement.operation($1) }
        if isNew([world.stateHashes[changed], knownHash]) { checkAlone(state, known, world) }
        for other in world.states.indices where other != changed {
            guard isNew([world.stateHashes[changed], world.stateHashes[other], world.logHash]) else { continue }
            checkPair(state, world.states[other], world)
        }
        if isNew(world.stateHashes + [world.logHash]) { checkAll(world) }
    }

    /// What stands follows from what is known; one section of a single group; the view kept up to date is the view made anew.
    private mutating func checkAlone(_ state: SharedState, _ known: [Operation], _ world: World) {
        if Agreement.registers(of: state) != Agreement.registers(ofKnown: known) {
            fault("something vanished or returned", world)
        }
        let fresh = SharedState(
            version: state.version, clock: state.clock, content: state.content, flags: state.flags)
        if Agreement.view(fresh.view) != Agreement.view(state.view) { fault("the view is out of date", world) }
        var twice = state
        twice.join(state, at: scene.clocks[0])
        for operation in known { _ = twice.receive(operation, at: scene.clocks[0]) }
        if Agreement.registers(of: twice) != Agreement.registers(of: state) || twice.version != state.version {
            fault("not idempotent", world)
        }
        if let view = state.view, view.document.attributes.mode == .single {
            let isNeeded = !view.document.attributes.collapsible && !view.document.sections.isEmpty
            if view.openCount > 1 || (isNeeded && view.openCount != 1) { fault("not one open", world) }
        }
    }

    private mutating func checkPair(_ one: SharedState, _ other: SharedState, _ world: World) {
        if !isSame(joined(known(one), known(other)), joined(known(other), known(one))) {
            fault("joins do not commute", world)
        }
        // With what waits: a join may set operations free, and the version says which.
        let whole = joined(one, other)
        if Agreement.registers(of: whole) != Agreement.registers(ofKnown: world.known(whole.version)) {
            fault("a join lost or brought back something", world)
        }
    }

    /// Joined in either grouping, or told everything in either direction, all three come to the same.
    private mutating func checkAll(_ world: World) {
        let states = world.states.map(known)
        let left = joined(joined(states[0], states[1]), states[2])
        let right = joined(states[0], joined(states[1], states[2]))
        if !isSame(left, right) { fault("joins do not associate", world) }
        var told = world.states
        for replica in told.indices {
            for operation in replica == 1 ? world.log : world.log.reversed() {
                _ = told[replica].receive(operation, at: scene.clocks[replica])
            }
            if !told[replica].waiting.isEmpty { fault("something waits for ever", world) }
        }
        if !isSame(told[0], told[1]) || !isSame(told[1], told[2]) { fault("replicas differ in the end", world) }
        if Agreement.registers(of: told[0]) != Agreement.registers(ofKnown: world.log) {
            fault("something is lost in the end", world)
        }
    }

    /// What a replica knows, without what waits.
    private func known(_ state: SharedState) -> SharedState {
        if state.waiting.isEmpty { return state }
        return SharedState(version: state.version, clock: state.clock, content: state.content, flags: state.flags)
    }

    private func joined(_ one: SharedState, _ other: SharedState) -> SharedState {
        var one = one
        one.join(other, at: scene.clocks[0])
        return one
    }

    private func isSame(_ one: SharedState, _ other: SharedState) -> Bool {
        one.version == other.version && Agreement.registers(of: one) == Agreement.registers(of: other)
            && Agreement.view(one.view) == Agreement.view(other.view)
            && one.waiting.operations.map(\.dot) == other.waiting.operations.map(\.dot)
            && one.conflicts == other.conflicts
    }

    /// Delivers each log of at most `operationsMax` operations to a replica that knows nothing, in every order: after each
    /// delivery everything delivered so far comes again. All orders of the same part must come to the same, so that it
    /// is enough to go on from one of them. Returns how many logs there were.
    mutating func deliverInEveryOrder(operationsMax: Int) -> Int {
        let logs = logs.values.filter { $0.count <= operationsMax }
        for log in logs {
            var reached: [Set<Int>: SharedState] = [[]: SharedState()]
            var parts: [Set<Int>] = [[]]
            while let part = parts.popLast() {
                guard let state = reached[part] else { continue }
                for place in log.indices where !part.contains(place) {
                    var next = state
                    _ = next.receive(log[place], at: scene.clocks[0])
                    let larger = part.union([place])
                    for again in larger where !next.receive(log[again], at: scene.clocks[0]).isEmpty {
                        fault("a repeat was applied", scene.start)
                    }
                    if let before = reached[larger] {
                        if !isSame(before, next) { fault("the order of delivery counts", scene.start) }
                    } else {
                        reached[larger] = next
                        parts.append(larger)
                    }
                }
            }
            let whole = reached[Set(log.indices)]
            if whole.map(Agreement.registers(of:)) != Agreement.registers(ofKnown: log) {
                fault("something is lost after all were delivered", scene.start)
            }
        }
        return logs.count
    }
}

private enum Scenes {
    static func pair(
        _ title: String, _ mode: Mode, collapsible: Bool = true, initial: Bool = false,
        policy: ConflictPolicy = .last, names: [String] = ["x", "y"]
    ) throws -> Document {
        try Document.made(
            names.enumerated().map { number, name in
                Outline(name) {
                    $0.open = initial && number == 0 ? true : nil
                    $0.task = false
                }
            }
        ) {
            $0.title = title
            $0.mode = mode
            $0.collapsible = collapsible
            $0.conflicts = policy
        }
    }

    static func single() throws -> Scene {
        try Scene(
            "a single group", pair("one", .single),
            [
                WriteStep("open x", .open("x")), WriteStep("open y", .open("y")), WriteStep("close x", .close("x")),
                WriteStep("open y, seen nothing", hasSeenNothing: true, .open("y")),
            ])
    }
    static func mustStay() throws -> Scene {
        try Scene(
            "one must stay", pair("one", .single, collapsible: false, initial: true),
            clocks: [1_000_000, 1_000_000 + 315_360_000_000, 1_000_000 - 5_000],
            [
                WriteStep("open y", .open("y")), WriteStep("open x, seen nothing", hasSeenNothing: true, .open("x")),
                WriteStep("reset", .reset("")),
            ])
    }
    static func life() throws -> Scene {
        try Scene(
            "life and death", pair("one", .multiple),
            [
                .create(pair("two", .single)), .delete(),
                .replace("replace", pair("three", .single, names: ["y", "z"])),
                WriteStep("open x", .open("x")),
            ])
    }
    static func removal() throws -> Scene {
        try Scene(
            "removal and return", pair("one", .multiple),
            [
                .replace("only y", pair("two", .multiple, names: ["y"]), hasSeenNothing: true),
                .replace("none", pair("three", .multiple, names: [])), WriteStep("check x", .check("x")),
                WriteStep("open y", .open("y")),
            ])
    }
    static func flags(_ policy: ConflictPolicy) throws -> Scene {
        try Scene(
            "flags, \(policy)", pair("one", .multiple, initial: true, policy: policy),
            [
                WriteStep("open x", .open("x")), WriteStep("close x, seen nothing", hasSeenNothing: true, .close("x")),
                WriteStep("check y", .check("y")), WriteStep("reset", .reset("")),
            ])
    }
    static func all() throws -> [Scene] {
        try [single(), mustStay(), life(), removal(), flags(.last), flags(.open), flags(.closed)]
    }
}

@Suite struct LawTests {
    /// With ACCORDION_LONG the logs of four writes too; a document's creation is one operation more.
    private let operationsMax = Environment.value("ACCORDION_LONG") == "1" ? 5 : 4

    @Test(arguments: 0..<7)
    func `in every history replicas agree, nothing vanishes, nothing returns, and at most one is open`(
        _ number: Int
    ) throws {
        let scene = try Scenes.all()[number]
        var walk = Walk(scene)
        walk.run(steps: 5)
        #expect(walk.faults.isEmpty, "\(scene.name)")
        #expect(walk.histories > 30_000, "\(scene.name)")
        print("\(scene.name): \(walk.histories) histories of 5 steps, \(walk.worlds) worlds")
        let logs = walk.deliverInEveryOrder(operationsMax: operationsMax)
        #expect(walk.faults.isEmpty, "\(scene.name)")
        #expect(logs > 20, "\(scene.name)")
        print("\(scene.name): \(logs) logs in every order of delivery, with repeats")
    }

    @Test func `every scene is walked`() throws { #expect(try Scenes.all().count == 7) }
}
