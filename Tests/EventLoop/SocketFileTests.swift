// Why this file exists: what stands in a directory beside the daemon's socket, or in its place, is somebody else's; and the
// socket itself is open to no one a moment too early.
import EventLoop
import Glibc
import Synchronization
import Testing

/// Another kind of file at the place of the socket, and how it is made there.
enum Occupant: CaseIterable, Sendable {
    case file, directory, danglingLink, linkToLive, pipe

    func make(_ path: String, live: String) -> Int32 {
        switch self {
        case .file: close(unsafe open(path, O_CREAT | O_WRONLY, 0o600))
        case .directory: unsafe mkdir(path, 0o700)
        case .danglingLink: unsafe symlink(path + "-nowhere", path)
        case .linkToLive: unsafe symlink(live, path)
        case .pipe: unsafe mkfifo(path, 0o600)
        }
    }
}

@Test(arguments: Occupant.allCases)
func `what stands at the path and is no socket is refused and left alone`(_ occupant: Occupant) throws {
    try withDirectory { directory in
        try withLoop { loop in
            let (path, live) = (directory + "/other", Address.unix(path: directory + "/s"))
            let neighbour = try Listener(loop, at: live)
            defer { neighbour.close() }
            #expect(occupant.make(path, live: directory + "/s") == 0)
            let before = status(path)
            for _ in 0..<2 {
                #expect(throws: ListenError.notASocket(path: path)) { try Listener(loop, at: .unix(path: path)) }
            }
            #expect(before != nil && status(path) == before)
            #expect(try connects(loop, live))
            if occupant == .directory { unsafe rmdir(path) }
        }
    }
}

@Test func `nobody sees the socket's file in another mode, from its first moment on`() throws {
    try withDirectory { directory in
        let path = directory + "/s"
        let watcher = Watcher(path)
        let mask = umask(0)
        defer { umask(mask) }
        try withLoop { loop in
            while watcher.seenCount < 200 { try Listener(loop, at: .unix(path: path)).close() }
        }
        #expect(watcher.end() == [0o660])
    }
}

/// Looks at a file again and again from another thread, and notes the modes it is seen in.
private final class Watcher: Sendable {
    private let path: String
    private let state = Mutex<(modes: Set<UInt32>, count: Int, isOver: Bool, hasEnded: Bool)>(([], 0, false, false))

    init(_ path: String) {
        self.path = path
        var thread = pthread_t()
        let result = unsafe pthread_create(&thread, nil, watch, Unmanaged.passRetained(self).toOpaque())
        #expect(result == 0)
    }

    func look() {
        while !state.withLock({ $0.isOver }) {
            guard let seen = status(path) else { continue }
            state.withLock {
                $0.modes.insert(seen.mode)
                $0.count += 1
            }
        }
        state.withLock { $0.hasEnded = true }
    }

    var seenCount: Int { state.withLock { $0.count } }

    func end() -> Set<UInt32> {
        state.withLock { $0.isOver = true }
        while !state.withLock({ $0.hasEnded }) { sched_yield() }
        return state.withLock { $0.modes }
    }
}

/// A function and not a closure: it runs on a thread that belongs to no actor.
private nonisolated func watch(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    unsafe Unmanaged<Watcher>.fromOpaque(argument).takeRetainedValue().look()
    return nil
}
