// Why this file exists: the few things that are done to files beside the database itself.

internal import Glibc

/// A file, whatever its names are.
struct FileIdentity: Equatable {
    fileprivate let device: dev_t
    fileprivate let number: ino_t

    fileprivate init(_ status: stat) { (device, number) = (status.st_dev, status.st_ino) }
}

enum System {
    /// Nil where there is no file of that name.
    static func identity(of path: String) -> FileIdentity? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? FileIdentity(status) : nil
    }

    static func identity(of descriptor: Int32) -> FileIdentity? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? FileIdentity(status) : nil
    }

    static func isRegularFile(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    static func message(_ code: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        _ = unsafe strerror_r(code, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Makes a directory, and those above it, for the daemon's user alone.
    static func makeDirectory(_ path: String) throws(StoreFailure) {
        if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let code = errno
        if code == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeDirectory(above: path)
            if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        }
        throw StoreFailure(.unusable, "the directory \(path) can't be made: \(message(code))")
    }

    /// From the top down, so that a long path costs no deep call.
    private static func makeDirectory(above path: String) throws(StoreFailure) {
        for (place, byte) in zip(path.indices, path) where byte == "/" && place != path.startIndex {
            let part = String(path[..<place])
            guard unsafe mkdir(part, 0o755) == 0 || errno == EEXIST else {
                throw StoreFailure(.unusable, "the directory \(part) can't be made: \(message(errno))")
            }
        }
    }

    static func isFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }

    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// In bytes; 0 where there is no such file.
    static func size(of path: String) -> Int64 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    static func remove(_ path: String) { _ = unsafe unlink(path) }

    static func rename(_ old: String, to new: String) throws(StoreFailure) {
        guard unsafe Glibc.rename(old, new) == 0 else {
            throw StoreFailure(.unusable, "\(old) can't be renamed to \(new): \(message(errno))")
        }
    }

    /// Gives a file a second name.
    static func link(_ old: String, to new: String) throws(StoreFailure) {
        guard unsafe Glibc.link(old, new) == 0 else {
            throw StoreFailure(.unusable, "\(old) can't be kept as \(new): \(message(errno))")
        }
    }

    /// An empty file for the daemon's user alone; false where there is one already. SQLite gives what it puts beside a
    /// database the database's mode.
    static func make(_ path: String) throws(StoreFailure) -> Bool {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0, errno == EEXIST { return false }
        guard descriptor >= 0 else { throw StoreFailure(.unusable, "\(path) can't be made: \(message(errno))") }
        _ = Glibc.close(descriptor)
        return true
    }

    /// Makes sure that a file or a directory is on disk.
    static func synchronise(_ path: String) throws(StoreFailure) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreFailure(.unusable, "\(path) can't be opened: \(message(errno))") }
        defer { _ = Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw StoreFailure(.unusable, "\(path) can't be brought to disk: \(message(errno))")
        }
    }

    /// Copies a file to one that must not exist.
    static func copy(_ source: String, to target: String) throws(StoreFailure) {
        let reading = unsafe open(source, O_RDONLY | O_CLOEXEC)
        guard reading >= 0 else { throw StoreFailure(.unusable, "\(source) can't be read: \(message(errno))") }
        defer { _ = Glibc.close(reading) }
        let writing = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard writing >= 0 else { throw StoreFailure(.unusable, "\(target) can't be made: \(message(errno))") }
        defer { _ = Glibc.close(writing) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(reading, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw StoreFailure(.unusable, "\(source) can't be read: \(message(errno))") }
            if count == 0 { return }
            var done = 0
            while done < count {
                let rest = buffer[done..<count]
                let written = unsafe rest.withUnsafeBytes { unsafe write(writing, $0.baseAddress, $0.count) }
                guard written > 0 else {
                    throw StoreFailure(.unusable, "\(target) can't be written: \(message(errno))")
                }
                done += written
            }
        }
    }

    /// The directory of a path.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
