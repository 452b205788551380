// Why this file exists: values go into SQL only by binding and come out only as what they are; and this is the one place
// where that takes pointers.

internal import CSQLite

/// A compiled statement, to be used again and again. Places are counted from 1, columns from 0, as SQLite does.
@safe final class Statement {
    private let handle: OpaquePointer
    private let database: Database

    @unsafe init(_ handle: OpaquePointer, _ database: Database) {
        unsafe self.handle = handle
        self.database = database
    }

    deinit { unsafe sqlite3_finalize(handle) }

    // MARK: - In

    func bind(_ place: Int32, _ value: Int64) throws(StoreFailure) {
        try check(unsafe sqlite3_bind_int64(handle, place, value))
    }

    func bind(_ place: Int32, _ text: String) throws(StoreFailure) {
        var text = text
        let result = text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) {
                unsafe accordion_bind_text(handle, place, $0.baseAddress, UInt64($0.count))
            }
        }
        try check(result)
    }

    /// `nil` is NULL.
    func bind(_ place: Int32, _ bytes: [UInt8]?) throws(StoreFailure) {
        guard let bytes else { return try check(unsafe sqlite3_bind_null(handle, place)) }
        try check(
            unsafe bytes.withUnsafeBytes { unsafe accordion_bind_blob(handle, place, $0.baseAddress, UInt64($0.count)) }
        )
    }

    func bind(_ place: Int32, _ bytes: Span<UInt8>) throws(StoreFailure) {
        try check(
            unsafe bytes.withUnsafeBytes { unsafe accordion_bind_blob(handle, place, $0.baseAddress, UInt64($0.count)) }
        )
    }

    // MARK: - Running

    /// Goes to the next row; false where there is none. After the last one the statement can be bound and run again.
    func step() throws(StoreFailure) -> Bool {
        let result = unsafe sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        unsafe sqlite3_reset(handle)
        guard result == SQLITE_DONE else { throw database.failure(result, "failed") }
        return false
    }

    /// Runs a statement that returns no row.
    func run() throws(StoreFailure) { while try step() {} }

    /// Ends the reading of rows before the last, and lets go of what was bound.
    func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    private func check(_ result: Int32) throws(StoreFailure) {
        guard result == SQLITE_OK else { throw database.failure(result, "failed") }
    }

    // MARK: - Out

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// What is no UTF-8 in a damaged row is repaired; its checksum tells.
    func text(_ column: Int32) -> String {
        guard let bytes = unsafe sqlite3_column_text(handle, column) else { return "" }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func blob(_ column: Int32) -> [UInt8] {
        guard let bytes = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
