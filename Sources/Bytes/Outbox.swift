// Why this file exists: a client may read more slowly than others write. What waits for it stands here, in order, counted
// in bytes, events apart from replies, so that whoever sets limits can hold them against it, and drop the events.
//
// Almost always nothing waits, or one piece that leaves in the same turn. So the first piece stands in the outbox itself
// and only further ones need an array; ten thousand idle clients own no memory here, and a broadcast allocates none.

/// The pieces that wait for one client, first in, first out.
@frozen @usableFromInline package struct Outbox {
    @usableFromInline var first: Piece?
    /// Those behind the first. Slots before `restHead` are empty already.
    @usableFromInline var rest: [Piece?] = []
    @usableFromInline var restHead = 0
    /// True once bytes of the first piece are with the kernel, or promised to it: then the client gets all of it.
    @usableFromInline package internal(set) var isFirstBegun = false
    /// Unsent bytes of the pieces that can be dropped, and of those that are kept.
    @usableFromInline package internal(set) var queuedEventBytes = 0
    @usableFromInline package internal(set) var queuedReplyBytes = 0

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { first == nil }
    @inlinable package var queuedBytes: Int { queuedEventBytes + queuedReplyBytes }
    @inlinable package var pieceCount: Int { first == nil ? 0 : 1 + rest.count - restHead }

    /// Puts a piece at the end. One that continues the last piece only lengthens it, unless that one has begun to leave.
    @inlinable package mutating func append(_ piece: Piece) {
        guard piece.count > 0 else { return }
        if piece.isDroppable { queuedEventBytes += piece.count } else { queuedReplyBytes += piece.count }
        guard let head = first else {
            first = piece
            return
        }
        if let last = rest.last, let last {
            if last.isContinued(by: piece) { rest[rest.count - 1]?.upper = piece.upper } else { rest.append(piece) }
        } else if head.isContinued(by: piece), !isFirstBegun {
            first?.upper = piece.upper
        } else {
            rest.append(piece)
        }
    }

    /// Removes every droppable piece that has not begun to leave; the others stay in order. Returns the bytes removed.
    package mutating func dropEvents() -> Int {
        let before = queuedEventBytes
        guard before > 0 else { return 0 }
        let begun = isFirstBegun
        let pieces = [first] + rest[restHead...]
        self = Outbox()
        for (place, piece) in pieces.enumerated() {
            guard let piece else { continue }
            if place == 0, begun {
                append(piece)
                isFirstBegun = true
            } else if !piece.isDroppable {
                append(piece)
            }
        }
        return before - queuedEventBytes
    }

    /// Notes that the first `bytes` bytes have left. Traps if so many were not there.
    @inlinable package mutating func consume(_ bytes: Int) {
        var left = bytes
        while left > 0 {
            guard let piece = first else { preconditionFailure("more was sent than was queued") }
            let taken = min(left, piece.count)
            if piece.isDroppable { queuedEventBytes -= taken } else { queuedReplyBytes -= taken }
            left -= taken
            if taken < piece.count {
                first?.lower += taken
                isFirstBegun = true
            } else {
                removeFirst()
            }
        }
    }

    /// Promises the whole first piece to the kernel: it is not dropped and not lengthened any more.
    @inlinable package mutating func beginFirst() -> Piece? {
        if first != nil { isFirstBegun = true }
        return first
    }

    /// Calls `body` with the first pieces in order, at most `piecesMax` of them; each covers its unsent bytes.
    @inlinable package func forEachUnsent(piecesMax: Int, _ body: (Piece) -> Void) {
        guard let first, piecesMax > 0 else { return }
        body(first)
        for index in restHead..<min(rest.count, restHead + piecesMax - 1) {
            if let piece = rest[index] { body(piece) }
        }
    }

    /// Takes the next piece from the array. The array is given up with its last piece, and shifted only when at least half
    /// of it is empty, so that each piece is moved a bounded number of times.
    @inlinable mutating func removeFirst() {
        isFirstBegun = false
        guard restHead < rest.count else {
            first = nil
            return
        }
        first = rest[restHead]
        rest[restHead] = nil
        restHead += 1
        if restHead == rest.count {
            rest = []
            restHead = 0
        } else if restHead >= 64, restHead * 2 >= rest.count {
            rest.removeSubrange(0..<restHead)
            restHead = 0
        }
    }
}
