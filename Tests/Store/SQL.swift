// Why this file exists: tests do to the file what no code of the store would: rows taken out, values changed.

@testable import Store

extension DocumentStore {
    /// A checkpoint whatever the size of the log.
    func checkpointNow() throws(StoreFailure) { try checkpoint(logBytesMax: 0) }
}

/// Runs one statement on a file that nobody has open, and returns its first number; 0 where it has none.
@discardableResult
func sql(_ file: String, _ text: String) throws -> Int64 {
    let database = try Database(file, .readWrite)
    defer { database.close() }
    return try database.number(text) ?? 0
}
