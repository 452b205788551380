// Why this file exists: what the decider has to be told, what it asks its owner to do, and the numbers that bound it.

import AccordionModel
import Causality

package struct ReplicationSettings: Sendable {
    /// This daemon, and this run of it.
    package var peer: Peer
    /// A larger operation or state goes in parts.
    package var messageBytesMax = 512 << 10
    /// Rows that wait for the broker, in memory; the rest stays in the store.
    package var outgoingMax = 1_000
    package var outgoingBytesMax = 8 << 20
    /// Parts of operations and states that are not complete.
    package var fragmentBytesMax = 64 << 20
    package var announceMilliseconds: Int64 = 30_000
    /// How long the broker may take to confirm before a message is sent again.
    package var againMilliseconds: Int64 = 5_000
    /// How long operations may wait for others, and a question for its answer, before somebody is asked.
    package var patienceMilliseconds: Int64 = 10_000
    /// How long what somebody else has may be lacking before it is asked for: the stream may bring it yet.
    package var lackMilliseconds: Int64 = 2_000
    /// Whole states asked for and not come yet.
    package var wantsMax = 64
    /// In the first of a run, a message of an earlier run may still be on its way.
    package var settlingMilliseconds: Int64 = 10_000

    package init(peer: Peer) { self.peer = peer }
}

/// What the store has of replication when a run begins.
package struct ReplicationStart: Sendable {
    package var cursor: StreamCursor?
    /// The highest place that an outgoing row ever had.
    package var lastPlace: Int64
    package var hasOutgoing: Bool

    package init(cursor: StreamCursor? = nil, lastPlace: Int64 = 0, hasOutgoing: Bool = false) {
        self.cursor = cursor
        self.lastPlace = lastPlace
        self.hasOutgoing = hasOutgoing
    }
}

/// What must be stored in the same transaction as a turn.
package struct ReplicationRecord: Sendable {
    /// Nil where it stands as it was.
    package var cursor: StreamCursor?
    package var outgoing: [OutgoingRow] = []
    /// The places of rows that the broker has: they go.
    package var confirmed: [Int64] = []
    /// Rows of these dots go too, wherever they stand.
    package var confirmedDots: [(name: DocumentName, dot: Dot)] = []

    package init() {}

    package var isEmpty: Bool {
        cursor == nil && outgoing.isEmpty && confirmed.isEmpty && confirmedDots.isEmpty
    }

    /// Adds what must be stored after it.
    package mutating func add(_ later: ReplicationRecord) {
        if let cursor = later.cursor { self.cursor = cursor }
        outgoing.append(contentsOf: later.outgoing)
        confirmed.append(contentsOf: later.confirmed)
        confirmedDots.append(contentsOf: later.confirmedDots)
    }
}

/// A message of the stream, by what the broker tells messages apart.
package struct PublishID: Hashable, Sendable {
    package let name: DocumentName
    package let dot: Dot
    /// The run that made it: two daemons under one name must not have parts of each other's.
    package let instance: String
    package let part: Int
    /// The row's, for the answer.
    package let place: Int64

    package init(name: DocumentName, dot: Dot, instance: String, part: Int, place: Int64) {
        self.name = name
        self.dot = dot
        self.instance = instance
        self.part = part
        self.place = place
    }
}

package enum ReplicationAction: Sendable {
    /// Append to the stream, in this order; `acknowledged` when the broker has it, a repetition included.
    case publish(PublishID, [UInt8])
    /// Give all messages of the stream from this sequence on to `arrived`, in order.
    case read(from: UInt64)
    /// Give rows of the store with a higher place to `take(rows:)`, in order.
    case readOutgoing(after: Int64, limit: Int)
    /// An operation of another daemon; `ticket` comes back with the turn that is done with it.
    case merge(DocumentName, Operation, ticket: UInt64)
    /// All that another daemon knows of a document.
    case join(DocumentName, SharedState)
    /// Give the stored state of a document to `tell`.
    case readState(DocumentName, for: Peer, since: VersionVector)
    /// To every other daemon.
    case broadcast([UInt8])
    /// To one run of one daemon.
    case send([UInt8], to: String)
    /// A part of a state, to one run of one daemon; it comes to `heardPart`.
    case sendPart([UInt8], to: String)
    /// The broker has all of an operation of ours.
    case confirmed(DocumentName, Dot)
    /// Whether somebody elsewhere wants to know who is at a document here; told again each time they ask.
    case presenceWanted(DocumentName, Bool)
    /// Who is at a document elsewhere; nobody any more where the count is 0.
    case presence(PresenceReport, from: Peer)
    /// Nothing may be written from now on, and why.
    case readOnly(String)
    /// For the log.
    case note(String)
}
