// Why this file exists: what must never happen is written down here as it happens or looked for in the end: a word before
// its commit, a dot twice, an acknowledged write that is gone, replicas that differ, a client that sees something else.

import AccordionModel
import Causality
import Mirror

final class Ledger {
    struct Key: Hashable {
        let name: DocumentName
        let dot: Dot
    }

    /// One acknowledged write: whose, what its writer had seen, and what its daemon knew then.
    struct Acknowledgement {
        let by: String
        let seen: VersionVector?
        let version: VersionVector
        let node: Int
        /// When the connection began on which the reply came.
        let sinceMilliseconds: Int64
    }

    private unowned let world: World
    private(set) var violations: [String] = []
    /// Every operation that was ever committed by the daemon that decided it.
    private(set) var operations: [Key: Operation] = [:]
    private var committedAt: [Key: Int64] = [:]
    private var acknowledgements: [Key: Acknowledgement] = [:]
    /// Dots that went with a disk that was thrown away.
    private var discarded: Set<Key> = []
    /// Two daemons had one name while they could not hear of each other.
    var isNameDoubled = false
    /// A state had to be given up because of it, and what only it had is gone.
    var isStateLost = false

    init(_ world: World) { self.world = world }

    func violate(_ text: String) { if violations.count < 10 { violations.append(text) } }

    // MARK: - As it happens

    func committed(_ deltas: [DocumentDelta], by node: SimulatedNode) {
        for delta in deltas {
            for operation in delta.operations {
                node.hasWrittenSinceCopy = true
                let key = Key(name: delta.outline.name, dot: operation.dot)
                if let before = operations[key], before.stamp != operation.stamp || before.by != operation.by,
                    !isNameDoubled
                {
                    violate("the dot \(operation.dot) of \(key.name) was used twice")
                }
                operations[key] = operation
                committedAt[key] = world.schedule.now
                discarded.remove(key)
            }
        }
    }

    /// A disk is put back to an earlier state.
    func discarded(_ disk: SimulatedDisk, keeping backup: SimulatedDisk) {
        // Runs before may have had other names.
        let base = disk.node.description.split(separator: "~").first
        for (name, kept) in disk.documents {
            for entry in kept.outline.version.entries
            where entry.node.description.split(separator: "~").first == base {
                let from = backup.version(name)[entry.node]
                guard from < entry.counter else { continue }
                for counter in (from + 1)...entry.counter {
                    discarded.insert(Key(name: name, dot: Dot(node: entry.node, counter: counter)))
                }
            }
        }
    }

    /// Law 1: nothing leaves before what it rests on is on disk.
    func heard(_ version: VersionVector, of name: DocumentName, from process: SimulatedProcess) {
        guard process.node.isDurable, !process.isDead else { return }
        let stored = process.node.disk.version(name)
        if !stored.covers(version) {
            violate("node \(process.node.number) told \(version) of \(name) and has stored \(stored)")
        }
    }

    func acknowledged(
        _ version: VersionVector, of name: DocumentName, by: String, seen: VersionVector?,
        since milliseconds: Int64, from process: SimulatedProcess
    ) {
        heard(version, of: name, from: process)
        let node = process.hub.settings.node
        guard version[node] > 0 else { return }
        let key = Key(name: name, dot: Dot(node: node, counter: version[node]))
        guard acknowledgements[key] == nil else { return }
        acknowledgements[key] = Acknowledgement(
            by: by, seen: seen, version: version, node: process.node.number, sinceMilliseconds: milliseconds)
    }

    /// A single group in which two are open, by the paths of those that are; nil where there is none.
    static func overfull(_ document: Document, _ open: [SectionPath]) -> SectionPath? {
        var groups: Set<Int32> = []
        for path in open {
            guard let section = document.find(path) else { continue }
            let parent = document[section].parent
            if document.mode(inside: parent) == .single, !groups.insert(parent).inserted { return path }
        }
        return nil
    }

    // MARK: - In the end

    func settle() {
        for node in world.nodes {
            if !node.isReadOnly {
                lookAtMemory(of: node)
            } else if !isNameDoubled {
                violate("node \(node.number) refuses writes for a reason that there is not")
            }
        }
        compareNodes()
        for client in world.clients { look(at: client) }
        lookForLost()
    }

    /// Memory and disk have the same.
    private func lookAtMemory(of node: SimulatedNode) {
        guard let process = node.process else { return violate("node \(node.number) does not run") }
        if process.replicator.hasUnconfirmed { violate("node \(node.number) still has something to publish") }
        if isWaiting(process) { violate("at node \(node.number) operations wait for ever") }
        for name in world.documentNames {
            let stored = node.disk.documents[name]?.state
            process.hub.whenStored(name) { [self] state in
                guard let state else { return }
                if let difference = difference(stored ?? SharedState(), state) {
                    violate("node \(node.number) has in memory another \(name) than on disk: \(difference)")
                }
            }
        }
    }

    /// Whether operations wait at a daemon for others that still exist. (One that went with a disk that was thrown away, and
    /// with a broker that had forgotten it, is waited for in vain.)
    func isWaiting(_ process: SimulatedProcess) -> Bool {
        if isStateLost { return false }
        var waits = false
        for name in process.hub.waitingDocuments {
            process.hub.whenStored(name) { [self] state in
                for operation in state?.waiting.operations ?? [] {
                    guard let missing = operation.missing(from: state?.version ?? VersionVector()) else { continue }
                    // Of a gap only its end is named.
                    let isGone = discarded.contains { $0.name == name && $0.dot.node == missing.node }
                    if !isGone { waits = true }
                }
            }
        }
        return waits
    }

