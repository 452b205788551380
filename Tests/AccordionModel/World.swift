// Why this file exists: the laws of the shared state are about every history, so histories are played step by step over
// three replicas, and worlds that are alike are looked at once. Hashes stand for states: 64 bits over all that replicas
// must agree on, registers added up so that their order does not count.

import AccordionModel
import Causality

/// What a request does with a state.
struct WriteStep {
    let name: String
    let decide: (SharedState, Writer) throws(Refusal) -> Operation?
    /// Whether the writer has seen nothing rather than everything.
    var hasSeenNothing = false

    init(
        _ name: String, hasSeenNothing: Bool = false,
        _ decide: @escaping (SharedState, Writer) throws(Refusal) -> Operation?
    ) {
        self.name = name
        self.decide = decide
        self.hasSeenNothing = hasSeenNothing
    }

    init(_ name: String, hasSeenNothing: Bool = false, _ gesture: Gesture) {
        self.init(name, hasSeenNothing: hasSeenNothing) { (state, writer) throws(Refusal) in
            try state.decide(gesture, writer)
        }
    }

    static func create(_ document: Document) -> WriteStep {
        WriteStep("create") { (state, writer) throws(Refusal) in try state.create(document, writer) }
    }
    static func replace(_ name: String, _ document: Document, hasSeenNothing: Bool = false) -> WriteStep {
        WriteStep(name, hasSeenNothing: hasSeenNothing) { (state, writer) throws(Refusal) in
            try state.replace(with: document, writer).operation
        }
    }
    static func delete() -> WriteStep {
        WriteStep("delete") { (state, writer) throws(Refusal) in try state.delete(writer) }
    }
}

/// Hashes of what replicas must agree on.
enum Agreement {
    static func hash(_ register: FlagRegister?, _ dot: Dot, _ setting: Setting?, _ content: Content?, _ stamp: Stamp)
        -> Int
    {
        var hasher = Hasher()
        hasher.combine(register)
        hasher.combine(dot)
        hasher.combine(setting)
        hasher.combine(content?.born)
        hasher.combine(content?.document?.attributes.title)
        hasher.combine(content?.document?.sections.count)
        hasher.combine(stamp)
        return hasher.finalize()
    }

    /// All siblings of all registers, summed.
    static func registers(of state: SharedState) -> Int {
        var sum = 0
        state.content.forEach { sum &+= hash(nil, $0.dot, nil, $0.value, $0.stamp) }
        for (register, held) in state.flags {
            held.forEach { sum &+= hash(register, $0.dot, $0.value, nil, $0.stamp) }
        }
        return sum
    }

    /// Everything on which the future of a replica rests.
    static func state(_ state: SharedState) -> Int {
        var hasher = Hasher()
        hasher.combine(registers(of: state))
        hasher.combine(state.version)
        hasher.combine(state.clock)
        for operation in state.waiting.operations { hasher.combine(operation.dot) }
        return hasher.finalize()
    }

    static func view(_ view: View?) -> Int {
        guard let view else { return 0 }
        var hasher = Hasher()
        hasher.combine(view.born)
        hasher.combine(view.document.attributes.title)
        for section in view.document.inside(-1) {
            hasher.combine(view.isOpen(section))
            hasher.combine(view.isDone(section))
        }
        hasher.combine(view.openCount)
        hasher.combine(view.doneCount)
        return hasher.finalize()
    }

    /// The registers of a replica that knows `known` and nothing else, said without replaying: a write stands unless a
    /// known operation replaced or erased it. So nothing vanishes and nothing returns, whatever the order.
    static func registers(ofKnown known: [Operation]) -> Int {
        var sum = 0
        for operation in known {
            let dot = operation.dot
            let isErasedUnseen = known.contains { other in
                other.dot != dot && other.erasesSeen?.covers(dot) == true
            }
            if isErasedUnseen { continue }
            if let write = operation.content {
                let isReplaced = known.contains { $0.content?.replaced.contains(dot) == true }
                if !isReplaced { sum &+= hash(nil, dot, nil, write.value, operation.stamp) }
            }
            for write in operation.flags {
                let isReplaced = known.contains { other in
                    other.flags.contains { $0.register == write.register && $0.replaced.contains(dot) }
                        || other.erasures.contains { $0.register == write.register && $0.dots.contains(dot) }
                }
                if !isReplaced { sum &+= hash(write.register, dot, write.value, nil, operation.stamp) }
            }
        }
        return sum
    }

