// Why this file exists: the calls of libuv that move bytes. They hand over addresses of frames and of the loop's buffers, so
// this is where it is seen to that those stay until libuv or the kernel has done with them.

internal import Bytes
internal import CLibuv

extension Stream {
    func openSocket() -> Int32 {
        if isUnix { return unsafe uv_pipe_open(accordion_pipe(raw), descriptor) }
        return unsafe uv_tcp_open(accordion_tcp(raw), descriptor)
    }

    func beginReading() {
        let result = unsafe uv_read_start(
            accordion_stream(raw),
            { raw, _, buffer in
                guard let raw = unsafe raw, let buffer = unsafe buffer else { return }
                unsafe buffer.pointee = accordion_read_buffer(raw, Loop.readBufferBytes)
            },
            { raw, count, buffer in
                guard count != 0, let data = unsafe raw?.pointee.data else { return }
                let stream = unsafe Unmanaged<Stream>.fromOpaque(data).takeUnretainedValue()
                if count > 0, let base = unsafe buffer?.pointee.base {
                    let bytes = unsafe UnsafeRawPointer(base).assumingMemoryBound(to: UInt8.self)
                    unsafe stream.didRead(Span(_unsafeStart: bytes, count: count))
                } else if count == Int(UV_EOF.rawValue) {
                    stream.didEnd()
                } else {
                    stream.fail(SystemError("read", libuv: Int32(clamping: count)))
                }
            })
        precondition(result == 0, "an open stream reads")
    }

    func endReading() { unsafe uv_read_stop(accordion_stream(raw)) }

    /// Offers the queued pieces to the kernel in one call. Returns how many bytes it took, or a negated `errno`, and how
    /// many were offered.
    func writeGathered(_ outbox: borrowing Outbox) -> (taken: Int, offered: Int) {
        var count = 0
        var offered = 0
        outbox.forEachUnsent(piecesMax: Loop.gatheredPiecesMax) { piece in
            unsafe loop.gatherBuffer[count] = piece.buffer
            count += 1
            offered += piece.count
        }
        let taken = unsafe uv_try_write(accordion_stream(raw), loop.gatherBuffer, UInt32(count))
        return (Int(taken), offered)
    }

    /// Lets libuv write this piece when there is room; then comes `didWrite`.
    func write(_ piece: Piece) {
        var buffer = unsafe piece.buffer
        let request = WriteRequest(self, piece)
        unsafe request.raw.pointee.data = Unmanaged.passRetained(request).toOpaque()
        let result = unsafe uv_write(request.raw, accordion_stream(raw), &buffer, 1) { raw, status in
            guard let data = unsafe raw?.pointee.data else { return }
            let request = unsafe Unmanaged<WriteRequest>.fromOpaque(data).takeRetainedValue()
            request.stream.didWrite(request.piece.count, status: status)
        }
        precondition(result == 0, "an open stream takes a write")
    }

    /// For slow links and for tests: how much the kernel buffers for this connection (it doubles the number).
    package func limitSendBuffer(bytes: Int) {
        var value = Int32(clamping: bytes)
        unsafe uv_send_buffer_size(raw, &value)
    }
}

extension Piece {
    /// The unsent bytes, as libuv takes them. They stay for as long as somebody holds the frame.
    @unsafe fileprivate var buffer: uv_buf_t {
        unsafe uv_buf_t(
            base: UnsafeMutableRawPointer(frame.address + lower).assumingMemoryBound(to: CChar.self), len: count)
    }
}

/// What libuv writes when there is room: it keeps the stream and the frame for that long.
@safe private final class WriteRequest {
    let raw: UnsafeMutablePointer<uv_write_t>
    let stream: Stream
    let piece: Piece

    init(_ stream: Stream, _ piece: Piece) {
        unsafe raw = .allocate(capacity: 1)
        self.stream = stream
        self.piece = piece
    }

    deinit { unsafe raw.deallocate() }
}
