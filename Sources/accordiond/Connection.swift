// Why this file exists: a stream knows bytes and a session knows what they mean; a connection is the two together, and
// the rules of when to read, when to write and when to close. Where TLS is spoken it stands between them.

import Bytes
import EventLoop
import Hub
import Transport

final class Connection: StreamOwner, SessionOwner {
    /// Of what is encrypted, this much may wait for the network; the rest waits as it is, where it can still be dropped.
    private static let encryptedBytesMax = 64 << 10
    private static let encryptedAtOnce = 16 << 10

    let stream: Stream
    let session: Session
    private let tls: TLS?
    private unowned let daemon: Daemon
    private var encrypted = Outbox()
    /// The other side has sent its last byte.
    private var hasEnded = false
    /// All that was due has been sent; what still comes is thrown away, so that the last words are not lost to a reset.
    private var isLingering = false
    /// Refusals that the doors know of.
    private var toldStrikes = 0
    /// Not read until then, by the loop's clock: who comes from there has been refused.
    var heldUntilMilliseconds = 0

    init(_ stream: Stream, _ session: Session, _ daemon: Daemon, tls: TLS? = nil) {
        self.stream = stream
        self.session = session
        self.daemon = daemon
        self.tls = tls
    }

    /// The session's, so that what the hub counts and drops is what waits here; with TLS what is encrypted already.
    var outbox: Outbox {
        _read { if tls == nil { yield session.outbox } else { yield encrypted } }
        _modify { if tls == nil { yield &session.outbox } else { yield &encrypted } }
    }

    func withOutbox(_ body: (inout Outbox) -> Void) {
        if tls == nil { body(&session.outbox) } else { body(&encrypted) }
    }

    func streamRead(_ stream: Stream, _ bytes: Span<UInt8>) {
        guard let tls else { return take(bytes) }
        do throws(TLSFailure) {
            let plain = try tls.receive(bytes)
            sendEncrypted()
            if !plain.isEmpty { take(plain.span) }
            if tls.hasEnded, !hasEnded { streamEnded(stream) }
        } catch {
            daemon.log.fault("tls_failed", "a connection broke its TLS: \(error)")
            stream.close()
        }
    }

    /// Plain bytes, such as came along with the end of the handshake.
    func take(_ bytes: Span<UInt8>) {
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
        encrypt()
        daemon.hub.flushed(session)
        settle()
    }

    func streamFailed(_ stream: Stream, _ error: SystemError) {}

    func streamClosed(_ stream: Stream) { daemon.closed(self) }

    /// A turn has put something into the outbox.
    func sessionIsDue(_ session: Session) {
        if tls == nil { stream.flush() } else { encrypt() }
        daemon.hub.flushed(session)
        settle()
    }

    // MARK: - TLS

    /// Encrypts what waits, as far as the network takes it soon.
    private func encrypt() {
        guard let tls else { return }
        while !session.outbox.isEmpty, encrypted.queuedBytes < Self.encryptedBytesMax {
            var plain: [UInt8] = []
            session.outbox.forEachUnsent(piecesMax: 64) { piece in
                let count = min(piece.count, Self.encryptedAtOnce - plain.count)
                piece.frame.withSpan { span in
                    for place in piece.lower..<(piece.lower + count) { plain.append(span[place]) }
                }
            }
            session.outbox.consume(plain.count)
            do throws(TLSFailure) {
                try tls.send(plain.span)
            } catch {
                return stream.close()
            }
            sendEncrypted()
        }
    }

    private func sendEncrypted() {
        guard let bytes = tls?.takeOutput(), !bytes.isEmpty else { return }
        stream.queue(Piece(Frame(sealing: bytes), isDroppable: false))
        stream.flush()
    }

    // MARK: - How it goes on

    /// Reads or does not, closes or does not, as the session stands now.
    private func settle() {
        if session.strikes > toldStrikes {
            toldStrikes = session.strikes
            daemon.refused(self)
        }
        if session.isFinished, encrypted.isEmpty {
            linger()
        } else if daemon.hub.wantsInput(session), heldUntilMilliseconds == 0 {
            stream.startReading()
        } else {
            stream.stopReading()
        }
    }

    /// What held it back is over.
    func readAgain() {
        heldUntilMilliseconds = 0
        if !isLingering, daemon.hub.wantsInput(session) { stream.startReading() }
    }

    private func linger() {
        guard !isLingering else { return }
        tls?.end()
        sendEncrypted()
        if hasEnded { return stream.close() }
        isLingering = true
        stream.shutdown()
        stream.startReading()
        daemon.linger(self)
    }
}
