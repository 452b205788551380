// Why this file exists: one connection to SQLite, opened as this daemon needs it, and every error of it as one type.

internal import CSQLite

/// An open database. Used by one thread at a time.
@safe final class Database {
    let path: String
    private var handle: OpaquePointer?

    enum Access {
        /// A file that is there, to be written.
        case readWrite
        /// One that is there and may be written by somebody else: nothing is left behind on closing.
        case beside
        /// One that nobody writes.
        case readOnly
    }

    /// `system` names the layer below SQLite that reads and writes files; nil: the usual one.
    init(_ path: String, _ access: Access, system: String? = nil) throws(StoreFailure) {
        self.path = path
        let mode = access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let flags = mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
        let result = unsafe sqlite3_open_v2(path, &handle, flags, system)
        guard result == SQLITE_OK else {
            let failure = failure(result, "can't be opened")
            close()
            throw failure
        }
        _ = unsafe accordion_distrust_schema(handle)
        if access == .beside { _ = unsafe accordion_keep_log(handle) }
        // Whoever else has the database open has no business writing: all clients wait meanwhile, so not for long.
        unsafe sqlite3_busy_timeout(handle, access == .beside ? 10_000 : 1_000)
    }

    deinit { close() }

    func close() {
        if unsafe handle != nil { unsafe sqlite3_close_v2(handle) }
        unsafe handle = nil
    }

    /// Compiles one statement.
    func prepare(_ text: String) throws(StoreFailure) -> Statement {
        var statement: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(
            handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard result == SQLITE_OK, let compiled = unsafe statement else { throw failure(result, "can't be read") }
        return unsafe Statement(compiled, self)
    }

    /// Runs statements that return nothing of interest.
    func run(_ text: String) throws(StoreFailure) {
        let result = unsafe sqlite3_exec(handle, text, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result, "can't be written") }
    }

    /// The first column of the first row, as a number.
    func number(_ text: String) throws(StoreFailure) -> Int64? {
        let statement = try prepare(text)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Moves the log into the database, brings that to disk and empties the log. False where somebody still reads from it.
    func emptyLog() throws(StoreFailure) -> Bool {
        let result = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        if result & 0xFF == SQLITE_BUSY { return false }
        guard result == SQLITE_OK else { throw failure(result, "can't be brought up to date with its log") }
        return true
    }

    var lastRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Runs `body` as one transaction: all of it, or nothing.
    func transaction(_ body: () throws(StoreFailure) -> Void) throws(StoreFailure) {
        try run("BEGIN IMMEDIATE")
        do throws(StoreFailure) {
            try body()
            try run("COMMIT")
        } catch {
            if isInTransaction {
                do throws(StoreFailure) { try run("ROLLBACK") } catch { close() }
            }
            throw error
        }
    }

    func failure(_ code: Int32, _ what: String) -> StoreFailure {
        guard let open = unsafe handle else { return StoreFailure(.unusable, "\(path) \(what): it is not open") }
        var text = unsafe String(cString: sqlite3_errmsg(open))
        let reason = unsafe sqlite3_system_errno(open)
        if code & 0xFF != SQLITE_CORRUPT, reason != 0 { text += ", \(System.message(reason))" }
        let place = "\(path) \(what): \(text) (\(code))"
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: return StoreFailure(.untouched, place)
        case SQLITE_FULL: return StoreFailure(.full, place)
        case SQLITE_IOERR where System.isFull(reason): return StoreFailure(.full, place)
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            return StoreFailure(
                .damaged,
                "\(place). Nothing was changed. Copy the directory first; `accordiond --check` says what is damaged, "
                    + "`accordiond --restore FILE` takes a backup in its place")
        default: return StoreFailure(.unusable, place)
        }
    }
}
