// Why this file exists: the few calls of the system that a command needs: standard output and error, files, variables of the
// environment, signals, the time of day. One of the two files of this program that touch memory by address.

import Glibc

enum Standard {
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// All variables as this process was given them, a `NAME=value` each: `environ` is a C global.
    static func environment() -> [[UInt8]] {
        let bytes = (try? file("/proc/self/environ", bytesMax: 4 << 20)) ?? []
        return bytes.split(separator: 0).map(Array.init)
    }

    static func error(_ text: String) { _ = write(Array(text.utf8), to: STDERR_FILENO) }

    /// What became of bytes that were written to standard output.
    enum Delivery: Equatable {
        case written
        /// Whoever read them has seen enough.
        case readerGone
        /// They are lost: the disk is full, or the output is closed; why.
        case failed(String)
    }

    static func output(_ bytes: [UInt8]) -> Delivery { delivery(write(bytes, to: STDOUT_FILENO)) }

    /// The end of standard output, when nothing more will be written: only now some file systems say that they have lost
    /// what they had taken.
    static func endOutput() -> Delivery { delivery(close(STDOUT_FILENO) == 0 ? 0 : errno) }

    private static func delivery(_ code: Int32) -> Delivery {
        switch code {
        case 0: .written
        case EPIPE: .readerGone
        case EBADF: .failed("standard output is closed")
        default: .failed("standard output can't be written: \(reason(code))")
        }
    }

    /// Standard input, output and error that are closed would be the numbers of the next files and sockets to be opened;
    /// instead they are nothing from now on, and nothing can be written to standard output.
    static func holdClosedDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest number that is free, which is this one.
            _ = unsafe Glibc.open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// 0, or why not all of it was written.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if written < 0, errno == EAGAIN {
                // A terminal that standard input shares may be non-blocking.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&ready, 1, -1)
            } else if written == 0 {
                return EIO
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// Whether a little can be written without waiting, or will fail at once.
    static func isWritable(_ descriptor: Int32, waitingMilliseconds: Int32) -> Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&ready, 1, waitingMilliseconds) > 0
    }

    /// Whether somebody holds its other end.
    static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFIFO || status.st_mode & S_IFMT == S_IFSOCK
    }

    enum ReadResult {
        case bytes([UInt8])
        /// Nothing now, but more may come.
        case nothingYet
        case end
        case failed(String)
    }

    /// What one call gives, at most 64 KiB.
    static func read(_ descriptor: Int32) -> ReadResult {
        let capacity = 65536
        var count = 0
        var code: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
            count = unsafe Glibc.read(descriptor, buffer.baseAddress, capacity)
            code = errno
            initialized = max(0, count)
        }
        if count > 0 { return .bytes(bytes) }
        if count == 0 { return .end }
        return code == EAGAIN || code == EINTR ? .nothingYet : .failed(reason(code))
    }

    struct FileFault: Error {
        let reason: String
        let isMissing: Bool
    }

    /// The whole of a file, `-` for standard input, at most `bytesMax` bytes.
    static func file(_ path: String, bytesMax: Int) throws(FileFault) -> [UInt8] {
        var descriptor = STDIN_FILENO
        if path != "-" {
            descriptor = try open(path, O_RDONLY | O_CLOEXEC, 0)
        }
        defer { if path != "-" { close(descriptor) } }
        var all: [UInt8] = []
        while true {
            switch read(descriptor) {
            case .bytes(let bytes):
                all += bytes
                if all.count > bytesMax {
                    throw FileFault(reason: "it is longer than \(bytesMax >> 20) MiB", isMissing: false)
                }
            case .nothingYet:
                var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(&ready, 1, -1)
            case .end: return all
            case .failed(let reason): throw FileFault(reason: reason, isMissing: false)
            }
        }
    }

    /// By what a file is known again; two that are equal hold the same, but for writes within one tick of the clock.
    struct FileState: Equatable {
        let device: UInt64
        let number: UInt64
        let bytes: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    /// Puts a file in its place whole, its directories made where they are missing, for the user alone. What can't be kept
    /// is not told.
    static func keep(_ bytes: [UInt8], at path: String) {
        let parts = path.split(separator: "/")
        for count in 1..<max(1, parts.count) {
            _ = unsafe mkdir("/" + parts.prefix(count).joined(separator: "/"), 0o700)
        }
        let file = unsafe Glibc.open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let isWritten = write(bytes, to: file) == 0
        close(file)
        if isWritten { _ = unsafe rename(path + ".new", path) }
    }

    static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// Nil where there is none.
    static func fileState(_ path: String) -> FileState? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return FileState(
            device: UInt64(status.st_dev), number: UInt64(status.st_ino), bytes: Int64(status.st_size),
            seconds: Int(status.st_mtim.tv_sec), nanoseconds: Int(status.st_mtim.tv_nsec))
    }

    /// Where a path leads through all links; the path itself where it leads nowhere.
    static func realPath(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    static func isFile(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
    }

    static func isProgram(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 && isFile(path) }

    /// A file that has bytes of its own: no device, no pipe.
    static func isPlainFile(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Where this program lies.
    static var programPath: String? { target(ofLink: "/proc/self/exe") }

    /// What a symbolic link says; nil where it can't be read.
    static func target(ofLink link: String) -> String? {
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe path.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            return unsafe readlink(link, start.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        return count > 0 ? String(decoding: path.prefix(count), as: UTF8.self) : nil
    }

    /// To be appended to, for the user alone; what `open` returns is the caller's to close.
    static func openLog(_ path: String) throws(FileFault) -> Int32 {
        try open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    static func openNull() throws(FileFault) -> Int32 { try open("/dev/null", O_RDWR | O_CLOEXEC, 0) }

    private static func open(_ path: String, _ flags: Int32, _ mode: mode_t) throws(FileFault) -> Int32 {
        let descriptor = unsafe Glibc.open(path, flags, mode)
        guard descriptor >= 0 else { throw FileFault(reason: reason(errno), isMissing: errno == ENOENT) }
        return descriptor
    }

    static func pause(milliseconds: Int32) { _ = poll(nil, 0, milliseconds) }

    // MARK: - Signals

    /// Whoever started us wants the signal to be ignored, as nohup does with SIGHUP.
    static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(signal, nil, &action) == 0 else { return false }
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// Ends the process by the signal, as if nobody had watched for it: that is how a shell knows that it was interrupted.
    static func end(bySignal number: Int32) -> Never {
        _ = signal(number, SIG_DFL)
        raise(number)
        exit(128 + number)
    }

    static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

    /// How wide the terminal is; 80 where it does not say.
    static var columns: Int {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    enum TimeForm {
        /// `14:05:09`, of a day that the reader knows.
        case localClock
        /// `2026-05-01 14:05:09`
        case localDay
        /// `2026-05-01T12:05:09.120Z`
        case utc
    }

    /// A moment, given in milliseconds since 1970.
    static func time(_ milliseconds: Int64, _ form: TimeForm) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        var moment = time_t(seconds)
        var parts = unsafe tm()
        let isKnown = unsafe form == .utc ? gmtime_r(&moment, &parts) != nil : localtime_r(&moment, &parts) != nil
        guard isKnown else { return "-" }
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let (hour, minute, second) = unsafe (Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
        let (year, month, day) = unsafe (Int(parts.tm_year) + 1_900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
        let clock = "\(digits(hour, 2)):\(digits(minute, 2)):\(digits(second, 2))"
        let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
        return switch form {
        case .localClock: clock
        case .localDay: "\(date) \(clock)"
        case .utc: "\(date)T\(clock).\(digits(Int(rest.magnitude), 3))Z"
        }
    }
}
