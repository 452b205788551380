// Why this file exists: an operation is the unit that is stored, sent to other daemons and applied, whole or not at all.
// It says by dots what it replaces, so that every replica takes away the same writes.

import Causality

/// Which of a section's two flags.
package enum Field: UInt8, Sendable, Hashable {
    case open, done
}

/// What a write says of a flag.
package enum Setting: UInt8, Sendable, Hashable {
    case off, on
    /// As the document says: what `reset` writes.
    case initial

    package init(_ value: Bool) { self = value ? .on : .off }
}

/// A flag of a section within one life of a document. Registers of another life do not count.
package struct FlagRegister: Hashable, Sendable {
    package let field: Field
    package let born: Int64
    package let path: SectionPath

    package init(_ field: Field, born: Int64, path: SectionPath) {
        self.field = field
        self.born = born
        self.path = path
    }
}

/// What a write says of the content: a document exists while some sibling is one.
package struct Content: Sendable, Equatable {
    /// Which life of the document: 1 for the first creation, one more than any known for each later one.
    package let born: Int64
    /// `nil`: deleted.
    package let document: Document?

    package init(born: Int64, document: Document?) {
        self.born = born
        self.document = document
    }

    package static func == (left: Content, right: Content) -> Bool {
        guard left.born == right.born else { return false }
        guard let one = left.document, let other = right.document else {
            return left.document == nil && right.document == nil
        }
        return one.isSame(as: other)
    }
}

/// One accepted request: one dot, any number of register writes.
package struct Operation: CausalOperation, Sendable {
    package struct FlagWrite: Sendable, Equatable {
        package let register: FlagRegister
        package let value: Setting
        package let replaced: DotSet

        package init(register: FlagRegister, value: Setting, replaced: DotSet) {
            self.register = register
            self.value = value
            self.replaced = replaced
        }
    }
    package struct ContentWrite: Sendable, Equatable {
        package let value: Content
        package let replaced: DotSet

        package init(value: Content, replaced: DotSet) {
            self.value = value
            self.replaced = replaced
        }
    }
    package struct Erasure: Sendable, Equatable {
        package let register: FlagRegister
        package let dots: DotSet

        package init(register: FlagRegister, dots: DotSet) {
            self.register = register
            self.dots = dots
        }
    }

    package let dot: Dot
    package let stamp: Stamp
    package let by: String
    /// The connection that asked for it, on the daemon that accepted it; 0 everywhere else.
    package let session: UInt64
    package var content: ContentWrite?
    package var flags: [FlagWrite]
    /// Writes taken away from registers that the operation does not write: those of sections that a `replace` removed.
    package var erasures: [Erasure]
    /// A creation takes away, in every register, all that its writer had seen.
    package var erasesSeen: VersionVector?
    /// Whether it takes a write back or makes it again, and which: for the history of every replica.
    package var kind = HistoryEntry.Kind.write
    package var target: Int64 = 0

    package init(
        dot: Dot, stamp: Stamp, by: String, session: UInt64 = 0, content: ContentWrite? = nil,
        flags: [FlagWrite] = [], erasures: [Erasure] = [], erasesSeen: VersionVector? = nil
    ) {
        self.dot = dot
        self.stamp = stamp
        self.by = by
        self.session = session
        self.content = content
        self.flags = flags
        self.erasures = erasures
        self.erasesSeen = erasesSeen
    }

    package func missing(from version: VersionVector) -> Dot? {
        if dot.counter > version[dot.node] + 1 { return Dot(node: dot.node, counter: dot.counter - 1) }
        if let seen = erasesSeen {
            for entry in seen.entries where entry.counter > version[entry.node] {
                return Dot(node: entry.node, counter: entry.counter)
            }
        }
        if let content, let dot = content.replaced.firstUncovered(by: version) { return dot }
        for write in flags {
            if let dot = write.replaced.firstUncovered(by: version) { return dot }
        }
        for erasure in erasures {
            if let dot = erasure.dots.firstUncovered(by: version) { return dot }
        }
        return nil
    }
}

extension DotSet {
    func firstUncovered(by version: VersionVector) -> Dot? {
        var result: Dot?
        forEach { if result == nil, !version.covers($0) { result = $0 } }
        return result
    }
}
