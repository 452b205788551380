// Why this file exists: who may open a state, under which name it then writes, and what is left alone.

import AccordionModel
import Causality
import Glibc
import Store
import TestSupport
import Testing

/// What opening a state fails with; nil where it does not fail.
private func failure(opening directory: String, _ options: StoreOptions = StoreOptions()) -> StoreFailure? {
    do throws(StoreFailure) {
        try DocumentStore(directory: directory, options: options).close()
        return nil
    } catch {
        return error
    }
}

@Suite struct OpeningTests {
    let scratch: Scratch
    let directory: String
    var file: String { directory + "/" + DocumentStore.fileName }

    init() throws {
        scratch = try Scratch()
        directory = scratch.state("one/two")
    }

    /// Opens, does something, closes; returns how the run began.
    @discardableResult
    private func run(
        _ name: String? = nil, _ body: (DocumentStore) throws -> Void = { _ in }
    ) throws -> StoreStart {
        let store = try DocumentStore(directory: directory, options: StoreOptions(node: try name.map(nodeName)))
        try body(store)
        store.close()
        return store.start
    }

    @Test func `a second daemon is refused and told who is first, until that one ends`() throws {
        let first = try DocumentStore(directory: directory)
        #expect(failure(opening: directory)?.kind == .inUse(process: getpid()))
        #expect(failure(opening: directory)?.message.contains("\(getpid())") == true)
        first.close()
        #expect(failure(opening: directory) == nil)
    }

