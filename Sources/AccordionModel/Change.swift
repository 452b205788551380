// Why this file exists: what an operation did to what people see is told to every subscriber, in one value that knows
// nothing of the wire.

import Causality

/// A flag as it is shown after an operation. Told for every register that the operation wrote, also where the value shown
/// stayed, and for a section that a single group closed.
package struct Change: Sendable, Equatable {
    package let section: Int32
    package let field: Field
    package let value: Bool
    /// As it was shown before; `value` where that is not known.
    package let before: Bool
    /// What the operation wrote; `nil` where it wrote nothing and a single group turned the section.
    package let written: Setting?

    init(section: Int32, field: Field, value: Bool, before: Bool? = nil, written: Setting? = nil) {
        self.section = section
        self.field = field
        self.value = value
        self.before = before ?? value
        self.written = written
    }
}

/// A register whose writes disagree.
package struct Conflict: Sendable, Equatable {
    package enum Value: Sendable, Equatable {
        case flag(Bool)
        /// A child of a single group that claims to be open.
        case child(SectionPath)
        /// `nil`: deleted.
        case document(Document?)

        package static func == (left: Value, right: Value) -> Bool {
            switch (left, right) {
            case (.flag(let one), .flag(let other)): one == other
            case (.child(let one), .child(let other)): one == other
            case (.document(let one?), .document(let other?)): one.isSame(as: other)
            case (.document(nil), .document(nil)): true
            default: false
            }
        }
    }
    package enum Kind: String, Sendable { case open, done, single, content }
    package struct Claim: Sendable, Equatable {
        package let value: Value
        package let by: String

        package init(value: Value, by: String) {
            self.value = value
            self.by = by
        }
    }

    /// The section; for `single` the section around the group; the top for `content`.
    package let section: SectionPath
    package let field: Kind
    package let kept: Claim
    package let lost: [Claim]

    package init(section: SectionPath, field: Kind, kept: Claim, lost: [Claim]) {
        self.section = section
        self.field = field
        self.kept = kept
        self.lost = lost
    }
}

/// What became of a document's content.
package enum ContentChange: Sendable, Equatable {
    case none, created, replaced, deleted
}

/// What an operation came to, on the replica that applied it.
package struct Applied: Sendable {
    package let dot: Dot
    package let by: String
    package let stamp: Stamp
    package internal(set) var content = ContentChange.none
    package internal(set) var changes: [Change] = []
    package internal(set) var conflicts: [Conflict] = []
    /// How many flags are shown otherwise than before.
    package internal(set) var visibleChanges = 0

    init(_ operation: Operation) { self.init(by: operation.by, stamp: operation.stamp, dot: operation.dot) }

    init(by: String, stamp: Stamp, dot: Dot) {
        self.dot = dot
        self.by = by
        self.stamp = stamp
    }
}
