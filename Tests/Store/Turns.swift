// Why this file exists: whether a disk kept its word is told by a course of turns whose every step is known: after any
// failure the state on disk must be the one after some turn, whole, and no acknowledged turn may be missing.

import AccordionModel
import Causality
import Store

/// Turns that each change two documents, so that half of one would show.
struct Turns {
    let names: [DocumentName]
    /// What is stored after so many turns; first of all nothing.
    private(set) var states: [[SharedState?]]
    private(set) var deltas: [[DocumentDelta]] = []

    var count: Int { deltas.count }

    init(_ count: Int) throws {
        names = try ["provinces", "运行手册"].map(documentName)
        states = [[nil, nil]]
        let node = try nodeName("n1")
        var now = [SharedState(), SharedState()]
        for turn in 0..<count {
            var changes: [DocumentDelta] = []
            for place in names.indices {
                let writer = Writer(
                    node: node, milliseconds: Int64(turn * 10 + 1), by: "alice", session: UInt64(turn), seen: nil)
                let operation = try Turns.operation(turn, now[place], writer)
                let applied = now[place].applyOwn(operation)
                let entry = HistoryEntry(number: Int64(turn + 1), operation, applied, now[place].view) {
                    HistoryEntry.ContentWrite($0)
                }
                let isWhole = operation.content != nil
                let written = isWhole ? Array(now[place].flags.keys) : operation.flags.map(\.register)
                changes.append(
                    DocumentDelta(
                        outline: DocumentOutline(names[place], now[place]), clock: now[place].clock.latest,
                        content: isWhole ? now[place].content : nil, isWhole: isWhole,
                        flags: written.map { [state = now[place]] in ($0, state.register($0)) }, history: [entry]))
            }
            deltas.append(changes)
            states.append(now.map { $0 })
        }
    }

    /// Every eighth turn creates, replaces or deletes; the others toggle.
    private static func operation(_ turn: Int, _ state: SharedState, _ writer: Writer) throws -> Operation {
        guard state.view != nil else { return try state.create(document(turn), writer) }
        switch turn % 8 {
        case 6: return try state.delete(writer)
        case 3:
            if let operation = try state.replace(with: document(turn), writer).operation { return operation }
        default: break
        }
        let gesture = Gesture.toggle(SectionPath("section \(turn % 5)"), to: nil)
        guard let operation = try state.decide(gesture, writer) else { throw Stuck() }
        return operation
    }

    private struct Stuck: Error {}

    /// Long enough to stand on several pages.
    private static func document(_ turn: Int) throws -> Document {
        var builder = DocumentBuilder()
        for number in 0..<5 {
            try builder.beginSection(id: nil, title: "section \(number)", hasContent: true)
            try builder.addText(String(repeating: "\(turn) ", count: 800))
            builder.endSection()
        }
        var attributes = DocumentAttributes()
        attributes.title = "made in turn \(turn)"
        return try builder.finish(attributes)
    }

    /// After how many turns the store is; what is wrong where it is after none of those in `turns`, or not whole.
    func position(of store: DocumentStore, in turns: ClosedRange<Int>) throws -> (turns: Int, wrong: String?) {
        let stored = try names.map { try store.load($0) }
        for turn in turns where turn < states.count {
            let isThere = zip(stored, states[turn]).allSatisfy { differences($0?.state, $1).isEmpty }
            guard isThere else { continue }
            for document in stored {
                if let document, document.nextHistoryNumber != Int64(turn + 1) || document.rowsSetAside > 0 {
                    return (turn, "history goes on at \(document.nextHistoryNumber) after \(turn) turns")
                }
            }
            for name in names where turn > 0 {
                let page = try store.history(name, section: nil, before: nil, limit: turn + 1, bytesMax: .max)
                if page.entries.count != turn || page.rowsSetAside > 0 {
                    return (turn, "\(page.entries.count) entries of history after \(turn) turns")
                }
            }
            return (turn, nil)
        }
        let versions = stored.map { $0?.state.version.description ?? "nothing" }
        return (turns.lowerBound, "the store is at \(versions), not after \(turns) turns")
    }
}
