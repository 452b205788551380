// Why this file exists: who has no daemon gets one, of their own, without having to know of it. It outlives the command
// that started it. The other file of this program that touches memory by address.

import Glibc

/// A daemon that was started for this user.
struct DaemonProcess {
    let identifier: pid_t
    /// Where it writes its log.
    let log: String

    struct Fault: Error {
        let reason: String
    }

    /// Starts `accordiond --user` in a session of its own: found beside this program, else in PATH.
    static func start() throws(Fault) -> DaemonProcess {
        guard let executable = executable() else {
            throw Fault(reason: "no accordiond is found beside this program or in PATH")
        }
        let directory = try stateDirectory()
        let log = directory + "/accordiond.log"
        let descriptor = unsafe open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Fault(reason: "\(log): \(Standard.reason(errno))") }
        defer { close(descriptor) }
        let null = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        guard null >= 0 else { throw Fault(reason: "/dev/null: \(Standard.reason(errno))") }
        defer { close(null) }
        var identifier: pid_t = 0
        let code = spawn(executable, log: descriptor, null: null, &identifier)
        guard code == 0 else { throw Fault(reason: "\(executable): \(Standard.reason(code))") }
        return DaemonProcess(identifier: identifier, log: log)
    }

    /// The status with which it has ended; nil while it runs.
    func exitStatus() -> Int32? {
        var status: Int32 = 0
        guard unsafe waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    private static func spawn(
        _ executable: String, log: Int32, null: Int32, _ identifier: inout pid_t
    ) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, null, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID, which glibc shows to GNU sources only.
        unsafe posix_spawnattr_setflags(&attributes, 0x80)
        var arguments = unsafe [strdup(executable), strdup("--user"), nil]
        // The variables as this process was given them: `environ` is a C global.
        let variables = (try? Standard.file("/proc/self/environ", bytesMax: 4 << 20)) ?? []
        var environment = unsafe variables.split(separator: 0).map {
            unsafe strdup(String(decoding: $0, as: UTF8.self))
        }
        unsafe environment.append(nil)
        defer {
            unsafe (arguments + environment).forEach { unsafe free($0) }
        }
        return unsafe posix_spawn(&identifier, executable, &actions, &attributes, &arguments, &environment)
    }

    private static func executable() -> String? {
        let name = "accordiond"
        var own = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe own.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            return unsafe readlink("/proc/self/exe", start.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        var directories: [String] = []
        if count > 0 {
            let path = String(decoding: own.prefix(count), as: UTF8.self)
            directories.append(path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" })
        }
        directories += (Standard.variable("PATH") ?? "").split(separator: ":").map(String.init)
        return directories.map { "\($0)/\(name)" }.first { path in
            unsafe access(path, X_OK) == 0 && Standard.isFile(path)
        }
    }

    private static func stateDirectory() throws(Fault) -> String {
        let base: String
        if let state = Standard.variable("XDG_STATE_HOME") {
            base = state
        } else if let home = Standard.variable("HOME") {
            base = home + "/.local/state"
        } else {
            throw Fault(reason: "neither XDG_STATE_HOME nor HOME says where its log should be")
        }
        let directory = base + "/accordiond"
        var path = ""
        for part in directory.split(separator: "/") {
            path += "/" + part
            if unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
                throw Fault(reason: "\(path): \(Standard.reason(errno))")
            }
        }
        return directory
    }
}