    static func operation(_ operation: Operation) -> Int {
        var hasher = Hasher()
        hasher.combine(operation.dot)
        hasher.combine(operation.stamp)
        if let write = operation.content {
            hasher.combine(write.value.born)
            hasher.combine(write.value.document?.attributes.title)
            write.replaced.forEach { hasher.combine($0) }
        }
        for write in operation.flags {
            hasher.combine(write.register)
            hasher.combine(write.value)
            write.replaced.forEach { hasher.combine($0) }
        }
        for erasure in operation.erasures { hasher.combine(erasure.register) }
        hasher.combine(operation.erasesSeen)
        return hasher.finalize()
    }
}

/// Three replicas, and every operation that one of them has made.
struct World {
    var states: [SharedState]
    var stateHashes: [Int]
    var log: [Operation]
    var logHash: Int

    init(start: SharedState, log: [Operation]) {
        states = [start, start, start]
        stateHashes = states.map(Agreement.state)
        self.log = log
        logHash = log.reduce(0) { $0 &+ Agreement.operation($1) }
    }

    var hash: Int {
        var hasher = Hasher()
        hasher.combine(stateHashes)
        hasher.combine(logHash)
        return hasher.finalize()
    }

    /// What a replica knows.
    func known(_ version: VersionVector) -> [Operation] { log.filter { version.covers($0.dot) } }

    /// Every step that changes something: a write on a replica, a delivery to it, or a join of another into it.
    func forEachStep(_ scene: Scene, _ body: (_ next: World, _ changed: Int) -> Void) {
        for replica in states.indices {
            for write in scene.writes {
                var next = self
                if next.write(write, on: replica, scene) { body(next, replica) }
            }
            for operation in log where !states[replica].version.covers(operation.dot) {
                if states[replica].waiting.operations.contains(where: { $0.dot == operation.dot }) { continue }
                var next = self
                _ = next.states[replica].receive(operation, at: scene.clocks[replica])
                next.stateHashes[replica] = Agreement.state(next.states[replica])
                body(next, replica)
            }
            for other in states.indices where !states[replica].version.covers(states[other].version) {
                var next = self
                next.states[replica].join(states[other], at: scene.clocks[replica])
                next.stateHashes[replica] = Agreement.state(next.states[replica])
                body(next, replica)
            }
        }
    }

    private mutating func write(_ write: WriteStep, on replica: Int, _ scene: Scene) -> Bool {
        // Every request comes over a connection of its own: what a session wrote itself counts as seen elsewhere.
        let writer = Writer(
            node: scene.nodes[replica], milliseconds: scene.clocks[replica], by: "c", session: 0,
            seen: write.hasSeenNothing ? VersionVector() : nil)
        guard let operation = try? write.decide(states[replica], writer) else { return false }
        _ = states[replica].applyOwn(operation)
        stateHashes[replica] = Agreement.state(states[replica])
        log.append(operation)
        logHash &+= Agreement.operation(operation)
        return true
    }
}

/// A document that all replicas have, their clocks, and what may be done to it.
struct Scene {
    let name: String
    let nodes: [NodeName]
    /// Wall clock of each replica; it stands still, so that stamps are told apart by their counts.
    var clocks: [Int64] = [1_000_000, 1_000_010, 1_004_000]
    let writes: [WriteStep]
    let start: World

    init(_ name: String, _ document: Document, clocks: [Int64]? = nil, _ writes: [WriteStep]) throws {
        self.name = name
        self.writes = writes
        nodes = try ["n1", "n2", "n3"].map(nodeName)
        if let clocks { self.clocks = clocks }
        var state = SharedState()
        let writer = Writer(node: nodes[0], milliseconds: 1_000_000, by: "c", session: 0, seen: nil)
        let creation = try state.create(document, writer)
        _ = state.applyOwn(creation)
        start = World(start: state, log: [creation])
    }
}
