// Why this file exists: what a daemon sends, as values for those who read it: the mirror, the commands, the benchmarks.
// A client must live with newer daemons, so members that it does not know are ignored and events that it does not know
// are told as such.

import AccordionModel
import Causality

/// One line from the daemon.
package enum ServerLine: Sendable {
    case reply(ServerReply)
    case event(ServerEvent)
}

/// A reply. Which members it has depends on what was asked.
package struct ServerReply: Sendable {
    package var id: RequestID?
    /// Nil where the request was done.
    package var failure: ServerFailure?
    package var version: VersionVector?
    package var open: Bool?
    package var done: Bool?
    package var changed: Int?
    package var replacement: Replacement?
    package var documents: [DocumentSummary]?
    package var document: (name: DocumentName, document: Document)?
    package var state: ServerState?
    package var greeting: ServerGreeting?
    package var status: DaemonStatus?
    /// Newest first.
    package var history: [ServerHistoryEntry]?

    package init() {}
}

package struct ServerFailure: Sendable, Equatable, Error {
    /// One of `ErrorCode`, or one that only newer daemons know.
    package var code: String
    package var message: String
    package var at: Int?

    package init(code: String, message: String, at: Int? = nil) {
        self.code = code
        self.message = message
        self.at = at
    }
}

/// What of the reply to `hello` a client needs.
package struct ServerGreeting: Sendable, Equatable {
    package var server: String
    package var node: String
    package var epoch: String
    package var session: String
    package var name: String
    package var role: String

    package init(server: String, node: String, epoch: String, session: String, name: String, role: String) {
        self.server = server
        self.node = node
        self.epoch = epoch
        self.session = session
        self.name = name
        self.role = role
    }
}

/// Which sections are open and which tasks done, in document order.
package struct ServerState: Sendable, Equatable {
    package var open: [SectionPath]
    package var done: [SectionPath]
    package var conflicts: [ServerConflict]

    package init(open: [SectionPath] = [], done: [SectionPath] = [], conflicts: [ServerConflict] = []) {
        self.open = open
        self.done = done
        self.conflicts = conflicts
    }
}

package struct ServerChange: Sendable, Equatable {
    package var section: SectionPath
    package var field: Field
    package var value: Bool

    package init(section: SectionPath, field: Field, value: Bool) {
        self.section = section
        self.field = field
        self.value = value
    }
}

package struct ServerConflict: Sendable, Equatable {
    package struct Claim: Sendable, Equatable {
        /// In words: `open`, `closed`, `done`, `not done`, the path of a section, or what is told of a content.
        package var value: String
        package var by: String

        package init(value: String, by: String) {
            self.value = value
            self.by = by
        }
    }
    package var section: SectionPath
    /// `open`, `done`, `single` or `content`.
    package var field: String
    package var kept: Claim
    package var lost: [Claim]

    package init(section: SectionPath, field: String, kept: Claim, lost: [Claim]) {
        self.section = section
        self.field = field
        self.kept = kept
        self.lost = lost
    }
}

package enum ServerEvent: Sendable {
    case snapshot(Snapshot)
    case changed(Changed)
    case deleted(DocumentName, by: String)
    case listed(DocumentName, title: String)
    case unlisted(DocumentName)
    case presence(DocumentName, clients: [PresentClient], count: Int)
    case goodbye(reason: String)
    /// One that this client does not know.
    case other(String)

    package struct Snapshot: Sendable {
        package var name: DocumentName
        package var reason: String
        package var epoch: String
        package var version: VersionVector
        package var document: Document
        package var state: ServerState

        package init(
            name: DocumentName, reason: String, epoch: String, version: VersionVector, document: Document,
            state: ServerState
        ) {
            self.name = name
            self.reason = reason
            self.epoch = epoch
            self.version = version
            self.document = document
            self.state = state
        }
    }

    package struct Changed: Sendable {
        package var name: DocumentName
        package var version: VersionVector
        package var by: String
        package var milliseconds: Int64
        package var changes: [ServerChange]
        package var conflicts: [ServerConflict]
        /// The whole state, in place of `changes`, where they are many.
        package var state: ServerState?

        package init(
            name: DocumentName, version: VersionVector, by: String, milliseconds: Int64, changes: [ServerChange],
            conflicts: [ServerConflict], state: ServerState?
        ) {
            self.name = name
            self.version = version
            self.by = by
            self.milliseconds = milliseconds
            self.changes = changes
            self.conflicts = conflicts
            self.state = state
        }
    }
}
