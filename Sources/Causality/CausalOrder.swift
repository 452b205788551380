// Why this file exists: a version can be a plain vector only if operations are applied in causal order. A write that came
// after its replacer would leave behind what it had replaced, and deliveries would not commute. So an operation waits
// here until all that it rests on is known.

/// An operation that can say what it rests on.
package protocol CausalOperation: Sendable {
    var dot: Dot { get }
    /// The first dot, in any order, that must be known before this operation and that `version` does not cover; `nil`
    /// where it can be applied. The writer's previous dot is one of those that must be known.
    func missing(from version: VersionVector) -> Dot?
}

/// Operations that came before something that they rest on.
package struct CausalOrder<Operation: CausalOperation>: Sendable {
    private var waiting: [Dot: [Operation]] = [:]
    private var dots: Set<Dot> = []

    package init() {}

    package var count: Int { dots.count }
    package var isEmpty: Bool { dots.isEmpty }

    /// The operations that wait, in the order of their dots.
    package var operations: [Operation] { waiting.values.joined().sorted { $0.dot < $1.dot } }

    /// Takes an operation that `missing` holds back; one that waits already is not taken twice.
    package mutating func hold(_ operation: Operation, for missing: Dot) {
        guard dots.insert(operation.dot).inserted else { return }
        waiting[missing, default: []].append(operation)
    }

    /// The operations that waited for `dot` alone as far as was known; each must be tried again.
    package mutating func release(_ dot: Dot) -> [Operation] {
        guard !waiting.isEmpty, let released = waiting.removeValue(forKey: dot) else { return [] }
        for operation in released { dots.remove(operation.dot) }
        return released
    }

    /// Forgets what waits.
    package mutating func removeAll() {
        waiting = [:]
        dots = []
    }

    /// Everything that waits: after whole states were joined, dots have become known without passing one by one.
    package mutating func releaseAll() -> [Operation] {
        let all = operations
        removeAll()
        return all
    }
}
