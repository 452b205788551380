// Why this file exists: a dot is the identity of one accepted request, and a set of dots is how one write says which
// others it has replaced. Nearly every such set holds no dot or one, so the first needs no allocation.

/// One write of one daemon: its `counter`-th, counted from 1 within a document. Used once and never again.
@frozen @usableFromInline
package struct Dot: Hashable, Comparable, Sendable {
    @usableFromInline package let node: NodeName
    @usableFromInline package let counter: Int64

    @inlinable
    package init(node: NodeName, counter: Int64) {
        self.node = node
        self.counter = counter
    }

    @inlinable
    package static func < (left: Dot, right: Dot) -> Bool {
        left.node == right.node ? left.counter < right.counter : left.node < right.node
    }
}

extension Dot: CustomStringConvertible {
    @usableFromInline package var description: String { "\(node):\(counter)" }
}

/// A few distinct dots, in the order in which they were added.
@frozen @usableFromInline
package struct DotSet: Sendable, Equatable {
    @usableFromInline var first: Dot?
    @usableFromInline var rest: [Dot]

    @inlinable
    package init() {
        first = nil
        rest = []
    }

    @usableFromInline package init(_ dots: some Sequence<Dot>) {
        self.init()
        for dot in dots where !contains(dot) { insert(dot) }
    }

    @inlinable package var isEmpty: Bool { first == nil }
    @inlinable package var count: Int { (first == nil ? 0 : 1) + rest.count }

    @inlinable
    package func contains(_ dot: Dot) -> Bool { first == dot || rest.contains(dot) }

    /// Adds a dot that the set does not hold yet; the caller has made sure of that.
    @inlinable
    package mutating func insert(_ dot: Dot) {
        if first == nil { first = dot } else { rest.append(dot) }
    }

    @inlinable
    package func allSatisfy(_ holds: (Dot) -> Bool) -> Bool {
        guard let first else { return true }
        return holds(first) && rest.allSatisfy(holds)
    }

    @inlinable
    package func forEach(_ body: (Dot) -> Void) {
        guard let first else { return }
        body(first)
        rest.forEach(body)
    }

    /// The same dots, whatever the order in which they came.
    @inlinable
    package static func == (left: DotSet, right: DotSet) -> Bool {
        left.count == right.count && left.allSatisfy(right.contains)
    }
}
