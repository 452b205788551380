// Why this file exists: what the daemon keeps, behind a few calls. They block; they come from the store's own thread, one
// after the other.

import AccordionModel
import Causality
internal import Synchronization

package struct StoreOptions: Sendable {
    /// The name under which the daemon is to write; nil: the one that is stored, or a new one.
    package var node: NodeName?
    /// SQLite's name for the layer that reads and writes files; nil: the usual one. For tests that let it fail.
    package var system: String?

    package init(node: NodeName? = nil, system: String? = nil) {
        self.node = node
        self.system = system
    }
}

/// How a run of the daemon begins.
package struct StoreStart: Sendable, Equatable {
    /// The name under which this run writes.
    package let node: NodeName
    /// Counted from 1 in this state.
    package let run: UInt32
    /// Why the name is another one than before; nil where it is the same.
    package let renamedBecause: String?
}

/// A page of a document's history.
package struct HistoryPage: Sendable {
    /// Newest first.
    package var entries: [HistoryEntry] = []
    /// Rows that were damaged and left out.
    package var rowsSetAside = 0
}

package final class DocumentStore: Sendable {
    package let start: StoreStart
    private let state: Mutex<Opened>
    private let setAside: Atomic<Int>

    /// Opens the state in `directory`, which is made where there is none; takes the lock, brings the tables to the
    /// present and begins a run. Throws `.inUse`, `.damaged`, `.newerSchema`, `.unusable`.
    package init(directory: String, options: StoreOptions = StoreOptions()) throws(StoreFailure) {
        let opened = try Opened(directory, options)
        do throws(StoreFailure) {
            start = try Meta(opened.database).begin(options.node)
        } catch {
            opened.end()
            throw error
        }
        setAside = Atomic(opened.rowsSetAside)
        state = Mutex(opened)
    }

    /// One call at a time.
    func with<Value: Sendable>(
        _ body: (Opened) throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> Value {
        try state.withLock { (opened) throws(StoreFailure) in
            defer { setAside.store(opened.rowsSetAside, ordering: .relaxed) }
            return try body(opened)
        }
    }

    /// The file that holds everything, in the state's directory.
    package static let fileName = "accordion.db"

    /// The next documents after `name` (from the first where nil), deleted ones too, sorted by name, at most `limit`; none
    /// at the end. A damaged row whose name can be read is listed as existing, so that nothing is created in its place.
    package func outlines(after name: DocumentName? = nil, limit: Int = .max) throws(StoreFailure) -> [DocumentOutline]
    {
        try with { (opened) throws(StoreFailure) in try opened.outlines(after: name, limit: limit) }
    }

    /// Stores all of it, or throws and stores nothing.
    package func commit(_ deltas: [DocumentDelta]) throws(StoreFailure) {
        try with { (opened) throws(StoreFailure) in try opened.commit(deltas) }
    }

    /// A document, deleted or not; nil where there never was one.
    package func load(_ name: DocumentName) throws(StoreFailure) -> StoredDocument? {
        try with { (opened) throws(StoreFailure) in try opened.load(name) }
    }

    /// The newest entries with a lower number than `before`, at most `limit`, which together take about `bytesMax` at
    /// most; where `section` is given, those that turned it.
    package func history(
        _ name: DocumentName, section: SectionPath?, before: Int64?, limit: Int, bytesMax: Int
    ) throws(StoreFailure) -> HistoryPage {
        try with { (opened) throws(StoreFailure) in
            try opened.history(name, section: section, before: before, limit: limit, bytesMax: bytesMax)
        }
    }

    /// The newest state writes of one person at one daemon, newest first; content is none. Looks back over at most
    /// `Opened.ownRowsMax` turns.
    package func ownWrites(
        _ name: DocumentName, by person: String, node: NodeName, limit: Int
    ) throws(StoreFailure) -> [HistoryEntry] {
        try with { (opened) throws(StoreFailure) in
            try opened.ownWrites(name, by: person, node: node, limit: limit)
        }
    }

    /// Takes away history, oldest first, that is older than a moment or has `entriesMax` newer entries behind it; whole rows
    /// (a turn's), at most `rowsMax` of them. Returns how many.
    package func retire(
        olderThanMilliseconds: Int64, entriesMax: Int64, rowsMax: Int
    ) throws(StoreFailure) -> Int {
        try with { (opened) throws(StoreFailure) in
            try opened.retire(olderThan: olderThanMilliseconds, entriesMax: entriesMax, rowsMax: rowsMax)
        }
    }

    /// Closes and opens the database: what a failed commit has left in doubt is settled by what is on disk.
    package func reopen() throws(StoreFailure) {
        try with { (opened) throws(StoreFailure) in try opened.reopen() }
    }

    /// When there is nothing else to do: empties a log that has grown, as far as nobody reads from it.
    package func checkpoint() throws(StoreFailure) { try checkpoint(logBytesMax: 4 << 20) }

    /// A log of up to `logBytesMax` is left as it is.
    func checkpoint(logBytesMax: Int64) throws(StoreFailure) {
        try with { (opened) throws(StoreFailure) in try opened.checkpoint(logBytesMax) }
    }

    /// Commits something small, to see whether it can be; opens the database where a `reopen` has failed.
    package func probe() throws(StoreFailure) {
        try with { (opened) throws(StoreFailure) in try opened.probe() }
    }

    /// Notes that from now on answers may leave before what they rest on is stored. Without a `markCleanEnd` the next run
    /// takes a new name.
    package func markRelaxed() throws(StoreFailure) {
        try with { (opened) throws(StoreFailure) in try Meta(opened.database).set(.relaxed, 1) }
    }

    package func markCleanEnd() throws(StoreFailure) {
        try with { (opened) throws(StoreFailure) in try Meta(opened.database).set(.relaxed, 0) }
    }

    /// Damaged or missing rows met so far, those met again included. Waits for no call that is under way.
    package var rowsSetAside: Int { setAside.load(ordering: .relaxed) }

    /// Closes the database and lets go of the lock.
    package func close() { state.withLock { $0.end() } }
}

/// An open state: the lock, the database, and the statements that are used again and again.
final class Opened {
    let path: String
    let options: StoreOptions
    private let lock: LockFile?
    private(set) var database: Database
    /// The files that are open, by which they are known again.
    private let databaseFile: FileIdentity?
    private var logFile: FileIdentity?
    private var isClosed = false
    private var isEnded = false
    var rowsSetAside = 0
    var statements: [String: Statement] = [:]
    var packer = Packer()
    /// How many history entries were ever written, where that is known.
    var historyTotal: Int64?
    /// Why the last commit failed, until the database was opened anew.
    var lastFailure: StoreFailure.Kind?

    init(_ directory: String, _ options: StoreOptions) throws(StoreFailure) {
        try System.makeDirectory(directory)
        lock = try LockFile(in: directory)
        self.options = options
        path = directory + "/" + DocumentStore.fileName
        if !System.exists(path) {
            // A new and empty database must not take the place of a full one.
            for end in ["-wal", ".restoring"] where System.exists(path + end) {
                throw StoreFailure(
                    .damaged,
                    "\(path) is missing, but \(path + end) is there: a restore was interrupted, or files were moved. "
                        + "`accordiond --restore FILE` puts a backup in its place and keeps what is there")
            }
            _ = try System.make(path)
            try System.synchronise(directory)
        }
        databaseFile = System.identity(of: path)
        database = try Opened.open(path, options)
    }

    /// For reading alone, beside whoever writes.
    init(reading path: String) throws(StoreFailure) {
        lock = nil
        options = StoreOptions()
        self.path = path
        databaseFile = System.identity(of: path)
        database = try Database(path, .beside)
    }

    /// A file that nobody else knows of.
    init(alone path: String) throws(StoreFailure) {
        lock = nil
        options = StoreOptions()
        self.path = path
        databaseFile = System.identity(of: path)
        database = try Database(path, .readWrite)
    }

    private static func open(_ path: String, _ options: StoreOptions) throws(StoreFailure) -> Database {
        let database = try Database(path, .readWrite, system: options.system)
        do throws(StoreFailure) {
            try Migrations.examine(database)
            try database.run(
                """
                PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 2000;
                PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY;
                PRAGMA cell_size_check = ON
                """)
            guard try database.number("SELECT 1 FROM pragma_journal_mode WHERE journal_mode = 'wal'") == 1 else {
                throw StoreFailure(.unusable, "\(path) can't be opened in the WAL mode; is its file system local?")
            }
            try Migrations.run(database)
        } catch {
            database.close()
            throw error
        }
        return database
    }

    /// A statement compiled once.
    func statement(_ text: String) throws(StoreFailure) -> Statement {
        if let statement = statements[text] { return statement }
        let statement = try database.prepare(text)
        statements[text] = statement
        return statement
    }

    func reopen() throws(StoreFailure) {
        guard !isEnded else { throw StoreFailure(.unusable, "\(path) was closed") }
        if lastFailure == .untouched, !isClosed {
            lastFailure = nil
            return
        }
        // By its name somebody else's file would be opened.
        try ensureOwnDatabase()
        close()
        historyTotal = nil
        isClosed = true
        let opened = try Opened.open(path, options)
        // After a failed sync the log may show what is in memory only, and would lose it with the power: it counts as
        // stored once it has been copied out of the log and synced there. Where only room was lacking, nothing was
        // synced in vain, and there may be no room to copy it either.
        if lastFailure != .full {
            guard try opened.emptyLog() else {
                throw StoreFailure(
                    .unusable,
                    "\(path): what a failed write has left can't be settled while another program uses the database, "
                        + "such as a backup")
            }
        }
        lastFailure = nil
        database = opened
        isClosed = false
        logFile = nil
    }

    // MARK: - Whose files

    /// Throws where the files by their names are not those that are open: what is written would be lost, or somebody else
    /// has begun to use the state.
    func ensureOwnFiles() throws(StoreFailure) {
        try ensureOwnDatabase()
        if let lock, !lock.isInPlace {
            throw StoreFailure(
                .untouched,
                "\(lock.path) was removed or replaced, so that another daemon may use the state; nothing is written until "
                    + "this one is started anew")
        }
        if let logFile, System.identity(of: path + "-wal") != logFile {
            throw StoreFailure(.unusable, "\(path)-wal was removed or replaced while it was in use")
        }
    }

    private func ensureOwnDatabase() throws(StoreFailure) {
        guard System.identity(of: path) == databaseFile else {
            throw StoreFailure(
                .untouched,
                "\(path) was removed or replaced while it was in use; nothing is written until it is back or the daemon is "
                    + "started anew")
        }
    }

    /// The log is made by the first write, and again after each opening.
    func noteLogFile() { if logFile == nil { logFile = System.identity(of: path + "-wal") } }

    /// Opens the database where a `reopen` has failed.
    func ensureOpen() throws(StoreFailure) { if isClosed { try reopen() } }

    func probe() throws(StoreFailure) {
        try ensureOpen()
        try ensureOwnFiles()
        try database.transaction { () throws(StoreFailure) in
            let meta = Meta(database)
            try meta.set(.missing, try meta.number(.missing) ?? 0)
        }
    }

    func checkpoint(_ logBytesMax: Int64) throws(StoreFailure) {
        if System.size(of: path + "-wal") > logBytesMax { _ = try database.emptyLog() }
    }

    func close() {
        statements = [:]
        database.close()
    }

    /// Closes, and lets another daemon in.
    func end() {
        isEnded = true
        close()
        lock?.release()
    }
}
