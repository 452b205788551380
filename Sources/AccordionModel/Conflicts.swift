// Why this file exists: people who disagreed are told so: which value is kept, which were lost, and whose they were.

import Causality

extension SharedState {
    /// Every register of what is shown whose writes disagree, in document order; the content's first.
    package var conflicts: [Conflict] {
        guard let view else { return [] }
        var found: [(section: Int32, rank: Int, conflict: Conflict)] = []
        for (register, held) in flags where register.born == view.born && held.count > 1 {
            guard let section = view.document.find(register.path), view.has(section, register.field),
                let conflict = conflict(section, register.field)
            else { continue }
            found.append((section, register.field == .open ? 0 : 1, conflict))
        }
        for parent in view.groups.keys {
            guard let conflict = groupConflict(parent) else { continue }
            found.append((parent, 2, conflict))
        }
        found.sort { ($0.section, $0.rank) < ($1.section, $1.rank) }
        return (contentConflict.map { [$0] } ?? []) + found.map(\.conflict)
    }

    func conflict(_ section: Int32, _ field: Field) -> Conflict? {
        guard let view else { return nil }
        let held = register(section, field, in: view)
        guard view.disagrees(held, section, field), let shown = view.shown(of: held, section, field) else {
            return nil
        }
        let kept = view.meaning(of: shown.value, section, field)
        let lost = held.latestFirst.filter { view.meaning(of: $0.value, section, field) != kept }
        return Conflict(
            section: view.document[section].path, field: field == .open ? .open : .done,
            kept: Conflict.Claim(value: .flag(kept), by: shown.by),
            lost: lost.map { Conflict.Claim(value: .flag(!kept), by: $0.by) })
    }

    func groupConflict(_ parent: Int32) -> Conflict? {
        guard let view, let group = view.groups[parent], group.claims.count > 1 else { return nil }
        let claims = group.claimsLatestFirst.map { child in
            Conflict.Claim(
                value: .child(view.document[child].path),
                by: register(child, .open, in: view).latest { $0.value == .on }?.by ?? "")
        }
        guard let kept = claims.first else { return nil }
        return Conflict(
            section: parent < 0 ? .top : view.document[parent].path, field: .single, kept: kept,
            lost: Array(claims.dropFirst()))
    }

    var contentConflict: Conflict? {
        guard content.count > 1, let shown = shownContent else { return nil }
        let lost = content.latestFirst.filter { $0.dot != shown.dot && $0.value != shown.value }
        guard !lost.isEmpty else { return nil }
        return Conflict(
            section: .top, field: .content,
            kept: Conflict.Claim(value: .document(shown.value.document), by: shown.by),
            lost: lost.map { Conflict.Claim(value: .document($0.value.document), by: $0.by) })
    }
}
