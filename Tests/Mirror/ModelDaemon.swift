// A daemon for tests: the real shared state, the real lines of the wire, no socket.

import AccordionModel
import Bytes
import Causality
import Mirror
import Testing
import Wire

let documentName: DocumentName = {
    guard let name = DocumentName("d") else { preconditionFailure("a name") }
    return name
}()

func document(_ json: String) throws -> Document {
    try DocumentFile(reading: Array(json.utf8).span).document
}

struct ModelDaemon {
    var state = SharedState()
    private let node = NodeName("n1")
    private var milliseconds: Int64 = 1_000

    func line(_ write: (EventWriter) -> Void) throws -> ServerEvent {
        let frame = Frame()
        write(EventWriter(frame))
        let bytes = Array(frame.text.utf8.dropLast())
        guard case .event(let event) = try ServerLineReader().read(bytes.span) else {
            throw Failure(.badRequest, "no event")
        }
        return event
    }

    private mutating func writer(_ seen: VersionVector?, session: UInt64) throws -> Writer {
        milliseconds += 1
        return Writer(
            node: try #require(node), milliseconds: milliseconds, by: "s\(session)", session: session, seen: seen)
    }

    /// The event of a creation, or of another content.
    mutating func put(_ document: Document, seen: VersionVector? = nil) throws -> ServerEvent? {
        let writer = try writer(seen, session: 9)
        let isNew = state.view == nil
        let operation = isNew ? try state.create(document, writer) : try state.replace(with: document, writer).operation
        guard let operation else { return nil }
        _ = state.applyOwn(operation)
        return try snapshot(isNew ? .created : .replaced)
    }

    func snapshot(_ reason: SnapshotReason) throws -> ServerEvent {
        let view = try #require(state.view)
        return try line { $0.snapshot(documentName, reason, epoch: "e", state, view) }
    }

    func caughtUp() throws -> ServerEvent {
        let view = try #require(state.view)
        return try line { $0.caughtUp(documentName, state, view, milliseconds: 1) }
    }

    mutating func delete() throws -> ServerEvent {
        _ = state.applyOwn(try state.delete(try writer(nil, session: 9)))
        return try line { $0.deleted(documentName, by: "s9") }
    }

    /// What a gesture comes to: its event where it changes something, or the refusal.
    mutating func perform(
        _ gestures: [Gesture], seen: VersionVector? = nil, session: UInt64
    ) throws -> (event: ServerEvent?, failure: ServerFailure?) {
        let writer = try writer(seen?.clamped(to: state.version), session: session)
        let operation: Operation?
        do throws(Refusal) {
            operation =
                gestures.count == 1
                ? try state.decide(gestures[0], writer) : try state.decide(batch: gestures, limits: Limits(), writer)
        } catch {
            let failure = Failure(error, in: documentName)
            return (nil, ServerFailure(code: failure.code.rawValue, message: failure.message))
        }
        guard let operation else { return (nil, nil) }
        let applied = state.applyOwn(operation)
        let view = try #require(state.view)
        return (try line { $0.changed(documentName, applied, state.version, view, state) }, nil)
    }

    /// Takes an operation that another daemon decided, and tells of it.
    mutating func receive(_ operation: Operation) throws -> [ServerEvent] {
        milliseconds += 1
        var events: [ServerEvent] = []
        for applied in state.receive(operation, at: milliseconds) {
            let view = try #require(state.view)
            events.append(try line { $0.changed(documentName, applied, state.version, view, state) })
        }
        return events
    }
}

extension Replica {
    /// What is shown, section by section.
    var flags: String {
        guard let document else { return "" }
        return document.sections.indices.map { index in
            let section = Int32(index)
            return (isOpen(section) ? "o" : "-") + (isDone(section) ? "x" : "-")
        }.joined(separator: " ")
    }
}

extension View {
    var flags: String {
        document.sections.indices.map { index in
            let section = Int32(index)
            return (isOpen(section) ? "o" : "-") + (isDone(section) ? "x" : "-")
        }.joined(separator: " ")
    }
}
