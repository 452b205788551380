// Why this file exists: a disk that gives back something else than it took must be noticed, whatever it changed. Damage is
// done here bit by bit and row by row; what is then served must be what was stored, or be told as left out.

import AccordionModel
import Causality
import Glibc
import Store
import TestSupport
import Testing

@Suite struct DamageTests {
    let scratch: Scratch
    let directory: String
    var file: String { directory + "/" + DocumentStore.fileName }
    let seed: UInt64
    let states: [DocumentName: SharedState]
    let histories: [DocumentName: [HistoryEntry]]

    /// A closed state with a few documents, all of their rows small enough to stand in few pages.
    init() throws {
        scratch = try Scratch()
        directory = scratch.state()
        seed = freshSeed()
        var random = try RandomStates(seed: seed)
        var states: [DocumentName: SharedState] = [:]
        var histories: [DocumentName: [HistoryEntry]] = [:]
        let store = try DocumentStore(directory: directory, options: StoreOptions(node: try nodeName("n1")))
        for text in ["a", "b", "provinces", "运行手册"] {
            let name = try documentName(text)
            var state = try random.state()
            while state.flags.count < 4 { state = try random.state() }
            states[name] = state
            var all: [HistoryEntry] = []
            for turn in 0..<4 {
                let entries = (0..<5).map { random.entry(Int64(turn * 5 + $0 + 1)) }
                var delta = DocumentDelta.whole(name, state, entries)
                if turn == 3 {
                    delta.lostContents = [
                        Sibling(
                            dot: random.dot(), value: Content(born: 1, document: try random.document()),
                            stamp: random.stamp(), by: "bob")
                    ]
                }
                try store.commit([delta])
                all += entries
            }
            histories[name] = all
        }
        store.close()
        self.states = states
        self.histories = histories
    }

