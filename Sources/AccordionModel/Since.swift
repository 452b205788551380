// Why this file exists: a client that was away for a moment asks for what changed since, and a document of a hundred
// thousand sections should not be sent again for one toggle.

import Causality

extension SharedState {
    /// What changed after `version`, as one change: every flag that was written since is told as it is shown now. Of a
    /// single group that was touched all sections are told, since which of them was open before is not kept. Nil where
    /// the content itself is newer, so that only the whole document helps.
    package func changes(since version: VersionVector) -> Applied? {
        guard let view, let shown = shownContent else { return nil }
        var isKnown = true
        content.forEach { if !version.covers($0.dot) { isKnown = false } }
        guard isKnown else { return nil }
        var sections: Set<Int32> = []
        var done: [Int32] = []
        var parents: Set<Int32> = []
        var stamp = shown.stamp
        for (register, held) in flags where register.born == view.born {
            var isNew = false
            held.forEach { sibling in
                if !version.covers(sibling.dot) {
                    isNew = true
                    stamp = max(stamp, sibling.stamp)
                }
            }
            guard isNew, let section = view.document.find(register.path), view.has(section, register.field) else {
                continue
            }
            let parent = view.document[section].parent
            if register.field == .done {
                done.append(section)
            } else if view.document.mode(inside: parent) == .single {
                parents.insert(parent)
            } else {
                sections.insert(section)
            }
        }
        for parent in parents {
            sections.formUnion(view.document.children(of: parent).filter { !view.document[$0].isRow })
        }
        var applied = Applied(by: "", stamp: stamp, dot: shown.dot)
        applied.changes =
            (sections.map { Change(section: $0, field: .open, value: view.isOpen($0)) }
            + done.map { Change(section: $0, field: .done, value: view.isDone($0)) })
            .sorted { ($0.section, $0.field.rawValue) < ($1.section, $1.field.rawValue) }
        applied.conflicts = conflicts
        return applied
    }
}
