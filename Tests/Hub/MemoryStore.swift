// Why this file exists: a store whose failures the tests choose. It keeps what it was given by deltas alone, as a disk
// does, so a register that the hub forgets to hand over is missing when the document comes back.
import AccordionModel
import Causality
import Hub

final class MemoryStore {
    struct Kept {
        var outline: DocumentOutline
        var clock: Stamp
        var content: CausalRegister<Content>
        var flags: [FlagRegister: CausalRegister<Setting>]
        var history: [HistoryEntry]
    }

    /// What becomes of the next commit.
    enum Fate {
        case stored
        /// Fails, and the disk has nothing of it.
        case lost
        /// Fails, and the disk has it all the same.
        case storedButFailed
    }

    private(set) var documents: [DocumentName: Kept] = [:]
    private(set) var commits = 0
    /// Documents that can't be read.
    var unreadable: Set<DocumentName> = []

    /// Whether it succeeded.
    func commit(_ deltas: [DocumentDelta], _ fate: Fate) -> Bool {
        commits += 1
        if fate != .lost { for delta in deltas { apply(delta) } }
        return fate == .stored
    }

    private func apply(_ delta: DocumentDelta) {
        let name = delta.outline.name
        var kept =
            documents[name]
            ?? Kept(outline: delta.outline, clock: delta.clock, content: CausalRegister(), flags: [:], history: [])
        kept.outline = delta.outline
        kept.clock = delta.clock
        if let content = delta.content { kept.content = content }
        if delta.isWhole { kept.flags = [:] }
        for (register, siblings) in delta.flags { kept.flags[register] = siblings.isEmpty ? nil : siblings }
        kept.history.append(contentsOf: delta.history)
        documents[name] = kept
    }

    var outlines: [DocumentOutline] { documents.values.map(\.outline).sorted { $0.name < $1.name } }

    func load(_ name: DocumentName) -> LoadOutcome {
        if unreadable.contains(name) { return .failed("a test says so") }
        guard let kept = documents[name] else { return .missing }
        let state = SharedState(
            version: kept.outline.version, clock: HybridClock(latest: kept.clock), content: kept.content,
            flags: kept.flags)
        return .found(
            StoredDocument(
                name: name, state: state, nextHistoryNumber: (kept.history.last?.number ?? 0) + 1, rowsSetAside: 0))
    }

    /// The counters of all writes of a document, oldest first.
    func counters(_ name: String) -> [Int64] {
        DocumentName(name).map { history($0).map(\.dot.counter) } ?? []
    }

    func history(_ name: DocumentName) -> [HistoryEntry] { documents[name]?.history ?? [] }

    func answer(_ errand: Errand, _ hub: Hub) {
        switch errand {
        case .load(let name): hub.loaded(name, load(name))
        case .history(let number, let request):
            let entries = history(request.document).reversed().filter { entry in
                request.before.map { entry.number < $0 } ?? true
                    && request.section.map { section in entry.flags.contains { $0.section == section } } ?? true
            }
            hub.answered(history: number, Array(entries.prefix(request.limit)))
        case .ownWrites(let number, let name, let person):
            let entries = history(name).filter { $0.by == person && !$0.flags.isEmpty }
            hub.answered(ownWrites: number, name, by: person, entries.reversed())
        }
    }
}