    /// Everything that can be read is what was stored; returns whether something was refused or told as left out.
    private func readAll(_ context: String) -> Bool {
        var isTold = false
        do {
            let store = try DocumentStore(directory: directory)
            defer { store.close() }
            isTold = store.start.renamedBecause != nil
            let outlines = try store.outlines()
            for outline in outlines {
                guard let state = states[outline.name], outline.version == state.version else {
                    // A damaged row is listed with no version, so that nothing takes its place.
                    #expect(outline.version.isEmpty && store.rowsSetAside > 0, "\(context)")
                    continue
                }
                #expect(outline == DocumentOutline(outline.name, state), "\(context)")
            }
            isTold = isTold || store.rowsSetAside > 0
            for (name, state) in states {
                do {
                    guard let stored = try store.load(name) else {
                        isTold = true
                        #expect(store.rowsSetAside > 0, "\(context): \(name) is gone and nothing was told")
                        continue
                    }
                    let wrong = differences(stored.state, state)
                    if stored.rowsSetAside == 0 { #expect(wrong.isEmpty, "\(context): \(wrong)") }
                    isTold = isTold || stored.rowsSetAside > 0
                    // What is left out apart, every value is one that was stored.
                    for (register, held) in stored.state.flags {
                        #expect(held.count == state.register(register).count, "\(context)")
                    }
                    let page = try store.history(name, section: nil, before: nil, limit: 1_000, bytesMax: .max)
                    isTold = isTold || page.rowsSetAside > 0
                    let kept = histories[name] ?? []
                    for entry in page.entries { #expect(kept.contains(entry), "\(context)") }
                } catch {
                    isTold = true
                }
            }
        } catch {
            isTold = true
        }
        return isTold
    }

    @Test func `a bit that was turned anywhere is set aside, refused or of no meaning, never served`() throws {
        let whole = try Scratch.contents(file)
        var random = SplitMix(seed: seed)
        var told = 0
        var checked = 0
        let rounds = isLong ? 4_000 : 200
        for round in 0..<rounds {
            var bytes = whole
            let place = random.below(bytes.count)
            bytes[place] ^= 1 << UInt8(random.below(8))
            for end in ["-wal", "-shm"] { _ = unsafe unlink(file + end) }
            try Scratch.write(bytes, to: file)
            let context = "byte \(place), round \(round), seed \(seed)"
            // The check comes first: a start may mend what can be mended.
            let isWhole = (try? DocumentStore.check(directory).isWhole) ?? false
            if readAll(context) {
                told += 1
                #expect(!isWhole, "\(context): told while reading and not by the check")
            }
            checked += isWhole ? 0 : 1
        }
        // Most of a file are pages half empty; but much of it has a meaning.
        #expect(told > rounds / 20 && checked >= told, "\(told) told, \(checked) found by the check, seed \(seed)")
    }

    @Test(arguments: [
        "DELETE FROM flag WHERE path = (SELECT path FROM flag LIMIT 1)", "DELETE FROM content WHERE document = 2",
        "DELETE FROM document WHERE id = 3", "DELETE FROM history WHERE id = 1", "DELETE FROM history WHERE id = 6",
        "DELETE FROM history WHERE id = (SELECT max(id) FROM history)", "DELETE FROM meta WHERE key = 'run'",
        "UPDATE flag SET siblings = x'0100' WHERE document = (SELECT max(document) FROM flag)",
        "UPDATE flag SET born = born + 10 WHERE document = (SELECT max(document) FROM flag)",
        "UPDATE content SET body = CASE WHEN body IS NULL THEN x'00' END WHERE document = 1",
        "UPDATE content SET by = 'mallory' WHERE document = 4",
        "UPDATE content SET counter = counter + 5000 WHERE document = 4",
        "UPDATE document SET open = open + 1 WHERE id = 1",
        "UPDATE document SET version = x'0100' WHERE id = 2", "UPDATE history SET first = first + 100 WHERE id = 3",
        "UPDATE history SET milliseconds = 0 WHERE id = 3", "UPDATE history SET entries = x'01' WHERE id = 2",
        "UPDATE lost_content SET by = 'mallory'", "UPDATE meta SET value = value || '1' WHERE key = 'node'",
    ])
    func `the check finds rows that are missing or changed`(_ change: String) throws {
        #expect(try DocumentStore.check(directory).findings.isEmpty)
        try sql(file, change)
        let report = try DocumentStore.check(directory)
        #expect(!report.isWhole, "\(change)")
    }

    @Test func `an older copy of a row is not taken for the newest`() throws {
        let name = try documentName("a")
        try sql(file, "CREATE TABLE kept AS SELECT * FROM flag WHERE document = 1 LIMIT 1")
        let store = try DocumentStore(directory: directory)
        var random = try RandomStates(seed: seed &+ 1)
        var state = try #require(states[name])
        var flags = state.flags
        for register in flags.keys { flags[register] = random.siblings(1) { _ in .on } }
        state = SharedState(
            version: random.version(), clock: state.clock, content: state.content, flags: flags)
        try store.commit([
            DocumentDelta(
                outline: DocumentOutline(name, state), clock: state.clock.latest,
                flags: flags.map { ($0.key, $0.value) })
        ])
        store.close()
        try sql(file, "INSERT OR REPLACE INTO flag SELECT * FROM kept")
        #expect(!(try DocumentStore.check(directory).isWhole))
        let again = try DocumentStore(directory: directory)
        #expect(try again.load(name)?.rowsSetAside == 1)
        again.close()
    }

    @Test func `a check changes nothing, and one of no state is refused`() throws {
        let bytes = try Scratch.contents(file)
        let report = try DocumentStore.check(directory)
        #expect(report.documents == 4 && report.historyEntries == 80 && report.isWhole)
        #expect(try Scratch.contents(file) == bytes)
        #expect(throws: StoreFailure.self) { try DocumentStore.check(scratch.state("nothing")) }
        #expect(!Scratch.exists(scratch.state("nothing")))
    }
}
