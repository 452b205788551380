// Why this file exists: what every measurement needs of the system: a clock, a file's text, a place for figures. One of the
// three files of this program that touch memory by address.

import Glibc

enum Bench {
    static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }

    /// Puts a text into a file of the user's own; false where it can't be made.
    static func write(_ text: String, toFile path: String) -> Bool {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        write(text, to: file)
        close(file)
        return true
    }

    /// A figure with its name, and its unit last in the name or behind it.
    static func figure(_ name: String, _ value: String) { write("\(name): \(value)\n", to: STDOUT_FILENO) }

    static var nowMicroseconds: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }

    static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
    static var ownIdentifier: pid_t { getpid() }

    /// Keeps a process, all its threads, on one processor where that is wanted and there are several.
    static func pin(_ identifier: pid_t, to processor: Int?) {
        guard let processor else { return }
        _ = try? BenchDaemon.runTool("/usr/bin/taskset", ["-acp", "\(processor)", "\(identifier)"])
    }

    /// Removes a directory of ours with all that is in it.
    static func remove(_ path: String) {
        guard path.hasPrefix("/tmp/accordion-bench-") else { return }
        _ = try? BenchDaemon.runTool("/bin/rm", ["-rf", path])
    }

    static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

    /// The text of a file, at most 1 MiB of it; empty where there is none.
    static func contents(_ path: String) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < 1 << 20 {
            let count = unsafe read(file, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The size of a file; 0 where there is none.
    static func bytes(_ path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The soft limit of descriptors is raised to the hard one, which is returned.
    static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}

/// Times of one kind, in microseconds.
struct Latencies {
    private var samples: [Int] = []

    mutating func add(_ microseconds: Int) { samples.append(microseconds) }
    var count: Int { samples.count }

    /// `p50 0.12 ms, p99 0.80 ms, max 2.31 ms (12,000 times)`
    var summary: String {
        let sorted = samples.sorted()
        guard let longest = sorted.last else { return "never" }
        func quantile(_ percent: Int) -> Int { sorted[min(sorted.count - 1, sorted.count * percent / 100)] }
        return "p50 \(milliseconds(quantile(50))), p99 \(milliseconds(quantile(99))), max \(milliseconds(longest)) "
            + "(\(sorted.count) times)"
    }

    private func milliseconds(_ microseconds: Int) -> String {
        let hundredths = microseconds / 10
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
    }
}
