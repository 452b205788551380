// Why this file exists: every call that the store makes to the disk can fail. Each of them is made to, once and for ever
// after, and each time the commit must have thrown or be there, and the store must come back with every commit that it
// acknowledged, and go on.

import AccordionModel
import CFaultVFS
import Store
import TestSupport
import Testing

/// One at a time: there is one layer that fails for the whole process.
@Suite(.serialized) struct FaultTests {
    private let turns: Turns
    private let options: StoreOptions

    init() throws {
        turns = try Turns(9)
        try #require(faultvfs_register())
        options = StoreOptions(node: try nodeName("n1"), system: unsafe String(cString: faultvfs_name))
    }

    /// Runs all turns on a new state while the call numbered `at` fails. Returns whether one did.
    private func run(failing at: Int, forEver: Bool) throws -> Bool {
        let scratch = try Scratch()
        let directory = scratch.state()
        faultvfs_fail(at, forEver)
        defer { faultvfs_fail(0, false) }
        var store: DocumentStore? = try? DocumentStore(directory: directory, options: options)
        var acknowledged = 0
        if let store {
            do {
                while acknowledged < turns.count {
                    try store.commit(turns.deltas[acknowledged])
                    acknowledged += 1
                    if acknowledged == 5 { try store.checkpointNow() }
                    if acknowledged == 7 {
                        _ = try store.retire(olderThanMilliseconds: 0, entriesMax: 1_000, rowsMax: 5)
                    }
                }
            } catch {
                // As long as it goes on failing, a new attempt may fail too, and must not harm.
                try? store.reopen()
                try? store.probe()
            }
        }
        let hasFailed = faultvfs_failures() > 0
        let context = "call \(at) (\(unsafe String(cString: faultvfs_failed()))), for ever: \(forEver)"
        faultvfs_fail(0, false)
        if store == nil {
            store = try DocumentStore(directory: directory, options: options)
        } else if hasFailed {
            try store?.reopen()
        }
        let open = try #require(store)
        let found = try turns.position(of: open, in: acknowledged...(acknowledged + 1))
        #expect(found.wrong == nil, "\(context)")
        for turn in found.turns..<turns.count { try open.commit(turns.deltas[turn]) }
        open.close()
        let again = try DocumentStore(directory: directory)
        let end = try turns.position(of: again, in: turns.count...turns.count)
        #expect(end.wrong == nil, "\(context)")
        again.close()
        #expect(try DocumentStore.check(directory).findings.isEmpty, "\(context)")
        return hasFailed
    }

    @Test(arguments: [false, true])
    func `whatever call fails, acknowledged turns are there and the rest goes on`(forEver: Bool) throws {
        // All of them where there is time; else a part that is another one each time.
        let step = isLong ? 1 : 9
        let first = 1 + Int.random(in: 0..<step)
        var call = first
        while try run(failing: call, forEver: forEver) { call += step }
        #expect(call > 200, "after \(call) calls nothing failed any more; began at \(first)")
    }

    @Test func `reading goes on while nothing can be written, and writing resumes by itself`() throws {
        let scratch = try Scratch()
        let store = try DocumentStore(directory: scratch.state(), options: options)
        try store.commit(turns.deltas[0])
        faultvfs_fail(1, true)
        #expect(throws: StoreFailure.self) { try store.commit(turns.deltas[1]) }
        #expect(throws: StoreFailure.self) { try store.reopen() }
        #expect(throws: StoreFailure.self) { try store.probe() }
        #expect(throws: StoreFailure.self) { try store.load(turns.names[0]) }
        faultvfs_fail(0, false)
        try store.probe()
        let found = try turns.position(of: store, in: 1...2)
        #expect(found.wrong == nil)
        for turn in found.turns..<turns.count { try store.commit(turns.deltas[turn]) }
        store.close()
    }

    @Test func `a power cut at any moment leaves every acknowledged turn, whole`() throws {
        let seed = freshSeed()
        let stride = isLong ? 1 : 7
        let scratch = try Scratch()
        let directory = scratch.state()
        let cuts = scratch.state("cuts")
        try #require(makeDirectory(cuts))
        let turns = try Turns(isLong ? 40 : 14)
        faultvfs_fail(0, false)
        unsafe faultvfs_cut(cuts, seed, stride, 1 + Int(seed % UInt64(stride)))
        var count = 0
        do {
            defer { count = faultvfs_end_cuts() }
            var store = try DocumentStore(directory: directory, options: options)
            for turn in 0..<turns.count {
                try store.commit(turns.deltas[turn])
                faultvfs_acknowledge(turn + 1)
                if turn % 5 == 2 { try store.checkpointNow() }
                if turn % 9 == 8 {
                    store.close()
                    store = try DocumentStore(directory: directory, options: options)
                }
            }
            store.close()
        }
        try #require(count > 20)
        for cut in 0..<count {
            let acknowledged = faultvfs_acknowledged(cut)
            let context = "cut \(cut) after \(acknowledged) turns, seed \(seed)"
            do {
                let store = try DocumentStore(directory: "\(cuts)/\(cut)")
                defer { store.close() }
                let found = try turns.position(of: store, in: acknowledged...(acknowledged + 1))
                #expect(found.wrong == nil, "\(context)")
                #expect(store.rowsSetAside == 0, "\(context)")
            } catch {
                Issue.record("\(context): \(error)")
            }
            #expect(try DocumentStore.check("\(cuts)/\(cut)").findings.isEmpty, "\(context)")
            Scratch.remove("\(cuts)/\(cut)")
        }
    }

    @Test func `a commit that is there though it failed can be made again, with what came after it`() throws {
        let scratch = try Scratch()
        let store = try DocumentStore(directory: scratch.path + "/state")
        defer { store.close() }
        let turns = try Turns(6)
        for deltas in turns.deltas.prefix(3) { try store.commit(deltas) }
        try store.commit(turns.deltas[2])
        var merged = turns.deltas[2]
        for place in merged.indices { merged[place].add(turns.deltas[3][place]) }
        try store.commit(merged)
        let found = try turns.position(of: store, in: 4...4)
        #expect(found.turns == 4 && found.wrong == nil)
        for name in turns.names {
            let page = try store.history(name, section: nil, before: nil, limit: 10, bytesMax: 1 << 20)
            #expect(page.entries.map(\.number) == [4, 3, 2, 1])
        }
    }
}
