// Why this file exists: everybody who watches one document stands in one room; what happens to the document in a turn is
// written down once there.

import AccordionModel
import Bytes
import Wire

final class Room {
    let name: DocumentName
    var state = SharedState()
    var subscribers: ContiguousArray<Subscription> = []

    /// The events of the current turn, one after the other.
    var events: Frame?
    /// Where in `events` a piece ends that must not be dropped or joined with its neighbours: (end, is it droppable).
    var segments: [(end: Int, isDroppable: Bool)] = []
    /// The last turn in which the content changed.
    var contentTurn: UInt64 = 0
    /// The last turn in which it came to the list, left it or changed its title.
    var listedTurn: UInt64 = 0

    /// Snapshots of the state as it is, one for each reason that was needed.
    private var snapshots: [SnapshotReason: Frame] = [:]
    private var caughtUp: Frame?

    /// Who deleted the document, where none exists.
    var deletedBy = ""

    var presence = RoomPresence()

    init(name: DocumentName) { self.name = name }

    var exists: Bool { state.view != nil }

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
        guard let view = state.view else { return nil }
        return DocumentSummary(
            name: name, title: view.document.attributes.title, sections: view.document.sections.count,
            open: view.openCount, tasks: view.document.taskCount, done: view.doneCount,
            subscribers: subscribers.count, version: state.version)
    }
}
