// Why this file exists: another program may hold the daemon's database. What SQLite does then is one lock on one byte, by its
// documented format of the WAL index; so a test takes it without a second SQLite.

import Glibc
import TestSupport

/// Holds the lock of a writer on a database in the WAL mode until it is let go.
final class DatabaseHolder {
    /// WAL_WRITE_LOCK of the WAL index.
    private static let writeLockPlace: off_t = 120
    private var descriptor: Int32

    init(_ database: String) throws {
        descriptor = unsafe open(database + "-shm", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw TookTooLong(description: "\(database) has no index of a log") }
        let held = descriptor
        try until("nobody writes") {
            var lock = flock(
                l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: Self.writeLockPlace, l_len: 1, l_pid: 0)
            return unsafe fcntl(held, F_SETLK, &lock) == 0
        }
    }

    deinit { letGo() }

    func letGo() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}
