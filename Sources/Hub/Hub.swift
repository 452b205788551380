// Why this file exists: here all clients meet. The hub takes bytes and gives bytes, and decides everything in between; it
// touches no socket, no clock and no disk, so a test can drive it byte by byte.
//
// A turn: `receive` for each connection that has sent something, then `endTurn`, then – when its owner has stored what the
// turn wrote – `release`, which fills the outboxes of the sessions that it returns. While one turn is being stored the
// next can be decided, but not ended.

import AccordionModel
import Bytes
import Causality
import Wire

package final class Hub {
    package private(set) var settings: HubSettings
    /// Knows the tokens, where there are any.
    package weak var admission: (any Admission)?
    /// The time at which requests are decided; the owner sets it before each turn.
    package var moment = Moment(wallMilliseconds: 0, steadyMilliseconds: 0)
    /// When the daemon started, by the steady clock; the owner sets it.
    package var startMilliseconds: Int64 = 0
    package private(set) var counters = HubCounters()
    /// Adds to `status` what others than the hub know.
    package weak var statusSource: (any StatusSource)?

    var rooms: [DocumentName: Room] = [:]
    var catalog = Catalog()
    /// Rooms whose presence has changed and was not told.
    var presenceRooms: [Room] = []
    /// Documents of which somebody here, or at another daemon, wants to know who is there.
    package internal(set) var presenceWantedHere: Set<DocumentName> = []
    /// How often `presenceWantedHere` has changed.
    package internal(set) var presenceWantedChanges = 0
    var presenceWantedElsewhere: Set<DocumentName> = []
    var presenceHere: [PresenceHere] = []
    var watchers: [Session] = []
    /// Sessions whose input waits for the next turn, because this one is full.
    private(set) var held: [Session] = []
    var sessions: [UInt64: Session] = [:]
    private var sessionNumber: UInt64 = 0
    private let reader: RequestReader
    private(set) var longLineBytes = 0

    /// The turn that is being decided.
    var turn = Turn(number: 1)
    /// The document that the request being decided has looked at, and the counter of what it wrote.
    var decidingRoom: Room?
    var decidedCounter: Int64 = 0

    /// What is asked of the owner, and who waits for it.
    var errands: [Errand] = []
    var waitingForCatalog: [Session] = []
    var waitingForDocument: [DocumentName: [Session]] = [:]
    var waitingForAnswer: [UInt64: Session] = [:]
    var arrivals: [DocumentName: Arrivals] = [:]
    var answerNumber: UInt64 = 0
    /// Writes whose sessions want to be told when the broker has them, in the order of the writes.
    var replicationWaits: [DocumentName: [ReplicationWait]] = [:]
    var seenWaits: [DocumentName: [SeenWait]] = [:]

    /// Between a failed commit and the moment when memory has again what the disk has: nothing is decided.
    package internal(set) var isRecovering = false
    var fallen: [Turn] = []
    var unparked: [Session] = []
    var lostRooms: [DocumentName] = []
    /// Why nothing may be written, where that is so: as the disk has it, and as this daemon's standing among others has it.
    var diskRefusal: Failure?
    package var standingRefusal: Failure?
    var writesRefused: Failure? { standingRefusal ?? diskRefusal }
    var hasSaidGoodbye = false

    /// Bytes of the documents in memory, as far as they can be estimated.
    package internal(set) var documentBytes = 0

    /// `knowsDocuments`: there are none but those that will be created; otherwise `learn` tells them, and what asks for a
    /// document waits for it.
    package init(_ settings: HubSettings, knowsDocuments: Bool = true) {
        self.settings = settings
        reader = RequestReader(limits: settings.limits.content)
        catalog.isKnown = knowsDocuments
    }

    package var sessionCount: Int { sessions.count }
    /// Documents that exist, as far as they have been learned.
    package var documentCount: Int { catalog.count }
    /// Whether `endTurn` has anything to end.
    package var hasTurn: Bool { !turn.isEmpty || !held.isEmpty }
    /// Whether something was decided in the current turn, so that its time is set.
    package var hasBegun: Bool { !turn.isEmpty }
    /// Whether `takeUpHeld` would decide something.
    package var canTakeUpHeld: Bool { !held.isEmpty && !isTurnFull }
    /// What the current turn has cost: input decided, bytes written for it, sections looked at. At `turnBytesMax` the owner
    /// ends it before it takes more; what it takes all the same is kept for the next turn.
    package var turnBytes: Int { turn.inputBytes + turn.workBytes }

    private var isTurnFull: Bool { turnBytes >= settings.limits.turnBytesMax || isRecovering }

    // MARK: - Connections

    package func connect(_ origin: Origin) -> Session {
        sessionNumber += 1
        counters.connections += 1
        let session = Session(
            number: sessionNumber, run: settings.run, origin: origin, limits: settings.limits)
        session.emptyTurn = turn.number - 1
        sessions[session.number] = session
        return session
    }

    /// The connection is gone; what was due to it is forgotten.
    package func disconnect(_ session: Session) {
        guard sessions.removeValue(forKey: session.number) != nil else { return }
        session.isGone = true
        session.isEnding = true
        longLineBytes -= session.countedLongBytes
        session.countedLongBytes = 0
        session.backlog = []
        session.parked = nil
        session.outbox = Outbox()
        if session.replicationWaitCount > 0 { forgetReplication(of: session) }
        leaveAll(session)
    }

    /// Reads no more of a session. What it is due by now is still sent.
    func end(_ session: Session) {
        session.isEnding = true
        leaveAll(session)
    }

    // MARK: - Input

    /// Takes what a connection has sent. What can't be taken now – the session's own replies wait – is kept until
    /// `resume`.
    package func receive(_ session: Session, _ bytes: Span<UInt8>) {
        guard !session.isEnding else { return }
        if !session.isAdmitted {
            session.unadmittedBytes += bytes.count
            if session.unadmittedBytes > Hub.unadmittedInputBytesMax {
                session.strikes = Hub.strikesMax
                return strike(session, Failure(.unauthorized, "too much was said before a token"))
            }
        }
        if session.backlog.isEmpty, session.parked == nil { read(session, bytes) } else { keep(session, bytes) }
    }

    /// Keeps input: until replies have left or what a request waits for has come, or else for the next turn.
    private func keep(_ session: Session, _ bytes: Span<UInt8>) {
        session.backlog.reserveCapacity(session.backlog.count + bytes.count)
        for index in bytes.indices { session.backlog.append(bytes[index]) }
        if session.parked == nil, !session.isOverReplyLimit(settings.limits) { hold(session) }
    }

    private func hold(_ session: Session) {
        guard !session.isHeld else { return }
        session.isHeld = true
        held.append(session)
    }

    /// Whether the owner should read from the connection: not while its own replies wait beyond their limit.
    package func wantsInput(_ session: Session) -> Bool {
        !session.isEnding && session.backlog.isEmpty && session.parked == nil
            && !session.isOverReplyLimit(settings.limits)
    }

    /// The connection will send no more. Its replies are still sent; then it is finished.
    package func inputEnded(_ session: Session) {
        guard !session.isEnding else { return }
        guard session.backlog.isEmpty, session.parked == nil else {
            session.hasInputEnded = true
            return
        }
        if session.framer.finish() != nil { counters.truncatedLines += 1 }
        countLongLine(session)
        end(session)
    }

    private func read(_ session: Session, _ bytes: Span<UInt8>) {
        var position = 0
        while !session.isEnding {
            if position < bytes.count,
                isTurnFull || session.parked != nil || session.isOverReplyLimit(settings.limits)
            {
                return keep(session, bytes.extracting(position..<bytes.count))
            }
            let start = position
            let step = session.framer.step(bytes, &position)
            turn.inputBytes += position - start
            switch step {
            case .line(let range):
                take(session, bytes.extracting(range))
            case .gathered(let line):
                countLongLine(session)
                take(session, line.span)
            case .needsPermission(let firstBytes):
                decideLongLine(session, firstBytes.span)
            case .overlong(let count):
                countLongLine(session)
                counters.overlongLines += 1
                if session.isCrowdedOut { counters.crowdedOutLines += 1 }
                refuseBroken(session, tooLong(session, count))
            case .exhausted:
                if session.isLongLine { countLongLine(session) }
                return
            }
        }
    }

    /// Takes up the input that had to wait, once replies have left.
    func resume(_ session: Session) {
        guard !session.isEnding, session.parked == nil, !session.isOverReplyLimit(settings.limits) else { return }
        if !session.backlog.isEmpty {
            if isTurnFull { return hold(session) }
            let bytes = session.backlog
            session.backlog = []
            read(session, bytes.span)
        }
        if session.hasInputEnded { inputEnded(session) }
    }

    /// A document may be longer than other lines: where the line's beginning says that it is one, the session may edit,
    /// and not too many are on their way.
    private func decideLongLine(_ session: Session, _ firstBytes: Span<UInt8>) {
        let mayBeLong = session.rights.role >= .editor && LongLine.isDocument(firstBytes)
        session.isCrowdedOut = mayBeLong && longLineBytes >= settings.limits.documentLinesBytesMax
        if mayBeLong, !session.isCrowdedOut {
            session.framer.grant(bytesMax: settings.limits.documentBytesMax)
            session.isLongLine = true
        } else {
            session.framer.refuse()
            if LineKind.of(firstBytes) == .foreign { endForeign(session) }
        }
    }

    private func tooLong(_ session: Session, _ count: Int) -> Failure {
        defer { session.isCrowdedOut = false }
        let limits = settings.limits
        return Failure(
            .lineTooLong,
            session.isCrowdedOut
                ? "a line of \(count) bytes, while \(limits.documentLinesBytesMax) bytes of long lines are being read"
                : "a line of \(count) bytes; at most \(limits.lineBytesMax) are read, of an editor's document "
                    + "\(limits.documentBytesMax)",
            isBrokenLine: true)
    }

    private func countLongLine(_ session: Session) {
        let held = session.isLongLine ? session.framer.gatheredBytes : 0
        longLineBytes += held - session.countedLongBytes
        session.countedLongBytes = held
        if held == 0 { session.isLongLine = false }
        if longLineBytes > settings.limits.documentLinesBytesMax, held > 0 {
            session.framer.refuse()
            session.isCrowdedOut = true
            longLineBytes -= held
            session.countedLongBytes = 0
            session.isLongLine = false
        }
    }

    private func take(_ session: Session, _ line: Span<UInt8>) {
        switch LineKind.of(line) {
        case .blank: return
        case .foreign:
            endForeign(session)
        case .request:
            do throws(Failure) {
                let request = try reader.read(line)
                counters.requests += 1
                if mayAsk(request, session) { begin(request, session) }
            } catch {
                refuseBroken(session, error)
            }
        }
    }

    /// Entered, so that its owner is told that it is finished.
    private func endForeign(_ session: Session) {
        counters.foreignLines += 1
        enter(session)
        end(session)
    }

    /// Replies with a failure; the last of too many broken lines ends the connection.
    private func refuseBroken(_ session: Session, _ failure: Failure) {
        var failure = failure
        if failure.isBrokenLine {
            counters.brokenLines += 1
            let since = moment.steadyMilliseconds - settings.limits.brokenLinesMilliseconds
            session.brokenLineTimes.removeAll { $0 <= since }
            session.brokenLineTimes.append(moment.steadyMilliseconds)
            if session.brokenLineTimes.count >= settings.limits.brokenLinesMax {
                failure = Failure(
                    .tooManyErrors,
                    "\(settings.limits.brokenLinesMax) broken lines within "
                        + "\(settings.limits.brokenLinesMilliseconds / 1_000) seconds")
                end(session)
            }
        }
        let start = turn.replies.count
        refuse(session, failure)
        record(session, from: start, failure.id, .nothing)
    }

    // MARK: - Output

    /// Ends the current turn; where nothing has begun, with input that was held. Nothing of it is sent before `release`. What
    /// did not fit into it is held for the next, so there may be a turn to end at once.
    package func endTurn() -> Turn {
        if turn.isEmpty { takeUpHeld() }
        let ended = turn
        fanOut(ended)
        counters.add(ended, isFull: turnBytes >= settings.limits.turnBytesMax)
        gatherDeltas(ended)
        turn = Turn(number: ended.number + 1)
        trimCache()
        return ended
    }

    /// Takes up held input, one session after the other; who does not get a turn in this turn is first in the next. For when
    /// the turn can't be ended yet: else it is better ended, so that who asks for something small does not wait for this.
    package func takeUpHeld() {
        guard canTakeUpHeld else { return }
        let waiting = held
        held = []
        var taken = 0
        while taken < waiting.count, !isTurnFull {
            waiting[taken].isHeld = false
            resume(waiting[taken])
            taken += 1
        }
        held.insert(contentsOf: waiting[taken...], at: 0)
        turn.resumed.append(contentsOf: waiting[..<taken])
    }

    /// Hands on what a turn had for its sessions, now that what it rests on is stored. The sessions that were given
    /// something, that are ending or whose input was held are returned: the owner writes their outboxes, calls `flushed`,
    /// and looks again whether they want input or are finished.
    package func release(_ turn: Turn) -> [Session] {
        for session in turn.sessions { session.unreleasedTurns -= 1 }
        var dirty: [Session] = []
        for delivery in turn.deliveries {
            let session = delivery.session
            uncharge(delivery)
            if session.isGone { continue }
            if delivery.piece.isDroppable, delivery.dropCount != session.dropCount {
                counters.droppedEventBytes += delivery.piece.count
                continue
            }
            session.outbox.append(delivery.piece)
            guard !session.isDirty else { continue }
            session.isDirty = true
            dirty.append(session)
        }
        for session in turn.sessions where !session.isDirty && !session.isGone && session.isEnding {
            session.isDirty = true
            dirty.append(session)
        }
        for session in turn.resumed where !session.isDirty && !session.isGone {
            session.isDirty = true
            dirty.append(session)
        }
        for session in dirty { session.isDirty = false }
        turn.forget()
        releasedTurn = turn.number
        return dirty
    }

    var releasedTurn: UInt64 = 0

    /// The owner has written what it could of the session's outbox.
    package func flushed(_ session: Session) {
        guard !session.isGone else { return }
        if session.outbox.isEmpty {
            session.emptyTurn = releasedTurn
            if isBehind(session), !isRecovering { catchUp(session) }
        } else if session.isOverEventLimit(settings.limits) {
            fallBehind(session)
        }
        // Who has sent much takes its turn behind those who ask for something small.
        if session.backlog.isEmpty {
            resume(session)
        } else if session.parked == nil, !session.isEnding, !session.isOverReplyLimit(settings.limits) {
            hold(session)
        }
    }

    /// Other limits from now on; lines that are being gathered end by those before.
    package func update(_ limits: HubLimits) {
        settings.limits = limits
        for session in sessions.values where session.isAdmitted { session.framer.lineBytesMax = limits.lineBytesMax }
    }

    /// Says goodbye to everyone; afterwards every session is ending.
    package func shutDown() {
        hasSaidGoodbye = true
        let frame = Frame()
        EventWriter(frame).goodbye("shutting_down")
        frame.seal()
        for session in sessions.values.sorted(by: { $0.number < $1.number }) where !session.isEnding {
            if let request = session.parked {
                session.parked = nil
                refuse(session, Failure(.shuttingDown, "the daemon is shutting down", id: request.id))
            }
            enter(session)
            end(session)
            deliver(Piece(frame, isDroppable: false), to: session)
        }
    }

    func count(_ change: (inout HubCounters) -> Void) { change(&counters) }
}
