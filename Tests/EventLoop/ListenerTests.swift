// Why this file exists: a door that lets nobody in early, bars nobody out for good, and never touches what is not its own.
import Bytes
import EventLoop
import Glibc
import Testing

struct FileStatus: Equatable {
    var mode: UInt32
    var inode: UInt
}

func status(_ path: String) -> FileStatus? {
    var found = stat()
    guard unsafe lstat(path, &found) == 0 else { return nil }
    return FileStatus(mode: found.st_mode & 0o7777, inode: found.st_ino)
}

/// Leaves a socket file behind at which nobody listens, as a daemon does that was killed.
private func leaveStale(_ path: String) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let result = unsafe withUnsafePointer(to: address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    #expect(result == 0)
    close(descriptor)
}

func connects(_ loop: Loop, _ address: Address) throws -> Bool {
    var connected: Bool?
    try Stream.connect(loop, to: address) { result in
        if case .success(let stream) = result {
            stream.close()
            connected = true
        } else {
            connected = false
        }
    }
    try loop.run { connected != nil }
    return connected == true
}

@Test func `the directory is made for the group, and the socket is the group's, whatever the mask`() throws {
    try withDirectory { directory in
        try withLoop { loop in
            let listener = try Listener(loop, at: .unix(path: directory + "/d/s"))
            #expect(status(directory + "/d")?.mode == 0o750)
            #expect(status(directory + "/d/s")?.mode == 0o660)
            let changed = unsafe chmod(directory + "/d", 0o700)
            #expect(changed == 0)
            listener.close()
            #expect(status(directory + "/d/s") == nil)
            try Listener(loop, at: .unix(path: directory + "/d/s")).close()
            #expect(status(directory + "/d")?.mode == 0o700)
        }
    }
}

@Test func `a stale socket file is replaced`() throws {
    try withDirectory { directory in
        try withLoop { loop in
            let address = Address.unix(path: directory + "/s")
            leaveStale(directory + "/s")
            #expect(try !connects(loop, address))
            let listener = try Listener(loop, at: address)
            defer { listener.close() }
            #expect(try connects(loop, address))
        }
    }
}

@Test func `a live socket is refused and left alone, even with a full queue`() throws {
    try withDirectory { directory in
        try withLoop { loop in
            let address = Address.unix(path: directory + "/s")
            var options = ListenOptions()
            options.backlog = 0
            let first = try Listener(loop, at: address, options)
            defer { first.close() }
            let before = status(directory + "/s")
            for _ in 0..<3 {
                #expect(throws: ListenError.inUse(address)) { try Listener(loop, at: address) }
            }
            #expect(status(directory + "/s") == before)
        }
    }
}

@Test func `a path over 107 bytes is refused, one of 107 is served`() throws {
    try withDirectory { directory in
        try withLoop { loop in
            let filling = String(repeating: "p", count: 107 - directory.utf8.count - 1)
            let longest = Address.unix(path: directory + "/" + filling)
            let listener = try Listener(loop, at: longest)
            #expect(try connects(loop, longest))
            listener.close()
            #expect(status(directory + "/" + filling) == nil)
            #expect(throws: ListenError.self) { try Listener(loop, at: .unix(path: directory + "/" + filling + "p")) }
            #expect(throws: ListenError.self) { try Listener(loop, at: .unix(path: "")) }
        }
    }
}

@Test func `only its own socket file is removed`() throws {
    try withDirectory { directory in
        try withLoop { loop in
            let address = Address.unix(path: directory + "/s")
            let first = try Listener(loop, at: address)
            let removed = unsafe unlink(directory + "/s")
            #expect(removed == 0)
            let second = try Listener(loop, at: address)
            let before = status(directory + "/s")
            first.close()
            #expect(before != nil && status(directory + "/s") == before)
            #expect(try connects(loop, address))
            second.close()
            #expect(status(directory + "/s") == nil)
        }
    }
}

@Test func `a directory that another starter has locked is waited for`() throws {
    try withDirectory { directory in
        let lock = unsafe open(directory, O_RDONLY)
        #expect(flock(lock, LOCK_EX) == 0)
        var options = ListenOptions()
        options.lockTimeoutMilliseconds = 30
        try withLoop { loop in
            #expect(throws: ListenError.inUse(.unix(path: directory + "/s"))) {
                try Listener(loop, at: .unix(path: directory + "/s"), options)
            }
            close(lock)
            try Listener(loop, at: .unix(path: directory + "/s")).close()
        }
    }
}

