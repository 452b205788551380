// Why this file exists: some descriptors are read by others (a terminal by its library, a socket that still connects); the
// loop only says when.

internal import CLibuv

/// Watches a descriptor that stays its owner's. Regular files cannot be watched (EPERM). The descriptor becomes
/// non-blocking while it is watched, and blocking again at the end if it was: standard input is shared with the shell.
package final class FileReadiness: Handle {
    package struct Events: OptionSet, Sendable {
        package let rawValue: Int32
        package init(rawValue: Int32) { self.rawValue = rawValue }
        package static let readable = Events(rawValue: 1)
        package static let writable = Events(rawValue: 2)
        /// The other side has closed its end.
        package static let disconnected = Events(rawValue: 4)
    }

    private let descriptor: Int32
    private let wasBlocking: Bool
    private var action: ((Result<Events, SystemError>) -> Void)?

    package init(
        _ loop: Loop, descriptor: Int32, _ action: @escaping (Result<Events, SystemError>) -> Void
    ) throws(SystemError) {
        self.descriptor = descriptor
        self.action = action
        wasBlocking = System.isBlocking(descriptor)
        try super.init(loop, .poll(descriptor: descriptor))
    }

    /// Watches for these events, instead of those before; calls for as long as one of them is true.
    package func start(_ events: Events) {
        guard state == .open else { return }
        let result = startPoll(events.rawValue)
        precondition(result == 0, "an open poll handle starts")
    }

    package func stop() {
        if state == .open { stopPoll() }
    }

    override func fired(status: Int32, value: Int32) {
        if status < 0 {
            action?(.failure(SystemError("poll", libuv: status)))
        } else {
            action?(.success(Events(rawValue: value)))
        }
    }

    override func didBeginClosing() {
        if wasBlocking { System.makeBlocking(descriptor) }
    }

    override func didClose() { action = nil }
}
