// Why this file exists: whether memory ends when it should cannot be seen from within a test. This program opens and ends
// connections in every way that has a name, from either side and over both kinds of socket, and then ends its loop. Built
// with AddressSanitizer, as `Tests/EventLoop/address-sanitizer` does, it fails on a use after the end and on whatever is
// left over.
import Bytes
import EventLoop
import Glibc

@main struct Main {
    static func main() {
        switch CommandLine.arguments.dropFirst().first {
        case "--leak": return leakOnPurpose()
        case "--stale": return readStaleMemoryOnPurpose()
        default: break
        }
        do {
            let connections = try check()
            print("loop lifetime: \(connections) connections ended in \(Ending.allCases.count) ways, nothing left open")
        } catch {
            print("loop lifetime: \(error)")
            exit(1)
        }
    }

    /// Its own frame, so that nothing is left of it on the stack.
    @inline(never) static func check() throws -> Int {
        let loop = try Loop()
        let ledger = FrameLedger()
        let stage = Stage(loop, ledger)
        let path = "/tmp/loop-lifetime-\(getpid())/s"
        for address in [Address.tcp(host: "127.0.0.1", port: 0), .unix(path: path)] {
            try stage.open(address)
            for ending in Ending.allCases { try stage.play(ending, connections: 24) }
            try stage.close()
        }
        _ = unsafe rmdir(String(path.dropLast(2)))
        try endEverythingElse(loop)
        loop.close()
        guard loop.openHandles == 0, ledger.liveBytes == 0 else {
            throw Unended(what: "\(loop.openHandles) handles, \(ledger.liveBytes) bytes of frames")
        }
        return stage.connectionCount
    }

    @inline(never) static func leakOnPurpose() {
        for _ in 0..<100 { _ = unsafe Unmanaged.passRetained(FrameLedger()) }
    }

    @inline(never) static func readStaleMemoryOnPurpose() {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
        unsafe bytes.initialize(repeating: 1, count: 64)
        unsafe bytes.deallocate()
        print(unsafe bytes[getpid() > 0 ? 7 : 8])
    }
}

struct Unended: Error {
    let what: String
}

extension Loop {
    func run(until condition: () -> Bool, _ what: String) throws {
        var isLate = false
        let deadline = try Timer(self) { isLate = true }
        deadline.start(afterMilliseconds: 60_000)
        defer { deadline.close() }
        while !condition() {
            if isLate { throw Unended(what: what) }
            turn()
        }
    }
}

/// Handles other than streams, ended in their own callbacks, with work waiting, and before they have done anything.
func endEverythingElse(_ loop: Loop) throws {
    var fired = 0
    for _ in 0..<20 {
        var timer: Timer?
        timer = try Timer(loop) {
            fired += 1
            timer?.close()
            timer = nil
        }
        timer?.start(afterMilliseconds: 0, everyMilliseconds: 1)
        try Timer(loop) {}.close()
        try SignalWatcher(loop, signal: SIGWINCH) {}.close()
        try FileWatch(loop, besides: "/tmp/x") { _ in }.close()
        let wakeup = try Wakeup(loop) {}
        let inbox = Inbox<[Int]>(wakeup)
        inbox.post([1])
        wakeup.close()
        inbox.post([2])
        let worker = try Worker(loop)
        for number in 0..<10 {
            worker.run {
                [number]
            } then: {
                fired += $0.count
            }
        }
        worker.shutdown()
        let connector = try Stream.connect(loop, to: .tcp(host: "127.0.0.1", port: 9)) { _ in fired += 1 }
        connector.cancel()
        try Listener(loop, at: .tcp(host: "127.0.0.1", port: 0)).close()
        do {
            try Listener(loop, at: .tcp(host: "192.0.2.1", port: 9)).close()
        } catch { fired += 1 }
        do {
            try SignalWatcher(loop, signal: SIGKILL) {}.close()
        } catch { fired += 1 }
        do {
            try FileWatch(loop, besides: "/nonexistent/x") { _ in }.close()
        } catch { fired += 1 }
    }
    try loop.run(until: { fired == 280 }, "timers and workers")
    try refuse(loop)
}

/// Connections to where nobody listens.
func refuse(_ loop: Loop) throws {
    let listener = try Listener(loop, at: .tcp(host: "127.0.0.1", port: 0))
    let nobody = listener.boundAddress
    listener.close()
    var refused = 0
    for address in [nobody, .unix(path: "/tmp/loop-lifetime-nobody"), .unix(path: "")] {
        try Stream.connect(loop, to: address) { result in
            if case .failure = result { refused += 1 }
        }
    }
    try loop.run(until: { refused == 3 }, "refused connections")
}
