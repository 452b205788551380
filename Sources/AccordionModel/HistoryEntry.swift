// Why this file exists: who did what, when, and what it overruled stays to be read after the state has gone on; and what a
// person takes back with `undo` is found here.

import Causality

/// One accepted request as the history keeps it.
package struct HistoryEntry: Sendable, Equatable {
    package enum Kind: UInt8, Sendable {
        case write, undo, redo
    }

    /// A flag that the request wrote.
    package struct Flag: Sendable, Equatable {
        package let field: Field
        package let section: SectionPath
        package let value: Setting
        /// What was shown before, and after: the two differ from `value` where the write lost to another.
        package let before: Bool
        package let after: Bool

        /// Whether the write said otherwise than what was shown after it. (What the document says of a section is not
        /// known here, so a reset never counts as lost.)
        package var hasLost: Bool { value != .initial && (value == .on) != after }

        package init(field: Field, section: SectionPath, value: Setting, before: Bool, after: Bool) {
            self.field = field
            self.section = section
            self.value = value
            self.before = before
            self.after = after
        }
    }

    /// What the request wrote to the content: its measure, not the content itself.
    package struct ContentWrite: Sendable, Equatable {
        package let title: String
        package let sections: Int
        /// UTF-8 bytes of text.
        package let bytes: Int
        /// Of the document's JSON; equal contents have equal ones.
        package let hash: UInt64

        package init(title: String, sections: Int, bytes: Int, hash: UInt64) {
            self.title = title
            self.sections = sections
            self.bytes = bytes
            self.hash = hash
        }
    }

    /// A write of the content that lost to another; `write` is nil for a deletion.
    package struct LostContent: Sendable, Equatable {
        package let by: String
        package let write: ContentWrite?

        package init(by: String, write: ContentWrite?) {
            self.by = by
            self.write = write
        }
    }

    package enum ContentEffect: Sendable, Equatable {
        case created(ContentWrite)
        case replaced(ContentWrite)
        case deleted
    }

    /// Counted from 1 within a document, through all its lives, without a gap.
    package let number: Int64
    package let dot: Dot
    package let stamp: Stamp
    package let by: String
    package let kind: Kind
    /// The life of the document whose flags were written.
    package let born: Int64
    /// For an `undo` or `redo`, the counter of the write that was taken back or made again; else 0.
    package let target: Int64
    package let flags: [Flag]
    package let content: ContentEffect?
    /// Which writes of flags and single groups disagreed after it.
    package let conflicts: [Conflict]
    /// Contents that another one overruled when it was applied.
    package let lostContents: [LostContent]

    package init(
        number: Int64, dot: Dot, stamp: Stamp, by: String, kind: Kind = .write, born: Int64, target: Int64 = 0,
        flags: [Flag] = [], content: ContentEffect? = nil, conflicts: [Conflict] = [],
        lostContents: [LostContent] = []
    ) {
        self.number = number
        self.dot = dot
        self.stamp = stamp
        self.by = by
        self.kind = kind
        self.born = born
        self.target = target
        self.flags = flags
        self.content = content
        self.conflicts = conflicts
        self.lostContents = lostContents
    }
}

extension HistoryEntry {
    /// The entry of `operation` as it was applied to a state that shows `view` since.
    package init(
        number: Int64, _ operation: Operation, _ applied: Applied, _ view: View?,
        measure: (Document) -> ContentWrite
    ) {
        var flags: [Flag] = []
        if let document = view?.document, operation.content == nil {
            flags.reserveCapacity(applied.changes.count)
            for change in applied.changes {
                flags.append(
                    Flag(
                        field: change.field, section: document[change.section].path,
                        value: change.written ?? Setting(change.value), before: change.before, after: change.value))
            }
        }
        var effect: ContentEffect?
        if let write = operation.content {
            effect =
                write.value.document.map { document in
                    applied.content == .created ? .created(measure(document)) : .replaced(measure(document))
                } ?? .deleted
        }
        var conflicts: [Conflict] = []
        var lost: [LostContent] = []
        for conflict in applied.conflicts {
            guard conflict.field == .content else {
                conflicts.append(conflict)
                continue
            }
            for claim in conflict.lost {
                guard case .document(let document) = claim.value else { continue }
                lost.append(LostContent(by: claim.by, write: document.map(measure)))
            }
        }
        self.init(
            number: number, dot: operation.dot, stamp: operation.stamp, by: operation.by,
            kind: operation.kind, born: view?.born ?? 0, target: operation.target, flags: flags, content: effect,
            conflicts: conflicts,
            lostContents: lost)
    }
}