    @Test func `nobody else can read the files`() throws {
        let former = umask(0)
        defer { _ = umask(former) }
        try run { store in
            let files = Scratch.names(in: directory)
            #expect(files == ["accordion.db", "accordion.db-shm", "accordion.db-wal", "lock"])
            for file in files { #expect(Scratch.mode(directory + "/" + file) == 0o600, "\(file)") }
            try DocumentStore.backup(directory, to: scratch.state("copy"))
        }
        #expect(Scratch.mode(directory) == 0o700)
        #expect(Scratch.mode(scratch.state("copy")) == 0o600)
    }

    @Test func `a name is made once and kept, and runs are counted`() throws {
        let first = try run()
        #expect(first.node.description.utf8.count == 8 && first.run == 1 && first.renamedBecause == nil)
        let second = try run()
        #expect(second.node == first.node && second.run == 2 && second.renamedBecause == nil)
    }

    @Test func `a given name is taken, changed and taken again while nothing was ever lost`() throws {
        for name in ["n1", "n1", "n2", "n1"] {
            let start = try run(name)
            #expect(start.node.description == name && start.renamedBecause == nil)
        }
    }

    @Test func `a run that was relaxed and did not end cleanly makes the next one take a new name`() throws {
        try run("n1") { try $0.markRelaxed() }
        let after = try run("n1")
        #expect(after.node.description.hasPrefix("n1~") && after.node.description.utf8.count == 11)
        #expect(after.renamedBecause != nil)
        // The new name stays, as does the reason for every other name to get a suffix.
        #expect(try run("n1").node == after.node)
        #expect(try run("n2").node.description.hasPrefix("n2~"))
        let back = try run("n1").node
        #expect(back.description.hasPrefix("n1~") && back != after.node)
    }

    @Test func `a clean end after relaxed running keeps the name`() throws {
        try run("n1") { store in
            try store.markRelaxed()
            try store.markCleanEnd()
        }
        #expect(try run("n1").renamedBecause == nil)
    }

    @Test func `the longest name still gets a suffix of its own`() throws {
        let longest = String(repeating: "z", count: NodeName.bytesMax)
        try run(longest) { try $0.markRelaxed() }
        let node = try run(longest).node.description
        #expect(node.utf8.count == NodeName.bytesMax && node.contains("~"))
    }

    @Test func `names and counts that are damaged or gone are not believed`() throws {
        let changes = [
            "UPDATE meta SET value = 'n2' WHERE key = 'node'", "DELETE FROM meta WHERE key = 'node'",
            "UPDATE meta SET value = '9223372036854775807' WHERE key = 'run'", "DELETE FROM meta WHERE key = 'relaxed'",
            "UPDATE meta SET checksum = checksum + 1 WHERE key = 'restored'", "DELETE FROM meta",
        ]
        try run("n1") { try $0.commit([.whole(try documentName("a"), try RandomStates(seed: 1).fixed())]) }
        var runs: Set<UInt32> = [1]
        for change in changes {
            try sql(file, change)
            let start = try run("n1")
            #expect(start.node.description.hasPrefix("n1~") && start.renamedBecause != nil, "\(change)")
            #expect(runs.insert(start.run).inserted, "\(change)")
            #expect(try run("n1").node == start.node)
            runs.insert(start.run + 1)
        }
    }

    @Test func `a missing document makes the next run take a new name, and its number is given to no other`() throws {
        let names = try ["a", "b"].map(documentName)
        try run("n1") { store in
            for name in names { try store.commit([.whole(name, try RandomStates(seed: 1).fixed())]) }
        }
        try sql(file, "DELETE FROM document WHERE name = 'b'")
        let state = try RandomStates(seed: 2).fixed()
        let start = try run("n1") { store in
            #expect(try store.outlines().map(\.name) == [names[0]])
            #expect(store.rowsSetAside == 1)
            try store.commit([.whole(names[1], state)])
            let stored = try #require(try store.load(names[1]))
            #expect(differences(stored.state, state).isEmpty)
        }
        #expect(start.renamedBecause != nil)
        #expect(try run("n1").node == start.node)
    }

    @Test func `a file of a later release, and one of another program, are refused and not changed`() throws {
        try run()
        let newer = try sql(file, "PRAGMA user_version") + 1
        try sql(file, "PRAGMA user_version = \(newer)")
        // As a backup would bring it: no log that could hide a change.
        try sql(file, "PRAGMA journal_mode = DELETE")
        var bytes = try Scratch.contents(file)
        #expect(failure(opening: directory)?.kind == .newerSchema)
        #expect(try Scratch.contents(file) == bytes)

        try sql(file, "PRAGMA user_version = \(newer - 1)")
        try sql(file, "PRAGMA application_id = 7")
        bytes = try Scratch.contents(file)
        #expect(failure(opening: directory)?.kind == .refused)
        #expect(try Scratch.contents(file) == bytes)
    }

    @Test func `what is no database is refused and not changed`() throws {
        try run()
        let bytes = Array("this is no database, but as long as one of them begins with".utf8)
        let text = (0..<100).flatMap { _ in bytes }
        try Scratch.write(text, to: file)
        let refused = try #require(failure(opening: directory))
        #expect(refused.kind == .damaged)
        for word in ["--check", "--restore", file] { #expect(refused.message.contains(word)) }
        #expect(try Scratch.contents(file) == text)
    }

    @Test func `where a database is gone and its log is not, no empty one takes its place`() throws {
        try run()
        for end in ["-wal", ".restoring"] {
            try Scratch.write([1], to: file + end)
            _ = unsafe unlink(file)
            #expect(failure(opening: directory)?.kind == .damaged)
            #expect(!Scratch.exists(file))
            _ = unsafe unlink(file + end)
        }
        #expect(failure(opening: directory) == nil)
    }

    @Test func `a closed store refuses everything`() throws {
        let store = try DocumentStore(directory: directory)
        store.close()
        store.close()
        #expect(throws: StoreFailure.self) { try store.outlines() }
        #expect(throws: StoreFailure.self) {
            try store.commit([.whole(documentName("a"), RandomStates(seed: 1).fixed())])
        }
        #expect(throws: StoreFailure.self) { try store.probe() }
        #expect(throws: StoreFailure.self) { try store.reopen() }
    }
}

extension RandomStates {
    /// The state that follows from the seed.
    func fixed() throws -> SharedState {
        var states = self
        return try states.state()
    }
}
