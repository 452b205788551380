// Why this file exists: the order of things within a turn, and what other threads and the system may do to it.
import EventLoop
import Glibc
import Synchronization
import Testing

@Test func `timers fire in the order of their deadlines, once or again and again`() throws {
    try withLoop { loop in
        var order: [String] = []
        let late = try Timer(loop) { order.append("late") }
        let soon = try Timer(loop) { order.append("soon") }
        let stopped = try Timer(loop) { order.append("stopped") }
        let started = loop.nowMilliseconds
        late.start(afterMilliseconds: 30)
        soon.start(afterMilliseconds: 10, everyMilliseconds: 5)
        stopped.start(afterMilliseconds: -5)
        stopped.stop()
        try loop.run { order.contains("late") }
        #expect(order.filter { $0 == "late" }.count == 1)
        #expect(order.first == "soon" && order.filter { $0 == "soon" }.count >= 2)
        #expect(!order.contains("stopped"))
        #expect(loop.nowMilliseconds - started >= 30)
        for timer in [late, soon, stopped] { timer.close() }
        late.start(afterMilliseconds: 0)
    }
}

@Test func `a timer may close itself and others while it fires`() throws {
    try withLoop { loop in
        var fired = 0
        var timers: [Timer] = []
        for _ in 0..<3 {
            timers.append(
                try Timer(loop) {
                    fired += 1
                    for timer in timers { timer.close() }
                })
        }
        for timer in timers { timer.start(afterMilliseconds: 0, everyMilliseconds: 1) }
        loop.run()
        #expect(fired == 1)
        #expect(timers.allSatisfy { $0.state == .closed })
    }
}

@Test func `a turn ends after what was ready, and once more before the loop waits`() throws {
    try withLoop { loop in
        var order: [String] = []
        let wakeup = try Wakeup(loop) { order.append("ready") }
        let timer = try Timer(loop) { order.append("timer") }
        loop.afterPoll = { order.append("after") }
        loop.beforePoll = { order.append("before") }
        wakeup.knocker.knock()
        timer.start(afterMilliseconds: 0)
        try loop.run { order.contains("ready") && order.contains("timer") && order.last == "after" }
        #expect(order.prefix(4) == ["timer", "before", "ready", "after"])
        loop.beforePoll = nil
        loop.afterPoll = nil
        wakeup.close()
        timer.close()
    }
}

@Test func `a loop with work left does not wait`() throws {
    try withLoop { loop in
        let never = try Wakeup(loop) {}
        var turns = 0
        loop.hasWorkLeft = true
        loop.afterPoll = {
            turns += 1
            if turns == 1000 {
                loop.hasWorkLeft = false
                never.close()
            }
        }
        loop.run()
        #expect(turns >= 1000)
    }
}

@Test func `a stopped loop returns though much is open`() throws {
    try withLoop { loop in
        let timer = try Timer(loop) { loop.stop() }
        timer.start(afterMilliseconds: 0, everyMilliseconds: 1)
        loop.run()
        #expect(loop.openHandles == 1)
        timer.close()
        loop.run()
        #expect(loop.openHandles == 0)
    }
}

@Test func `a handle left open stops the process at the end of the loop`() async {
    await #expect(processExitsWith: .failure) {
        let loop = try Loop()
        let timer = try Timer(loop) {}
        timer.start(afterMilliseconds: 0, everyMilliseconds: 10)
        loop.close()
    }
}

@Test func `messages of one thread come in their order, and none is lost`() throws {
    try withLoop { loop in
        var received: [[Int]] = Array(repeating: [], count: 4)
        var inbox: Inbox<(Int, Int)>?
        let wakeup = try Wakeup(loop) {
            for (thread, number) in inbox?.takeAll() ?? [] { received[thread].append(number) }
        }
        let shared = Inbox<(Int, Int)>(wakeup)
        inbox = shared
        let workers = try (0..<4).map { _ in try Worker(loop) }
        for (thread, worker) in workers.enumerated() {
            worker.run {
                for number in 0..<2000 { shared.post((thread, number)) }
            } then: {
            }
        }
        try loop.run { received.allSatisfy { $0.count == 2000 } }
        #expect(received.allSatisfy { $0 == Array(0..<2000) })
        for worker in workers { worker.shutdown() }
        wakeup.close()
        #expect(!shared.post((0, 0)))
        #expect(!wakeup.knocker.knock())
    }
}

@Test func `a worker does its jobs in order on another thread and answers on the loop's`() throws {
    try withLoop { loop in
        let worker = try Worker(loop)
        let here = pthread_self()
        let log = Mutex<[Int]>([])
        var answers: [Int] = []
        for number in 0..<500 {
            worker.run {
                log.withLock { $0.append(number) }
                return pthread_equal(pthread_self(), here) == 0 ? number : -1
            } then: { answer in
                #expect(pthread_equal(pthread_self(), here) != 0)
                answers.append(answer)
            }
        }
        #expect(worker.pendingJobs == 500)
        try loop.run { answers.count == 500 }
        #expect(answers == Array(0..<500))
        #expect(log.withLock { $0 } == Array(0..<500))
        worker.shutdown()
    }
}

@Test func `shutting a worker down finishes what it was given`() throws {
    try withLoop { loop in
        let worker = try Worker(loop)
        var answers: [Int] = []
        for number in 0..<100 {
            worker.run {
                number
            } then: { answer in
                answers.append(answer)
                worker.shutdown()
            }
        }
        worker.shutdown()
        #expect(answers == Array(0..<100))
        #expect(worker.pendingJobs == 0)
        worker.shutdown()
    }
}

@Test func `a signal becomes an event for each of its watchers`() throws {
    try withLoop { loop in
        var seen: [String] = []
        let first = try SignalWatcher(loop, signal: SIGWINCH) { seen.append("first") }
        let second = try SignalWatcher(loop, signal: SIGWINCH) { seen.append("second") }
        kill(getpid(), SIGWINCH)
        try loop.run { seen.count >= 2 }
        #expect(seen.sorted() == ["first", "second"])
        first.close()
        second.close()
        #expect(throws: SystemError.self) { try SignalWatcher(loop, signal: SIGKILL) {} }
    }
}

@Test func `a descriptor is watched while it is readable, and given back as it was`() throws {
    try withLoop { loop in
        var ends: [Int32] = [-1, -1]
        let made = unsafe pipe(&ends)
        #expect(made == 0)
        var bytes = 0
        let readiness = try FileReadiness(loop, descriptor: ends[0]) { result in
            #expect((try? result.get())?.contains(.readable) == true)
            var byte: UInt8 = 0
            bytes += unsafe read(ends[0], &byte, 1)
        }
        #expect(fcntl(ends[0], F_GETFL) & O_NONBLOCK != 0)
        readiness.start(.readable)
        _ = unsafe write(ends[1], "abc", 3)
        try loop.run { bytes == 3 }
        readiness.stop()
        _ = unsafe write(ends[1], "d", 1)
        for _ in 0..<3 { loop.turn(waiting: false) }
        #expect(bytes == 3)
        readiness.close()
        #expect(fcntl(ends[0], F_GETFL) & O_NONBLOCK == 0)
        for end in ends { close(end) }
        let file = unsafe open("/proc/self/exe", O_RDONLY)
        #expect(throws: SystemError.self) { try FileReadiness(loop, descriptor: file) { _ in } }
        close(file)
    }
}

@Test func `the wall clock counts from 1970`() throws {
    try withLoop { loop in
        #expect(abs(loop.wallMilliseconds / 1000 - time(nil)) <= 1)
    }
}
