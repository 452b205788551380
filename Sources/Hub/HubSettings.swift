// Why this file exists: what the hub has to be told of its surroundings – its name, the clock, the limits – since it asks
// for none of them itself.

import AccordionModel
import Causality
import Wire

/// Limits of what one connection, and all together, may make the daemon hold. Bytes unless the name says otherwise.
package struct HubLimits: Sendable, Equatable {
    /// Events that wait for one connection; past it they are dropped, and the client gets the state when it reads again.
    package var queuedEventBytesMax = 1 << 20
    /// Replies that wait for one connection; past it the connection is not read.
    package var queuedReplyBytesMax = 256 << 10
    /// Requests decided in one turn.
    package var turnBytesMax = 4 << 20
    package var lineBytesMax = 1 << 20
    /// A line that creates or replaces a document.
    package var documentBytesMax = 16 << 20
    /// All such lines that are being gathered.
    package var documentLinesBytesMax = 64 << 20
    package var subscriptionsMax = 1_000
    /// Broken lines within `brokenLinesMilliseconds` on one connection that end it.
    package var brokenLinesMax = 10
    package var brokenLinesMilliseconds: Int64 = 10_000
    package var presenceMilliseconds: Int64 = 250
    /// Documents that nobody subscribes to are kept in memory up to this.
    package var documentCacheBytesMax = 256 << 20
    /// Operations of one document that wait for others before them; past it a whole state is asked for.
    package var waitingOperationsMax = SharedState.waitingOperationsMax
    /// Flags that the changes of one person to one document may name which can be taken back; the last change always can.
    package var undoFlagsMax = UndoLog.flagsMax
    package var content = Limits()

    package init() {}
}

package struct HubSettings: Sendable {
    /// The name under which this daemon writes.
    package var node: NodeName
    /// Names this run of this daemon.
    package var epoch: String
    /// Counts the runs of this daemon on its state.
    package var run: UInt32
    /// What `hello` tells of the program, such as `accordiond/1.0`.
    package var server: String
    package var limits: HubLimits
    /// Whether other daemons are to be told of what is written here.
    package var isReplicated: Bool

    package init(
        node: NodeName, epoch: String, run: UInt32 = 1, server: String, limits: HubLimits = HubLimits(),
        isReplicated: Bool = false
    ) {
        self.isReplicated = isReplicated
        self.node = node
        self.run = run
        self.epoch = epoch
        self.server = server
        self.limits = limits
    }
}

/// The time at which a turn is decided.
package struct Moment: Sendable {
    /// Milliseconds since 1970; may jump.
    package var wallMilliseconds: Int64
    /// Milliseconds since some moment; never runs back.
    package var steadyMilliseconds: Int64

    package init(wallMilliseconds: Int64, steadyMilliseconds: Int64) {
        self.wallMilliseconds = wallMilliseconds
        self.steadyMilliseconds = steadyMilliseconds
    }
}

/// What the door knows of a connection.
package struct Origin: Sendable {
    /// The name it has before `hello`.
    package var name: String
    /// Whether `name` is a user that the door has made sure of: another name from `hello` stands beside it.
    package var isUser: Bool
    package var rights: Rights
    /// It may only greet until it has shown a token.
    package var needsToken: Bool
    /// What the rights come from, for whoever reviews them later.
    package var credential: String

    package init(
        name: String, isUser: Bool, rights: Rights, needsToken: Bool = false, credential: String = ""
    ) {
        self.name = name
        self.isUser = isUser
        self.rights = rights
        self.needsToken = needsToken
        self.credential = credential
    }

    package init(name: String, isUser: Bool, role: Role) {
        self.init(name: name, isUser: isUser, rights: Rights(role: role))
    }
}
