// Why this file exists: a backup that is killed leaves its unfinished file behind. The next one must be able to tell that
// from one that is being written, or nightly backups would stop for ever after one crash.

internal import Glibc

/// The file that a backup is being written to, which nobody else writes until it is let go.
final class UnfinishedFile {
    private var descriptor: Int32

    /// Makes it, or takes over what a backup that ended before its time has left. Throws `.refused` where another backup is
    /// being written to it, or where it is no such file.
    init(_ path: String) throws(StoreFailure) {
        let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard opened >= 0 else { throw StoreFailure(.unusable, "\(path) can't be made: \(System.message(errno))") }
        descriptor = opened
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            throw StoreFailure(.refused, "\(path) is being written by another backup")
        }
        guard System.isRegularFile(path), UnfinishedFile.isOurs(opened), ftruncate(opened, 0) == 0 else {
            throw StoreFailure(.refused, "\(path) is there and no unfinished backup; it was left alone")
        }
        System.remove(path + "-journal")
    }

    deinit { release() }

    func release() {
        _ = flock(descriptor, LOCK_UN)
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Whether it is empty, or begins as every database does.
    private static func isOurs(_ descriptor: Int32) -> Bool {
        let beginning = Array("SQLite format 3\0".utf8)
        var bytes = [UInt8](repeating: 0, count: beginning.count)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        return count == 0 || bytes == beginning
    }
}
