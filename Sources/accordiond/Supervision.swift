// Why this file exists: under a service manager the daemon says when it serves, reloads and stops, how it stands, and that it
// lives – which is true only while the loop turns and the store answers. Without a manager all of this is nothing.

import EventLoop
import Hub
import Service

final class Supervision {
    private static let statusMilliseconds = 1_000
    private static let againMilliseconds = 100

    private let notifier: Notifier?
    private let keeper: Keeper
    /// One line on how the daemon stands, with nothing in it that a client wrote.
    private let describe: () -> String
    private var statusTimer: Timer?
    private var aliveTimer: Timer?
    private var againTimer: Timer?
    private var isStatusDue = false
    private var toldStatus = ""
    private var isReady = false
    /// Whether the store has answered since the last sign of life.
    private var hasStoreAnswered = true

    init(
        _ loop: Loop, _ notifier: Notifier?, _ keeper: Keeper, describe: @escaping () -> String
    ) throws(SystemError) {
        self.notifier = notifier
        self.keeper = keeper
        self.describe = describe
        guard let notifier else { return }
        do throws(SystemError) {
            statusTimer = try Timer(loop) { [unowned self] in tellStatus() }
            againTimer = try Timer(loop) { [unowned self] in tellAgain() }
            guard let microseconds = notifier.watchdogMicroseconds else { return }
            aliveTimer = try Timer(loop) { [unowned self] in tellAlive() }
            let half = max(1, Int(clamping: microseconds / 2_000))
            aliveTimer?.start(afterMilliseconds: half, everyMilliseconds: half)
        } catch {
            close()
            throw error
        }
    }

    func close() {
        statusTimer?.close()
        aliveTimer?.close()
        againTimer?.close()
    }

    // MARK: - What happens

    func ready() {
        isReady = true
        toldStatus = describe()
        tell(.ready(toldStatus))
    }

    /// Until `ready`.
    func reloading() { tell(.reloading(monotonicMicroseconds: Notifier.monotonicMicroseconds)) }

    func stopping() {
        isReady = false
        tell(.stopping)
    }

    /// How the daemon stands may have changed; it is told within a second.
    func changed() {
        guard isReady, !isStatusDue, notifier != nil else { return }
        isStatusDue = true
        statusTimer?.start(afterMilliseconds: Supervision.statusMilliseconds)
    }

    private func tellStatus() {
        isStatusDue = false
        guard isReady else { return }
        let status = describe()
        guard status != toldStatus else { return }
        toldStatus = status
        tell(.status(status))
    }

    private func tellAlive() {
        guard hasStoreAnswered else { return }
        tell(.alive)
        hasStoreAnswered = false
        keeper.answer { [unowned self] in hasStoreAnswered = true }
    }

    private func tell(_ news: ServiceNews) {
        notifier?.tell(news)
        waitIfNeeded()
    }

    private func tellAgain() {
        notifier?.tellAgain()
        waitIfNeeded()
    }

    private func waitIfNeeded() {
        if notifier?.isWaiting == true { againTimer?.start(afterMilliseconds: Supervision.againMilliseconds) }
    }
}
