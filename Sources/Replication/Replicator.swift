// Why this file exists: many daemons take writes at once and must end up the same, over a broker that may be away, forget
// what it confirmed, or say things twice. What goes out, what comes in and what is asked for is decided here, without a
// broker, a clock or a disk; so it can be tried against all of them misbehaving.
//
// Out: what a turn decided is stored beside it as rows, in order, and published until the broker has it. In: the stream is
// read from where it was stored to have been read; each message is merged, and counts as read when what it brought is
// stored. Beside it (Exchange) daemons compare what they have, and ask each other for whole states.

import AccordionModel
import Bytes
import Causality
import Wire

package final class Replicator {
    package let settings: ReplicationSettings
    /// By a clock that never runs back; the owner sets it.
    package var milliseconds: Int64

    var inventory = Inventory()
    var outgoing: Outgoing
    private var lastPlace: Int64
    /// Of each document that this run has written to, the first counter: from there on every dot of ours is this run's.
    private var firstOwn: [DocumentName: Int64] = [:]

    /// The stream, while there is a connection.
    private(set) var stream: String?
    private var cursor: StreamCursor?
    private var done = DoneSequences(through: 0)
    /// The next message that the stream has for us.
    private var expected: UInt64 = 1
    package var nextSequence: UInt64 { expected }
    private var rereadMilliseconds: Int64 = .min
    /// To be read before anything is written, where the broker was there at the start.
    private var catchUpTo: UInt64?
    var fragments: Fragments
    /// Sequences that are done with the one that a ticket names: the earlier parts of the same operation.
    private var companions: [UInt64: [UInt64]] = [:]

    private var confirmed: [Int64] = []
    private var confirmedDots: [(name: DocumentName, dot: Dot)] = []

    var exchange = Exchange()
    var presence = PeerPresence()
    /// Parts of states that were asked for.
    var stateParts: Fragments
    var actions: [ReplicationAction] = []
    let parser = JSONParser()
    let reader = ReplicaReader()
    /// Why nothing is written, since somebody else writes under our name.
    package private(set) var readOnlyReason: String?
    private var poisonCount = 0

    package init(_ settings: ReplicationSettings, _ start: ReplicationStart, milliseconds: Int64) {
        self.settings = settings
        self.milliseconds = milliseconds
        cursor = start.cursor
        done = DoneSequences(through: start.cursor?.sequence ?? 0)
        expected = done.through + 1
        lastPlace = start.lastPlace
        outgoing = Outgoing(
            hasMore: start.hasOutgoing, itemsMax: settings.outgoingMax, bytesMax: settings.outgoingBytesMax)
        fragments = Fragments(bytesMax: settings.fragmentBytesMax)
        stateParts = Fragments(bytesMax: settings.fragmentBytesMax)
        exchange.startMilliseconds = milliseconds
    }

    /// What the owner is to do, in this order.
    package func takeActions() -> [ReplicationAction] {
        pump()
        defer { actions = [] }
        return actions
    }

    /// A document as it is stored; for each one once at the start.
    package func learn(_ name: DocumentName, _ version: VersionVector) {
        if inventory.versions[name] == nil { inventory.set(name, version) }
    }

    /// Whether the stream is read to where it ended when the connection came; until then nothing should be written.
    package var isCurrent: Bool { stream != nil && catchUpTo == nil }
    /// Reading goes on, and writing had better wait for it.
    package var isCatchingUp: Bool { stream != nil && catchUpTo != nil }
    /// Our operations that the broker does not have yet, those aside that are only in the store.
    package var unconfirmedCount: Int { outgoing.items.count }
    package var hasUnconfirmed: Bool { !outgoing.isEmpty }

    // MARK: - Turns

    /// What must be stored together with what a turn has decided; `settled` are the tickets that it is done with.
    package func record(_ deltas: [DocumentDelta], settled: [UInt64]) -> ReplicationRecord {
        var record = ReplicationRecord()
        for delta in deltas {
            for operation in delta.operations {
                let name = delta.outline.name
                if firstOwn[name] == nil { firstOwn[name] = operation.dot.counter }
                let frame = Frame(capacityBytes: 512)
                ReplicaWriter(frame).operation(operation, of: name)
                lastPlace += 1
                record.outgoing.append(
                    OutgoingRow(
                        place: lastPlace, name: name, dot: operation.dot, instance: settings.peer.instance,
                        text: frame.withSpan { span in span.indices.map { span[$0] } }))
            }
        }
        for ticket in settled { settle(ticket) }
        if let stream, done.through > 0, cursor != StreamCursor(stream: stream, sequence: done.through) {
            record.cursor = StreamCursor(stream: stream, sequence: done.through)
        }
        record.confirmed = confirmed
        record.confirmedDots = confirmedDots
        confirmed = []
        confirmedDots = []
        return record
    }

    private func settle(_ ticket: UInt64) {
        done.insert(ticket)
        for sequence in companions.removeValue(forKey: ticket) ?? [] { done.insert(sequence) }
    }

    /// The turn, and its record, are on disk.
    package func stored(_ record: ReplicationRecord, _ deltas: [DocumentDelta]) {
        for delta in deltas { inventory.set(delta.outline.name, delta.outline.version) }
        if let cursor = record.cursor { self.cursor = cursor }
        outgoing.append(stored: record.outgoing)
        for sequence in fragments.dropKnown({ inventory[$0.name].covers(Dot(node: $0.node, counter: $0.counter)) }) {
            done.insert(sequence)
        }
    }

    /// A commit has failed, memory was made anew from what is stored, and what came in since the last commit is forgotten: it
    /// is read again. `records` were made and not told to be stored; `documents` are what the store has of those that were
    /// written to.
    package func fell(_ records: [ReplicationRecord], _ documents: [(name: DocumentName, version: VersionVector)]) {
        for record in records {
            confirmed.append(contentsOf: record.confirmed)
            confirmedDots.append(contentsOf: record.confirmedDots)
        }
        for (name, version) in documents { inventory.set(name, version) }
        // Some of it may be stored all the same.
        outgoing.lookAgain()
        rewind()
    }

    /// Begins again behind what is stored.
    private func rewind() {
        companions = [:]
        fragments = Fragments(bytesMax: settings.fragmentBytesMax)
        done = DoneSequences(through: cursor?.stream == stream ? cursor?.sequence ?? 0 : 0)
        expected = done.through + 1
        if stream != nil { actions.append(.read(from: expected)) }
    }

    // MARK: - The broker

    /// There is a connection. The stream is told by what it is, the first sequence that it still has (one more than the last
    /// where it is empty), and the last that it ever had.
    package func connected(stream: String, first: UInt64, last: UInt64) {
        self.stream = stream
        outgoing.forgetGiven()
        companions = [:]
        fragments = Fragments(bytesMax: settings.fragmentBytesMax)
        if let cursor, cursor.stream == stream, cursor.sequence <= last {
            done = DoneSequences(through: cursor.sequence)
        } else {
            if cursor != nil { note("the stream is another one than before, or has lost its end: states are compared") }
            cursor = nil
            done = DoneSequences(through: 0)
        }
        if first > done.through + 1 {
            if cursor != nil { note("the stream has lost what was not read yet: states are compared") }
            done = DoneSequences(through: first - 1)
        }
        expected = done.through + 1
        catchUpTo = expected > last ? nil : last
        actions.append(.read(from: expected))
        announce()
        tendPresence(isNew: true)
    }

    package func disconnected() {
        stream = nil
        catchUpTo = nil
        outgoing.forgetGiven()
    }

    /// The broker has a message, now or from before.
    package func acknowledged(_ id: PublishID) {
        guard let row = outgoing.confirm(place: id.place, part: id.part) else { return }
        confirmed.append(row.place)
        actions.append(.confirmed(row.name, row.dot))
    }

    package func take(rows: [OutgoingRow], isLast: Bool) { outgoing.take(rows: rows, isLast: isLast) }

    /// A message of the stream. One behind a gap is not taken: what lies between is read first.
    package func arrived(_ message: [UInt8], sequence: UInt64) {
        guard stream != nil, sequence >= expected else { return }
        guard sequence == expected else {
            if milliseconds >= rereadMilliseconds {
                rereadMilliseconds = milliseconds + 1_000
                actions.append(.read(from: expected))
            }
            return
        }
        expected += 1
        if let end = catchUpTo, sequence >= end { catchUpTo = nil }
        do throws(Failure) {
            let (header, body) = try PartHeader.read(message, parser)
            switch fragments.add(header, body, sequence: sequence) {
            case .incomplete: trimFragments()
            case .contradicts: throw Failure(.badRequest, "parts that do not belong together")
            case .complete(let text, let earlier):
                let (name, operation) = try reader.operation(text.span)
                guard name == header.whole.name, operation.dot.node == header.whole.node,
                    operation.dot.counter == header.whole.counter
                else { throw Failure(.badRequest, "an operation under another one's name") }
                take(operation, header.whole, sequence, earlier)
            }
        } catch {
            // A message that nobody understands must not stop those behind it.
            poisonCount += 1
            if poisonCount == 1 || poisonCount.isMultiple(of: 1_000) {
                note(
                    "message \(sequence) of the stream was set aside, the \(poisonCount). of this run: \(error.message)"
                )
            }
            done.insert(sequence)
        }
    }

    /// The last sequence that the stream has, told now and then: what was lost on its way to us is read again.
    package func streamEnds(at last: UInt64) {
        guard stream != nil, expected <= last, milliseconds >= rereadMilliseconds else { return }
        rereadMilliseconds = milliseconds + 1_000
        actions.append(.read(from: expected))
    }

    /// The stream ended before a sequence that it should have had, so there is nothing to wait for.
    package func skipped(to sequence: UInt64) {
        guard stream != nil, sequence > expected else { return }
        while expected < sequence {
            done.insert(expected)
            expected += 1
        }
        if let end = catchUpTo, expected > end { catchUpTo = nil }
        note("the stream has lost messages that were not read yet: states are compared")
        announce()
    }

    private func take(_ operation: Operation, _ whole: PartHeader.Whole, _ sequence: UInt64, _ earlier: [UInt64]) {
        if operation.dot.node == settings.peer.node { examineOwn(operation.dot, whole) }
        if inventory[whole.name].covers(operation.dot) {
            done.insert(sequence)
            for sequence in earlier { done.insert(sequence) }
            return
        }
        if !earlier.isEmpty { companions[sequence] = earlier }
        actions.append(.merge(whole.name, operation, ticket: sequence))
    }

    /// A dot of ours comes back from the stream: it is there, or somebody else writes under our name.
    private func examineOwn(_ dot: Dot, _ whole: PartHeader.Whole) {
        let own = settings.peer
        if let first = firstOwn[whole.name], dot.counter >= first, whole.instance != own.instance {
            return refuseWrites(
                "another daemon writes under the name \(own.node): each needs a name of its own (--node)")
        }
        // (What this run made may have come back before the store said that it has it.)
        if dot.counter > inventory[whole.name][own.node], whole.instance != own.instance {
            return refuseWrites(
                "the stream has writes of \(own.node) that this state does not have: it was put back without --restore, or "
                    + "another daemon has this name (--node)")
        }
        if let row = outgoing.confirm(whole.name, dot) {
            confirmed.append(row.place)
            actions.append(.confirmed(whole.name, dot))
        } else if outgoing.hasMore {
            confirmedDots.append((whole.name, dot))
            actions.append(.confirmed(whole.name, dot))
        }
    }

    func refuseWrites(_ reason: String) {
        guard readOnlyReason == nil else { return }
        readOnlyReason = reason
        actions.append(.readOnly(reason))
    }

    private func trimFragments() {
        let (sequences, documents) = fragments.trim()
        for sequence in sequences { done.insert(sequence) }
        for name in documents { lookFor(name) }
    }

    func note(_ text: String) { actions.append(.note(text)) }

    // MARK: - Going on

    /// To be called about once a second; `waiting` are the documents of which operations wait for others. Where what was
    /// read and confirmed has not been stored for lack of a turn, `hasRecord` says so afterwards.
    package func tick(waiting: [DocumentName]) {
        tend(waiting)
        tendPresence()
    }

    /// Whether `record` has something to store though no turn wrote anything.
    package var hasRecord: Bool {
        guard confirmed.isEmpty, confirmedDots.isEmpty else { return true }
        guard let stream, done.through > 0 else { return false }
        return cursor != StreamCursor(stream: stream, sequence: done.through)
    }

    /// Publishes what is due, and asks the store for more.
    private func pump() {
        guard stream != nil, readOnlyReason == nil else { return }
        if let place = outgoing.wantsRows() {
            actions.append(.readOutgoing(after: place, limit: settings.outgoingMax))
        }
        for row in outgoing.due(at: milliseconds, againMilliseconds: settings.againMilliseconds, most: 256) {
            let whole = PartHeader.Whole(
                name: row.name, node: row.dot.node, counter: row.dot.counter, instance: row.instance)
            let messages = PartHeader.split(row.text, whole, bytesMax: settings.messageBytesMax)
            outgoing.given(row, parts: messages.count)
            for (place, message) in messages.enumerated() {
                actions.append(
                    .publish(
                        PublishID(
                            name: row.name, dot: row.dot, instance: row.instance, part: place + 1, place: row.place),
                        message))
            }
        }
    }
}
