// Why this file exists: the door itself. libuv's own `uv_listen` cannot be paused and, when descriptors run out, closes
// clients without a word; so we watch the listening socket and accept by ourselves.

internal import Glibc

/// Who is told of the connections that a listener accepts. It is held until the listener has closed.
package protocol ListenerOwner: AnyObject {
    /// The stream is the owner's from here on: it sets the stream's owner and starts reading, or closes it.
    func listenerAccepted(_ listener: Listener, _ stream: Stream)

    /// Nothing can be accepted now, and the listener has paused itself. If descriptors or memory ran out
    /// (`error.isExhaustion`) the owner calls `resume` when a stream has closed, or after a while, since others may have
    /// used them up; `turnedAway` says how many clients have been sent the farewell.
    func listenerPaused(_ listener: Listener, _ error: SystemError, turnedAway: Int)
}

/// Accepts connections at one address. It is closed by `close`, which also removes the socket file if it is still ours.
package final class Listener: Handle {
    /// The most connections accepted before other events have their turn: few, so that what those say who came before is heard
    /// before many others stand in their place.
    static let acceptedPerWakeMax = 16
    /// The most connections turned away before other events have their turn; the others wait in the kernel's queue.
    package static let turnedAwayPerWakeMax = 64

    package var owner: (any ListenerOwner)?
    /// What a client hears for whom no descriptor is left: a whole line.
    package var farewell: [UInt8] = []
    /// Where it listens, with the real port where 0 was asked for.
    package let boundAddress: Address
    package private(set) var isPaused = true

    /// Whether it listens where this address means; a port of 0 means any.
    package func serves(_ address: Address) -> Bool {
        switch (address, boundAddress) {
        case (.tcp(let wanted, 0), .tcp(let host, _)), (.tls(let wanted, 0), .tls(let host, _)): wanted == host
        default: address == boundAddress
        }
    }

    private var socket: ListeningSocket?
    private let number: Int32
    private let isUnix: Bool
    /// Kept back, so that there is one descriptor to answer with when there is none.
    private var reserve: Int32

    /// Binds and listens; the kernel queues connections from now on. They are accepted after `resume`.
    package convenience init(
        _ loop: Loop, at address: Address, _ options: ListenOptions = ListenOptions()
    ) throws(ListenError) {
        let socket = try ListeningSocket.make(address, options)
        let bound = socket.address
        do throws(SystemError) {
            try self.init(loop, socket)
        } catch {
            throw .system(bound, error)
        }
    }

    /// Takes over a listening socket that was bound by somebody else, whether it throws or not. Its file is not ours to
    /// remove. `speaksTLS`: of one of the internet, whether its address is to be a `tls` one.
    package convenience init(
        _ loop: Loop, inherited descriptor: Int32, speaksTLS: Bool = false, _ options: ListenOptions = ListenOptions()
    ) throws(SystemError) {
        try self.init(loop, try ListeningSocket.inherit(descriptor, speaksTLS: speaksTLS, options))
    }

    private init(_ loop: Loop, _ socket: consuming ListeningSocket) throws(SystemError) {
        number = socket.descriptor.number
        boundAddress = socket.address
        if case .unix = socket.address { isUnix = true } else { isUnix = false }
        reserve = System.openNothing()
        self.socket = consume socket
        try super.init(loop, .poll(descriptor: number))
    }

    /// Accepts, from now on or again.
    package func resume() {
        guard state == .open, isPaused else { return }
        if reserve < 0 { reserve = System.openNothing() }
        isPaused = startPoll(FileReadiness.Events.readable.rawValue) != 0
    }

    /// Accepts no more for now; the kernel queues up to the backlog.
    package func pause() {
        guard state == .open, !isPaused else { return }
        isPaused = true
        stopPoll()
    }

    /// Says the farewell to clients that wait to be accepted, at most `turnedAwayPerWakeMax`, for whom the owner has no
    /// room: sooner or later a client without an answer would wonder. Returns how many that were.
    @discardableResult package func turnAway() -> Int {
        guard state == .open else { return 0 }
        if reserve < 0 { reserve = System.openNothing() }
        var count = 0
        while count < Self.turnedAwayPerWakeMax {
            switch turnOneAway() {
            case 0: count += 1
            case EAGAIN: return count
            case let code: if isFinal(SystemError("accept", code)) { return count }
            }
        }
        return count
    }

    /// 0, or the `errno` with which nobody was accepted. The descriptor that was kept back is used where there is no other.
    private func turnOneAway() -> Int32 {
        var accepted = System.accept(number)
        if accepted == -EMFILE || accepted == -ENFILE, reserve >= 0 {
            System.close(reserve)
            accepted = System.accept(number)
            if accepted >= 0 { System.dismiss(accepted, farewell) }
            reserve = System.openNothing()
        } else if accepted >= 0 {
            System.dismiss(accepted, farewell)
        }
        return accepted >= 0 ? 0 : -accepted
    }

    override func fired(status: Int32, value: Int32) {
        if status < 0 {
            pause()
            owner?.listenerPaused(self, SystemError("poll", libuv: status), turnedAway: 0)
            return
        }
        for _ in 0..<Self.acceptedPerWakeMax {
            guard state == .open, !isPaused else { return }
            let accepted = System.accept(number)
            if accepted >= 0 {
                take(Descriptor(accepted))
            } else if accepted == -EAGAIN || !goesOn(after: SystemError("accept", -accepted)) {
                return
            }
        }
    }

    private func take(_ connection: consuming Descriptor) {
        do {
            let stream = try Stream(loop, adopting: connection, isUnix: isUnix)
            if let owner { owner.listenerAccepted(self, stream) } else { stream.close() }
        } catch {
            pause()
            owner?.listenerPaused(self, error, turnedAway: 0)
        }
    }

    /// Most failures are of the one connection that was to be accepted, and the next one follows; accept(2) lists them.
    private func isFinal(_ error: SystemError) -> Bool {
        error.isExhaustion || [EBADF, EINVAL, ENOTSOCK, EOPNOTSUPP, EFAULT].contains(error.code)
    }

    /// Returns whether to go on.
    private func goesOn(after error: SystemError) -> Bool {
        guard isFinal(error) else { return true }
        var turnedAway = 0
        if error.code == EMFILE || error.code == ENFILE {
            turnedAway = turnAway()
            // The kernel looks for a free descriptor before it looks for a client: there was none to accept.
            if turnedAway == 0, reserve >= 0 { return false }
        }
        pause()
        owner?.listenerPaused(self, error, turnedAway: turnedAway)
        return false
    }

    override func didBeginClosing() {
        isPaused = true
        socket?.removeFile()
        socket = nil
        if reserve >= 0 { System.close(reserve) }
    }

    override func didClose() { owner = nil }
}
