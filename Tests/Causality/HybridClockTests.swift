// Why this file exists: a stamp chooses among writes that have not seen each other, so it may never run backwards, and one
// daemon with a wrong clock may not drag the others along.

import Causality
import Testing

private let countMax: Int64 = (1 << 53) - 1

private func stamp(_ milliseconds: Int64, _ count: Int64 = 0) -> Stamp {
    Stamp(milliseconds: milliseconds, count: count)
}

@Suite struct HybridClockTests {
    @Test func `stamps order by milliseconds, then by count`() {
        let stamps = [stamp(-1, 9), .zero, stamp(0, 1), stamp(1), stamp(1, 2), stamp(2)]
        #expect(stamps.reversed().sorted() == stamps)
    }

    @Test func `stamps follow wall time where it moves forward, and count where it stands`() {
        var clock = HybridClock()
        #expect(clock.tick(at: 1_000) == stamp(1_000))
        #expect(clock.tick(at: 1_000) == stamp(1_000, 1))
        #expect(clock.tick(at: 1_001) == stamp(1_001))
    }

    @Test func `a clock that is set back never gives a lower stamp`() {
        var clock = HybridClock()
        var latest = Stamp.zero
        for milliseconds in [5, 5, 4, 0, -100, .min, 5, 6, 2, .max, 3] as [Int64] {
            let next = clock.tick(at: milliseconds)
            #expect(next > latest, "at \(milliseconds)")
            latest = next
        }
    }

    @Test func `what a tick would give can be asked without ticking`() {
        var clock = HybridClock(latest: stamp(7, 3))
        #expect(clock.next(at: 7) == stamp(7, 4) && clock.next(at: 7) == stamp(7, 4))
        #expect(clock.latest == stamp(7, 3))
        #expect(clock.tick(at: 7) == stamp(7, 4) && clock.latest == stamp(7, 4))
    }

    @Test(arguments: [(countMax - 1, 7, countMax), (countMax, 8, 0), (.max, 8, 0)] as [(Int64, Int64, Int64)])
    func `a count that is full goes on in the next millisecond`(
        _ count: Int64, _ milliseconds: Int64, _ countAfter: Int64
    ) {
        var clock = HybridClock(latest: stamp(7, count))
        #expect(clock.tick(at: 7) == stamp(milliseconds, countAfter))
    }

    @Test(arguments: [(59_999, true), (60_000, true), (60_001, false)] as [(Int64, Bool)])
    func `a stamp up to 60 s ahead is followed, one beyond is not`(_ ahead: Int64, _ isFollowed: Bool) {
        var clock = HybridClock(latest: stamp(1_000))
        let followed = clock.observe(stamp(1_000 + ahead, 4), at: 1_000)
        #expect(followed == isFollowed)
        #expect(clock.latest == (isFollowed ? stamp(1_000 + ahead, 4) : stamp(1_000)))
        #expect(clock.tick(at: 1_000) == (isFollowed ? stamp(1_000 + ahead, 5) : stamp(1_000, 1)))
    }

    @Test func `how far ahead a stamp is counts from the wall clock, not from the stamps followed before`() {
        var clock = HybridClock()
        let first = clock.observe(stamp(61_000), at: 1_000)
        let second = clock.observe(stamp(61_001), at: 1_000)
        let later = clock.observe(stamp(61_001), at: 1_001)
        #expect(first && !second && later)
    }

    @Test func `a stamp that is not higher is no news`() {
        var clock = HybridClock(latest: stamp(50, 2))
        for old in [stamp(50, 2), stamp(50, 1), stamp(49, 9), stamp(.min)] {
            let followed = clock.observe(old, at: 50)
            #expect(followed && clock.latest == stamp(50, 2))
        }
    }

    @Test func `a stamp at the end of numbers stops no clock`() {
        var clock = HybridClock(latest: stamp(5))
        let far = clock.observe(stamp(.max, .max), at: 5)
        #expect(!far && clock.tick(at: 5) == stamp(5, 1))
        let near = clock.observe(stamp(.max, .max), at: .max)
        #expect(near)
        _ = clock.tick(at: .max)
    }
}
