// Why this file exists: people disagree on two daemons that have not heard of each other. Here are such daemons, and the
// moment at which they hear.

import AccordionModel
import Causality
import Testing

extension Desk {
    /// Decides and applies, and returns what the other daemons are to be told.
    mutating func make(
        _ gesture: Gesture, by: String = "alice", session: UInt64 = 0, seen: VersionVector? = nil
    ) throws -> Operation {
        let writer = writer(by, session: session, seen: seen)
        return try made(try state.decide(gesture, writer))
    }

    mutating func makeCreation(_ document: Document, by: String = "alice") throws -> Operation {
        let writer = writer(by, session: 0)
        return try made(try state.create(document, writer))
    }

    mutating func makeReplacement(
        _ document: Document, by: String = "alice", seen: VersionVector? = nil
    ) throws -> Operation {
        let writer = writer(by, session: 0, seen: seen)
        return try made(try state.replace(with: document, writer).operation)
    }

    mutating func makeDeletion(by: String = "alice", seen: VersionVector? = nil) throws -> Operation {
        let writer = writer(by, session: 0, seen: seen)
        return try made(try state.delete(writer))
    }

    private mutating func made(_ operation: Operation?) throws -> Operation {
        let operation = try #require(operation)
        _ = state.applyOwn(operation)
        return operation
    }

    @discardableResult
    mutating func hear(_ operations: Operation...) -> [Applied] {
        var applied: [Applied] = []
        for operation in operations { applied += state.receive(operation, at: milliseconds) }
        return applied
    }

    var version: String { state.version.description }
}

/// Two daemons that have the same document; the clock of the second is one second ahead.
struct Pair {
    var one: Desk
    var other: Desk

    init(_ document: Document) throws {
        one = try Desk("n1")
        other = try Desk("n2")
        other.hear(try one.makeCreation(document))
        other.milliseconds += 1_000
    }

    /// Both do something before they hear of each other.
    mutating func atOnce(_ first: Gesture, _ second: Gesture) throws {
        let (ours, theirs) = (try one.make(first, by: "ann"), try other.make(second, by: "bob"))
        one.hear(theirs)
        other.hear(ours)
        #expect(one.open == other.open && one.done == other.done)
        #expect(one.state.conflicts == other.state.conflicts)
    }
}

extension Conflict {
    /// `x open: true by bob, not false by ann`.
    var told: String {
        let lost = lost.map { "\($0.value.told) by \($0.by)" }.joined(separator: ", ")
        let place = section.isTop ? "-" : section.text
        return "\(place) \(field.rawValue): \(kept.value.told) by \(kept.by), not \(lost)"
    }
}

extension Conflict.Value {
    fileprivate var told: String {
        switch self {
        case .flag(let flag): "\(flag)"
        case .child(let path): path.text
        case .document(let document): document?.attributes.title ?? "nothing"
        }
    }
}

extension Applied {
    /// Changed flags as `path` open, `-path` closed, `+path` done, `?path` not done.
    func told(_ state: SharedState) -> [String] {
        changes.map { change in
            let path = state.view?.document[change.section].path.text ?? "?"
            return change.field == .open ? (change.value ? path : "-" + path) : (change.value ? "+" : "?") + path
        }
    }
}

/// The reason for which a request is refused; nil where it is not.
func refusal(_ body: () throws -> Void) -> Refusal? {
    do {
        try body()
        return nil
    } catch {
        return error as? Refusal
    }
}
