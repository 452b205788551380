// Why this file exists: what a turn did to a document must reach the disk, and what the disk has must come back as the same
// state. These are the two forms in which a document passes between those who decide and those who keep.

import Causality

/// What can be told of a document without having it in memory.
package struct DocumentOutline: Sendable, Equatable {
    package var name: DocumentName
    /// False after a deletion: the version goes on, so it is remembered.
    package var exists: Bool
    package var title: String
    package var sections: Int
    package var open: Int
    package var tasks: Int
    package var done: Int
    package var version: VersionVector

    package init(
        name: DocumentName, exists: Bool, title: String, sections: Int, open: Int, tasks: Int, done: Int,
        version: VersionVector
    ) {
        self.name = name
        self.exists = exists
        self.title = title
        self.sections = sections
        self.open = open
        self.tasks = tasks
        self.done = done
        self.version = version
    }

    package init(_ name: DocumentName, _ state: SharedState) {
        let document = state.view?.document
        self.init(
            name: name, exists: document != nil, title: document?.attributes.title ?? "",
            sections: document?.sections.count ?? 0, open: state.view?.openCount ?? 0,
            tasks: document?.taskCount ?? 0, done: state.view?.doneCount ?? 0, version: state.version)
    }
}

/// What has changed of one document since it was last stored: each register once, as it stands now.
package struct DocumentDelta: Sendable {
    package typealias FlagChange = (register: FlagRegister, siblings: CausalRegister<Setting>)

    package var outline: DocumentOutline
    /// The highest stamp given or taken over.
    package var clock: Stamp
    /// `nil`: the content register has not changed.
    package var content: CausalRegister<Content>?
    /// Every flag register of the document is in `flags`: those stored before and not named are gone.
    package var isWhole: Bool
    /// An empty register is one that is gone.
    package var flags: [FlagChange]
    /// In the order of their numbers, without a gap.
    package var history: [HistoryEntry]
    /// Documents that lost to another content in this change: kept in the history until it is retired.
    package var lostContents: [Sibling<Content>]
    /// Our own operations that other daemons must be told of, in order; none where there are no others.
    package var operations: [Operation]

    package init(
        outline: DocumentOutline, clock: Stamp, content: CausalRegister<Content>? = nil, isWhole: Bool = false,
        flags: [FlagChange] = [], history: [HistoryEntry] = [], lostContents: [Sibling<Content>] = [],
        operations: [Operation] = []
    ) {
        self.outline = outline
        self.clock = clock
        self.content = content
        self.isWhole = isWhole
        self.flags = flags
        self.history = history
        self.lostContents = lostContents
        self.operations = operations
    }

    /// Adds what has changed after it, so that both are stored at once.
    package mutating func add(_ later: DocumentDelta) {
        outline = later.outline
        clock = later.clock
        if let content = later.content { self.content = content }
        if later.isWhole {
            isWhole = true
            flags = later.flags
        } else {
            var places: [FlagRegister: Int] = [:]
            for (place, change) in flags.enumerated() { places[change.register] = place }
            for change in later.flags {
                if let place = places[change.register] { flags[place] = change } else { flags.append(change) }
            }
        }
        history.append(contentsOf: later.history)
        lostContents.append(contentsOf: later.lostContents)
        operations.append(contentsOf: later.operations)
    }
}

/// A document as it was stored.
package struct StoredDocument: Sendable {
    package let name: DocumentName
    package let state: SharedState
    /// The number of the next entry of its history.
    package let nextHistoryNumber: Int64
    /// Rows that could not be read and were left out.
    package let rowsSetAside: Int

    package init(name: DocumentName, state: SharedState, nextHistoryNumber: Int64, rowsSetAside: Int) {
        self.name = name
        self.state = state
        self.nextHistoryNumber = nextHistoryNumber
        self.rowsSetAside = rowsSetAside
    }
}
