// Why this file exists: the loop belongs to one thread. This is the one door for all others: they leave a message and knock.

internal import CLibuv
public import Synchronization

/// Calls its action in the loop some time after anyone has knocked, once for any number of knocks.
package final class Wakeup: Handle {
    /// What other threads hold. It stays valid after the end of the loop; then it does nothing.
    package let knocker = Knocker()
    private var action: (() -> Void)?

    package init(_ loop: Loop, _ action: @escaping () -> Void) throws(SystemError) {
        self.action = action
        try super.init(loop, .wakeup)
        knocker.open(self)
    }

    override func fired(status: Int32, value: Int32) {
        if state == .open { action?() }
    }

    override func didBeginClosing() { knocker.shut() }

    override func didClose() { action = nil }
}

/// The other side of the door, for any thread.
@usableFromInline package final class Knocker: Sendable {
    /// The address of libuv's handle while it is open, else 0. It is used under the lock only, so it cannot end meanwhile.
    private let address = Mutex<UInt>(0)

    fileprivate func open(_ wakeup: Wakeup) { address.withLock { unsafe $0 = UInt(bitPattern: wakeup.raw) } }

    fileprivate func shut() { address.withLock { $0 = 0 } }

    /// False if the door is closed.
    @usableFromInline @discardableResult package func knock() -> Bool {
        address.withLock { address in
            guard let raw = unsafe UnsafeMutablePointer<uv_handle_t>(bitPattern: address) else { return false }
            return unsafe uv_async_send(accordion_async(raw)) == 0
        }
    }
}

/// Messages from other threads to the loop, in the order in which they were left.
@usableFromInline package final class Inbox<Message: Sendable>: Sendable {
    @usableFromInline let messages = Mutex<[Message]>([])
    @usableFromInline let knocker: Knocker

    package init(_ wakeup: Wakeup) { knocker = wakeup.knocker }

    /// Leaves a message, from any thread. False if the loop's side is closed: nobody will read it.
    @discardableResult @inlinable package func post(_ message: Message) -> Bool {
        messages.withLock { $0.append(message) }
        return knocker.knock()
    }

    /// All messages that were left since the last time; called by the wakeup's action.
    @inlinable package func takeAll() -> [Message] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
