// Why this file exists: one thread waits for everything at once and calls whoever it concerns. This is libuv's loop with
// what the daemon needs around it: a moment at the end of each turn, the memory that reads and gathered writes share, and
// the certainty at the end that nothing was left open.

internal import CLibuv

/// The loop. Whoever makes it calls `close` at the end. It and all that it watches stay on one thread; `Wakeup` is the only
/// door for others.
@safe package final class Loop {
    static let readBufferBytes = 65536
    /// The most pieces that one gathered write holds (the kernel's own limit).
    static let gatheredPiecesMax = 1024

    let raw: UnsafeMutablePointer<uv_loop_t>
    /// Where every stream of this loop reads to, one after the other.
    let readBuffer: UnsafeMutablePointer<UInt8>
    let gatherBuffer: UnsafeMutablePointer<uv_buf_t>
    /// Handles whose `close` has not been called, and those whose last callback has not come.
    var unclosedHandleCount = 0
    var openHandleCount = 0
    private var hooks: [Hook] = []
    private var idle: Hook?
    private var isClosed = false

    /// Called once in each turn, after the callbacks of everything that was ready.
    package var afterPoll: (() -> Void)?

    /// Called once in each turn, just before the loop waits. Timers run between `afterPoll` and this, and so do close
    /// callbacks: a turn that ends here has seen all that happened since the last wait, and nothing that it leaves to be
    /// written sleeps with the loop.
    package var beforePoll: (() -> Void)?

    package init() throws(SystemError) {
        unsafe raw = .allocate(capacity: 1)
        unsafe readBuffer = .allocate(capacity: Self.readBufferBytes)
        unsafe gatherBuffer = .allocate(capacity: Self.gatheredPiecesMax)
        let result = unsafe uv_loop_init(raw)
        if result != 0 {
            isClosed = true
            throw SystemError("uv_loop_init", libuv: result)
        }
        unsafe raw.pointee.data = UnsafeMutableRawPointer(readBuffer)
        System.ignoreBrokenPipe()
        let check = try Hook(self, .check) { [unowned self] in afterPoll?() }
        let prepare = try Hook(self, .prepare) { [unowned self] in beforePoll?() }
        let idle = try Hook(self, .idle) {}
        check.startCheck()
        prepare.startPrepare()
        hooks = [check, prepare, idle]
        for hook in hooks { hook.letLoopEnd() }
        self.idle = idle
    }

    deinit {
        precondition(isClosed, "a loop is closed before it is let go")
        unsafe raw.deallocate()
        unsafe readBuffer.deallocate()
        unsafe gatherBuffer.deallocate()
    }

    /// Runs until `stop`, or until nothing is left that could happen.
    package func run() { _ = unsafe uv_run(raw, UV_RUN_DEFAULT) }

    /// One turn, waiting for something to happen or not. Returns false when nothing is left that could.
    @discardableResult package func turn(waiting: Bool = true) -> Bool {
        unsafe uv_run(raw, waiting ? UV_RUN_ONCE : UV_RUN_NOWAIT) != 0
    }

    /// Lets `run` return at the end of this turn.
    package func stop() { unsafe uv_stop(raw) }

    /// While this is true the loop does not wait: work is left over for the next turn.
    package var hasWorkLeft = false {
        didSet {
            guard hasWorkLeft != oldValue, let idle else { return }
            if hasWorkLeft { idle.startIdle() } else { idle.stopIdle() }
        }
    }

    /// Milliseconds of a clock that never goes back, as of the beginning of this turn.
    package var nowMilliseconds: Int { Int(unsafe uv_now(raw)) }

    /// Milliseconds since 1970, by the system's clock, which may be set back.
    package var wallMilliseconds: Int { System.wallMilliseconds }

    /// How many handles are open, without the loop's own.
    package var openHandles: Int { openHandleCount - hooks.count }

    /// The end. All handles have been closed by their owners; their last callbacks run in here. Traps if one is open still.
    package func close() {
        guard !isClosed else { return }
        afterPoll = nil
        beforePoll = nil
        for hook in hooks { hook.close() }
        hooks = []
        idle = nil
        precondition(unclosedHandleCount == 0, "a handle is still open at the end of its loop")
        while openHandleCount > 0 { _ = unsafe uv_run(raw, UV_RUN_ONCE) }
        let result = unsafe uv_loop_close(raw)
        precondition(result == 0, "libuv still holds something at the end of the loop")
        isClosed = true
    }
}

/// A moment of each turn.
private final class Hook: Handle {
    private let action: () -> Void

    init(_ loop: Loop, _ kind: HandleKind, _ action: @escaping () -> Void) throws(SystemError) {
        self.action = action
        try super.init(loop, kind)
    }

    override func fired(status: Int32, value: Int32) { action() }
}
