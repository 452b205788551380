// Why this file exists: what the store must give back is any state at all, so states are made at random, far from what a
// history would make: eight siblings, several lives, tombstones beside documents, names of every script.

import AccordionModel
import Causality
import Store
import TestSupport
import Testing

func documentName(_ text: String) throws -> DocumentName { try #require(DocumentName(text)) }
func nodeName(_ text: String) throws -> NodeName { try #require(NodeName(text)) }

struct RandomStates {
    var random: SplitMix
    private let nodes: [NodeName]
    private var lastCounter: Int64 = 0
    private let authors = ["alice", "鲍勃", "x (y)", "🦆", String(repeating: "n", count: 64)]
    private let titles = ["广东省", "深圳市", "Ἀθῆναι", "a b", "\"\\\u{7f}", "e\u{301}", "x", "y~2", "🏳️‍🌈", "\u{1}"]

    init(seed: UInt64) throws {
        random = SplitMix(seed: seed)
        nodes = try ["n1", "n2~abcdefgh", String(repeating: "z", count: 32)].map(nodeName)
    }

    mutating func version() -> VersionVector {
        VersionVector(
            nodes.map { VersionVector.Entry(node: $0, counter: lastCounter + 1_000 + Int64(random.below(1_000))) })
    }

    /// One that was never given before: what a dot has written never changes.
    mutating func dot() -> Dot {
        lastCounter += 1
        return Dot(node: random.pick(nodes), counter: lastCounter)
    }

    mutating func stamp() -> Stamp {
        Stamp(milliseconds: Int64.random(in: 0...(1 << 53), using: &random), count: Int64(random.below(3)))
    }

    mutating func siblings<Value: Equatable & Sendable>(
        _ count: Int, _ value: (inout RandomStates) throws -> Value
    ) rethrows -> CausalRegister<Value> {
        var register = CausalRegister<Value>()
        for _ in 0..<count {
            register.write(
                Sibling(
                    dot: dot(), value: try value(&self), stamp: stamp(), by: random.pick(authors),
                    session: random.once(in: 3) ? .max : random.next()),
                replacing: DotSet())
        }
        return register
    }

    mutating func document() throws -> Document {
        var builder = DocumentBuilder()
        for _ in 0..<random.below(12) {
            var attributes = SectionAttributes()
            attributes.task = random.once(in: 3) ? random.once(in: 2) : nil
            attributes.open = random.once(in: 3) ? random.once(in: 2) : nil
            attributes.mode = random.once(in: 5) ? .single : nil
            attributes.tint = random.once(in: 5) ? "#00ff7f" : nil
            try builder.beginSection(
                id: nil, title: random.pick(titles), attributes: attributes, hasContent: !random.once(in: 3))
            if random.once(in: 3) { try builder.addText(random.pick(titles)) }
            if random.once(in: 5) { try builder.addCode("let x\n", language: random.once(in: 2) ? "swift" : nil) }
            if !random.once(in: 3) { builder.endSection() }
        }
        var attributes = DocumentAttributes()
        attributes.title = random.pick(titles)
        attributes.mode = random.once(in: 4) ? .single : .multiple
        attributes.conflicts = random.pick([.last, .open, .closed])
        return try builder.finish(attributes)
    }

    mutating func content() throws -> CausalRegister<Content> {
        try siblings(1 + random.below(4)) { states in
            Content(
                born: Int64(1 + states.random.below(3)),
                document: states.random.once(in: 4) ? nil : try states.document())
        }
    }

    mutating func flags(_ content: CausalRegister<Content>) -> [FlagRegister: CausalRegister<Setting>] {
        var paths = titles.map { SectionPath($0) } + [SectionPath("a/b/广东省")]
        content.forEach { paths += $0.value.document?.sections.map(\.path) ?? [] }
        var flags: [FlagRegister: CausalRegister<Setting>] = [:]
        for _ in 0..<random.below(30) {
            let register = FlagRegister(
                random.once(in: 2) ? .open : .done, born: Int64(1 + random.below(3)), path: random.pick(paths))
            flags[register] = siblings(1 + random.below(8)) { $0.random.pick([.on, .off, .initial]) }
        }
        return flags
    }

    mutating func state() throws -> SharedState {
        let content = try content()
        let flags = flags(content)
        return SharedState(
            version: version(), clock: HybridClock(latest: stamp()), content: content, flags: flags)
    }

    /// Another state that follows: some registers anew, some gone, and what has changed of it.
    mutating func change(_ state: SharedState, _ name: DocumentName) throws -> (SharedState, DocumentDelta) {
        let content = random.once(in: 3) ? try self.content() : nil
        let isWhole = random.once(in: 6)
        var flags = isWhole ? [:] : state.flags
        var changed = Set<FlagRegister>()
        for (register, siblings) in self.flags(content ?? state.content) {
            flags[register] = siblings
            changed.insert(register)
        }
        if !isWhole {
            for register in state.flags.keys where random.once(in: 4) {
                flags[register] = nil
                changed.insert(register)
            }
        }
        var version = version()
        version.join(state.version)
        let next = SharedState(
            version: version, clock: HybridClock(latest: stamp()), content: content ?? state.content, flags: flags)
        let delta = DocumentDelta(
            outline: DocumentOutline(name, next), clock: next.clock.latest, content: content, isWhole: isWhole,
            flags: changed.map { ($0, flags[$0] ?? CausalRegister()) })
        return (next, delta)
    }

    mutating func entry(_ number: Int64) -> HistoryEntry {
        func write(_ states: inout RandomStates) -> HistoryEntry.ContentWrite {
            HistoryEntry.ContentWrite(
                title: states.random.pick(states.titles), sections: states.random.below(1 << 20),
                bytes: states.random.below(1 << 40), hash: states.random.next())
        }
        let kind: HistoryEntry.Kind = random.pick([.write, .write, .write, .undo, .redo])
        let flags = (0..<random.below(4)).map { _ in
            HistoryEntry.Flag(
                field: random.pick([.open, .done]), section: SectionPath(random.pick(titles)),
                value: random.pick([.on, .off, .initial]), before: random.once(in: 2), after: random.once(in: 2))
        }
        let effects: [HistoryEntry.ContentEffect?] = [.created(write(&self)), .replaced(write(&self)), .deleted]
        let field: Conflict.Kind = random.pick([.open, .done, .single])
        func claim(_ states: inout RandomStates) -> Conflict.Claim {
            Conflict.Claim(
                value: field == .single
                    ? .child(SectionPath(states.random.pick(states.titles))) : .flag(states.random.once(in: 2)),
                by: states.random.pick(states.authors))
        }
        let conflict = Conflict(
            section: random.once(in: 2) ? .top : SectionPath(random.pick(titles)), field: field, kept: claim(&self),
            lost: (0..<random.below(3)).map { _ in claim(&self) })
        let lost = HistoryEntry.LostContent(by: random.pick(authors), write: random.once(in: 2) ? nil : write(&self))
        return HistoryEntry(
            number: number, dot: dot(), stamp: stamp(), by: random.pick(authors), kind: kind,
            born: Int64(random.below(4)), target: kind == .write ? 0 : Int64(random.below(100)), flags: flags,
            content: random.once(in: 4) ? random.pick(effects) : nil,
            conflicts: random.once(in: 4) ? [conflict] : [], lostContents: random.once(in: 4) ? [lost] : [])
    }
}

extension DocumentDelta {
    /// All of a state, as for a document that was never stored.
    static func whole(_ name: DocumentName, _ state: SharedState, _ history: [HistoryEntry] = []) -> DocumentDelta {
        DocumentDelta(
            outline: DocumentOutline(name, state), clock: state.clock.latest, content: state.content, isWhole: true,
            flags: state.flags.map { ($0.key, $0.value) }, history: history)
    }
}

/// Everything of a register, in an order of its own.
private func written<Value>(_ register: CausalRegister<Value>) -> [Sibling<Value>] {
    var siblings: [Sibling<Value>] = []
    register.forEach { siblings.append($0) }
    return siblings.sorted { $0.dot < $1.dot }
}

private func same<Value>(_ one: CausalRegister<Value>, _ other: CausalRegister<Value>) -> Bool {
    written(one).elementsEqual(written(other)) {
        $0.dot == $1.dot && $0.value == $1.value && $0.stamp == $1.stamp && $0.by == $1.by && $0.session == $1.session
    }
}

/// In what two states differ; empty where they don't.
func differences(_ one: SharedState?, _ other: SharedState?) -> [String] {
    guard let one, let other else { return one == nil && other == nil ? [] : ["one is missing"] }
    var found: [String] = []
    if one.version != other.version { found.append("version: \(one.version), \(other.version)") }
    if one.clock != other.clock { found.append("clock") }
    if !same(one.content, other.content) { found.append("content") }
    for register in Set(one.flags.keys).union(other.flags.keys) {
        if !same(one.register(register), other.register(register)) { found.append("flag \(register)") }
    }
    func shown(_ state: SharedState) -> [[String]] {
        guard let view = state.view else { return [] }
        let all = view.document.inside(-1)
        return [
            all.filter(view.isOpen).map { view.document[$0].path.text },
            all.filter(view.isDone).map { view.document[$0].path.text },
        ]
    }
    if shown(one) != shown(other) { found.append("what is shown") }
    return found
}
