// Why this file exists: what the daemon knows of one connection. Ten thousand of them do nothing most of the time, so a
// session owns no memory beyond itself until something waits for it.

import AccordionModel
import Bytes
import Wire

/// The other side of a session: whoever can write its outbox.
package protocol SessionOwner: AnyObject {
    func sessionIsDue(_ session: Session)
}

package final class Session {
    /// Counted from 1 in a run of the daemon.
    package let number: UInt64
    /// The same, but never given twice by one daemon, whatever its runs: by it a write that comes back from the disk
    /// still knows its writer.
    let writer: UInt64
    /// As it stands in events.
    package internal(set) var name: String
    package internal(set) var rights: Rights
    let user: String?
    /// False until a token was shown, where one is needed.
    package internal(set) var isAdmitted: Bool
    /// What the rights come from, as the door or the token tells it.
    package internal(set) var credential: String
    /// Refusals before a token.
    package internal(set) var strikes = 0
    /// Input before a token.
    var unadmittedBytes = 0
    var hasGreeted = false
    /// Who writes the outbox; set by the owner of the hub, which is called for each session that `release` returns.
    package var owner: (any SessionOwner)?
    /// What waits to be written, released by its turn.
    package var outbox = Outbox()
    /// Nothing more is read; the connection closes when all that is due has been sent.
    package internal(set) var isEnding = false
    var isGone = false

    // Input.
    var framer: LineFramer
    /// Input that waits because the session's own replies do.
    var backlog: [UInt8] = []
    /// A request that waits for something from outside the hub; those after it wait for their turn.
    var parked: Request?
    /// The request has waited once for what its `seen` names, and does not again.
    var hasWaitedForSeen = false
    /// The turn has taken as much as it may: the backlog goes on in the next.
    var isHeld = false
    /// What the framer holds of a line longer than `lineBytesMax`, as it was last counted.
    var countedLongBytes = 0
    var isLongLine = false
    /// The long line that is being discarded was refused because others took all the room there is.
    var isCrowdedOut = false
    /// The end of the input came while some of it had to wait.
    var hasInputEnded = false
    /// When the last broken lines came, oldest first.
    var brokenLineTimes: [Int64] = []

    // The turn that is being decided, and those that wait for their commit.
    /// Replies of the current turn, as ranges of its frame of replies.
    var turnReplies: [Range<Int>] = []
    var isInTurn = false
    /// Turns with something for this session that have not been released.
    var unreleasedTurns = 0
    var unreleasedReplyBytes = 0
    /// Without those that were dropped since they were given.
    var unreleasedEventBytes = 0
    /// Stands in the current turn's `slow`.
    var isSlow = false
    var isDirty = false
    /// The last turn after which nothing waited for this session.
    var emptyTurn: UInt64 = 0
    /// How often events were dropped. What was given before the last time and is not released yet is dropped with them.
    var dropCount: UInt32 = 0

    // What it watches.
    var subscriptions: [Subscription] = []
    var behindCount = 0
    var listWatch: ListWatch?
    var selections: [DocumentName: SectionPath] = [:]
    /// Its writes that wait in `Hub.replicationWaits`, and of which documents there were some.
    var replicationWaitCount = 0
    var replicationNames: Set<DocumentName> = []

    init(number: UInt64, run: UInt32, origin: Origin, limits: HubLimits) {
        self.number = number
        writer = (UInt64(run) & 0xFF_FFFF) << 40 | number & 0xFF_FFFF_FFFF
        name = origin.name
        user = origin.isUser ? origin.name : nil
        rights = origin.rights
        isAdmitted = !origin.needsToken
        credential = origin.credential
        framer = LineFramer(
            lineBytesMax: origin.needsToken
                ? min(limits.lineBytesMax, Hub.unadmittedInputBytesMax) : limits.lineBytesMax)
    }

    package var id: String { "s\(number)" }

    /// Whether the connection can be closed: it is ending, and everything due has been handed on.
    package var isFinished: Bool { isEnding && unreleasedTurns == 0 && !isInTurn && outbox.isEmpty }

    func subscription(to room: Room) -> Subscription? { subscriptions.first { $0.room === room } }
}

/// One session's place in a room.
final class Subscription {
    unowned let session: Session
    let room: Room
    /// In `room.subscribers`.
    var index = 0
    var wantsPresence: Bool
    var isPresenting = false
    /// Up to where the session has been given the room's events of the current turn.
    var cursor = 0
    /// The last turn in which something was given to it, and in which that was the content.
    var givenTurn: UInt64 = 0
    var contentTurn: UInt64 = 0
    /// The last turn in which it was told that the document is deleted.
    var deletedTurn: UInt64 = 0
    /// The first turn of which something may have been dropped; nil where nothing was.
    var behindSince: UInt64?

    init(session: Session, room: Room, wantsPresence: Bool) {
        self.session = session
        self.room = room
        self.wantsPresence = wantsPresence
    }
}

/// What a session that watches the list of documents has still to be told.
final class ListWatch {
    /// In `Hub.watchers`.
    var index: Int
    /// Up to where the session has been given the list's events of the current turn.
    var cursor: Int
    /// The last turn in which something was given to it.
    var givenTurn: UInt64 = 0
    /// Events were dropped, and the client has not read since.
    var isBehind = false
    /// The first turn of which something may have been dropped that was not made good; nil where nothing was.
    var missedSince: UInt64?
    /// The last name, in their order, up to which it was made good.
    var madeGoodTo: DocumentName?
    /// In which turn something was last made good, and since which.
    var goodTurn: UInt64 = 0
    var goodSince: UInt64 = 0

    init(index: Int, cursor: Int) {
        self.index = index
        self.cursor = cursor
    }
}
