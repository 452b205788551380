// Why this file exists: everybody who watches one document stands in one room; what happens to the document in a turn is
// written down once there.

import AccordionModel
import Bytes
import Causality
import Wire

final class Room {
    let name: DocumentName
    private var kept = SharedState()
    /// Lent, and not copied with all its parts as the property of a class would be at each use.
    var state: SharedState {
        _read { yield kept }
        _modify { yield &kept }
    }
    var subscribers: ContiguousArray<Subscription> = []

    /// The events of the current turn, one after the other.
    var events: Frame?
    /// Where in `events` a piece ends that must not be dropped or joined with its neighbours: (end, is it droppable).
    var segments: [(end: Int, isDroppable: Bool)] = []
    /// The last turn in which the content changed.
    var contentTurn: UInt64 = 0
    /// The last turn in which somebody asked for it.
    var usedTurn: UInt64 = 0

    // What is stored.
    /// What the current turn has written.
    var pending: PendingWrites?
    /// Turns that wrote to it and are not known to be stored.
    var unstoredTurns = 0
    /// The number of the next entry of its history.
    var nextHistoryNumber: Int64 = 1
    /// The state could not be read again after a commit had failed: nothing is known but who subscribes.
    var isLost = false
    /// Something of it fell with a turn, and it is not made anew yet.
    var hasFallen = false
    /// What each person can take back, of those who have asked for it since the document was loaded.
    var undoLogs: [String: OwnWrites] = [:]
    /// Operations of other daemons that wait for others before them, by the ticket under which each was given.
    var awaited: [Dot: UInt64] = [:]
    /// Who wants the state once it is stored.
    var readers: [(SharedState?) -> Void] = []
    /// What it was last counted with in the cache.
    var countedBytes = 0

    /// Snapshots of the state as it is, one for each reason that was needed.
    private var snapshots: [SnapshotReason: Frame] = [:]
    private var caughtUp: Frame?

    var presence = RoomPresence()

    init(name: DocumentName) { self.name = name }

    /// One person's changes: the log once it is read, and until then what has been written since it was asked for.
    struct OwnWrites {
        private(set) var log: UndoLog
        private(set) var isLoaded = false
        private var since: [HistoryEntry] = []

        init(flagsMax: Int) { log = UndoLog(flagsMax: flagsMax) }

        mutating func add(_ entry: HistoryEntry) {
            if isLoaded { log.add(entry) } else { since.append(entry) }
        }

        /// Takes what the history has, newest first; it may overlap with what has been written since.
        mutating func load(_ entries: [HistoryEntry]) {
            guard !isLoaded else { return }
            let first = since.first?.dot.counter ?? .max
            for entry in entries.reversed() where entry.dot.counter < first { log.add(entry) }
            for entry in since { log.add(entry) }
            since = []
            isLoaded = true
        }
    }

    var exists: Bool { state.view != nil }

    /// Who deleted the document, where none exists.
    var deletedBy: String { exists ? "" : state.content.latest()?.by ?? "" }

    /// Forgets what was written down of a state that has changed.
    func stateChanged() {
        if !snapshots.isEmpty { snapshots = [:] }
        caughtUp = nil
    }

    /// The whole document and its state as one event; written once however many take it. Nil where none exists.
    func snapshot(_ reason: SnapshotReason, epoch: String, _ turn: Turn) -> Frame? {
        guard let view = state.view else { return nil }
        if let frame = snapshots[reason] { return frame }
        let frame = Frame(capacityBytes: 512 + view.document.textBytes * 2)
        EventWriter(frame).snapshot(name, reason, epoch: epoch, state, view)
        frame.seal()
        turn.workBytes += frame.count
        snapshots[reason] = frame
        return frame
    }

    /// The whole state without the content as one event. Nil where none exists.
    func catchUp(at moment: Moment, _ turn: Turn) -> Frame? {
        guard let view = state.view else { return nil }
        if let caughtUp { return caughtUp }
        let frame = Frame()
        EventWriter(frame).caughtUp(name, state, view, milliseconds: moment.wallMilliseconds)
        frame.seal()
        turn.workBytes += frame.count
        caughtUp = frame
        return frame
    }

    func add(_ subscription: Subscription) {
        subscription.index = subscribers.count
        subscribers.append(subscription)
    }

    func remove(_ subscription: Subscription) {
        let last = subscribers.count - 1
        guard subscription.index <= last, subscribers[subscription.index] === subscription else { return }
        subscribers.swapAt(subscription.index, last)
        subscribers[subscription.index].index = subscription.index
        subscribers.removeLast()
    }

    var summary: DocumentSummary? {
        exists ? DocumentSummary(DocumentOutline(name, state), subscribers: subscribers.count) : nil
    }
}

/// What a turn has written to one document.
struct PendingWrites {
    private var registers: Set<FlagRegister> = []
    private var isWhole = false
    private var isContentWritten = false
    private var history: [HistoryEntry] = []
    private var lostContents: [Sibling<Content>] = []
    private var operations: [Operation] = []

    /// Notes that all registers may have changed, by another replica's whole state.
    mutating func noteJoin(_ entries: [HistoryEntry]) {
        history.append(contentsOf: entries)
        isWhole = true
        isContentWritten = true
    }

    /// Notes a write that `state` has taken in; `isToBeSent`: other daemons must be told of it.
    mutating func note(
        _ operation: Operation, _ entry: HistoryEntry, _ state: () -> SharedState, isToBeSent: Bool
    ) {
        history.append(entry)
        if isToBeSent { operations.append(operation) }
        if operation.erasesSeen != nil { isWhole = true }
        if operation.content != nil {
            isContentWritten = true
            if !entry.lostContents.isEmpty, let shown = state().shownContent {
                state().content.forEach { if $0.dot != shown.dot { lostContents.append($0) } }
            }
        }
        if isWhole { return }
        for write in operation.flags { registers.insert(write.register) }
        for erasure in operation.erasures { registers.insert(erasure.register) }
    }

    /// Everything that must be stored, as `state` stands now.
    func delta(_ name: DocumentName, _ state: SharedState) -> DocumentDelta {
        let flags: [DocumentDelta.FlagChange] =
            isWhole
            ? state.flags.map { ($0.key, $0.value) } : registers.map { ($0, state.flags[$0] ?? CausalRegister()) }
        return DocumentDelta(
            outline: DocumentOutline(name, state), clock: state.clock.latest,
            content: isContentWritten ? state.content : nil, isWhole: isWhole, flags: flags, history: history,
            lostContents: lostContents, operations: operations)
    }
}
