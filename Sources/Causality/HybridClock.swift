// Why this file exists: dots decide what replaces what; a stamp only chooses among writes that have not seen each other,
// and must do so alike on every daemon. A hybrid clock gives stamps that follow wall time where it moves forward, never
// run backwards where it does not, and come after every write that was seen.
// Source: Kulkarni, Demirbas, Madappa, Avva, Leone, "Logical Physical Clocks" (2014).

/// A moment of a hybrid clock: milliseconds since 1970, then a count within them.
@frozen @usableFromInline
package struct Stamp: Hashable, Comparable, Sendable {
    @usableFromInline package let milliseconds: Int64
    @usableFromInline package let count: Int64

    @inlinable
    package init(milliseconds: Int64, count: Int64) {
        self.milliseconds = milliseconds
        self.count = count
    }

    @usableFromInline package static let zero = Stamp(milliseconds: 0, count: 0)

    @inlinable
    package static func < (left: Stamp, right: Stamp) -> Bool {
        left.milliseconds == right.milliseconds ? left.count < right.count : left.milliseconds < right.milliseconds
    }
}

/// Gives stamps to the writes of one document.
@frozen @usableFromInline
package struct HybridClock: Hashable, Sendable {
    /// A foreign stamp further ahead of our wall clock than this is kept with its write, but does not move our clock: one
    /// daemon with a wrong clock must not drag all others along.
    @usableFromInline package static let driftMillisecondsMax: Int64 = 60_000
    private static let numberMax: Int64 = (1 << 53) - 1

    /// The highest stamp that was given or taken over.
    @usableFromInline package private(set) var latest: Stamp

    @usableFromInline package init(latest: Stamp = .zero) { self.latest = latest }

    /// The stamp that `tick` would give at `milliseconds`.
    @usableFromInline package func next(at milliseconds: Int64) -> Stamp {
        if milliseconds > latest.milliseconds {
            return Stamp(milliseconds: min(milliseconds, HybridClock.numberMax), count: 0)
        }
        if latest.count < HybridClock.numberMax {
            return Stamp(milliseconds: latest.milliseconds, count: latest.count + 1)
        }
        return Stamp(milliseconds: latest.milliseconds &+ 1, count: 0)
    }

    /// A stamp above every one given or taken over before.
    @usableFromInline package mutating func tick(at milliseconds: Int64) -> Stamp {
        latest = next(at: milliseconds)
        return latest
    }

    /// Takes over a stamp that was seen on a write. `milliseconds` is our wall clock. Returns false where the stamp is too
    /// far ahead to be followed.
    @discardableResult @usableFromInline
    package mutating func observe(_ stamp: Stamp, at milliseconds: Int64) -> Bool {
        let (bound, overflow) = milliseconds.addingReportingOverflow(HybridClock.driftMillisecondsMax)
        guard overflow || stamp.milliseconds <= bound else { return false }
        if stamp > latest { latest = stamp }
        return true
    }
}
