// Why this file exists: one connection, as the rooms above see it: bytes come in by turns, pieces of shared frames go out in
// as few calls as the kernel allows, and it ends cleanly whoever ends it. This file decides; `StreamCalls` calls libuv.
//
// Writing. `flush` offers all that is queued to the kernel in one gathered call. What it does not take stays in the outbox,
// where it is counted and where events can still be dropped; libuv gets only the first piece, to tell when there is room
// again. That piece is promised and will be finished; everything behind it goes out in one gathered call when it has left.

package import Bytes

/// An open connection, accepted by a `Listener` or made by `connect`. It is closed by `close`.
package final class Stream: Handle {
    /// Who is told of everything. It is let go when the stream has closed.
    package var owner: (any StreamOwner)?

    package let isUnix: Bool
    /// The socket, for options that are set or asked for once. It is not read, written or closed by anyone else.
    package let descriptor: Int32
    /// True while libuv waits for room for the first piece.
    private var isWaitingForRoom = false
    private var isReading = false
    private var endsSending = false
    private var hasEndedSending = false

    /// Takes over the descriptor of a connected socket, whether it throws or not.
    init(_ loop: Loop, adopting connection: consuming Descriptor, isUnix: Bool) throws(SystemError) {
        self.isUnix = isUnix
        descriptor = connection.number
        try super.init(loop, isUnix ? .pipe : .tcp)
        let result = openSocket()
        if result != 0 {
            close()
            throw SystemError("uv open", libuv: result)
        }
        _ = connection.release()
    }

    // MARK: Reading

    /// Begins, or resumes, to read. Nothing is read before the first call.
    package func startReading() {
        guard state == .open, !isReading else { return }
        isReading = true
        beginReading()
    }

    /// Reads no more for now; the kernel, and then the sender, has to wait.
    package func stopReading() {
        guard state == .open, isReading else { return }
        isReading = false
        endReading()
    }

    func didRead(_ bytes: Span<UInt8>) { owner?.streamRead(self, bytes) }

    func didEnd() {
        isReading = false
        owner?.streamEnded(self)
    }

    // MARK: Writing

    /// What waits to be sent: the owner's outbox.
    package var outbox: Outbox { owner?.outbox ?? Outbox() }

    /// Queues a piece in the owner's outbox, at any time; it leaves with the next `flush`, and its frame is sealed by then.
    /// A stream that is closed, or ends sending, forgets it.
    package func queue(_ piece: Piece) {
        if state == .open, !endsSending { owner?.outbox.append(piece) }
    }

    /// Drops the events that have not begun to leave. Returns how many bytes that were.
    package func dropEvents() -> Int { owner?.outbox.dropEvents() ?? 0 }

    /// Sends what is in the owner's outbox, as much as the kernel takes now; all frames in it are sealed. Returns true if nothing is left in the outbox; if false, what
    /// is left leaves by itself and `streamDrained` follows, or `streamFailed`. Neither is called from in here.
    @discardableResult package func flush() -> Bool {
        guard let owner else { return true }
        var isAllSent = true
        owner.withOutbox { outbox in
            if outbox.isEmpty { return }
            isAllSent = state == .open && !isWaitingForRoom && !hasEndedSending
            while isAllSent, !outbox.isEmpty {
                let (taken, offered) = writeGathered(outbox)
                if taken > 0 { outbox.consume(taken) }
                // Room ran out, or something is wrong: libuv finds the same and tells it in its own time.
                if taken < offered {
                    isAllSent = false
                    waitForRoom(outbox.beginFirst())
                }
            }
        }
        if isAllSent { endSendingIfAsked() }
        return isAllSent
    }

    /// Ends sending once everything queued has left: the other side reads to the end of it. Reading goes on.
    package func shutdown() {
        endsSending = true
        if flush() { endSendingIfAsked() }
    }

    private func endSendingIfAsked() {
        guard endsSending, !hasEndedSending, state == .open else { return }
        hasEndedSending = true
        System.shutdownSending(descriptor)
    }

    private func waitForRoom(_ first: Piece?) {
        guard let piece = first else { return }
        isWaitingForRoom = true
        write(piece)
    }

    /// The end of the write that `waitForRoom` began.
    func didWrite(_ bytes: Int, status: Int32) {
        guard state == .open else { return }
        isWaitingForRoom = false
        if status < 0 {
            fail(SystemError("write", libuv: status))
            return
        }
        owner?.outbox.consume(bytes)
        if flush() {
            endSendingIfAsked()
            owner?.streamDrained(self)
        }
    }

    // MARK: Ending

    func fail(_ error: SystemError) {
        guard state == .open else { return }
        isReading = false
        owner?.streamFailed(self, error)
        close()
    }

    override func didBeginClosing() { owner?.outbox = Outbox() }

    override func didClose() {
        owner?.streamClosed(self)
        owner = nil
    }
}
