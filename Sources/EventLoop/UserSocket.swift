// Why this file exists: a user's daemon and the user's clients must meet without being told where, and in directories that
// are nobody else's. The rules stand here once, for both programs.

internal import Glibc

/// What stands between a user and the places of their own.
package struct UserPlaceFault: Error, Equatable {
    package let message: String
}

package enum UserSocket {
    /// Where the user's daemon listens: `accordiond.sock` in `$XDG_RUNTIME_DIR`, where that is an absolute path of a
    /// directory that the user owns and nobody else can write to; else in `accordiond-UID` in `$TMPDIR` or `/tmp`. The
    /// latter must be the user's own and nobody else's to enter; it is made, with mode 0700, where it is missing and
    /// `makingDirectory`.
    package static func path(makingDirectory: Bool) throws(UserPlaceFault) -> String {
        if let runtime = UserPlace.absolute("XDG_RUNTIME_DIR"), UserPlace.isOwn(runtime, closedTo: 0o022) {
            return runtime + "/accordiond.sock"
        }
        let directory = (UserPlace.absolute("TMPDIR") ?? "/tmp") + "/accordiond-\(geteuid())"
        if makingDirectory { _ = unsafe mkdir(directory, 0o700) }
        var status = stat()
        if unsafe lstat(directory, &status) != 0 {
            if !makingDirectory, errno == ENOENT { return directory + "/accordiond.sock" }
            throw UserPlaceFault(message: "\(directory) can't be made or looked at: \(SystemError("lstat", errno))")
        }
        // No link: whoever made it could turn it elsewhere.
        guard status.st_mode & S_IFMT == S_IFDIR, UserPlace.isOwn(directory, closedTo: 0o077) else {
            throw UserPlaceFault(
                message: "\(directory) must be a directory of this user's own that nobody else can enter")
        }
        return directory + "/accordiond.sock"
    }
}

package enum UserState {
    /// Where the user's daemon keeps its state and, started by a client, its log: `accordiond` in `$XDG_STATE_HOME`, else
    /// in `.local/state` of `$HOME`. Variables that are no absolute paths don't count.
    package static func directory() throws(UserPlaceFault) -> String {
        if let state = UserPlace.absolute("XDG_STATE_HOME") { return state + "/accordiond" }
        if let home = UserPlace.absolute("HOME") { return home + "/.local/state/accordiond" }
        throw UserPlaceFault(message: "neither XDG_STATE_HOME nor HOME says where the state should be")
    }

    /// The same, made with all that is missing above it, for the user alone. It must be the user's own.
    package static func madeDirectory() throws(UserPlaceFault) -> String {
        let directory = try directory()
        var path = ""
        for part in directory.split(separator: "/") {
            path += "/" + part
            guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST, !UserPlace.isDirectory(path) else { continue }
            throw UserPlaceFault(message: "\(path) can't be made: \(SystemError("mkdir", errno))")
        }
        guard UserPlace.isOwn(directory, closedTo: 0o002) else {
            throw UserPlaceFault(
                message: "\(directory) must be a directory of this user's own that not everybody can write to")
        }
        return directory
    }
}

private enum UserPlace {
    /// The value of a variable that holds an absolute path; slashes at its end are left out.
    static func absolute(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        var text = unsafe String(cString: value)
        while text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
        return text.utf8.first == UInt8(ascii: "/") ? text : nil
    }

    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether it is a directory of this user's that has none of those permissions.
    static func isOwn(_ path: String, closedTo mode: mode_t) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
        return status.st_uid == geteuid() && status.st_mode & mode == 0
    }
}