@Test func `a TCP port in use is refused, port 0 becomes a real one`() throws {
    try withLoop { loop in
        let listener = try Listener(loop, at: .tcp(host: "127.0.0.1", port: 0))
        defer { listener.close() }
        guard case .tcp("127.0.0.1", let port) = listener.boundAddress else {
            Issue.record("\(listener.boundAddress)")
            return
        }
        #expect(port > 0)
        #expect(throws: ListenError.inUse(listener.boundAddress)) { try Listener(loop, at: listener.boundAddress) }
        #expect(throws: ListenError.self) { try Listener(loop, at: .tcp(host: "host.invalid", port: 0)) }
    }
}

@Test func `accepted TCP connections send at once and are probed`() throws {
    try withLoop { loop in
        var options = ListenOptions()
        options.keepaliveSeconds = 77
        let listener = try Listener(loop, at: .tcp(host: "127.0.0.1", port: 0), options)
        defer { listener.close() }
        let keeper = Doorkeeper()
        listener.owner = keeper
        listener.resume()
        var client: EventLoop.Stream?
        try Stream.connect(loop, to: listener.boundAddress, keepaliveSeconds: 40) { client = try? $0.get() }
        try loop.run { client != nil && keeper.streams.count == 1 }
        let wanted = [
            (Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1)), (SOL_SOCKET, SO_KEEPALIVE, 1),
            (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 77), (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 19),
            (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
            // It would end the connection of a peer that answers and does not read.
            (Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 0),
        ]
        for (level, name, value) in wanted {
            var found: Int32 = -1
            var size = socklen_t(4)
            _ = unsafe getsockopt(keeper.streams[0].descriptor, level, name, &found, &size)
            #expect(found == value)
        }
        client?.close()
        keeper.streams[0].close()
    }
}

@Test func `a paused listener accepts nobody, and everybody once it resumes`() throws {
    try withLoop { loop in
        let listener = try Listener(loop, at: .tcp(host: "127.0.0.1", port: 0))
        defer { listener.close() }
        let keeper = Doorkeeper()
        listener.owner = keeper
        var clients: [EventLoop.Stream] = []
        for _ in 0..<300 {
            try Stream.connect(loop, to: listener.boundAddress) { result in
                if case .success(let stream) = result { clients.append(stream) }
            }
        }
        try loop.run { clients.count == 300 }
        #expect(keeper.streams.isEmpty)
        listener.resume()
        try loop.run { keeper.streams.count > 0 }
        #expect(keeper.streams.count <= 256)
        listener.pause()
        let before = keeper.streams.count
        loop.turn(waiting: false)
        #expect(keeper.streams.count == before)
        listener.resume()
        try loop.run { keeper.streams.count == 300 }
        for stream in clients + keeper.streams { stream.close() }
    }
}

@Test func `an inherited socket is served, and its file is left to whoever made it`() throws {
    try withDirectory { directory in
        try withLoop { loop in
            let path = directory + "/s"
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
            _ = unsafe withUnsafePointer(to: address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(throws: SystemError.self) { try Listener(loop, inherited: dup(descriptor)) }
            #expect(listen(descriptor, 8) == 0)
            let listener = try Listener(loop, inherited: descriptor)
            #expect(listener.boundAddress == .unix(path: path))
            #expect(try connects(loop, listener.boundAddress))
            listener.close()
            #expect(status(path) != nil)
        }
    }
}

@Test func `a path that can't be a socket's is told with its length`() throws {
    try withDirectory { directory in
        try withLoop { loop in
            let path = directory + "/" + String(repeating: "p", count: 107 - directory.utf8.count)
            let wanted = ListenError.badPath(.pathTooLong(path, bytes: 108))
            #expect(wanted.description.contains("108 bytes") && wanted.description.contains("at most 107"))
            #expect(throws: wanted) { try Listener(loop, at: .unix(path: path)) }
            #expect(throws: ListenError.badPath(.emptyPath)) { try Listener(loop, at: .unix(path: "")) }
            #expect(throws: ListenError.badPath(.badPath("a\0b"))) { try Listener(loop, at: .unix(path: "a\0b")) }
        }
    }
}

@Test func `a user keeps the name while the database can't be asked, and it is asked once a minute`() {
    var answers: [Result<String?, SystemError>] = [
        .success("ada"), .failure(SystemError("getpwuid_r", EMFILE)), .success("grace"), .success(nil),
    ]
    let names = UserNames { _ throws(SystemError) in try answers.removeFirst().get() }
    let minute = UserNames.rememberedMilliseconds
    #expect(names.name(of: 7, nowMilliseconds: 0) == "ada")
    #expect(names.name(of: 7, nowMilliseconds: minute - 1) == "ada" && answers.count == 3)
    #expect(names.name(of: 7, nowMilliseconds: minute) == "ada" && answers.count == 2)
    #expect(names.name(of: 7, nowMilliseconds: minute) == "grace" && answers.count == 1)
    #expect(names.name(of: 8, nowMilliseconds: minute) == nil && answers.isEmpty)
    #expect(names.name(of: 8, nowMilliseconds: minute + 1) == nil)
}

@Test func `when descriptors run out all who wait are told so, and accepting resumes when one is free`() async {
    await #expect(processExitsWith: .success) {
        try withLoop { loop in try exhaustDescriptors(loop) }
    }
}

