// Why this file exists: a large document takes its time to the daemon and back. Whoever waits at a terminal sees how far it
// is; and as long as bytes move it is not given up, however slow the line is.

import EventLoop
import Glibc
import Wire

/// One waiting for a reply, looked at ten times a second.
final class ReplyWait {
    /// What is done sooner is not worth a word.
    private static let quietMilliseconds = 500
    private static let stepMilliseconds = 100

    /// What is being moved, and which way.
    enum Cargo {
        case sent, received
    }

    private let loop: Loop
    private let connection: DaemonConnection
    private let cargo: Cargo?
    /// With no byte moving.
    private let patienceMilliseconds: Int
    private let startMilliseconds: Int
    private let startReceivedBytes: Int
    private let totalBytes: Int
    private var movedMilliseconds: Int
    private var lastUnsentBytes: Int
    private var lastReceivedBytes: Int
    private var timer: Timer?
    private var isDrawn = false
    private(set) var isLate = false

    /// The request is queued already.
    init(_ loop: Loop, _ connection: DaemonConnection, _ cargo: Cargo?, patienceMilliseconds: Int) throws(SystemError) {
        self.loop = loop
        self.connection = connection
        // The end of the line has to be wiped away again, which takes a terminal that can.
        let isShown = Standard.isTerminal(STDERR_FILENO) && Standard.variable("TERM") != "dumb"
        self.cargo = isShown ? cargo : nil
        self.patienceMilliseconds = patienceMilliseconds
        startMilliseconds = loop.nowMilliseconds
        movedMilliseconds = startMilliseconds
        totalBytes = connection.unsentBytes
        lastUnsentBytes = totalBytes
        startReceivedBytes = connection.receivedBytes
        lastReceivedBytes = startReceivedBytes
        timer = try Timer(loop) { [unowned self] in look() }
        timer?.start(afterMilliseconds: Self.stepMilliseconds, everyMilliseconds: Self.stepMilliseconds)
    }

    /// The end: what was drawn is gone.
    func close() {
        timer?.close()
        timer = nil
        if isDrawn { Standard.error("\r\u{1B}[K") }
    }

    private func look() {
        let now = loop.nowMilliseconds
        let (unsent, received) = (connection.unsentBytes, connection.receivedBytes)
        if unsent != lastUnsentBytes || received != lastReceivedBytes { movedMilliseconds = now }
        (lastUnsentBytes, lastReceivedBytes) = (unsent, received)
        if now - movedMilliseconds >= patienceMilliseconds { isLate = true }
        guard let cargo, now - startMilliseconds >= Self.quietMilliseconds else { return }
        isDrawn = true
        Standard.error("\r\(words(cargo))\u{1B}[K")
    }

    private func words(_ cargo: Cargo) -> String {
        switch cargo {
        case .received:
            let received = lastReceivedBytes - startReceivedBytes
            return received == 0 ? "waiting for the daemon" : "\(Self.size(received)) received"
        case .sent where lastUnsentBytes == 0: return "all is sent, waiting for the daemon"
        case .sent: return "\(Self.size(totalBytes - lastUnsentBytes)) of \(Self.size(totalBytes)) sent"
        }
    }

    /// `12.3 MiB`
    private static func size(_ bytes: Int) -> String {
        let tenths = bytes * 10 / (1 << 20)
        return "\(tenths / 10).\(tenths % 10) MiB"
    }
}

extension Request.Action {
    /// Of those that move whole documents.
    var cargo: ReplyWait.Cargo? {
        switch self {
        case .create, .replace: .sent
        case .get: .received
        default: nil
        }
    }
}
