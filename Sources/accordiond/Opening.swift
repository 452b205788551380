// Why this file exists: after a crash in the middle of much writing the database has a long log to go through, and a new
// version may have tables to change. A service manager that hears nothing meanwhile would end the daemon, again and again. So
// the state is opened on a thread beside the loop, and as long as that gets on the manager is asked for time.

import EventLoop
import Glibc
import Service
import Store

final class Opening {
    private static let lookMilliseconds = 1_000
    /// What is asked for at each look.
    private static let extensionMicroseconds: UInt64 = 30_000_000

    private let notifier: Notifier?
    private var progress = Progress.now
    private var result: Result<DocumentStore, StoreFailure>?

    private init(_ notifier: Notifier?) { self.notifier = notifier }

    /// The state as `settings` name it. Turns the loop until it is open or can't be.
    static func open(
        _ settings: DaemonSettings, _ loop: Loop, _ notifier: Notifier?
    ) throws(StartFailure) -> DocumentStore {
        let opening = Opening(notifier)
        do throws(SystemError) {
            try opening.run(settings, loop)
        } catch {
            throw StartFailure(.storeUnopenable, "the state can't be opened: \(error)")
        }
        switch opening.result {
        case .success(let store): return store
        case .failure(let failure): throw StartFailure(failure)
        case nil: throw StartFailure(.storeUnopenable, "the state was not opened")
        }
    }

    private func run(_ settings: DaemonSettings, _ loop: Loop) throws(SystemError) {
        let worker = try Worker(loop)
        defer { worker.shutdown() }
        let timer = try Timer(loop) { [unowned self] in look() }
        defer { timer.close() }
        timer.start(afterMilliseconds: Opening.lookMilliseconds, everyMilliseconds: Opening.lookMilliseconds)
        let (directory, options) = (settings.stateDirectory, StoreOptions(node: settings.node))
        worker.run { () -> Result<DocumentStore, StoreFailure> in
            do throws(StoreFailure) {
                return .success(try DocumentStore(directory: directory, options: options))
            } catch {
                return .failure(error)
            }
        } then: { [unowned self] in
            result = $0
        }
        while result == nil { loop.turn() }
    }

    private func look() {
        let now = Progress.now
        if now.isBeyond(progress) { notifier?.tell(.extendTimeout(microseconds: Opening.extensionMicroseconds)) }
        progress = now
    }
}

/// What this process has done since it began, as far as the kernel counts it.
struct Progress {
    /// Of the processor.
    var microseconds: Int
    /// Of the disk, read and written.
    var blocks: Int

    static var now: Progress {
        var usage = rusage()
        guard unsafe getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return Progress(microseconds: 0, blocks: 0) }
        let (user, system) = (usage.ru_utime, usage.ru_stime)
        return Progress(
            microseconds: (user.tv_sec + system.tv_sec) * 1_000_000 + Int(user.tv_usec + system.tv_usec),
            blocks: usage.ru_inblock + usage.ru_oublock)
    }

    /// Whether something was done since: more than to look at the clock.
    func isBeyond(_ earlier: Progress) -> Bool {
        microseconds - earlier.microseconds > 2_000 || blocks != earlier.blocks
    }
}
