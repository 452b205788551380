// Why this file exists: the shared state of one document, and the one way in which it changes: by operations, applied in
// causal order, and by joining another replica's whole state. Whatever the order of deliveries, replicas that know the same
// operations hold the same state and show the same view.

import Causality

/// The registers of one document, its version, and what they come to. Lives on when the document is deleted: the version
/// never starts again.
package struct SharedState: Sendable {
    package private(set) var version = VersionVector()
    package private(set) var clock = HybridClock()
    package private(set) var content = CausalRegister<Content>()
    package private(set) var flags: [FlagRegister: CausalRegister<Setting>] = [:]
    /// Operations that came before something that they rest on.
    package private(set) var waiting = CausalOrder<Operation>()
    package static let waitingOperationsMax = 10_000
    /// More operations waited than may, and were dropped: only another replica's whole state can fill the gap now.
    package private(set) var needsWholeState = false
    /// What is shown; `nil` where no document exists.
    package private(set) var view: View?

    package init() {}

    /// A state as it was stored or sent. Registers without a sibling are left out; nothing waits.
    package init(
        version: VersionVector, clock: HybridClock, content: CausalRegister<Content>,
        flags: [FlagRegister: CausalRegister<Setting>]
    ) {
        self.version = version
        self.clock = clock
        self.content = content
        self.flags = flags.filter { !$0.value.isEmpty }
        rebuildView()
    }

    package func register(_ register: FlagRegister) -> CausalRegister<Setting> { flags[register] ?? CausalRegister() }

    package func register(_ section: Int32, _ field: Field, in view: View) -> CausalRegister<Setting> {
        guard !flags.isEmpty else { return CausalRegister() }
        return flags[FlagRegister(field, born: view.born, path: view.document[section].path)] ?? CausalRegister()
    }

    /// Applies an operation that this replica decided itself: all that it rests on is known.
    package mutating func applyOwn(_ operation: Operation) -> Applied {
        clock = HybridClock(latest: max(clock.latest, operation.stamp))
        return apply(operation)
    }

    /// What became of an operation that was taken.
    package enum Reception: Sendable {
        case known
        /// It rests on something that is not known yet.
        case waits
        /// Those that waited for it must be taken next.
        case applied(Applied, released: [Operation])
    }

    /// Takes an operation of another replica; `milliseconds` is our wall clock. Where more than `waitingMax` would wait, none
    /// waits any more and `needsWholeState` is told until one was joined.
    package mutating func take(
        _ operation: Operation, at milliseconds: Int64, waitingMax: Int = SharedState.waitingOperationsMax
    ) -> Reception {
        if version.covers(operation.dot) { return .known }
        if let missing = operation.missing(from: version) {
            waiting.hold(operation, for: missing)
            if waiting.count > waitingMax {
                waiting.removeAll()
                needsWholeState = true
            }
            return .waits
        }
        clock.observe(operation.stamp, at: milliseconds)
        let applied = apply(operation)
        return .applied(applied, released: waiting.release(operation.dot))
    }

    /// The same, and of all that it sets free: what was applied is returned, in order.
    package mutating func receive(
        _ operation: Operation, at milliseconds: Int64, waitingMax: Int = SharedState.waitingOperationsMax
    ) -> [Applied] {
        var all: [Applied] = []
        var next = [operation]
        while let operation = next.popLast() {
            guard case .applied(let applied, let released) = take(operation, at: milliseconds, waitingMax: waitingMax)
            else { continue }
            all.append(applied)
            next.append(contentsOf: released)
        }
        return all
    }

    /// Joins another replica's whole state. Afterwards what waited is tried again.
    package mutating func join(_ other: SharedState, at milliseconds: Int64) {
        for operation in absorb(other, at: milliseconds) {
            _ = receive(operation, at: milliseconds, waitingMax: .max)
        }
    }

    /// Joins another replica's whole state, and returns what waited: it must be taken again.
    package mutating func absorb(_ other: SharedState, at milliseconds: Int64) -> [Operation] {
        content.join(other.content, version: version, otherVersion: other.version)
        for (register, theirs) in other.flags {
            flags[register, default: CausalRegister()].join(
                theirs, version: version, otherVersion: other.version)
        }
        for (register, ours) in flags where other.flags[register] == nil {
            var ours = ours
            ours.join(CausalRegister(), version: version, otherVersion: other.version)
            flags[register] = ours
        }
        flags = flags.filter { !$0.value.isEmpty }
        version.join(other.version)
        for (_, register) in flags { register.forEach { clock.observe($0.stamp, at: milliseconds) } }
        content.forEach { clock.observe($0.stamp, at: milliseconds) }
        rebuildView()
        needsWholeState = false
        return waiting.releaseAll()
    }

    // MARK: - Applying

    private mutating func apply(_ operation: Operation) -> Applied {
        version.include(operation.dot)
        var applied = Applied(operation)
        for erasure in operation.erasures { erase(erasure.dots, in: erasure.register) }
        if let seen = operation.erasesSeen { eraseAll(coveredBy: seen) }
        for write in operation.flags {
            flags[write.register, default: CausalRegister()].write(
                Sibling(
                    dot: operation.dot, value: write.value, stamp: operation.stamp, by: operation.by,
                    session: operation.session),
                replacing: write.replaced)
        }
        if let write = operation.content {
            let existed = view != nil
            content.write(
                Sibling(
                    dot: operation.dot, value: write.value, stamp: operation.stamp, by: operation.by,
                    session: operation.session),
                replacing: write.replaced)
            rebuildView()
            applied.content = view == nil ? (existed ? .deleted : .none) : (existed ? .replaced : .created)
            if let conflict = contentConflict { applied.conflicts.append(conflict) }
        } else {
            settle(operation.flags, &applied)
        }
        return applied
    }

    private mutating func erase(_ dots: DotSet, in register: FlagRegister) {
        guard var held = flags[register] else { return }
        held.erase(dots)
        flags[register] = held.isEmpty ? nil : held
    }

    private mutating func eraseAll(coveredBy seen: VersionVector) {
        content.erase(coveredBy: seen)
        for (register, held) in flags {
            var held = held
            held.erase(coveredBy: seen)
            flags[register] = held.isEmpty ? nil : held
        }
    }

    /// Brings the view up to date after writes to `writes`, and tells what is shown now.
    private mutating func settle(_ writes: [Operation.FlagWrite], _ applied: inout Applied) {
        guard let document = view?.document, let born = view?.born else { return }
        var parents: [Int32: Int32?] = [:]
        var written: [Int32: Setting?] = [:]
        applied.changes.reserveCapacity(writes.count)
        for write in writes where write.register.born == born {
            guard let section = document.find(write.register.path), view?.has(section, write.register.field) == true
            else { continue }
            let parent = document[section].parent
            if write.register.field == .open, document.mode(inside: parent) == .single {
                if parents[parent] == nil { parents[parent] = .some(view?.groups[parent]?.shown) }
                written[section] = .some(write.value)
                refreshClaim(section, parent)
            } else {
                let flipped = refresh(section, write.register)
                applied.visibleChanges += flipped ? 1 : 0
                let value = view?.value(section, write.register.field) ?? false
                applied.changes.append(
                    Change(
                        section: section, field: write.register.field, value: value, before: value != flipped,
                        written: write.value))
            }
            if let conflict = conflict(section, write.register.field) { applied.conflicts.append(conflict) }
        }
        for (parent, before) in parents.sorted(by: { $0.key < $1.key }) {
            let after = view?.groups[parent]?.shown
            if let before, before != after, view?.set(before, .open, false) == true {
                applied.visibleChanges += 1
                tell(before, &written, &applied)
            }
            if let after, view?.set(after, .open, true) == true {
                applied.visibleChanges += 1
                tell(after, &written, &applied)
            }
            if let conflict = groupConflict(parent) { applied.conflicts.append(conflict) }
        }
        for (section, setting) in written.sorted(by: { $0.key < $1.key }) {
            let wasShown = parents[document[section].parent] == .some(section)
            applied.changes.append(
                Change(
                    section: section, field: .open, value: view?.isOpen(section) ?? false, before: wasShown,
                    written: setting))
        }
    }

    /// A section that another one's write has turned: told like a written one, so whoever hears of it knows all that stands.
    private func tell(_ section: Int32, _ written: inout [Int32: Setting?], _ applied: inout Applied) {
        guard written[section] == nil else { return }
        written[section] = .some(nil)
        guard let conflict = conflict(section, .open) else { return }
        applied.conflicts.append(conflict)
    }

    private mutating func refresh(_ section: Int32, _ register: FlagRegister) -> Bool {
        guard let shown = view?.shown(of: flags[register] ?? CausalRegister(), section, register.field),
            let value = view?.meaning(of: shown.value, section, register.field)
        else { return false }
        return view?.set(section, register.field, value) ?? false
    }

    private mutating func refreshClaim(_ section: Int32, _ parent: Int32) {
        guard let born = view?.born, let path = view?.document[section].path,
            let told = view?.claim(
                of: flags[FlagRegister(.open, born: born, path: path)] ?? CausalRegister(), child: section)
        else { return }
        view?.updateGroup(parent, child: section, claim: told.claim, isClosed: told.isClosed)
    }

    /// Makes the view anew from all registers: after the content changed, or states were joined.
    private mutating func rebuildView() {
        guard let shown = shownContent, let document = shown.value.document else {
            view = nil
            return
        }
        var fresh = View(document: document, born: shown.value.born)
        var before: [Int32: Int32] = [:]
        for (parent, group) in fresh.groups { before[parent] = group.shown }
        for (register, held) in flags where register.born == fresh.born {
            guard let section = document.find(register.path), fresh.has(section, register.field) else { continue }
            let parent = document[section].parent
            if register.field == .open, document.mode(inside: parent) == .single {
                let told = fresh.claim(of: held, child: section)
                fresh.updateGroup(parent, child: section, claim: told.claim, isClosed: told.isClosed)
            } else if let sibling = fresh.shown(of: held, section, register.field) {
                fresh.set(section, register.field, fresh.meaning(of: sibling.value, section, register.field))
            }
        }
        for (parent, group) in fresh.groups {
            if let initial = before[parent] { fresh.set(initial, .open, false) }
            if let shown = group.shown { fresh.set(shown, .open, true) }
        }
        view = fresh
    }

    /// The content that is shown: of the siblings that are documents the one of the latest life, then the latest.
    package var shownContent: Sibling<Content>? {
        var best: Sibling<Content>?
        content.forEach { sibling in
            guard sibling.value.document != nil else { return }
            guard let other = best else {
                best = sibling
                return
            }
            if sibling.value.born == other.value.born
                ? sibling.isLater(than: other) : sibling.value.born > other.value.born
            {
                best = sibling
            }
        }
        return best
    }
}
