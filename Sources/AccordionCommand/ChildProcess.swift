// Why this file exists: a command starts others: a daemon for who has none, and what `watch --exec` runs. This is how, once.
// The other file of this program that touches memory by address.

import Glibc

/// A program that was started and is ours to wait for.
struct ChildProcess {
    /// Where it belongs, so that a signal reaches it and all that it starts, or a hangup of ours does not.
    enum Place { case session, group }

    /// Descriptors of ours that become its standard ones.
    struct Files {
        let input: Int32
        let output: Int32
        let errors: Int32
    }

    enum End: Equatable {
        case status(Int32)
        case signal(Int32)
    }

    struct Fault: Error {
        let code: Int32
        var reason: String { Standard.reason(code) }
    }

    let identifier: pid_t

    /// Starts the program at `path`. `environment` is all that it gets, a `NAME=value` each.
    init(
        _ path: String, _ arguments: [String], environment: [[UInt8]], place: Place, files: Files
    ) throws(Fault) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, files.input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, files.output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, files.errors, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The loop ignores broken pipes, which would be inherited: a child is to end by one, as any program does.
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        unsafe sigaddset(&defaults, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        // POSIX_SPAWN_SETSIGDEF, and POSIX_SPAWN_SETSID, which glibc shows to GNU sources only, or POSIX_SPAWN_SETPGROUP.
        unsafe posix_spawnattr_setflags(&attributes, 0x04 | (place == .session ? 0x80 : 0x02))
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0 + [0]) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let code = unsafe posix_spawn(&identifier, path, &actions, &attributes, &words, &variables)
        guard code == 0 else { throw Fault(code: code) }
        self.identifier = identifier
    }

    /// How it has ended; nil while it runs. Once told it is gone, and its number may be another's.
    func end() -> End? {
        var status: Int32 = 0
        guard unsafe waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
        let signal = status & 0x7F
        return signal == 0 ? .status((status >> 8) & 0xFF) : .signal(signal)
    }

    /// To it and to what it has started. Only while `end` has not told its end.
    func signalGroup(_ signal: Int32) { _ = kill(-identifier, signal) }
}

private func strdup(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
    unsafe bytes.withUnsafeBytes { buffer in
        guard let start = buffer.baseAddress else { return nil }
        return unsafe Glibc.strdup(start.assumingMemoryBound(to: CChar.self))
    }
}
