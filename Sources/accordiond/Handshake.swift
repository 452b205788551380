// Why this file exists: until the hands are shaken there is no session, and whoever stalls must cost little: a stream, a
// machine for TLS, and a moment after which it is closed.

import Bytes
import EventLoop
import Transport

final class Handshake: StreamOwner {
    var outbox = Outbox()
    let stream: Stream
    let tls: TLS
    private unowned let doors: Doors

    init(_ stream: Stream, _ tls: TLS, _ doors: Doors) {
        self.stream = stream
        self.tls = tls
        self.doors = doors
    }

    func streamRead(_ stream: Stream, _ bytes: Span<UInt8>) {
        do throws(TLSFailure) {
            let plain = try tls.receive(bytes)
            send()
            if tls.isEstablished { doors.established(self, plain) }
        } catch {
            send()
            doors.failed(self, error)
        }
    }

    private func send() {
        let bytes = tls.takeOutput()
        guard !bytes.isEmpty else { return }
        stream.queue(Piece(Frame(sealing: bytes), isDroppable: false))
        stream.flush()
    }

    func streamEnded(_ stream: Stream) { stream.close() }
    func streamDrained(_ stream: Stream) {}
    func streamFailed(_ stream: Stream, _ error: SystemError) {}
    func streamClosed(_ stream: Stream) { doors.handshakeClosed(self) }
}

extension Frame {
    /// A frame of these bytes, ready to be sent.
    convenience init(sealing bytes: [UInt8]) {
        self.init(capacityBytes: bytes.count)
        append(bytes)
        seal()
    }
}
