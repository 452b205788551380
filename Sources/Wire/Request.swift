// Why this file exists: what a client can ask for, as values. They are made from a line by RequestReader, decided by the
// hub, and written by our own client; nothing here knows of bytes.

import AccordionModel
import Causality

/// What a request may carry for its reply to repeat.
package enum RequestID: Sendable, Equatable {
    case text(String)
    case number(Int)

    package static let textBytesMax = 128
}

/// One request, complete and well formed; whether it can be done is not decided yet.
package struct Request: Sendable {
    package var id: RequestID?
    package var action: Action

    package init(id: RequestID? = nil, _ action: Action) {
        self.id = id
        self.action = action
    }

    package enum Action: Sendable {
        case hello(Hello)
        case ping
        case list(prefix: String, after: String?, limit: Int)
        case get(DocumentName, section: SectionPath)
        case subscribe(Subscribe)
        case unsubscribe(DocumentName)
        case watchList(Bool)
        case gesture(DocumentName, Gesture, WriteOptions)
        case batch(DocumentName, [Gesture], WriteOptions)
        case select(DocumentName, section: SectionPath?)
        case present(DocumentName, Bool)
        case create(DocumentName, Document, WriteOptions)
        case replace(DocumentName, Document, WriteOptions)
        case delete(DocumentName, WriteOptions)
        case history(History)
        /// The caller's own last change: taken back, or made again.
        case undo(DocumentName)
        case redo(DocumentName)
        case status
    }

    package struct Hello: Sendable {
        package var name: String?
        package var token: String?

        package init(name: String?, token: String? = nil) {
            self.name = name
            self.token = token
        }
    }

    package struct Subscribe: Sendable {
        package var document: DocumentName
        package var since: VersionVector?
        package var epoch: String?
        package var presence: Bool

        package init(
            _ document: DocumentName, since: VersionVector? = nil, epoch: String? = nil, presence: Bool = false
        ) {
            self.document = document
            self.since = since
            self.epoch = epoch
            self.presence = presence
        }
    }

    package struct History: Sendable {
        package var document: DocumentName
        /// Only what was done to this section; `nil`: everything.
        package var section: SectionPath?
        /// Only entries with a lower number; `nil`: from the newest on.
        package var before: Int64?
        package var limit: Int

        package static let entriesMax = 1_000
        package static let bytesMax = 1 << 20

        package init(_ document: DocumentName, section: SectionPath? = nil, before: Int64? = nil, limit: Int = 100) {
            self.document = document
            self.section = section
            self.before = before
            self.limit = limit
        }
    }

    /// What any request that writes may say.
    package struct WriteOptions: Sendable {
        /// The version that the screen showed; `nil`: the caller has seen everything.
        package var seen: VersionVector?
        /// `"ack":"none"`: no reply when it succeeds.
        package var isSilent: Bool
        /// Wants to be told when the broker has it.
        package var replicated: Bool

        package init(seen: VersionVector? = nil, isSilent: Bool = false, replicated: Bool = false) {
            self.seen = seen
            self.isSilent = isSilent
            self.replicated = replicated
        }
    }
}

extension Request.Action {
    /// The document that it is about.
    package var document: DocumentName? {
        switch self {
        case .hello, .ping, .list, .watchList, .status: nil
        case .get(let name, _), .unsubscribe(let name), .gesture(let name, _, _), .batch(let name, _, _),
            .select(let name, _), .present(let name, _), .create(let name, _, _), .replace(let name, _, _),
            .delete(let name, _), .undo(let name), .redo(let name):
            name
        case .subscribe(let subscribe): subscribe.document
        case .history(let history): history.document
        }
    }
}

/// What a session may do; each includes those before it.
package enum Role: Int, Sendable, Comparable {
    case viewer, toggler, editor, admin

    package var name: String {
        switch self {
        case .viewer: "viewer"
        case .toggler: "toggler"
        case .editor: "editor"
        case .admin: "admin"
        }
    }

    package static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
}
