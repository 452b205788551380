// Why this file exists: a daemon must know to where it has read the stream, and may forget nothing that it has not stored.
// Operations that wait for others are not stored, while those behind them are; so what is done is a set of numbers, and
// the place to go on from is the end of its first gapless run.

/// To where a stream was read: all up to `sequence` is stored here.
package struct StreamCursor: Hashable, Sendable {
    /// Tells one stream from another of the same name, such as its time of creation.
    package var stream: String
    package var sequence: UInt64

    package init(stream: String, sequence: UInt64) {
        self.stream = stream
        self.sequence = sequence
    }
}

/// Numbers above a bound that are done, as ranges.
struct DoneSequences {
    /// All up to here are done.
    private(set) var through: UInt64
    /// Above `through + 1`, sorted, with gaps between.
    private var ranges: [ClosedRange<UInt64>] = []

    init(through: UInt64) { self.through = through }

    /// How many runs of done numbers lie behind a gap.
    var gapCount: Int { ranges.count }

    mutating func insert(_ sequence: UInt64) {
        guard sequence > through else { return }
        if sequence == through + 1 {
            through = sequence
            if let first = ranges.first, first.lowerBound == through + 1 {
                through = first.upperBound
                ranges.removeFirst()
            }
            return
        }
        var place = ranges.count
        while place > 0, ranges[place - 1].lowerBound > sequence { place -= 1 }
        if place > 0, ranges[place - 1].upperBound >= sequence { return }
        let joinsLeft = place > 0 && ranges[place - 1].upperBound + 1 == sequence
        let joinsRight = place < ranges.count && sequence + 1 == ranges[place].lowerBound
        switch (joinsLeft, joinsRight) {
        case (true, true):
            ranges[place - 1] = ranges[place - 1].lowerBound...ranges[place].upperBound
            ranges.remove(at: place)
        case (true, false): ranges[place - 1] = ranges[place - 1].lowerBound...sequence
        case (false, true): ranges[place] = sequence...ranges[place].upperBound
        case (false, false): ranges.insert(sequence...sequence, at: place)
        }
    }
}
