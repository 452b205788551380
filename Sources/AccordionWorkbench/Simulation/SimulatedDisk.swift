// Why this file exists: a disk that can be copied, lost and put back. It keeps what it was given by deltas alone, as a real
// one does, so that a register which nobody hands over is missing afterwards.

import AccordionModel
import Causality
import Hub
import Replication

struct SimulatedDisk {
    struct Kept {
        var outline: DocumentOutline
        var clock: Stamp
        var content = CausalRegister<Content>()
        var flags: [FlagRegister: CausalRegister<Setting>] = [:]
        var history: [HistoryEntry] = []

        var state: SharedState {
            SharedState(
                version: outline.version, clock: HybridClock(latest: clock), content: content, flags: flags)
        }
    }

    var node: NodeName
    var run: UInt32 = 0
    /// Answers may have left that were not stored, since the last clean end.
    var isRelaxedOpen = false
    private(set) var documents: [DocumentName: Kept] = [:]
    private(set) var cursor: StreamCursor?
    private(set) var outgoing: [OutgoingRow] = []
    private(set) var lastPlace: Int64 = 0

    init(node: NodeName) { self.node = node }

    mutating func apply(_ deltas: [DocumentDelta], _ record: ReplicationRecord) {
        for delta in deltas {
            let name = delta.outline.name
            var kept = documents[name] ?? Kept(outline: delta.outline, clock: delta.clock)
            kept.outline = delta.outline
            kept.clock = delta.clock
            if let content = delta.content { kept.content = content }
            if delta.isWhole { kept.flags = [:] }
            for (register, siblings) in delta.flags { kept.flags[register] = siblings.isEmpty ? nil : siblings }
            let last = kept.history.last?.number ?? 0
            kept.history.append(contentsOf: delta.history.filter { $0.number > last })
            documents[name] = kept
        }
        if let cursor = record.cursor { self.cursor = cursor }
        let stored = lastPlace
        outgoing.append(contentsOf: record.outgoing.filter { $0.place > stored })
        lastPlace = max(lastPlace, record.outgoing.last?.place ?? 0)
        let places = Set(record.confirmed)
        if !places.isEmpty { outgoing.removeAll { places.contains($0.place) } }
        for (name, dot) in record.confirmedDots { outgoing.removeAll { $0.name == name && $0.dot == dot } }
    }

    var start: ReplicationStart {
        ReplicationStart(cursor: cursor, lastPlace: lastPlace, hasOutgoing: !outgoing.isEmpty)
    }

    func rows(after place: Int64, limit: Int) -> (rows: [OutgoingRow], isLast: Bool) {
        let rest = outgoing.filter { $0.place > place }
        return (Array(rest.prefix(limit)), rest.count <= limit)
    }

    func load(_ name: DocumentName) -> LoadOutcome {
        guard let kept = documents[name] else { return .missing }
        return .found(
            StoredDocument(
                name: name, state: kept.state, nextHistoryNumber: (kept.history.last?.number ?? 0) + 1,
                rowsSetAside: 0))
    }

    func version(_ name: DocumentName) -> VersionVector { documents[name]?.outline.version ?? VersionVector() }
}
