// Why this file exists: the history is read backwards in pages, filtered, and forgotten from its oldest end; none of that may
// skip an entry or give one twice.

import AccordionModel
import Causality
import Store
import TestSupport
import Testing

/// A store with one document whose state is of no interest, and the history that it was given.
private struct Archive {
    let scratch: Scratch
    var store: DocumentStore
    let name: DocumentName
    var entries: [HistoryEntry] = []
    private var states: RandomStates
    private let state: SharedState

    init(seed: UInt64) throws {
        scratch = try Scratch()
        store = try DocumentStore(directory: scratch.state())
        name = try documentName("provinces")
        states = try RandomStates(seed: seed)
        state = try states.state()
        try store.commit([.whole(name, state)])
    }

    mutating func append(_ count: Int, _ make: ((Int64, inout RandomStates) -> HistoryEntry)? = nil) throws {
        let new = (0..<count).map { offset in
            let number = Int64(entries.count + offset + 1)
            return make?(number, &states) ?? states.entry(number)
        }
        entries += new
        try store.commit([
            DocumentDelta(outline: DocumentOutline(name, state), clock: state.clock.latest, history: new)
        ])
    }

    func page(before: Int64? = nil, section: SectionPath? = nil, limit: Int, bytesMax: Int = .max) throws
        -> [HistoryEntry]
    {
        try store.history(name, section: section, before: before, limit: limit, bytesMax: bytesMax).entries
    }
}

@Suite struct HistoryTests {
    @Test func `pages of any size put together are the whole history`() throws {
        let seed = freshSeed()
        var random = SplitMix(seed: seed)
        var archive = try Archive(seed: seed)
        for _ in 0..<40 { try archive.append(1 + random.below(30)) }
        let expected = Array(archive.entries.reversed())
        for limit in [1, 7, 100, expected.count, expected.count + 1] {
            var pages: [HistoryEntry] = []
            while true {
                let page = try archive.page(before: pages.last?.number, limit: limit)
                #expect(page.count <= limit)
                pages += page
                if page.isEmpty { break }
            }
            #expect(pages == expected, "limit \(limit), seed \(seed)")
        }
        #expect(try archive.page(limit: 0).isEmpty)
        #expect(try archive.page(before: 1, limit: 10).isEmpty)
        #expect(try archive.page(before: .max, limit: 1) == Array(expected.prefix(1)))
        archive.store.close()
    }

    @Test func `a turn of many entries is read a page at a time like any other`() throws {
        var archive = try Archive(seed: 3)
        let section = SectionPath("a")
        let node = try nodeName("n1")
        try archive.append(2_500) { number, _ in
            HistoryEntry(
                number: number, dot: Dot(node: node, counter: number), stamp: Stamp(milliseconds: number, count: 0),
                by: "alice", born: 1,
                flags: [
                    HistoryEntry.Flag(field: .open, section: section, value: .on, before: false, after: true)
                ])
        }
        #expect(try archive.page(before: 1_502, limit: 3).map(\.number) == [1_501, 1_500, 1_499])
        #expect(try archive.page(before: 1_001, limit: 1).map(\.number) == [1_000])
        #expect(try archive.page(limit: 10_000) == archive.entries.reversed())
        #expect(try archive.page(limit: 10_000, bytesMax: 1_000).count < 20)
        archive.store.close()
    }

    @Test func `a section's history has each entry that turned it, and of each only what it did to it`() throws {
        let seed = freshSeed()
        var archive = try Archive(seed: seed)
        for _ in 0..<10 { try archive.append(20) }
        let paths = Set(archive.entries.flatMap { $0.flags.map(\.section) })
        #expect(!paths.isEmpty)
        for path in paths {
            let found = try archive.page(section: path, limit: 10_000)
            let expected = archive.entries.reversed().filter { $0.flags.contains { $0.section == path } }
            #expect(found.map(\.number) == expected.map(\.number), "seed \(seed)")
            for (one, other) in zip(found, expected) {
                #expect(one.flags == other.flags.filter { $0.section == path })
            }
        }
        #expect(try archive.page(section: SectionPath("nowhere"), limit: 10).isEmpty)
        archive.store.close()
    }

