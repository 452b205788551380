// Why this file exists: a client knows of a document what the daemon told it, and shows its own presses before the daemon
// has answered. Both are kept here, with no socket and no screen: events go in, what changed comes out.
//
// A press is never lost without a word. Where there is no connection it is kept, and sent once there is one and the state
// has come; one whose reply was lost with the connection is sent again, unless the state shows that it was heard. Each goes
// with the version that the screen showed when it was made: where somebody else has acted meanwhile that is a
// disagreement, which is told, and nobody's write is overruled unseen. (One that was heard, and taken back since by somebody
// who had seen it, is sent again too: it then stands beside theirs.)

import AccordionModel
import Causality
import Wire

/// What became of a replica by an event or a reply.
package enum ReplicaChange: Sendable, Equatable {
    /// The content is another: all that was known of sections is void. `reason` is the snapshot's.
    case content(reason: String)
    /// These flags are shown otherwise than before; in document order.
    case flags([SectionFlag])
    case deleted(by: String)
    /// A press was taken back.
    case takenBack(Intent, reason: String)
}

package struct Replica: Sendable {
    package enum Life: Sendable, Equatable {
        /// Nothing has come yet.
        case awaited
        case live
        /// The content is kept to be looked at.
        case deleted(by: String)
    }

    package let name: DocumentName
    /// Whether the subscription asks who is there.
    package var wantsPresence = false
    package private(set) var life = Life.awaited
    package private(set) var isConnected = false
    /// The state has come on this connection: what is sent now rests on it.
    private var isUpToDate = false
    package private(set) var document: Document?
    package private(set) var version = VersionVector()
    /// The daemon's run that `version` is of.
    package private(set) var epoch: String?
    package private(set) var conflicts: [ServerConflict] = []
    /// Presses that are shown and not answered yet, the oldest first.
    package private(set) var pending: [Intent] = []
    /// Presses that may wait for their reply.
    package static let pendingMax = 1_000

    private var told = Flags(count: 0)
    private var shown = Flags(count: 0)
    private var shownOverlay: [SectionFlag: Bool] = [:]
    /// Of single groups, by the section around them: the open child, as the daemon said.
    private(set) var toldOpenChildren: [Int32: Int32] = [:]

    package init(_ name: DocumentName) { self.name = name }

    package func isOpen(_ section: Int32) -> Bool { shown.open[Int(section)] }
    package func isDone(_ section: Int32) -> Bool { shown.done[Int(section)] }

    /// Whether what is shown of the section is not confirmed yet.
    package func isPending(_ section: Int32) -> Bool {
        !shownOverlay.isEmpty
            && (shownOverlay[SectionFlag(section, .open)] != nil || shownOverlay[SectionFlag(section, .done)] != nil)
    }

    /// The open section of the single group inside `parent`, as it is shown.
    package func openChild(of parent: Int32) -> Int32? {
        if let told = toldOpenChildren[parent], isOpen(told) { return told }
        guard let document, !shownOverlay.isEmpty else { return nil }
        return shownOverlay.first { $0.value && $0.key.field == .open && document[$0.key.section].parent == parent }?
            .key.section
    }

    // MARK: - The connection

    /// The request that brings this replica to the present: what it lacks only, where the daemon still knows.
    package var subscription: Request.Action {
        guard case .live = life, let epoch else {
            return .subscribe(Request.Subscribe(name, presence: wantsPresence))
        }
        return .subscribe(Request.Subscribe(name, since: version, epoch: epoch, presence: wantsPresence))
    }

    package mutating func connected() {
        isConnected = true
        isUpToDate = false
    }

    /// What was not answered is kept for the next connection, of each flag the last press.
    package mutating func disconnected() -> [ReplicaChange] {
        isConnected = false
        isUpToDate = false
        var seen: Set<Place> = []
        var kept: [Intent] = []
        for var intent in pending.reversed() {
            if intent.stage == .sent { intent.stage = .inDoubt }
            if seen.insert(Place(intent)).inserted { kept.append(intent) }
        }
        pending = kept.reversed()
        return settle([])
    }

    private struct Place: Hashable {
        let section: SectionPath
        let field: Field

        init(_ intent: Intent) {
            section = intent.section
            field = intent.field
        }
    }

    /// The presses that are to be sent now, the oldest first; from then on they count as sent. One that was sent before gets
    /// a new `id`.
    package mutating func takeUnsent(nextID: () -> Int) -> [Intent] {
        guard isConnected, isUpToDate, case .live = life else { return [] }
        var taken: [Intent] = []
        for place in pending.indices where pending[place].stage != .sent {
            if pending[place].stage == .inDoubt { pending[place].id = nextID() }
            pending[place].stage = .sent
            taken.append(pending[place])
        }
        return taken
    }

    /// The state has come, or another content: presses that came true meanwhile are done with, and those that mean nothing
    /// any more are taken back.
    private mutating func reconcile() -> [ReplicaChange] {
        guard let document, pending.contains(where: { $0.stage != .sent }) else { return [] }
        var (kept, lost): ([Intent], [Intent]) = ([], [])
        for intent in pending {
            if intent.stage == .sent {
                kept.append(intent)
            } else if !isMeant(intent) {
                lost.append(intent)
            } else if let section = document.find(intent.section),
                told.value(SectionFlag(section, intent.field)) != intent.value
            {
                kept.append(intent)
            }
        }
        pending = kept
        return settle([]) + lost.map { .takenBack($0, reason: "it is not there any more") }
    }

    /// No document, no presses on it.
    private mutating func takeBackAll(_ reason: String) -> [ReplicaChange] {
        let lost = pending
        pending = []
        return settle([]) + lost.map { .takenBack($0, reason: reason) }
    }

    /// The daemon knows no such document.
    package mutating func missing() -> [ReplicaChange] {
        guard case .live = life else { return [] }
        life = .deleted(by: "")
        return [.deleted(by: "")] + takeBackAll("the document is not there")
    }

    // MARK: - Presses

    /// Shows `value` from now on and gives the intent, which `takeUnsent` hands out when it can be sent, and what is shown
    /// otherwise for it. Where one for the same flag was not sent yet the new one stands in its place.
    package mutating func intend(
        _ flag: SectionFlag, to value: Bool, id: Int
    ) throws(IntentRefusal) -> (intent: Intent, changes: [ReplicaChange]) {
        if let refusal = refusal(flag, to: value) { throw refusal }
        guard let document else { throw .notLive }
        let intent = Intent(
            id: id, section: document[flag.section].path, field: flag.field, value: value, seen: version)
        if !isConnected { pending.removeAll { $0.stage == .made && Place($0) == Place(intent) } }
        pending.append(intent)
        return (intent, settle([]))
    }

    /// The reply to the intent `id`: it is confirmed, since its event came before, or taken back. One that was refused because
    /// the daemon ends is kept.
    package mutating func answered(id: Int, failure: ServerFailure?) -> [ReplicaChange] {
        guard let place = pending.firstIndex(where: { $0.id == id }) else { return [] }
        // The daemon leaves: the next one is asked.
        if failure?.code == ErrorCode.shuttingDown.rawValue {
            pending[place].stage = .inDoubt
            isUpToDate = false
            return []
        }
        let intent = pending.remove(at: place)
        let changes = settle([])
        guard let failure else { return changes }
        return changes + [.takenBack(intent, reason: failure.message)]
    }

    // MARK: - Events

    /// Events of other documents change nothing.
    package mutating func receive(_ event: ServerEvent) -> [ReplicaChange] {
        switch event {
        case .snapshot(let snapshot) where snapshot.name == name:
            isUpToDate = isConnected
            return take(snapshot) + reconcile()
        case .changed(let changed) where changed.name == name:
            let isFirst = isConnected && !isUpToDate
            isUpToDate = isConnected
            return take(changed) + (isFirst ? reconcile() : [])
        case .deleted(name, let by):
            life = .deleted(by: by)
            return [.deleted(by: by)] + takeBackAll("the document was deleted")
        default: return []
        }
    }

    private mutating func take(_ snapshot: ServerEvent.Snapshot) -> [ReplicaChange] {
        let before = document
        life = .live
        epoch = snapshot.epoch
        version = snapshot.version
        if snapshot.reason == "resync", let before, before.isSame(as: snapshot.document) {
            return settle(snapshot.state)
        }
        document = snapshot.document
        told = Flags(count: snapshot.document.sections.count)
        shown = told
        shownOverlay = [:]
        toldOpenChildren = [:]
        _ = settle(snapshot.state)
        return [.content(reason: snapshot.reason)]
    }

    private mutating func take(_ changed: ServerEvent.Changed) -> [ReplicaChange] {
        guard let document, case .live = life else { return [] }
        version = changed.version
        if let state = changed.state { return settle(state) }
        var touched: [SectionFlag] = []
        touched.reserveCapacity(changed.changes.count)
        for change in changed.changes {
            guard let section = document.find(change.section) else { continue }
            setTold(SectionFlag(section, change.field), change.value, document)
            touched.append(SectionFlag(section, change.field))
        }
        if !conflicts.isEmpty || !changed.conflicts.isEmpty { settleConflicts(touched, changed.conflicts, document) }
        return settle(touched)
    }

    private mutating func setTold(_ flag: SectionFlag, _ value: Bool, _ document: Document) {
        told.set(flag, value)
        let parent = document[flag.section].parent
        guard flag.field == .open, document.mode(inside: parent) == .single else { return }
        if value {
            toldOpenChildren[parent] = flag.section
        } else if toldOpenChildren[parent] == flag.section {
            toldOpenChildren[parent] = nil
        }
    }

    /// An event lists every conflict that still stands on what it touches, so the others there are settled.
    private mutating func settleConflicts(
        _ touched: [SectionFlag], _ standing: [ServerConflict], _ document: Document
    ) {
        var gone: Set<ConflictPlace> = []
        for flag in touched {
            let section = document[flag.section]
            gone.insert(ConflictPlace(section.path, flag.field == .open ? "open" : "done"))
            guard flag.field == .open else { continue }
            gone.insert(ConflictPlace(section.parent < 0 ? .top : document[section.parent].path, "single"))
        }
        for conflict in standing { gone.insert(ConflictPlace(conflict.section, conflict.field)) }
        conflicts.removeAll { gone.contains(ConflictPlace($0.section, $0.field)) }
        conflicts += standing
    }

    private struct ConflictPlace: Hashable {
        let section: SectionPath
        let field: String

        init(_ section: SectionPath, _ field: String) {
            self.section = section
            self.field = field
        }
    }

    // MARK: - What is shown

    /// Takes a whole state over what was told before.
    private mutating func settle(_ state: ServerState) -> [ReplicaChange] {
        guard let document else { return [] }
        conflicts = state.conflicts
        told = Flags(count: document.sections.count)
        toldOpenChildren = [:]
        for path in state.open {
            if let section = document.find(path) { setTold(SectionFlag(section, .open), true, document) }
        }
        for path in state.done {
            if let section = document.find(path) { told.set(SectionFlag(section, .done), true) }
        }
        let before = shown
        shown = told
        shownOverlay = overlay()
        for (flag, value) in shownOverlay { shown.set(flag, value) }
        return Self.changes(shown.differences(from: before))
    }

    /// Shows anew what was touched, and what intents lie over or no longer lie over.
    private mutating func settle(_ touched: [SectionFlag]) -> [ReplicaChange] {
        let before = shownOverlay
        if touched.isEmpty, before.isEmpty, pending.isEmpty { return [] }
        shownOverlay = overlay()
        var flips: [SectionFlag] = []
        func show(_ flag: SectionFlag) {
            let value = shownOverlay[flag] ?? told.value(flag)
            guard shown.value(flag) != value else { return }
            shown.set(flag, value)
            flips.append(flag)
        }
        for flag in touched { show(flag) }
        for flag in before.keys { show(flag) }
        for flag in shownOverlay.keys { show(flag) }
        flips.sort { ($0.section, $0.field.rawValue) < ($1.section, $1.field.rawValue) }
        return Self.changes(flips)
    }

    private static func changes(_ flips: [SectionFlag]) -> [ReplicaChange] { flips.isEmpty ? [] : [.flags(flips)] }
}

/// The flags of all sections, by index.
private struct Flags: Sendable {
    var open: [Bool]
    var done: [Bool]

    init(count: Int) {
        open = Array(repeating: false, count: count)
        done = open
    }

    func value(_ flag: SectionFlag) -> Bool {
        flag.field == .open ? open[Int(flag.section)] : done[Int(flag.section)]
    }

    mutating func set(_ flag: SectionFlag, _ value: Bool) {
        if flag.field == .open { open[Int(flag.section)] = value } else { done[Int(flag.section)] = value }
    }

    func differences(from before: Flags) -> [SectionFlag] {
        var flips: [SectionFlag] = []
        for index in open.indices {
            if open[index] != before.open[index] { flips.append(SectionFlag(Int32(index), .open)) }
            if done[index] != before.done[index] { flips.append(SectionFlag(Int32(index), .done)) }
        }
        return flips
    }
}
