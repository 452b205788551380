// Why this file exists: some work blocks (a commit waits for the disk). It is done on a thread of its own, one job after
// the other, and what follows from it happens back in the loop, in the same order.

internal import CLibuv
internal import Synchronization

/// One thread that does jobs in order. Whoever makes it calls `shutdown`.
package final class Worker {
    private let bench: Bench
    private let wakeup: Wakeup
    private let thread: WorkerThread
    /// What to do in the loop for each job that has been given and not yet been answered.
    private var continuations: [() -> Void] = []
    private var finishedJobs = 0
    private var isShutDown = false

    package init(_ loop: Loop) throws(SystemError) {
        let bench = try Bench()
        self.bench = bench
        weak var worker: Worker?
        wakeup = try Wakeup(loop) { worker?.finishJobs() }
        bench.knocker.withLock { [knocker = wakeup.knocker] in $0 = knocker }
        do {
            thread = try WorkerThread(bench)
        } catch {
            wakeup.close()
            throw error
        }
        worker = self
    }

    deinit { precondition(isShutDown, "a worker is shut down before it is let go") }

    /// How many jobs have been given whose continuation has not run yet.
    package var pendingJobs: Int { continuations.count }

    /// Does `job` on the worker's thread after those given before, then `continuation` with its result in the loop.
    package func run<Value: Sendable>(
        _ job: @escaping @Sendable () -> Value, then continuation: @escaping (Value) -> Void
    ) {
        precondition(!isShutDown, "a worker that is shut down takes no job")
        let slot = Slot<Value>()
        continuations.append {
            if let value = slot.take() { continuation(value) }
        }
        bench.give { slot.put(job()) }
    }

    /// Waits until every job given is done, ends the thread, runs the continuations that are left, in order.
    package func shutdown() {
        guard !isShutDown else { return }
        isShutDown = true
        bench.give(nil)
        thread.join()
        finishJobs()
        wakeup.close()
    }

    private func finishJobs() {
        finishedJobs += bench.takeFinished()
        while finishedJobs > 0 {
            finishedJobs -= 1
            let continuation = continuations.removeFirst()
            continuation()
        }
    }
}

/// The result of one job on its way from the thread to the loop.
private final class Slot<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func put(_ new: Value) { value.withLock { $0 = new } }

    func take() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}

/// What the loop and the thread share: jobs go one way, the number of those finished the other.
final class Bench: Sendable {
    typealias Job = @Sendable () -> Void
    private struct Jobs {
        /// Nil ends the thread.
        var waiting: [Job?] = []
        var finished = 0
    }

    private let jobs = Mutex(Jobs())
    private let bell: Semaphore
    let knocker = Mutex<Knocker?>(nil)

    init() throws(SystemError) { bell = try Semaphore() }

    func give(_ job: Job?) {
        jobs.withLock { $0.waiting.append(job) }
        bell.ring()
    }

    func takeFinished() -> Int {
        jobs.withLock { jobs in
            defer { jobs.finished = 0 }
            return jobs.finished
        }
    }

    /// The whole life of the thread.
    func work() {
        while true {
            bell.wait()
            let jobs = self.jobs.withLock { jobs in
                defer { jobs.waiting = [] }
                return jobs.waiting
            }
            for job in jobs {
                guard let job else { return }
                job()
                self.jobs.withLock { $0.finished += 1 }
                _ = knocker.withLock { $0?.knock() }
            }
        }
    }
}
