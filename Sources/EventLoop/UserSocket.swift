// Why this file exists: a user's daemon and the user's clients must meet without being told where, and in a directory that
// is nobody else's.

internal import Glibc

package enum UserSocket {
    package struct Fault: Error, Equatable {
        package let message: String
    }

    /// Where the user's daemon listens: `accordiond.sock` in `$XDG_RUNTIME_DIR`, where that is set, else in
    /// `accordiond-UID` in `$TMPDIR` or `/tmp`. That directory must be the user's own and nobody else's to enter; it is
    /// made where it is missing and `makingDirectory`.
    package static func path(makingDirectory: Bool) throws(Fault) -> String {
        if let runtime = variable("XDG_RUNTIME_DIR") { return runtime + "/accordiond.sock" }
        let directory = (variable("TMPDIR") ?? "/tmp") + "/accordiond-\(geteuid())"
        if makingDirectory { _ = unsafe mkdir(directory, 0o700) }
        var status = stat()
        if unsafe lstat(directory, &status) != 0 {
            if !makingDirectory, errno == ENOENT { return directory + "/accordiond.sock" }
            throw Fault(message: "\(directory) can't be made or looked at: \(SystemError("lstat", errno))")
        }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw Fault(message: "\(directory) must be a directory of this user's own that nobody else can enter")
        }
        return directory + "/accordiond.sock"
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
