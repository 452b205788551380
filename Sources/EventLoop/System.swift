// Why this file exists: every call to the system that is not libuv's stands here, once, with its error turned into a value.
// What is above it needs no pointer and no `errno`.

internal import CLibuv
internal import Glibc

enum System {
    static func message(_ code: Int32) -> String {
        if code < 0 { return unsafe String(cString: gai_strerror(code)) }
        var text = [CChar](repeating: 0, count: 128)
        _ = unsafe uv_strerror_r(-code, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    /// A write to a connection that the other side has closed is an error here, not the end of the process.
    static func ignoreBrokenPipe() { _ = signal(SIGPIPE, SIG_IGN) }

    /// Whoever started us may have blocked signals, and the mask is inherited: a program that is told to end must hear it.
    static func unblock(_ signal: Int32) {
        var one = sigset_t()
        unsafe sigemptyset(&one)
        unsafe sigaddset(&one, signal)
        unsafe pthread_sigmask(SIG_UNBLOCK, &one, nil)
    }

    /// Signals of the process are the loop's; a thread of our own takes none.
    static func blockSignals() {
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
    }

    static var wallMilliseconds: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    static func pause(milliseconds: Int) {
        var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        _ = unsafe nanosleep(&time, nil)
    }

    /// Nil if the system has no name for the number; an error if it could not be asked.
    static func userName(_ user: uid_t) throws(SystemError) -> String? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var text = [CChar](repeating: 0, count: 1024)
        var result: Int32
        repeat {
            result = unsafe getpwuid_r(user, &entry, &text, text.count, &found)
            if result == ERANGE { text = [CChar](repeating: 0, count: text.count * 2) }
        } while result == EINTR || (result == ERANGE && text.count < 1 << 20)
        guard let found = unsafe found else {
            // Some databases say in these words that there is no such user.
            guard [0, ENOENT, ESRCH, EBADF, EPERM].contains(result) else { throw SystemError("getpwuid_r", result) }
            return nil
        }
        return unsafe String(cString: found.pointee.pw_name)
    }

    // MARK: Files

    /// Which file a path names: two paths with the same numbers are the same file.
    struct FileIdentity: Equatable {
        let device: dev_t
        let inode: ino_t
        let isSocket: Bool
    }

    /// Nil if there is no such file. A symbolic link is not followed.
    static func identity(of path: String) throws(SystemError) -> FileIdentity? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw SystemError("lstat", errno)
        }
        return FileIdentity(
            device: status.st_dev, inode: status.st_ino, isSocket: status.st_mode & S_IFMT == S_IFSOCK)
    }

    /// Makes the directory with exactly this mode unless it is there. Its parent must exist.
    /// Returns whether it was not there.
    static func makeDirectory(_ path: String, mode: mode_t) throws(SystemError) -> Bool {
        if unsafe mkdir(path, mode) == 0 {
            try setMode(path, mode)
            return true
        }
        if errno != EEXIST { throw SystemError("mkdir", errno) }
        return false
    }

    static func setGroup(_ path: String, named name: String) throws(SystemError) {
        guard let group = unsafe getgrnam(name) else { throw SystemError("the group \(name)", ENOENT) }
        if unsafe chown(path, uid_t.max, group.pointee.gr_gid) != 0 { throw SystemError("chown", errno) }
    }

    static func setMode(_ path: String, _ mode: mode_t) throws(SystemError) {
        if unsafe chmod(path, mode) != 0 { throw SystemError("chmod", errno) }
    }

    static func setMode(_ descriptor: Int32, _ mode: mode_t) { _ = fchmod(descriptor, mode) }

    static func unlink(_ path: String) throws(SystemError) {
        if unsafe Glibc.unlink(path) != 0 { throw SystemError("unlink", errno) }
    }

    static func openDirectory(_ path: String) throws(SystemError) -> Descriptor {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { throw SystemError("open", errno) }
        return Descriptor(descriptor)
    }

    /// Locks the file for this process until it closes it; false if another has it locked.
    static func lock(_ descriptor: Int32) throws(SystemError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            if errno != EINTR { throw SystemError("flock", errno) }
        }
        return true
    }

    /// A descriptor that does nothing but exist; negative if none is left.
    static func openNothing() -> Int32 { unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }

    static func isBlocking(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0 }

    static func makeBlocking(_ descriptor: Int32) {
        let flags = fcntl(descriptor, F_GETFL)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) }
    }
}
