// Why this file exists: tests start programs, each with a directory of its own, wait for what they wait for, and leave no
// process behind.

import Glibc

package struct TookTooLong: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// Looks until something is so; gives up after a time that no healthy machine needs.
package func until(_ what: String, seconds: Int = 30, _ isSo: () throws -> Bool) throws {
    let deadline = time(nil) + seconds
    while try !isSo() {
        guard time(nil) < deadline else { throw TookTooLong(description: "waited \(seconds) s: \(what)") }
        usleep(2_000)
    }
}

/// A directory that goes away with its owner.
package final class Scratch {
    package let path: String

    package init() throws {
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
package final class Process {
    package let id: pid_t
    package private(set) var status: Int32?

    /// `output` receives what it prints, on either stream; `errors` what goes to standard error, where it is apart.
    package init(
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

    package func signal(_ signal: Int32) { if !hasEnded { kill(id, signal) } }

    package var hasEnded: Bool {
        if status != nil { return true }
        var now: Int32 = 0
        guard unsafe waitpid(id, &now, WNOHANG) == id else { return false }
        status = now
        return true
    }

    /// The exit status; a negated number of the signal that ended it otherwise.
    @discardableResult
    package func waitForEnd(seconds: Int = 60) throws -> Int32 {
        try until("process \(id) ends", seconds: seconds) { hasEnded }
        let status = status ?? 0
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }
}

/// The text of a file; empty where there is none.
package func contents(_ path: String) -> String {
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
package func names(in directory: String) throws -> [String] {
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

package func write(_ text: String, to path: String) throws {
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
