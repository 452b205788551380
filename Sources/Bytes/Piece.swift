// Why this file exists: what a client is sent is never copied for it. A piece says which part of a shared frame it gets,
// and whether the client can be spared it when it reads too slowly.

/// A range of a frame that waits to be sent to one client.
@frozen @usableFromInline package struct Piece {
    @usableFromInline package let frame: Frame
    /// Offsets of bytes in the frame: the next one to send, and the one after the last.
    @usableFromInline package internal(set) var lower: Int
    @usableFromInline package internal(set) var upper: Int
    /// Events can be dropped, since a later snapshot says the same; replies are kept.
    @usableFromInline package let isDroppable: Bool

    /// The range may be taken while the frame is still being written; the frame is sealed before anything is sent.
    @inlinable package init(_ frame: Frame, _ range: Range<Int>, isDroppable: Bool) {
        precondition(range.lowerBound >= 0 && range.upperBound <= frame.count, "a piece lies within its frame")
        self.frame = frame
        lower = range.lowerBound
        upper = range.upperBound
        self.isDroppable = isDroppable
    }

    /// All that the frame holds so far.
    @inlinable package init(_ frame: Frame, isDroppable: Bool) {
        self.init(frame, 0..<frame.count, isDroppable: isDroppable)
    }

    @inlinable package var count: Int { upper - lower }

    /// The piece as text; for tests and logs.
    package var text: String { frame.text(of: lower..<upper) }

    /// True if `next` is of the same kind and begins in the same frame where this piece ends.
    @inlinable func isContinued(by next: Piece) -> Bool {
        frame === next.frame && upper == next.lower && isDroppable == next.isDroppable
    }
}