/// Runs in a process of its own, since it takes all descriptors.
private func exhaustDescriptors(_ loop: Loop) throws {
    let listener = try Listener(loop, at: .tcp(host: "127.0.0.1", port: 0))
    listener.farewell = Array("too_many_clients\n".utf8)
    let keeper = Doorkeeper()
    listener.owner = keeper
    var clients: [EventLoop.Stream] = []
    let recorder = Recorder()
    func connect(_ count: Int) throws {
        for _ in 0..<count {
            try Stream.connect(loop, to: listener.boundAddress) { result in
                guard case .success(let stream) = result else { return }
                clients.append(stream)
                stream.owner = recorder
                stream.startReading()
                stream.queue(Piece(sealed("a request that nobody reads\n"), isDroppable: false))
                stream.flush()
            }
        }
    }
    try connect(3)
    try loop.run { clients.count == 3 }
    var limit = rlimit(rlim_cur: 256, rlim_max: 256)
    precondition(unsafe setrlimit(__rlimit_resource_t(7), &limit) == 0)
    var filling: [Int32] = []
    func fill() {
        while true {
            let descriptor = dup(0)
            if descriptor < 0 { return }
            filling.append(descriptor)
        }
    }
    fill()
    precondition(filling.count > 100)
    /// A client can be connected before the listener finds it: whoever is late is told after the next resumption.
    func turnAway(_ count: Int) throws {
        listener.resume()
        try loop.run {
            let turnedAway = keeper.pauses.reduce(0) { $0 + $1.turnedAway }
            if listener.isPaused, turnedAway < count { listener.resume() }
            return recorder.endedCount == count && turnedAway == count
        }
    }
    try turnAway(3)
    precondition(recorder.text == String(repeating: "too_many_clients\n", count: 3), recorder.text)
    precondition(keeper.streams.isEmpty && listener.isPaused)
    precondition(keeper.pauses.allSatisfy { $0.error.isExhaustion })
    // Two clients more, two places at the other side, and one that is too much for them.
    for _ in 0..<5 { close(filling.removeLast()) }
    try connect(3)
    try loop.run { clients.count == 6 }
    fill()
    for _ in 0..<2 { close(filling.removeLast()) }
    try turnAway(4)
    precondition(keeper.streams.count == 2 && listener.isPaused)
    precondition(recorder.failures.isEmpty)
    for stream in clients + keeper.streams { stream.close() }
    listener.close()
}

@Test func `an owner without room turns away some at a time, and the others wait`() throws {
    try withLoop { loop in
        let listener = try Listener(loop, at: .tcp(host: "127.0.0.1", port: 0))
        defer { listener.close() }
        listener.farewell = Array("full\n".utf8)
        let recorder = Recorder()
        var clients: [EventLoop.Stream] = []
        for _ in 0..<70 {
            try Stream.connect(loop, to: listener.boundAddress) { result in
                guard case .success(let stream) = result else { return }
                clients.append(stream)
                stream.owner = recorder
                stream.startReading()
            }
        }
        try loop.run { clients.count == 70 }
        #expect(listener.turnAway() == Listener.turnedAwayPerWakeMax)
        #expect(listener.turnAway() == 70 - Listener.turnedAwayPerWakeMax)
        #expect(listener.turnAway() == 0)
        try loop.run { recorder.endedCount == 70 }
        #expect(recorder.text == String(repeating: "full\n", count: 70) && recorder.failures.isEmpty)
        for stream in clients { stream.close() }
    }
}