    private func compareNodes() {
        let nodes = world.nodes.filter { !$0.isReadOnly }
        for name in world.documentNames {
            guard let first = nodes.first else { return }
            let one = first.disk.documents[name]?.state ?? SharedState()
            for node in nodes.dropFirst() {
                let other = node.disk.documents[name]?.state ?? SharedState()
                if let difference = difference(one, other) {
                    violate("nodes \(first.number) and \(node.number) differ in \(name): \(difference)")
                }
            }
            if !isNameDoubled { compareWithOperations(name, one) }
        }
    }

    /// What all daemons have is what follows from the operations that they know, applied one after the other.
    private func compareWithOperations(_ name: DocumentName, _ state: SharedState) {
        var replayed = SharedState()
        for (key, operation) in operations.sorted(by: { $0.key.dot < $1.key.dot })
        where key.name == name && state.version.covers(key.dot) {
            _ = replayed.receive(operation, at: .max, waitingMax: .max)
        }
        if let difference = difference(state, replayed) {
            violate("the daemons have another \(name) than follows from its operations: \(difference)")
        }
    }

    /// How two states differ, in words; nil where they are the same.
    private func difference(_ one: SharedState, _ other: SharedState) -> String? {
        if one.version != other.version { return "\(one.version) and \(other.version)" }
        if let found = difference("content", one.content, other.content) { return found }
        for register in Set(one.flags.keys).union(other.flags.keys) {
            let place = "\(register.field) of \(register.path)"
            if let found = difference(place, one.register(register), other.register(register)) { return found }
        }
        return nil
    }

    private func difference<Value>(
        _ place: String, _ one: CausalRegister<Value>, _ other: CausalRegister<Value>
    ) -> String? {
        func told(_ register: CausalRegister<Value>) -> [String] {
            register.latestFirst.map { "\($0.dot)" }
        }
        let isSame =
            one.count == other.count
            && zip(one.latestFirst, other.latestFirst).allSatisfy {
                $0.dot == $1.dot && $0.value == $1.value && $0.stamp == $1.stamp && $0.by == $1.by
            }
        return isSame ? nil : "\(place): \(told(one)) and \(told(other))"
    }

    private func look(at client: SimulatedClient) {
        guard let process = client.process else { return violate("\(client.name) has no connection") }
        if client.openCount > 0 { violate("\(client.name) waits for ever") }
        for name in world.documentNames {
            guard let replica = client.replicas[name] else { continue }
            let state = process.node.disk.documents[name]?.state ?? SharedState()
            guard let view = state.view else {
                if replica.life == .live { violate("\(client.name) sees \(name), which does not exist") }
                continue
            }
            guard replica.life == .live, let document = replica.document, document.isSame(as: view.document) else {
                violate("\(client.name) sees another content of \(name) than node \(process.node.number) has")
                continue
            }
            if replica.version != state.version {
                violate("\(client.name) sees \(replica.version) of \(name), not \(state.version)")
            }
            for section in 0..<Int32(document.sections.count) {
                let path = document[section].path
                if replica.isOpen(section) != view.isOpen(section) {
                    violate("\(client.name) sees \(path) of \(name) otherwise")
                }
                if replica.isDone(section) != view.isDone(section) {
                    violate("\(client.name) sees the check of \(path) otherwise")
                }
            }
        }
    }

    // MARK: - Nothing is lost

    private func lookForLost() {
        guard let node = world.nodes.first(where: { !$0.isReadOnly }) else { return }
        for (key, acknowledgement) in acknowledgements.sorted(by: { $0.key.dot < $1.key.dot }) {
            guard let operation = operations[key] else {
                if world.nodes[acknowledgement.node].isDurable {
                    violate("\(key.dot) of \(key.name) was acknowledged and never stored")
                }
                continue
            }
            let state = node.disk.documents[key.name]?.state ?? SharedState()
            guard state.version.covers(key.dot) else {
                if !discarded.contains(key), !isNameDoubled {
                    violate("\(key.dot) of \(key.name) was acknowledged and is gone")
                }
                continue
            }
            // A reply that changed nothing carries a dot of another request, whose `seen` is not known here.
            guard operation.by == acknowledgement.by, !isNameDoubled,
                (committedAt[key] ?? 0) >= acknowledgement.sinceMilliseconds
            else { continue }
            let seen = (acknowledgement.seen ?? acknowledgement.version).clamped(to: acknowledgement.version)
            for write in operation.flags { look(key, write.register, seen, state.register(write.register)) }
        }
    }

    /// What a write had seen is not beside it any more.
    private func look(
        _ key: Key, _ register: FlagRegister, _ seen: VersionVector, _ held: CausalRegister<Setting>
    ) {
        held.forEach { sibling in
            guard sibling.dot != key.dot, seen.covers(sibling.dot) else { return }
            violate("\(key.dot) of \(key.name) had seen \(sibling.dot), which still stands in \(register.path)")
        }
    }
}
