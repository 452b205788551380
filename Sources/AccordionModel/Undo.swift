// Why this file exists: a slip on a shared screen must be easy to take back, and taking it back must not touch what
// somebody else has done since. An undo is a new write like any other; what it restores is read from the history.

import Causality

/// The state writes of one person at one daemon that can be taken back, and those taken back that can be made again.
package struct UndoLog: Sendable {
    /// How many writes can be taken back.
    package static let writesMax = 100
    /// How many flags all of them together may name where nothing else is said.
    package static let flagsMax = 200_000

    /// Oldest first.
    package private(set) var done: [HistoryEntry] = []
    /// Oldest first: the undos whose effect a redo takes back.
    package private(set) var undone: [HistoryEntry] = []

    /// How many flags all of them together may name, so that "open all" a hundred times is not held a hundred times; the
    /// last write always counts.
    private let flagsMax: Int

    package init(flagsMax: Int = UndoLog.flagsMax) { self.flagsMax = flagsMax }

    /// Adds a write of this person, later than all before.
    package mutating func add(_ entry: HistoryEntry) {
        switch entry.kind {
        case .write:
            guard !entry.flags.isEmpty else { return }
            done.append(entry)
            undone = []
        case .undo:
            UndoLog.drop(through: entry.target, from: &done)
            undone.append(entry)
        case .redo:
            UndoLog.drop(through: entry.target, from: &undone)
            done.append(entry)
        }
        trim()
    }

    /// The writes that an undo may take back, or the undos that a redo may: the first of which something is left. Those
    /// before it stay until it is taken back, since what is read from the history later knows nothing of who asked in vain.
    package func candidates(for kind: HistoryEntry.Kind) -> ReversedCollection<[HistoryEntry]> {
        (kind == .redo ? undone : done).reversed()
    }

    /// Takes away the write that was taken back, and those after it that could not be.
    private static func drop(through counter: Int64, from entries: inout [HistoryEntry]) {
        while let last = entries.last, last.dot.counter >= counter { entries.removeLast() }
    }

    private mutating func trim() {
        if done.count > UndoLog.writesMax { done.removeFirst(done.count - UndoLog.writesMax) }
        if undone.count > UndoLog.writesMax { undone.removeFirst(undone.count - UndoLog.writesMax) }
        var flags = 0
        if let place = done.lastIndex(where: {
            flags += $0.flags.count
            return flags > flagsMax
        }), place < done.count - 1 {
            done.removeFirst(place + 1)
        }
    }
}

extension SharedState {
    /// The write that restores what was shown before `entry`, wherever the write shown now is still `writer`'s; nil where
    /// nothing is left to restore.
    package func takeBack(_ entry: HistoryEntry, _ writer: Writer) -> Operation? {
        guard let view, entry.born == view.born else { return nil }
        var draft = Draft(writer, version, clock)
        let groups = ownGroups(entry, writer, view)
        // What was open is opened first: that closes its neighbours in a single group.
        for value in [true, false] {
            for flag in entry.flags where flag.before == value {
                guard let section = view.document.find(flag.section), view.has(section, flag.field) else { continue }
                let parent = view.document[section].parent
                if flag.field == .open, view.document.mode(inside: parent) == .single {
                    guard groups[parent] == true else { continue }
                } else if !isShownWrite(section, flag.field, of: writer.by, view) {
                    continue
                }
                restore(section, flag.field, value, view, &draft)
            }
        }
        return finish(draft, view)
    }

    /// For each single group that `entry` turned, whether all that is shown of it now is the author's.
    private func ownGroups(_ entry: HistoryEntry, _ writer: Writer, _ view: View) -> [Int32: Bool] {
        var groups: [Int32: Bool] = [:]
        for flag in entry.flags where flag.field == .open {
            guard let section = view.document.find(flag.section) else { continue }
            let parent = view.document[section].parent
            guard let group = view.groups[parent], groups[parent] != false else { continue }
            var isOwn = isNobodys(section, .open, view) || isShownWrite(section, .open, of: writer.by, view)
            if let shown = group.shown, shown != section, !isNobodys(shown, .open, view) {
                isOwn = isOwn && isShownWrite(shown, .open, of: writer.by, view)
            }
            groups[parent] = isOwn
        }
        return groups
    }

    private func isNobodys(_ section: Int32, _ field: Field, _ view: View) -> Bool {
        register(section, field, in: view).isEmpty
    }

    private func isShownWrite(_ section: Int32, _ field: Field, of author: String, _ view: View) -> Bool {
        view.shown(of: register(section, field, in: view), section, field)?.by == author
    }
}
