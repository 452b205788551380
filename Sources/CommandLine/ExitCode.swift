// The numbers that scripts and systemd see. They are promises: a number is never given a second meaning.

/// What a program tells its caller when it ends: 0 to 7 are the client's, 64 and above the daemon's (sysexits.h).
package enum ExitCode: Int32, Sendable, CaseIterable {
    case done = 0
    /// Refused by the daemon, or a script that failed.
    case refused = 1
    case usage = 2
    /// No such document or section.
    case notFound = 3
    case notAllowed = 4
    case noDaemon = 5
    case timedOut = 6
    /// A file that can't be read or understood.
    case unreadableFile = 7
    /// EX_USAGE: the daemon's own usage errors.
    case daemonUsage = 64
    /// EX_IOERR: the store can't be opened.
    case storeUnopenable = 74
    /// EX_TEMPFAIL: the state or a socket is in use by another daemon.
    case inUse = 75
    /// EX_CONFIG: a start with it is not tried again by the service manager.
    case brokenConfiguration = 78
}
