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
    }

    let number: UInt64
    /// What must be on disk before `Hub.release`; in the order in which it was applied.
    package internal(set) var writes: [Write] = []
    /// Bytes of input that were decided.
    package internal(set) var inputBytes = 0

    /// The replies of all sessions, one after the other.
    let replies = Frame(capacityBytes: 512)
    var sessions: [Session] = []
    var rooms: [Room] = []
    var listings: Frame?
    var listedNames: [DocumentName] = []
    var deliveries: ContiguousArray<Delivery> = []

    init(number: UInt64) { self.number = number }

    var isEmpty: Bool { sessions.isEmpty && rooms.isEmpty && listings == nil && writes.isEmpty && deliveries.isEmpty }
}
