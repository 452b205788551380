// Why this file exists: a stream knows bytes and a session knows what they mean; a connection is the two together, and
// the rules of when to read, when to write and when to close.

import Bytes
import EventLoop
import Hub

final class Connection: StreamOwner, SessionOwner {
    let stream: Stream
    let session: Session
    private unowned let daemon: Daemon
    /// The other side has sent its last byte.
    private var hasEnded = false
    /// All that was due has been sent; what still comes is thrown away, so that the last words are not lost to a reset.
    private var isLingering = false

    init(_ stream: Stream, _ session: Session, _ daemon: Daemon) {
        self.stream = stream
        self.session = session
        self.daemon = daemon
    }

    /// The session's, so that what the hub counts and drops is what waits here.
    var outbox: Outbox {
        _read { yield session.outbox }
        _modify { yield &session.outbox }
    }

    func streamRead(_ stream: Stream, _ bytes: Span<UInt8>) {
        if isLingering { return }
        daemon.beginTurn()
        daemon.hub.receive(session, bytes)
        settle()
        daemon.turnGrew()
    }

    func streamEnded(_ stream: Stream) {
        hasEnded = true
        if isLingering { return stream.close() }
        daemon.beginTurn()
        daemon.hub.inputEnded(session)
        settle()
    }

    func streamDrained(_ stream: Stream) {
        daemon.beginTurn()
        daemon.hub.flushed(session)
        settle()
    }

    func streamFailed(_ stream: Stream, _ error: SystemError) {}

    func streamClosed(_ stream: Stream) { daemon.closed(self) }

    /// A turn has put something into the outbox.
    func sessionIsDue(_ session: Session) {
        stream.flush()
        daemon.hub.flushed(session)
        settle()
    }

    /// Reads or does not, closes or does not, as the session stands now.
    private func settle() {
        if session.isFinished {
            linger()
        } else if daemon.hub.wantsInput(session) {
            stream.startReading()
        } else {
            stream.stopReading()
        }
    }

    private func linger() {
        guard !isLingering else { return }
        if hasEnded { return stream.close() }
        isLingering = true
        stream.shutdown()
        stream.startReading()
        daemon.linger(self)
    }
}
