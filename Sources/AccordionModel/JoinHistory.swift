// Why this file exists: a replica that was away for long gets a whole state, not the operations that led to it. Whose
// writes brought it stands in the registers, and so it can stand in the history.

import Causality

extension HistoryEntry {
    /// One entry for each operation of which a write stands in `after` and was not known to `before`, in the order of their
    /// stamps; writes that others have replaced meanwhile left no trace. `number` is the first entry's.
    package static func joined(
        before: SharedState, after: SharedState, from number: Int64, measure: (Document) -> ContentWrite
    ) -> [HistoryEntry] {
        var found: [Dot: Joined] = [:]
        after.content.forEach { sibling in
            guard !before.version.covers(sibling.dot) else { return }
            let effect: ContentEffect =
                sibling.value.document.map { before.view == nil ? .created(measure($0)) : .replaced(measure($0)) }
                ?? .deleted
            found[sibling.dot, default: Joined(sibling.stamp, sibling.by)].content = effect
        }
        if let view = after.view {
            for (register, held) in after.flags where register.born == view.born {
                held.forEach { sibling in
                    guard !before.version.covers(sibling.dot), let section = view.document.find(register.path),
                        view.has(section, register.field)
                    else { return }
                    let now = view.value(section, register.field)
                    let earlier = before.view.flatMap { view in
                        view.document.find(register.path).map { view.value($0, register.field) }
                    }
                    found[sibling.dot, default: Joined(sibling.stamp, sibling.by)].flags.append(
                        Flag(
                            field: register.field, section: register.path, value: sibling.value,
                            before: earlier ?? now, after: now))
                }
            }
        }
        let ordered = found.sorted { left, right in
            left.value.stamp == right.value.stamp ? left.key < right.key : left.value.stamp < right.value.stamp
        }
        return ordered.enumerated().map { place, item in
            HistoryEntry(
                number: number + Int64(place), dot: item.key, stamp: item.value.stamp, by: item.value.by,
                born: after.view?.born ?? 0,
                flags: item.value.flags.sorted {
                    $0.section == $1.section
                        ? $0.field.rawValue < $1.field.rawValue
                        : $0.section.text.utf8.lexicographicallyPrecedes($1.section.text.utf8)
                },
                content: item.value.content)
        }
    }

    private struct Joined {
        let stamp: Stamp
        let by: String
        var flags: [Flag] = []
        var content: ContentEffect?

        init(_ stamp: Stamp, _ by: String) {
            self.stamp = stamp
            self.by = by
        }
    }
}
