// Why this file exists: this is the algebra on which "two people who disagree end up the same" stands. A register holds
// the writes that nobody has knowingly overwritten. Which of them is shown is the reader's choice; here they are only
// kept, replaced and joined.
// Sources: Preguiça, Baquero, Almeida, Fonte, Gonçalves, "Dotted Version Vectors: Logical Clocks for Optimistic
// Replication" (2010); Almeida, Shoker, Baquero, "Delta State Replicated Data Types" (2016).
//
// Representation: siblings have distinct dots; the first stands apart because nearly every register has exactly one.

/// One write that nobody has knowingly overwritten.
@frozen @usableFromInline
package struct Sibling<Value: Equatable & Sendable>: Sendable {
    @usableFromInline package let dot: Dot
    @usableFromInline package let value: Value
    @usableFromInline package let stamp: Stamp
    /// The name of the person or program that wrote it.
    @usableFromInline package let by: String
    /// Which connection of this daemon wrote it; 0 where that is not known any more. Never leaves the process and is no
    /// part of what replicas agree on.
    @usableFromInline package let session: UInt64

    @inlinable
    package init(dot: Dot, value: Value, stamp: Stamp, by: String, session: UInt64 = 0) {
        self.dot = dot
        self.value = value
        self.stamp = stamp
        self.by = by
        self.session = session
    }

    /// Whether this write comes after `other` in the order that all replicas share.
    @inlinable
    package func isLater(than other: Sibling) -> Bool {
        stamp == other.stamp ? dot > other.dot : stamp > other.stamp
    }
}

@frozen @usableFromInline
package struct CausalRegister<Value: Equatable & Sendable>: Sendable {
    /// Of more siblings than this the oldest are replaced by the next write, so that a register stays small.
    @inlinable package static var siblingsMax: Int { 8 }

    @usableFromInline var first: Sibling<Value>?
    @usableFromInline var rest: [Sibling<Value>]

    @inlinable
    package init() {
        first = nil
        rest = []
    }

    @inlinable package var isEmpty: Bool { first == nil }
    @inlinable package var count: Int { (first == nil ? 0 : 1) + rest.count }

    @inlinable
    package func forEach(_ body: (Sibling<Value>) -> Void) {
        guard let first else { return }
        body(first)
        rest.forEach(body)
    }

    @inlinable
    package func contains(_ dot: Dot) -> Bool { first?.dot == dot || rest.contains { $0.dot == dot } }

    /// All writes, the latest first.
    @usableFromInline package var latestFirst: [Sibling<Value>] {
        guard let first else { return [] }
        return ([first] + rest).sorted { $0.isLater(than: $1) }
    }

    /// The latest of the writes that `counts` accepts.
    @inlinable
    package func latest(where counts: (Sibling<Value>) -> Bool = { _ in true }) -> Sibling<Value>? {
        guard let first else { return nil }
        var best: Sibling<Value>? = counts(first) ? first : nil
        for sibling in rest where counts(sibling) {
            if best.map({ sibling.isLater(than: $0) }) ?? true { best = sibling }
        }
        return best
    }

    /// Whether no two writes say different things.
    @inlinable
    package var agrees: Bool {
        guard let first, !rest.isEmpty else { return true }
        return rest.allSatisfy { $0.value == first.value }
    }

    /// The dots that a new write of `value` replaces: what `seen` covers (`nil`: the writer has seen everything), what the
    /// same session wrote, what says the same (unless `keepsEqual`), and the oldest beyond `siblingsMax`.
    @inlinable
    package func replaced(
        by value: Value, seen: VersionVector?, session: UInt64, keepsEqual: Bool = false
    ) -> DotSet {
        var dots = DotSet()
        var kept: [Sibling<Value>] = []
        forEach { sibling in
            let known = seen.map { $0.covers(sibling.dot) } ?? true
            let own = session != 0 && sibling.session == session
            if known || own || (!keepsEqual && sibling.value == value) {
                dots.insert(sibling.dot)
            } else {
                kept.append(sibling)
            }
        }
        let excess = kept.count + 1 - CausalRegister.siblingsMax
        if excess > 0 {
            kept.sort { $1.isLater(than: $0) }
            for sibling in kept.prefix(excess) { dots.insert(sibling.dot) }
        }
        return dots
    }

    /// Adds `sibling` and takes away what it replaces.
    @inlinable
    package mutating func write(_ sibling: Sibling<Value>, replacing replaced: DotSet) {
        erase(replaced)
        if first == nil { first = sibling } else if !contains(sibling.dot) { rest.append(sibling) }
    }

    @inlinable
    package mutating func erase(_ dots: DotSet) {
        if dots.isEmpty { return }
        erase { dots.contains($0.dot) }
    }

    /// Takes away every write that `seen` covers.
    @inlinable
    package mutating func erase(coveredBy seen: VersionVector) { erase { seen.covers($0.dot) } }

    /// Joins what another replica holds. A write stays that both have, or that one has and the other does not know of.
    @inlinable
    package mutating func join(_ other: CausalRegister, version: VersionVector, otherVersion: VersionVector) {
        let mine = self
        erase { otherVersion.covers($0.dot) && !other.contains($0.dot) }
        other.forEach { sibling in
            if !mine.contains(sibling.dot), !version.covers(sibling.dot) { write(sibling, replacing: DotSet()) }
        }
    }

    @inlinable
    mutating func erase(where goes: (Sibling<Value>) -> Bool) {
        if !rest.isEmpty { rest.removeAll(where: goes) }
        if let only = first, goes(only) { first = rest.isEmpty ? nil : rest.removeFirst() }
    }
}
