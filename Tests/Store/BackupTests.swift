// Why this file exists: a backup is trusted on the worst day. It must be one moment of the state, taken while turns go on, and
// come back whole or not at all.

import AccordionModel
import Causality
import Glibc
import Store
import Synchronization
import TestSupport
import Testing

/// Commits turns on a thread of its own until it is told to stop.
private final class Busy: Sendable {
    private let isStopped = Atomic(false)
    private let done = Atomic(0)
    private let store: DocumentStore
    private let turns: Turns

    init(_ store: DocumentStore, _ turns: Turns) {
        self.store = store
        self.turns = turns
    }

    /// How many turns are stored.
    var count: Int { done.load(ordering: .acquiring) }

    func run() throws {
        for delta in turns.deltas {
            if isStopped.load(ordering: .acquiring) { return }
            try store.commit(delta)
            done.add(1, ordering: .releasing)
        }
    }

    func stop() { isStopped.store(true, ordering: .releasing) }

    /// Waits until so many more turns are stored, or all.
    func waitForMore(_ more: Int) async {
        let wanted = min(count + more, turns.count)
        while count < wanted { await Task.yield() }
    }
}

@Suite struct BackupTests {
    let scratch: Scratch
    let directory: String
    let copy: String
    var file: String { directory + "/" + DocumentStore.fileName }

    init() throws {
        scratch = try Scratch()
        directory = scratch.state()
        copy = scratch.state("copy.db")
    }

    private func fill(_ count: Int, _ name: String = "n1") throws -> Turns {
        let turns = try Turns(count)
        let store = try DocumentStore(directory: directory, options: StoreOptions(node: try nodeName(name)))
        for delta in turns.deltas { try store.commit(delta) }
        store.close()
        return turns
    }

    @Test func `backups taken while turns are stored are each the state after one of them`() async throws {
        let turns = try Turns(isLong ? 900 : 300)
        let store = try DocumentStore(directory: directory)
        let busy = Busy(store, turns)
        let work = Task.detached { try busy.run() }
        var places: [ClosedRange<Int>] = []
        for number in 0..<5 {
            await busy.waitForMore(20)
            let before = busy.count
            try DocumentStore.backup(directory, to: "\(copy)-\(number)")
            // One turn may be stored and not counted yet.
            places.append(before...(busy.count + 1))
        }
        busy.stop()
        try await work.value
        store.close()
        for (number, place) in places.enumerated() {
            let target = scratch.state("restored-\(number)")
            #expect(try DocumentStore.restore(target, from: "\(copy)-\(number)") == nil)
            let restored = try DocumentStore(directory: target)
            let found = try turns.position(of: restored, in: place)
            #expect(found.wrong == nil, "backup \(number)")
            restored.close()
        }
    }

    @Test func `a backup is never written over a file, and leaves nothing else behind`() throws {
        _ = try fill(3)
        try Scratch.write([1, 2, 3], to: copy)
        #expect(throws: StoreFailure.self) { try DocumentStore.backup(directory, to: copy) }
        #expect(try Scratch.contents(copy) == [1, 2, 3])
        #expect(throws: StoreFailure.self) { try DocumentStore.backup(directory, to: scratch.path + "/no/where") }
        #expect(throws: StoreFailure.self) { try DocumentStore.backup(scratch.state("nothing"), to: copy + "2") }
        try DocumentStore.backup(directory, to: scratch.state("good"))
        #expect(Scratch.names(in: scratch.path) == ["copy.db", "good", "state"])
    }

