// Why this file exists: law 1. What was decided together is committed together, and nothing that rests on it leaves
// before. A turn holds both halves: what must be stored, and what may be sent once it is.

import AccordionModel
import Bytes
import Wire

/// The decisions of one turn of the loop. Made by the hub, stored by its owner, then given back to `Hub.release`.
package final class Turn {
    package struct Write {
        package let document: DocumentName
        package let operation: Operation
    }

    struct Delivery {
        let session: Session
        let piece: Piece
        /// `dropCount` of the session when it was given.
        let dropCount: UInt32

        init(_ session: Session, _ piece: Piece) {
            self.session = session
            self.piece = piece
            dropCount = session.dropCount
        }
    }

    /// What looking at one section or register weighs against bytes, in `workBytes`: both fill a turn.
    static let sectionWorkBytes = 32
    static let registerWorkBytes = 16

    let number: UInt64
    /// What must be on disk before `Hub.release`; in the order in which it was applied.
    package internal(set) var writes: [Write] = []
    /// Bytes of input that were decided.
    package internal(set) var inputBytes = 0
    /// What it cost besides: bytes that were written for it, and sections that were looked at.
    var workBytes = 0

    /// The replies of all sessions, one after the other.
    let replies = Frame(capacityBytes: 512)
    var sessions: [Session] = []
    var rooms: [Room] = []
    var listings: Frame?
    var deliveries: ContiguousArray<Delivery> = []
    /// Sessions whose input had been held for this turn.
    var resumed: [Session] = []

    init(number: UInt64) { self.number = number }

    var isEmpty: Bool {
        sessions.isEmpty && rooms.isEmpty && listings == nil && writes.isEmpty && deliveries.isEmpty && resumed.isEmpty
    }
}
