// Why this file exists: the steps of a batch see each other, but nothing may change before all of them are accepted, and
// of each register only the last value is written. So a request is decided on a sheet laid over the state.

import Causality

/// Who asks, and what they had seen.
package struct Writer: Sendable {
    /// The daemon's own name, under which it writes.
    package let node: NodeName
    /// Wall clock, milliseconds since 1970.
    package let milliseconds: Int64
    package let by: String
    /// The connection; 0 for none.
    package let session: UInt64
    /// The version that the screen showed; `nil`: everything.
    package let seen: VersionVector?

    package init(node: NodeName, milliseconds: Int64, by: String, session: UInt64, seen: VersionVector?) {
        self.node = node
        self.milliseconds = milliseconds
        self.by = by
        self.session = session
        self.seen = seen
    }
}

struct Draft {
    struct Pending {
        let section: Int32
        let field: Field
        var setting: Setting
    }

    let writer: Writer
    let dot: Dot
    let stamp: Stamp
    private(set) var writes: [Pending] = []
    /// Where a write stands in `writes`; kept only once there are too many to look through.
    private var places: [Int64: Int]?
    /// The single groups that were touched, as they stand after the writes.
    private var groups: [Int32: Group] = [:]

    /// On a state of that version and clock: handing over the whole of it would copy it.
    init(_ writer: Writer, _ version: VersionVector, _ clock: HybridClock) {
        self.writer = writer
        dot = Dot(node: writer.node, counter: version[writer.node] + 1)
        stamp = clock.next(at: writer.milliseconds)
    }

    func group(_ parent: Int32, _ view: View) -> Group? { groups[parent] ?? view.groups[parent] }

    func pending(_ section: Int32, _ field: Field) -> Setting? {
        place(section, field).map { writes[$0].setting }
    }

    private static func key(_ section: Int32, _ field: Field) -> Int64 { Int64(section) * 2 + Int64(field.rawValue) }

    private func place(_ section: Int32, _ field: Field) -> Int? {
        if let places { return places[Draft.key(section, field)] }
        return writes.firstIndex { $0.section == section && $0.field == field }
    }

    /// The register as it will be: as it is, where nothing is pending for it.
    func outcome(
        _ section: Int32, _ field: Field, _ state: SharedState, _ view: View
    ) -> CausalRegister<Setting> {
        let register = state.register(section, field, in: view)
        guard let setting = pending(section, field) else { return register }
        return written(register, setting)
    }

    private func written(
        _ register: CausalRegister<Setting>, _ setting: Setting
    ) -> CausalRegister<Setting> {
        var register = register
        let replaced = register.replaced(by: setting, seen: writer.seen, session: writer.session)
        register.write(Sibling(dot: dot, value: setting, stamp: stamp, by: writer.by), replacing: replaced)
        return register
    }

    /// What is shown of a check mark, or of a section in a group where any number may be open.
    func value(_ section: Int32, _ field: Field, _ state: SharedState, _ view: View) -> Bool {
        guard pending(section, field) != nil else { return view.value(section, field) }
        guard let shown = view.shown(of: outcome(section, field, state, view), section, field) else { return false }
        return view.meaning(of: shown.value, section, field)
    }

    mutating func put(
        _ section: Int32, _ field: Field, _ setting: Setting, _ state: SharedState, _ view: View
    ) {
        let parent = view.document[section].parent
        let isInSingle = field == .open && view.document.mode(inside: parent) == .single
        let wasClosed = isInSingle && saysClosed(section, state, view)
        if let place = place(section, field) {
            writes[place].setting = setting
        } else {
            places?[Draft.key(section, field)] = writes.count
            writes.append(Pending(section: section, field: field, setting: setting))
            if places == nil, writes.count > 16 {
                var index: [Int64: Int] = [:]
                for (place, write) in writes.enumerated() { index[Draft.key(write.section, write.field)] = place }
                places = index
            }
        }
        guard isInSingle else { return }
        let told = view.claim(of: outcome(section, field, state, view), child: section)
        if groups[parent] == nil { groups[parent] = view.groups[parent] }
        groups[parent]?.update(section, claim: told.claim, wasClosed: wasClosed, isClosed: told.isClosed)
    }

    private func saysClosed(_ child: Int32, _ state: SharedState, _ view: View) -> Bool {
        guard pending(child, .open) != nil else { return view.saysClosed(child) }
        return view.claim(of: outcome(child, .open, state, view), child: child).isClosed
    }
}

extension SharedState {
    /// The operation that a draft comes to, without the writes that would change nothing; nil where none is left.
    func finish(_ draft: Draft, _ view: View) -> Operation? {
        var flags: [Operation.FlagWrite] = []
        flags.reserveCapacity(draft.writes.count)
        let standing = standingGroups(draft, view)
        for write in draft.writes {
            let register = register(write.section, write.field, in: view)
            let parent = view.document[write.section].parent
            if write.setting == .initial {
                if isUntouched(register) { continue }
            } else if write.field == .open, view.document.mode(inside: parent) == .single {
                if standing[parent] == true { continue }
            } else if view.value(write.section, write.field) == (write.setting == .on),
                !view.disagrees(register, write.section, write.field)
            {
                continue
            }
            flags.append(
                Operation.FlagWrite(
                    register: FlagRegister(
                        write.field, born: view.born, path: view.document[write.section].path),
                    value: write.setting,
                    replaced: register.replaced(
                        by: write.setting, seen: draft.writer.seen, session: draft.writer.session)))
        }
        guard !flags.isEmpty else { return nil }
        return Operation(
            dot: draft.dot, stamp: draft.stamp, by: draft.writer.by, session: draft.writer.session, flags: flags)
    }

    /// Whether a register says no more than that the section stands as the document says.
    func isUntouched(_ register: CausalRegister<Setting>) -> Bool {
        register.isEmpty || (register.agrees && register.latest()?.value == .initial)
    }

    /// For each single group that the draft writes to, whether it shows afterwards what it showed, and nobody disagrees
    /// about it before or after: then its writes are none.
    private func standingGroups(_ draft: Draft, _ view: View) -> [Int32: Bool] {
        var standing: [Int32: Bool] = [:]
        for write in draft.writes where write.field == .open {
            let parent = view.document[write.section].parent
            guard standing[parent] != false, let before = view.groups[parent] else { continue }
            if standing[parent] == nil, let after = draft.group(parent, view) {
                standing[parent] = before.claims.count <= 1 && after.claims.count <= 1 && before.shown == after.shown
            }
            let register = register(write.section, .open, in: view)
            if view.disagrees(register, write.section, .open)
                || view.disagrees(draft.outcome(write.section, .open, self, view), write.section, .open)
                || (write.setting == .initial && !isUntouched(register))
            {
                standing[parent] = false
            }
        }
        return standing
    }
}
