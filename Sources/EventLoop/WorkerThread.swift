// Why this file exists: a thread is entered through a C function and a raw pointer, and its semaphore has an address that
// must not move. Both stand here, so that `Worker` is plain Swift.

internal import CLibuv
internal import Synchronization

/// A counting semaphore.
@safe final class Semaphore: @unchecked Sendable {
    private let raw: UnsafeMutablePointer<uv_sem_t>
    private var isMade = false

    init() throws(SystemError) {
        unsafe raw = .allocate(capacity: 1)
        let result = unsafe uv_sem_init(raw, 0)
        if result != 0 { throw SystemError("uv_sem_init", libuv: result) }
        isMade = true
    }

    deinit {
        if isMade { unsafe uv_sem_destroy(raw) }
        unsafe raw.deallocate()
    }

    func ring() { unsafe uv_sem_post(raw) }
    func wait() { unsafe uv_sem_wait(raw) }
}

/// A thread that lives as long as its bench has work.
@safe final class WorkerThread {
    private var raw = uv_thread_t()

    init(_ bench: Bench) throws(SystemError) {
        let held = unsafe Unmanaged.passRetained(bench)
        let result = unsafe uv_thread_create(&raw, enterWorkerThread, held.toOpaque())
        if result != 0 {
            unsafe held.release()
            throw SystemError("uv_thread_create", libuv: result)
        }
    }

    func join() { _ = unsafe uv_thread_join(&raw) }
}

/// A function and not a closure: it runs on the new thread, which belongs to no actor.
private nonisolated func enterWorkerThread(_ argument: UnsafeMutableRawPointer?) {
    guard let argument = unsafe argument else { return }
    let bench = unsafe Unmanaged<Bench>.fromOpaque(argument).takeRetainedValue()
    System.blockSignals()
    bench.work()
}
