// Why this file exists: whatever was committed is what comes back, however it was cut into commits.

import AccordionModel
import Causality
import Store
import TestSupport
import Testing

@Suite struct RoundTripTests {
    @Test func `a state comes back as it was committed, through any changes, opened anew or not`() throws {
        let seed = freshSeed()
        var states = try RandomStates(seed: seed)
        let scratch = try Scratch()
        var store = try DocumentStore(directory: scratch.state())
        let names = try ["provinces", "运行手册", "a.b_c-d"].map(documentName)
        var known: [DocumentName: SharedState] = [:]
        for name in names {
            let state = try states.state()
            try store.commit([.whole(name, state)])
            known[name] = state
        }
        for round in 0..<60 {
            var deltas: [DocumentDelta] = []
            for name in names where states.random.once(in: 2) {
                let (next, delta) = try states.change(try #require(known[name]), name)
                known[name] = next
                deltas.append(delta)
            }
            try store.commit(deltas)
            if round % 10 == 9 {
                store.close()
                store = try DocumentStore(directory: scratch.state())
            }
            for name in names {
                let stored = try #require(try store.load(name))
                #expect(differences(stored.state, known[name]).isEmpty, "\(name), round \(round), seed \(seed)")
                #expect(stored.rowsSetAside == 0)
            }
        }
        let expected = names.sorted().compactMap { name in known[name].map { DocumentOutline(name, $0) } }
        #expect(try store.outlines() == expected)
        #expect(try DocumentStore.check(scratch.state()).findings.isEmpty, "seed \(seed)")
        store.close()
    }

    @Test func `deltas that were added to each other leave what separate commits leave`() throws {
        let seed = freshSeed()
        var states = try RandomStates(seed: seed)
        let scratch = try Scratch()
        let separate = try DocumentStore(directory: scratch.state("separate"))
        let merged = try DocumentStore(directory: scratch.state("merged"))
        let name = try documentName("provinces")
        var state = try states.state()
        for store in [separate, merged] { try store.commit([.whole(name, state)]) }
        var number: Int64 = 1
        for _ in 0..<30 {
            var sum: DocumentDelta?
            for _ in 0..<(1 + states.random.below(4)) {
                var (next, delta) = try states.change(state, name)
                state = next
                for _ in 0..<states.random.below(3) {
                    delta.history.append(states.entry(number))
                    number += 1
                }
                try separate.commit([delta])
                if sum == nil { sum = delta } else { sum?.add(delta) }
            }
            try merged.commit([try #require(sum)])
            let (one, other) = (try separate.load(name), try merged.load(name))
            for stored in [try #require(one), try #require(other)] {
                #expect(differences(stored.state, state).isEmpty, "seed \(seed)")
                #expect(stored.nextHistoryNumber == number)
            }
        }
        let pages = try [separate, merged].map {
            try $0.history(name, section: nil, before: nil, limit: 1_000, bytesMax: .max).entries
        }
        #expect(pages[0] == pages[1], "seed \(seed)")
        for store in [separate, merged] { store.close() }
    }

    @Test func `a document whose made ids bring it over the limit of text is read again`() throws {
        let scratch = try Scratch()
        let store = try DocumentStore(directory: scratch.state())
        var builder = DocumentBuilder()
        // Accepted with 16 MiB of titles and text; what is stored has ids besides.
        for _ in 0..<1_000 {
            try builder.beginSection(id: nil, title: String(repeating: "t", count: 1_000), hasContent: true)
            try builder.addText(String(repeating: "x", count: 15_700))
            builder.endSection()
        }
        let document = try builder.finish(DocumentAttributes())
        var state = SharedState()
        let writer = Writer(node: store.start.node, milliseconds: 1, by: "alice", session: 1, seen: nil)
        _ = state.applyOwn(try state.create(document, writer))
        let name = try documentName("large")
        try store.commit([.whole(name, state)])
        let stored = try #require(try store.load(name))
        #expect(differences(stored.state, state).isEmpty)
        store.close()
    }

    @Test func `what was never stored is not there, and no delta changes nothing`() throws {
        let scratch = try Scratch()
        let store = try DocumentStore(directory: scratch.state())
        try store.commit([])
        #expect(try store.load(try documentName("nothing")) == nil)
        #expect(try store.outlines().isEmpty)
        store.close()
    }
}
