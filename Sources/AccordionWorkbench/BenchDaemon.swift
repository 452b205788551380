// Why this file exists: a measurement is of a daemon that nobody else uses: started for it, with both doors open, watched
// from outside by what the kernel tells of its memory, and ended with it. Unsafe for posix_spawn, which takes addresses.

import Glibc

/// Which process a daemon is, and where it listens.
struct DaemonPlace: Sendable {
    let identifier: pid_t
    let socketPath: String
    let port: UInt16

    /// What it holds now, in KiB.
    var residentKiB: Int { status("VmRSS:") }
    /// The most that it has held, since `forgetPeak`.
    var peakKiB: Int { status("VmHWM:") }

    func forgetPeak() {
        let file = unsafe open("/proc/\(identifier)/clear_refs", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        Bench.write("5", to: file)
        close(file)
    }

    private func status(_ name: String) -> Int {
        for line in Bench.contents("/proc/\(identifier)/status").split(separator: "\n") where line.hasPrefix(name) {
            return Int(line.dropFirst(name.utf8.count).filter { $0.isASCII && $0.isNumber }) ?? 0
        }
        return 0
    }
}

/// Where the daemons of one measurement have their state, one after the other; it goes away with its owner.
final class BenchDirectory {
    let path: String

    init() throws(BenchFailure) {
        var template = Array("/tmp/accordion-bench-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw BenchFailure("no directory can be made in /tmp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    var state: String { path + "/state" }

    deinit { _ = try? BenchDaemon.runTool("/bin/rm", ["-rf", path]) }
}

final class BenchDaemon {
    private let identifier: pid_t
    private let socketPath: String
    private var port: UInt16 = 0
    private let directory: BenchDirectory
    private var hasEnded = false

    /// With a state of its own, or one that another daemon has left.
    init(_ arguments: [String] = [], in known: BenchDirectory? = nil) throws(BenchFailure) {
        if let known { directory = known } else { directory = try BenchDirectory() }
        socketPath = directory.path + "/run/accordiond.sock"
        let logPath = directory.path + "/log"
        unsafe unlink(logPath)
        let program = try BenchDaemon.besideThis("accordiond")
        identifier = try BenchDaemon.spawn(
            program,
            ["--listen", "unix:\(socketPath)", "--listen", "tcp://127.0.0.1:0", "--state", directory.state]
                + arguments, log: logPath)
        let deadline = Bench.nowMicroseconds + 30_000_000
        while port == 0 {
            guard isRunning, Bench.nowMicroseconds < deadline else {
                throw BenchFailure("the daemon does not start: \(log)")
            }
            for line in log.split(separator: "\n") {
                guard let range = line.firstRange(of: "listening at tcp://127.0.0.1:") else { continue }
                port = UInt16(line[range.upperBound...]) ?? 0
            }
            usleep(1_000)
        }
    }

    deinit { end() }

    var place: DaemonPlace { DaemonPlace(identifier: identifier, socketPath: socketPath, port: port) }

    /// Its place with the port of its TLS door.
    var tlsPlace: DaemonPlace {
        var found: UInt16 = 0
        for line in log.split(separator: "\n") {
            guard let range = line.firstRange(of: "listening at tls://127.0.0.1:") else { continue }
            found = UInt16(line[range.upperBound...]) ?? 0
        }
        return DaemonPlace(identifier: identifier, socketPath: socketPath, port: found)
    }

    var log: String { Bench.contents(directory.path + "/log") }

    var isRunning: Bool {
        if hasEnded { return false }
        var status: Int32 = 0
        hasEnded = unsafe waitpid(identifier, &status, WNOHANG) == identifier
        return !hasEnded
    }

    /// Ends it as a power cut would, without a word.
    func kill() {
        guard isRunning else { return }
        Glibc.kill(identifier, SIGKILL)
        waitpid(identifier, nil, 0)
        hasEnded = true
    }

    /// Asks it to end, and makes it after ten seconds.
    func end() {
        let deadline = Bench.nowMicroseconds + 10_000_000
        if isRunning { Glibc.kill(identifier, SIGTERM) }
        while isRunning, Bench.nowMicroseconds < deadline { usleep(5_000) }
        kill()
    }

    /// Runs `accordiond` with these words to its end; what it printed, and its exit status.
    static func run(_ arguments: [String], in directory: BenchDirectory) throws(BenchFailure) -> (String, Int32) {
        let output = directory.path + "/log"
        unsafe unlink(output)
        let identifier = try spawn(try besideThis("accordiond"), arguments, log: output)
        var status: Int32 = 0
        unsafe waitpid(identifier, &status, 0)
        return (Bench.contents(output), status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F))
    }

    /// Runs a program of the system to its end; its exit status.
    static func runTool(_ program: String, _ arguments: [String]) throws(BenchFailure) -> Int32 {
        let identifier = try spawn(program, arguments, log: "/dev/null")
        var status: Int32 = 0
        unsafe waitpid(identifier, &status, 0)
        return status
    }

    static func besideThis(_ name: String) throws(BenchFailure) -> String {
        var own = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &own, own.count)
        let path = String(decoding: own.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let found = path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/" + name
        guard unsafe access(found, X_OK) == 0 else { throw BenchFailure("there is no \(found)") }
        return found
    }

    static func spawn(
        _ program: String, _ arguments: [String], environment added: [String] = [], log: String
    ) throws(BenchFailure) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        let environment = ["PATH=/usr/bin:/bin", "LANG=C.UTF-8"] + added
        let words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let code = unsafe posix_spawn(&identifier, program, &actions, nil, words, variables)
        guard code == 0 else { throw BenchFailure("\(program): \(Bench.reason(code))") }
        return identifier
    }
}
