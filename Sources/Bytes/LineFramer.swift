// Why this file exists: what arrives is a stream of bytes cut at any place; what is meant are lines. The framer finds them
// without copying where it can, at a cost that grows with the bytes and not with the number of reads, and never holds more
// of a line than its owner allows.
//
// A line's content is what stands before its LF, less one CR just before that LF. All limits count content, to the byte:
// so the byte one past the limit may still prove to be that CR, and a line is over its limit only when the byte after it
// says so. Therefore at most limit + 2 bytes are looked at before the owner is asked, however the reads were cut.

/// Cuts the bytes of one connection into lines.
package struct LineFramer {
    /// What `step` has found.
    package enum Step: Equatable {
        /// A line that stands whole in the input: the range of its content there.
        case line(Range<Int>)
        /// The content of a line that began in an earlier input.
        case gathered([UInt8])
        /// The line that has begun is longer than `lineBytesMax`. The owner looks at its beginning (at most 256 bytes) and
        /// calls `grant` or `refuse` before the next step.
        case needsPermission(firstBytes: [UInt8])
        /// The end of a line that was refused or went past what was granted; so many bytes of it stood before the LF.
        case overlong(bytes: Int)
        /// All of the input has been taken.
        case exhausted
    }

    private enum Mode { case gathering, asking, granted, discarding }

    /// How many bytes of content a line may have before the owner is asked. It may be set at any time.
    package var lineBytesMax: Int
    /// How many bytes have been looked at for a line feed since the connection began; a measure of cost.
    package private(set) var scannedBytes = 0
    private var gatheredLine: [UInt8] = []
    private var grantedBytesMax = 0
    private var discardedBytes = 0
    private var mode = Mode.gathering

    package init(lineBytesMax: Int = 1 << 20) { self.lineBytesMax = lineBytesMax }

    /// How many bytes of an unfinished line are held in memory.
    package var gatheredBytes: Int { gatheredLine.count }

    /// Goes on in `input` from `position`, moves it past what was taken, and says what was found. Called until it says
    /// `exhausted`; then with the next input, and position 0.
    package mutating func step(_ input: Span<UInt8>, _ position: inout Int) -> Step {
        precondition(mode != .asking, "the owner answers before it goes on")
        if mode == .discarding { return discard(input, &position) }
        let allowed = mode == .granted ? max(lineBytesMax, grantedBytesMax) : lineBytesMax
        let limit = min(max(allowed, 0), Int.max - 2)
        let room = max(limit + 2 - gatheredLine.count, 0)
        let end = min(input.count, position + min(room, input.count - position))
        let lineFeed = input.firstLineFeed(in: position..<end)
        scannedBytes &+= (lineFeed.map { $0 + 1 } ?? end) - position

        let segment = position..<(lineFeed ?? end)
        let last = segment.isEmpty ? gatheredLine.last : input[segment.upperBound - 1]
        let endsInReturn = last == 0x0d
        let contentBytes = gatheredLine.count + segment.count - (endsInReturn ? 1 : 0)
        if contentBytes > limit { return exceed(limit, input, segment, &position) }
        guard let lineFeed else {
            gatheredLine.append(input.extracting(segment))
            position = end
            return .exhausted
        }
        position = lineFeed + 1
        if gatheredLine.isEmpty {
            return .line(segment.lowerBound..<(segment.upperBound - (endsInReturn ? 1 : 0)))
        }
        gatheredLine.append(input.extracting(segment))
        if endsInReturn { gatheredLine.removeLast() }
        defer { forgetLine() }
        return .gathered(gatheredLine)
    }

    /// Allows the line that `step` asked about up to `bytesMax` bytes of content. Past that it becomes `overlong`.
    package mutating func grant(bytesMax: Int) {
        precondition(mode == .asking, "nothing was asked")
        grantedBytesMax = bytesMax
        mode = .granted
    }

    /// Refuses the line that `step` asked about, or takes back what was granted to it: it is let go, and what follows is
    /// not kept.
    package mutating func refuse() {
        precondition(mode == .asking || mode == .granted, "nothing was asked")
        beginDiscarding()
    }

    /// To be called at the end of the input: the size of the line that has begun but has no LF, or nil if there is none.
    package mutating func finish() -> Int? {
        let left = discardedBytes + gatheredLine.count
        forgetLine()
        return left > 0 ? left : nil
    }

    private mutating func exceed(
        _ limit: Int, _ input: Span<UInt8>, _ segment: Range<Int>, _ position: inout Int
    ) -> Step {
        gatheredLine.append(input.extracting(segment))
        position = segment.upperBound
        guard mode != .granted else {
            beginDiscarding()
            return discard(input, &position)
        }
        mode = .asking
        return .needsPermission(firstBytes: Array(gatheredLine.prefix(min(256, limit + 1))))
    }

    private mutating func beginDiscarding() {
        mode = .discarding
        discardedBytes = gatheredLine.count
        gatheredLine = []
    }

    private mutating func discard(_ input: Span<UInt8>, _ position: inout Int) -> Step {
        let start = position
        guard let lineFeed = input.firstLineFeed(in: start..<input.count) else {
            position = input.count
            scannedBytes &+= position - start
            discardedBytes &+= position - start
            return .exhausted
        }
        position = lineFeed + 1
        scannedBytes &+= position - start
        let bytes = discardedBytes &+ (lineFeed - start)
        forgetLine()
        return .overlong(bytes: bytes)
    }

    private mutating func forgetLine() {
        gatheredLine = []
        discardedBytes = 0
        mode = .gathering
    }
}
