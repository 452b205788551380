// Why this file exists: deadlines and intervals, in the loop's time.

/// Calls its action once, or again and again. It counts from the time of the turn in which it was started.
package final class Timer: Handle {
    private var action: (() -> Void)?

    package init(_ loop: Loop, _ action: @escaping () -> Void) throws(SystemError) {
        self.action = action
        try super.init(loop, .timer)
    }

    /// Starts it, anew if it runs already; an interval of 0 means once. What is negative counts as 0.
    package func start(afterMilliseconds first: Int, everyMilliseconds interval: Int = 0) {
        guard state == .open else { return }
        startTimer(UInt64(max(first, 0)), UInt64(max(interval, 0)))
    }

    package func stop() {
        if state == .open { stopTimer() }
    }

    override func fired(status: Int32, value: Int32) { action?() }

    override func didClose() { action = nil }
}
