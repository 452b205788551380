// Why this file exists: a signal interrupts anything anywhere; here it becomes an event like any other.

/// Calls its action in the loop when the process gets the signal. Other watchers of the same signal are called too.
package final class SignalWatcher: Handle {
    private var action: (() -> Void)?

    package init(_ loop: Loop, signal: Int32, _ action: @escaping () -> Void) throws(SystemError) {
        self.action = action
        try super.init(loop, .signal)
        let result = startSignal(signal)
        if result != 0 {
            close()
            throw SystemError("uv_signal_start", libuv: result)
        }
    }

    override func fired(status: Int32, value: Int32) { action?() }

    override func didClose() { action = nil }
}