    @Test func `one's own writes are those of flags, by one author, at one node`() throws {
        let seed = freshSeed()
        var archive = try Archive(seed: seed)
        for _ in 0..<10 { try archive.append(20) }
        let node = try nodeName("n1")
        let expected = archive.entries.reversed().filter {
            $0.by == "alice" && $0.dot.node == node && $0.content == nil
        }
        let found = try archive.store.ownWrites(archive.name, by: "alice", node: node, limit: 1_000)
        #expect(found == expected, "seed \(seed)")
        let few = try archive.store.ownWrites(archive.name, by: "alice", node: node, limit: 2)
        #expect(few == Array(expected.prefix(2)))
        archive.store.close()
    }

    @Test func `a history that does not go on where it ended is refused, and nothing of it stored`() throws {
        var archive = try Archive(seed: 5)
        try archive.append(3)
        let stranger = Dot(node: try nodeName("n9"), counter: 1)
        for number: Int64 in [3, 5] {
            #expect(throws: StoreFailure.self) {
                try archive.append(1) { _, _ in
                    HistoryEntry(number: number, dot: stranger, stamp: .zero, by: "x", born: 1)
                }
            }
        }
        #expect(try archive.store.load(archive.name)?.nextHistoryNumber == 4)
        #expect(try archive.page(limit: 10).map(\.number) == [3, 2, 1])
        archive.store.close()
    }

    @Test func `the oldest history goes first, whole rows, until it is young and few enough`() throws {
        var archive = try Archive(seed: 11)
        let node = try nodeName("n1")
        for _ in 0..<20 {
            try archive.append(5) { number, _ in
                HistoryEntry(
                    number: number, dot: Dot(node: node, counter: number), stamp: Stamp(milliseconds: number, count: 0),
                    by: "alice", born: 1)
            }
        }
        let store = archive.store
        #expect(try store.retire(olderThanMilliseconds: 0, entriesMax: 100, rowsMax: 100) == 0)
        // By number: rows of five, so that of 88 that are to stay 90 do.
        #expect(try store.retire(olderThanMilliseconds: 0, entriesMax: 88, rowsMax: 100) == 2)
        #expect(try archive.page(limit: 1_000).map(\.number) == (11...100).reversed().map { Int64($0) })
        // By age: the row of 11 to 15 is older than 16; no more than asked for at once.
        #expect(try store.retire(olderThanMilliseconds: 31, entriesMax: 1_000, rowsMax: 3) == 3)
        #expect(try store.retire(olderThanMilliseconds: 31, entriesMax: 1_000, rowsMax: 3) == 1)
        #expect(try store.retire(olderThanMilliseconds: 31, entriesMax: 1_000, rowsMax: 3) == 0)
        #expect(try archive.page(limit: 1_000).map(\.number).last == 31)
        #expect(try store.load(archive.name)?.nextHistoryNumber == 101)
        #expect(try DocumentStore.check(archive.scratch.state()).findings.isEmpty)
        store.close()
    }

    @Test func `a history that was forgotten altogether goes on with its numbers`() throws {
        var archive = try Archive(seed: 13)
        try archive.append(30)
        #expect(try archive.store.retire(olderThanMilliseconds: .max, entriesMax: 0, rowsMax: 100) == 1)
        #expect(try archive.page(limit: 10).isEmpty)
        archive.store.close()
        archive.store = try DocumentStore(directory: archive.scratch.state())
        try archive.append(2)
        #expect(try archive.page(limit: 10).map(\.number) == [32, 31])
        #expect(try archive.store.retire(olderThanMilliseconds: 0, entriesMax: 2, rowsMax: 100) == 0)
        #expect(try DocumentStore.check(archive.scratch.state()).findings.isEmpty)
        archive.store.close()
    }

    @Test func `contents that lost are kept until their history goes`() throws {
        var archive = try Archive(seed: 17)
        var states = try RandomStates(seed: 17)
        let lost = Sibling(
            dot: states.dot(), value: Content(born: 1, document: try states.document()), stamp: states.stamp(),
            by: "bob")
        let state = try states.state()
        try archive.store.commit([
            DocumentDelta(
                outline: DocumentOutline(archive.name, state), clock: state.clock.latest, history: [states.entry(1)],
                lostContents: [lost])
        ])
        archive.store.close()
        let file = archive.scratch.state() + "/" + DocumentStore.fileName
        #expect(try sql(file, "SELECT count(*) FROM lost_content") == 1)
        archive.store = try DocumentStore(directory: archive.scratch.state())
        #expect(try archive.store.retire(olderThanMilliseconds: .max, entriesMax: 0, rowsMax: 10) == 1)
        archive.store.close()
        #expect(try sql(file, "SELECT count(*) FROM lost_content") == 0)
    }
}
