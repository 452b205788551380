// Why this file exists: end-to-end tests start the programs that users start, each with a directory of its own, wait for
// what they wait for, and leave no process behind.

import Glibc
import Testing

struct TookTooLong: Error, CustomStringConvertible {
    let description: String
}

/// Looks until something is so; gives up after a time that no healthy machine needs.
func until(_ what: String, seconds: Int = 30, _ isSo: () throws -> Bool) throws {
    let deadline = time(nil) + seconds
    while try !isSo() {
        guard time(nil) < deadline else { throw TookTooLong(description: "waited \(seconds) s: \(what)") }
        usleep(2_000)
    }
}

/// Where this test runs from: the programs lie beside it.
let productsDirectory: String = {
    var path = [CChar](repeating: 0, count: 4_096)
    let count = unsafe readlink("/proc/self/exe", &path, path.count - 1)
    let text = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
}()

/// A directory that goes away with its owner.
final class Scratch {
    let path: String

    init() throws {
        var template = Array("/tmp/accordion-test-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw TookTooLong(description: "no temporary directory") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        let removal = try? Process("/bin/rm", ["-rf", path], output: nil)
        _ = try? removal?.waitForEnd()
    }
}

/// A program that was started; it is ended when nobody holds it any more.
final class Process {
    let id: pid_t
    private(set) var status: Int32?

    /// `output` receives what it prints, on either stream; `errors` what goes to standard error, where it is apart.
    init(
        _ path: String, _ arguments: [String], environment: [String] = [], input: String? = nil, output: String?,
        errors: String? = nil
    ) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, input ?? "/dev/null", O_RDONLY, 0)
        let mode = O_WRONLY | O_CREAT | O_APPEND
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output ?? "/dev/null", mode, 0o600)
        if let errors {
            unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        } else {
            unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
        let words: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        // Nothing of the user's: a daemon that is told of no place for its state finds one that can't be made.
        let inherited = [
            "PATH=/usr/bin:/bin", "HOME=/dev/null", "XDG_STATE_HOME=/dev/null/state", "STATE_DIRECTORY=/dev/null/state",
            "LANG=C.UTF-8",
        ].filter { one in !environment.contains { $0.prefix { $0 != "=" } == one.prefix { $0 != "=" } } }
        let variables: [UnsafeMutablePointer<CChar>?] =
            unsafe (inherited + environment).map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        // The threads that tests run on let no signal in, and what they start would inherit that.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var id: pid_t = 0
        let result = unsafe posix_spawn(&id, path, &actions, &attributes, words, variables)
        guard result == 0 else { throw TookTooLong(description: "\(path) can't be started: error \(result)") }
        self.id = id
    }

    deinit {
        guard status == nil else { return }
        kill(id, SIGKILL)
        var status: Int32 = 0
        unsafe waitpid(id, &status, 0)
    }

    func signal(_ signal: Int32) { if !hasEnded { kill(id, signal) } }

    var hasEnded: Bool {
        if status != nil { return true }
        var now: Int32 = 0
        guard unsafe waitpid(id, &now, WNOHANG) == id else { return false }
        status = now
        return true
    }

    /// The exit status; a negated number of the signal that ended it otherwise.
    @discardableResult
    func waitForEnd(seconds: Int = 60) throws -> Int32 {
        try until("process \(id) ends", seconds: seconds) { hasEnded }
        let status = status ?? 0
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }
}

/// The text of a file; empty where there is none.
func contents(_ path: String) -> String {
    let file = unsafe open(path, O_RDONLY)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = unsafe read(file, &buffer, buffer.count)
        guard count > 0 else { break }
        bytes.append(contentsOf: buffer.prefix(count))
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// The names of what is in a directory.
func names(in directory: String) throws -> [String] {
    guard let stream = unsafe opendir(directory) else { throw TookTooLong(description: "no directory \(directory)") }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
        let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

/// What a program printed and how it ended.
struct Outcome {
    let status: Int32
    let output: String
    let errors: String
}

/// A daemon of the test's own, with both doors open.
final class TestDaemon {
    let scratch: Scratch
    let process: Process
    let socketPath: String
    let statePath: String
    let port: UInt16

    /// In a directory of its own, or one that another daemon has left. With `descriptorsMax` it is started under that
    /// limit, which it can't raise.
    init(
        _ arguments: [String] = [], node: String = "n1", descriptorsMax: Int? = nil, in known: Scratch? = nil,
        statePath: String? = nil, environment: [String] = []
    ) throws {
        scratch = try known ?? Scratch()
        self.statePath = statePath ?? scratch.path + "/state"
        unsafe unlink(scratch.path + "/log")
        socketPath = scratch.path + "/run/accordiond.sock"
        let log = scratch.path + "/log"
        let program = productsDirectory + "/accordiond"
        let words =
            [
                "--listen", "unix:\(socketPath)", "--listen", "tcp://127.0.0.1:0", "--node", node, "--state",
                self.statePath,
            ] + arguments
        if let descriptorsMax {
            process = try Process(
                "/bin/sh", ["-c", "ulimit -n \(descriptorsMax); exec \"$@\"", "sh", program] + words, output: log)
        } else {
            process = try Process(program, words, environment: environment, output: log)
        }
        var port: UInt16?
        let running = process
        try until("the daemon listens") {
            if running.hasEnded { throw TookTooLong(description: "the daemon ended: \(contents(log))") }
            let marker = "listening at tcp://127.0.0.1:"
            for line in contents(log).split(separator: "\n") {
                guard let range = line.firstRange(of: marker) else { continue }
                port = UInt16(line[range.upperBound...])
            }
            return port != nil
        }
        self.port = port ?? 0
    }

    var address: String { "unix:\(socketPath)" }
    var log: String { contents(scratch.path + "/log") }

    /// Runs the client against this daemon.
    func accordion(_ arguments: [String], input: String? = nil, environment: [String] = []) throws -> Outcome {
        let number = UInt32.random(in: 0...UInt32.max)
        let (output, errors) = ("\(scratch.path)/out.\(number)", "\(scratch.path)/err.\(number)")
        var inputPath: String?
        if let input {
            inputPath = "\(scratch.path)/in.\(number)"
            try write(input, to: inputPath ?? "")
        }
        let process = try Process(
            productsDirectory + "/accordion", ["--address", address] + arguments, environment: environment,
            input: inputPath, output: output, errors: errors)
        let status = try process.waitForEnd()
        return Outcome(status: status, output: contents(output), errors: contents(errors))
    }
}

func write(_ text: String, to path: String) throws {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw TookTooLong(description: "\(path) can't be written") }
    defer { close(file) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
        guard count > 0 else { throw TookTooLong(description: "\(path) can't be written") }
        rest = rest.dropFirst(count)
    }
}
