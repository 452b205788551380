// Why this file exists: libuv holds the address of a handle until its close callback has run, and not a moment less. So the
// memory of every handle belongs to an object that libuv itself keeps alive: retained when libuv learns the address,
// given back in the close callback, freed when the last owner lets go. Everything that libuv watches for us derives from
// this class, and no other file decides when a handle's memory ends.

internal import CLibuv

/// Something that a loop watches. It must be closed; letting go of it is not enough, and traps.
@safe package class Handle {
    package enum State { case open, closing, closed }

    package final let loop: Loop
    final let raw: UnsafeMutablePointer<uv_handle_t>
    package private(set) final var state = State.open

    init(_ loop: Loop, _ kind: HandleKind) throws(SystemError) {
        self.loop = loop
        let memory = UnsafeMutableRawPointer.allocate(byteCount: uv_handle_size(kind.type), alignment: 16)
        unsafe raw = memory.assumingMemoryBound(to: uv_handle_t.self)
        let result = unsafe kind.start(loop.raw, raw)
        if result != 0 {
            state = .closed
            throw SystemError("uv init of \(kind)", libuv: result)
        }
        unsafe raw.pointee.data = Unmanaged.passRetained(self).toOpaque()
        loop.openHandleCount += 1
        loop.unclosedHandleCount += 1
    }

    deinit {
        precondition(state == .closed, "a handle is closed before it is let go")
        unsafe UnsafeMutableRawPointer(raw).deallocate()
    }

    /// Ends the handle. No callback of it comes after this call, but the one that says it is closed. Allowed at any time,
    /// in its own callbacks too, and any number of times.
    package final func close() {
        guard state == .open else { return }
        state = .closing
        loop.unclosedHandleCount -= 1
        unsafe uv_close(raw) { raw in
            guard let data = unsafe raw?.pointee.data else { return }
            let handle = unsafe Unmanaged<Handle>.fromOpaque(data).takeRetainedValue()
            handle.state = .closed
            handle.loop.openHandleCount -= 1
            handle.didClose()
        }
        didBeginClosing()
    }

    /// A handle that does not keep the loop alive lets `run` return while it is still open.
    package final func letLoopEnd() { unsafe uv_unref(raw) }

    /// The event that a timer, signal, poll, wakeup, hook or watch has waited for. `status` is 0 or a negated `errno`.
    func fired(status: Int32, value: Int32) {}

    /// libuv watches no longer; a descriptor may be closed now.
    func didBeginClosing() {}

    /// The last callback.
    func didClose() {}
}

/// Calls of libuv that start and stop the simple handles. All of them end in `fired`.
extension Handle {
    fileprivate static func fire(_ raw: UnsafeMutablePointer<uv_handle_t>?, _ status: Int32 = 0, _ value: Int32 = 0) {
        guard let data = unsafe raw?.pointee.data else { return }
        unsafe Unmanaged<Handle>.fromOpaque(data).takeUnretainedValue().fired(status: status, value: value)
    }

    final func startTimer(_ first: UInt64, _ interval: UInt64) {
        let result = unsafe uv_timer_start(
            accordion_timer(raw), { unsafe Handle.fire(accordion_of_timer($0)) }, first, interval)
        precondition(result == 0, "an open timer starts")
    }

    final func stopTimer() { unsafe uv_timer_stop(accordion_timer(raw)) }

    final func startSignal(_ number: Int32) -> Int32 {
        unsafe uv_signal_start(accordion_signal(raw), { unsafe Handle.fire(accordion_of_signal($0), 0, $1) }, number)
    }

    final func startPoll(_ events: Int32) -> Int32 {
        unsafe uv_poll_start(accordion_poll(raw), events) { unsafe Handle.fire(accordion_of_poll($0), $1, $2) }
    }

    final func stopPoll() { unsafe uv_poll_stop(accordion_poll(raw)) }

    final func startCheck() {
        unsafe uv_check_start(accordion_check(raw)) { unsafe Handle.fire(accordion_of_check($0)) }
    }

    final func startPrepare() {
        unsafe uv_prepare_start(accordion_prepare(raw)) { unsafe Handle.fire(accordion_of_prepare($0)) }
    }

    final func startIdle() { unsafe uv_idle_start(accordion_idle(raw)) { unsafe Handle.fire(accordion_of_idle($0)) } }

    final func startFileEvents(_ path: String) -> Int32 {
        let events = unsafe accordion_fs_event(raw)
        return unsafe uv_fs_event_start(
            events, { raw, _, events, status in unsafe Handle.fire(accordion_of_fs_event(raw), status, events) }, path,
            0)
    }

    final func stopIdle() { unsafe uv_idle_stop(accordion_idle(raw)) }
}

/// What libuv is asked to make of a handle's memory.
enum HandleKind {
    case timer, signal, wakeup, check, prepare, idle, tcp, pipe, fileEvents
    case poll(descriptor: Int32)

    var type: uv_handle_type {
        switch self {
        case .timer: UV_TIMER
        case .signal: UV_SIGNAL
        case .wakeup: UV_ASYNC
        case .check: UV_CHECK
        case .prepare: UV_PREPARE
        case .idle: UV_IDLE
        case .tcp: UV_TCP
        case .pipe: UV_NAMED_PIPE
        case .poll: UV_POLL
        case .fileEvents: UV_FS_EVENT
        }
    }

    @unsafe func start(
        _ loop: UnsafeMutablePointer<uv_loop_t>, _ raw: UnsafeMutablePointer<uv_handle_t>
    ) -> Int32 {
        switch self {
        case .timer: unsafe uv_timer_init(loop, accordion_timer(raw))
        case .signal: unsafe uv_signal_init(loop, accordion_signal(raw))
        case .wakeup: unsafe uv_async_init(loop, accordion_async(raw)) { unsafe Handle.fire(accordion_of_async($0)) }
        case .check: unsafe uv_check_init(loop, accordion_check(raw))
        case .prepare: unsafe uv_prepare_init(loop, accordion_prepare(raw))
        case .idle: unsafe uv_idle_init(loop, accordion_idle(raw))
        case .tcp: unsafe uv_tcp_init(loop, accordion_tcp(raw))
        case .pipe: unsafe uv_pipe_init(loop, accordion_pipe(raw), 0)
        case .fileEvents: unsafe uv_fs_event_init(loop, accordion_fs_event(raw))
        case .poll(let descriptor): unsafe uv_poll_init(loop, accordion_poll(raw), descriptor)
        }
    }
}
