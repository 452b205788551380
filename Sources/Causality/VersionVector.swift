// Why this file exists: what a replica knows is one number a daemon, because operations are applied in causal order. A
// document that one daemon writes has one entry, so the entries are a short sorted array rather than a hash table.

/// For each daemon the number of its writes that are included: all from the first to that one.
@frozen @usableFromInline
package struct VersionVector: Hashable, Sendable {
    @frozen @usableFromInline
    package struct Entry: Hashable, Sendable {
        @usableFromInline package let node: NodeName
        @usableFromInline package var counter: Int64

        @inlinable
        package init(node: NodeName, counter: Int64) {
            self.node = node
            self.counter = counter
        }
    }

    /// Sorted by node; no counter is below 1.
    @usableFromInline package internal(set) var entries: [Entry]

    @inlinable package init() { entries = [] }

    /// Entries in any order; those below 1 are left out, of a node that comes twice the higher one counts.
    @usableFromInline package init(_ entries: some Sequence<Entry>) {
        self.init()
        for entry in entries { raise(entry.node, to: entry.counter) }
    }

    @inlinable package var isEmpty: Bool { entries.isEmpty }

    /// How many writes of `node` are included; 0 where none is.
    @inlinable package subscript(node: NodeName) -> Int64 {
        let place = place(of: node)
        guard place < entries.count, entries[place].node == node else { return 0 }
        return entries[place].counter
    }

    @inlinable package func covers(_ dot: Dot) -> Bool { dot.counter <= self[dot.node] }

    /// Includes the writes of `node` up to `counter`; nothing changes where they are included already.
    @inlinable package mutating func raise(_ node: NodeName, to counter: Int64) {
        guard counter > 0 else { return }
        let place = place(of: node)
        if place < entries.count, entries[place].node == node {
            if entries[place].counter < counter { entries[place].counter = counter }
        } else {
            entries.insert(Entry(node: node, counter: counter), at: place)
        }
    }

    @inlinable package mutating func include(_ dot: Dot) { raise(dot.node, to: dot.counter) }

    @usableFromInline package mutating func join(_ other: VersionVector) {
        for entry in other.entries { raise(entry.node, to: entry.counter) }
    }

    /// Whether all that `other` includes is included here.
    @usableFromInline package func covers(_ other: VersionVector) -> Bool {
        other.entries.allSatisfy { $0.counter <= self[$0.node] }
    }

    /// What both include: the lower counter of each node.
    @usableFromInline package func clamped(to bound: VersionVector) -> VersionVector {
        VersionVector(entries.map { Entry(node: $0.node, counter: min($0.counter, bound[$0.node])) })
    }

    @inlinable func place(of node: NodeName) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].node < node { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension VersionVector: CustomStringConvertible {
    @usableFromInline package var description: String {
        "{" + entries.map { "\($0.node):\($0.counter)" }.joined(separator: ", ") + "}"
    }
}
