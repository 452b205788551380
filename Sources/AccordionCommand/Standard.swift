// Why this file exists: the few calls of the system that a command needs: standard output and error, files, variables of the
// environment, the time of day. One of the two files of this program that touch memory by address.

import Glibc

enum Standard {
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    static func error(_ text: String) { _ = write(Array(text.utf8), to: STDERR_FILENO) }

    /// False where the reader is gone.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if written < 0, errno == EAGAIN {
                // A terminal that standard input shares may be non-blocking.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&ready, 1, -1)
            } else if written == 0 || errno != EINTR {
                return false
            }
        }
        return true
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
            descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw FileFault(reason: reason(errno), isMissing: errno == ENOENT) }
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

    static func isFile(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
    }

    static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

    /// How wide the terminal is; 80 where it does not say.
    static var columns: Int {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Milliseconds since 1970 as `14:05:09` of the local day, or as `2026-05-01T12:05:09.120Z`.
    static func time(_ milliseconds: Int64, isLocal: Bool) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        var moment = time_t(seconds)
        var parts = unsafe tm()
        let isKnown = unsafe isLocal ? localtime_r(&moment, &parts) != nil : gmtime_r(&moment, &parts) != nil
        guard isKnown else { return "-" }
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let (hour, minute, second) = unsafe (Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
        let (year, month, day) = unsafe (Int(parts.tm_year) + 1_900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
        let clock = "\(digits(hour, 2)):\(digits(minute, 2)):\(digits(second, 2))"
        if isLocal { return clock }
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T\(clock).\(digits(Int(rest.magnitude), 3))Z"
    }
}
