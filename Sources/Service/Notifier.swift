// Why this file exists: a service manager wants to know when the daemon is ready, reloads, stops and still lives. The calls of
// libsystemd for that wait while the manager's queue is full; here everything is sent without waiting, since clients must not
// wait for a manager. What it must hear in the end is kept and sent again.
// The protocol is that of sd_notify(3): lines of NAME=value in one datagram to the socket that NOTIFY_SOCKET names.

internal import CSystemd
internal import Glibc

/// What a service manager is told.
package enum ServiceNews: Sendable, Equatable {
    /// It serves, or serves again after `reloading`; with a line for people.
    case ready(String)
    /// It reads its configuration again, since this moment of the monotonic clock.
    case reloading(monotonicMicroseconds: UInt64)
    case stopping
    /// A line for people.
    case status(String)
    /// It lives.
    case alive
    /// Starting, reloading or stopping takes longer: so long from now on.
    case extendTimeout(microseconds: UInt64)

    package var text: String {
        switch self {
        case .ready(let status): "READY=1\nSTATUS=\(ServiceNews.oneLine(status))"
        case .reloading(let microseconds): "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
        case .stopping: "STOPPING=1"
        case .status(let status): "STATUS=\(ServiceNews.oneLine(status))"
        case .alive: "WATCHDOG=1"
        case .extendTimeout(let microseconds): "EXTEND_TIMEOUT_USEC=\(microseconds)"
        }
    }

    /// Without this the manager would act on a wrong belief.
    var isNeeded: Bool {
        switch self {
        case .ready, .reloading, .stopping: true
        case .status, .alive, .extendTimeout: false
        }
    }

    /// A line end in a status would begin another message.
    private static func oneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }))
    }
}

/// The way to one service manager. No call waits.
package final class Notifier {
    private let manager: Datagrams
    private var waiting: [String] = []
    /// News that the manager did not take and that was not needed.
    package private(set) var lostCount = 0
    /// How long the manager waits for `alive`; nil where it does not.
    package let watchdogMicroseconds: UInt64?

    /// The manager that the environment names; nil where it names none, or nothing that can be one. The variables are taken
    /// away, so that no child of this process speaks for it.
    package static func ofEnvironment() -> Notifier? {
        var microseconds: UInt64 = 0
        let isWatched = unsafe sd_watchdog_enabled(1, &microseconds) > 0
        guard let value = unsafe getenv("NOTIFY_SOCKET") else { return nil }
        let path = unsafe String(cString: value)
        unsafe unsetenv("NOTIFY_SOCKET")
        return Notifier(path: path, watchdogMicroseconds: isWatched ? microseconds : nil)
    }

    /// `path`: as NOTIFY_SOCKET has it. Nil where it can't be a socket's.
    package init?(path: String, watchdogMicroseconds: UInt64? = nil) {
        guard let manager = Datagrams(to: path) else { return nil }
        self.manager = manager
        self.watchdogMicroseconds = watchdogMicroseconds
    }

    /// Tells it now; what is needed and can't be told now waits for `tellAgain`.
    package func tell(_ news: ServiceNews) {
        tellAgain()
        if waiting.isEmpty, send(news.text) { return }
        if news.isNeeded {
            waiting.append(news.text)
            // The manager has not read for so long that the beginning does not matter any more.
            if waiting.count > 16 { waiting.removeFirst() }
        } else {
            lostCount += 1
        }
    }

    /// Tells what waits, as far as it is taken.
    package func tellAgain() {
        while let text = waiting.first, send(text) { waiting.removeFirst() }
    }

    package var isWaiting: Bool { !waiting.isEmpty }

    private func send(_ text: String) -> Bool { manager.send(Array(text.utf8)) }

    /// Of the clock that MONOTONIC_USEC means.
    package static var monotonicMicroseconds: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
    }
}
