// Why this file exists: law 1. What was decided together is committed together, and nothing that rests on it leaves
// before. A turn holds both halves: what must be stored, and what may be sent once it is.

import AccordionModel
import Bytes
import Wire

/// One request that was decided, and what its answer rests on.
struct Record {
    let session: Session
    /// The reply, in the turn's frame of replies; empty where a write asked for none.
    let reply: Range<Int>
    let id: RequestID?
    let basis: Basis

    enum Basis {
        /// Nothing that a commit could take away.
        case nothing
        /// Reads what is, and can be asked again.
        case reads(Request)
        /// Wrote to a room, or was refused or found to change nothing for what stands there; `counter` is the write's, 0
        /// where there is none.
        case writes(Room, counter: Int64)
    }
}

/// The decisions of one turn of the loop. Made by the hub, stored by its owner, then given back to `Hub.release`.
package final class Turn {
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

    package let number: UInt64
    /// What must be on disk before `Hub.release`; complete once the turn has ended.
    package internal(set) var deltas: [DocumentDelta] = []
    /// Tickets of `Hub.merge` that are done with once the turn is stored.
    package internal(set) var settled: [UInt64] = []
    /// The documents that it wrote to.
    var writtenRooms: [Room] = []
    /// What was decided, in order: should the commit fail, it is answered again from here.
    var records: [Record] = []
    /// Bytes of input that were decided.
    package internal(set) var inputBytes = 0
    /// What it cost besides: bytes that were written for it, and sections that were looked at.
    var workBytes = 0

    /// The replies of all sessions, one after the other.
    let replies = Frame(capacityBytes: 512)
    var sessions: [Session] = []
    var rooms: [Room] = []
    var listings: Frame?
    /// Which document each of them is of, and up to where it goes.
    var listed: [(name: DocumentName, end: Int)] = []
    var deliveries: ContiguousArray<Delivery> = []
    /// Sessions whose input had been held for this turn, or until something came from outside.
    var resumed: [Session] = []
    /// Sessions that had not taken what they had when this turn's events came to be too many.
    var slow: [Session] = []

    init(number: UInt64) { self.number = number }

    /// Lets go of what it held for its sessions: it may have to wait for the disk longer than they do.
    func forget() {
        records = []
        deliveries = []
        sessions = []
        resumed = []
    }

    var isEmpty: Bool {
        sessions.isEmpty && rooms.isEmpty && listings == nil && writtenRooms.isEmpty && deliveries.isEmpty
            && resumed.isEmpty && settled.isEmpty
    }
}