    @Test func `what comes back is what was copied, under a new name, and the former state is kept`() throws {
        let turns = try fill(5)
        try DocumentStore.backup(directory, to: copy)
        let later = try Turns(9)
        let store = try DocumentStore(directory: directory)
        for delta in later.deltas[5...] { try store.commit(delta) }
        // While it runs nothing comes back.
        do {
            _ = try DocumentStore.restore(directory, from: copy)
            Issue.record("restored under a running daemon")
        } catch { #expect((error as StoreFailure).kind == .inUse(process: getpid())) }
        store.close()

        let kept = try #require(try DocumentStore.restore(directory, from: copy))
        #expect(kept == file + ".before-1")
        let restored = try DocumentStore(directory: directory)
        let found = try turns.position(of: restored, in: 5...5)
        #expect(found.wrong == nil)
        #expect(restored.start.node.description.hasPrefix("n1~") && restored.start.renamedBecause != nil)
        restored.close()
        // Only once, and each former state has a place of its own.
        let again = try DocumentStore(directory: directory)
        #expect(again.start.node == restored.start.node)
        again.close()
        #expect(try DocumentStore.restore(directory, from: kept) == file + ".before-2")
        let back = try DocumentStore(directory: directory)
        let end = try later.position(of: back, in: 9...9)
        #expect(end.wrong == nil)
        back.close()
    }

    @Test func `after a restore every name that is given gets a suffix, since it may have been used`() throws {
        _ = try fill(2)
        try DocumentStore.backup(directory, to: copy)
        for name in ["n2", "n3"] {
            let store = try DocumentStore(directory: directory, options: StoreOptions(node: try nodeName(name)))
            #expect(store.start.node.description == name)
            store.close()
        }
        _ = try DocumentStore.restore(directory, from: copy)
        for name in ["n1", "n2", "n3"] {
            let store = try DocumentStore(directory: directory, options: StoreOptions(node: try nodeName(name)))
            #expect(store.start.node.description.hasPrefix(name + "~"))
            store.close()
        }
    }

    @Test func `a backup that is damaged, or none, changes nothing`() throws {
        _ = try fill(3)
        try DocumentStore.backup(directory, to: copy)
        let bytes = try Scratch.contents(file)
        try sql(copy, "UPDATE flag SET checksum = checksum + 1")
        let text = scratch.state("text")
        try Scratch.write(Array("no database".utf8), to: text)
        let foreign = scratch.state("foreign")
        try Scratch.write([], to: foreign)
        try sql(foreign, "CREATE TABLE document (id INTEGER)")
        for bad in [copy, text, foreign, scratch.state("nothing")] {
            #expect(throws: StoreFailure.self, "\(bad)") { try DocumentStore.restore(directory, from: bad) }
        }
        #expect(try Scratch.contents(file) == bytes)
        #expect(Scratch.names(in: directory).allSatisfy { !$0.contains("restoring") && !$0.contains("before") })
    }

    @Test func `a restore that was interrupted at any step is ended by the next one`() throws {
        let turns = try fill(5)
        try DocumentStore.backup(directory, to: copy)
        let log: [UInt8] = [7, 7, 7]
        // As an interruption leaves them: which of the database, its log and the new one are in their places.
        for (hasDatabase, hasLog) in [(true, true), (false, true), (false, false)] {
            let place = scratch.state("interrupted-\(hasDatabase)-\(hasLog)")
            try #require(makeDirectory(place))
            let target = place + "/" + DocumentStore.fileName
            try Scratch.write(try Scratch.contents(copy), to: target + ".restoring")
            try Scratch.write([1], to: hasDatabase ? target : target + ".before-1")
            if hasLog { try Scratch.write(log, to: target + "-wal") }
            if !hasDatabase {
                #expect(throws: StoreFailure.self) { try DocumentStore(directory: place) }
                #expect(!Scratch.exists(target))
            }
            _ = try DocumentStore.restore(place, from: copy)
            let restored = try DocumentStore(directory: place)
            let found = try turns.position(of: restored, in: 5...5)
            #expect(found.wrong == nil)
            restored.close()
            #expect(try Scratch.contents(target + ".before-1") == [1])
            if hasLog { #expect(try Scratch.contents(target + ".before-1-wal") == log) }
        }
    }
}

extension BackupTests {
    @Test func `what a backup that was killed has left is taken over by the next`() throws {
        let turns = try fill(5)
        let stale = copy + ".unfinished"
        let descriptor = unsafe open(stale, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(unsafe write(descriptor, "SQLite format 3\0and a part of it", 32) == 32)
        close(descriptor)
        try DocumentStore.backup(directory, to: copy)
        #expect(unsafe access(stale, F_OK) != 0)
        let restored = scratch.state("other")
        _ = try DocumentStore.restore(restored, from: copy)
        let store = try DocumentStore(directory: restored)
        #expect(try turns.position(of: store, in: 5...5).wrong == nil)
        store.close()
    }

    @Test func `a file of that name that is no backup, or one that is being written, is left alone`() throws {
        _ = try fill(2)
        let other = copy + ".unfinished"
        let descriptor = unsafe open(other, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX) == 0)
        #expect(throws: StoreFailure(.refused, "\(other) is being written by another backup")) {
            try DocumentStore.backup(directory, to: copy)
        }
        #expect(flock(descriptor, LOCK_UN) == 0)
        #expect(unsafe write(descriptor, "a user's notes", 14) == 14)
        #expect(throws: StoreFailure(.refused, "\(other) is there and no unfinished backup; it was left alone")) {
            try DocumentStore.backup(directory, to: copy)
        }
        #expect(lseek(descriptor, 0, SEEK_END) == 14)
    }

    @Test func `what can't be a backup is refused by its own name`() throws {
        let (pipe, folder) = (scratch.state("pipe"), scratch.state("folder"))
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        #expect(unsafe mkdir(folder, 0o700) == 0)
        for path in [pipe, folder] {
            #expect(throws: StoreFailure(.refused, "\(path) is no file that can be restored")) {
                try DocumentStore.restore(directory, from: path)
            }
        }
        let rubbish = scratch.state("rubbish")
        let descriptor = unsafe open(rubbish, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(
            unsafe write(descriptor, "neither text nor table, and longer than a header is, so that it is read", 64)
                == 64)
        close(descriptor)
        #expect(
            throws: StoreFailure(.refused, "\(rubbish) is no backup of accordiond, or is cut off; nothing was changed")
        ) {
            try DocumentStore.restore(directory, from: rubbish)
        }
    }
}
