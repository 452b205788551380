// Why this file exists: two daemons that write to one state would each be sure of what the other has overwritten. The first
// one holds a lock that ends with its process, however that ends; the second one is told who is first.

internal import Glibc

/// A lock on a directory, held until it is let go.
final class LockFile {
    let path: String
    private var descriptor: Int32

    init(in directory: String) throws(StoreFailure) {
        let path = directory + "/lock"
        let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else {
            throw StoreFailure(.unusable, "\(path) can't be opened: \(System.message(errno))")
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let process = LockFile.owner(opened)
            _ = Glibc.close(opened)
            guard code == EWOULDBLOCK else {
                throw StoreFailure(.unusable, "\(path) can't be locked: \(System.message(code))")
            }
            let who = process.map { "the process \($0)" } ?? "another process"
            throw StoreFailure(.inUse(process: process), "the state in \(directory) is in use by \(who)")
        }
        self.path = path
        descriptor = opened
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = unsafe text.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit { release() }

    /// Whether the file of that name is still the one that is locked.
    var isInPlace: Bool { System.identity(of: path) == System.identity(of: descriptor) }

    func release() {
        // A process that is just being started holds the descriptor too, until its exec.
        _ = flock(descriptor, LOCK_UN)
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }

    private static func owner(_ descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self))
    }
}
