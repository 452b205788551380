// Why this file exists: who connects, to whom, and what is told when nobody is there.
import Bytes
import EventLoop
import Glibc
import Testing

private func outcome(_ loop: Loop, _ address: Address) throws -> Result<EventLoop.Stream, SystemError> {
    var result: Result<EventLoop.Stream, SystemError>?
    try Stream.connect(loop, to: address) { result = $0 }
    #expect(result == nil)
    try loop.run { result != nil }
    return try #require(result)
}

@Test func `nobody at the address is a typed error`() throws {
    try withDirectory { directory in
        try withLoop { loop in
            let listener = try Listener(loop, at: .tcp(host: "127.0.0.1", port: 0))
            let free = listener.boundAddress
            listener.close()
            for address in [free, .unix(path: directory + "/s")] {
                guard case .failure(let error) = try outcome(loop, address) else {
                    Issue.record("connected to nobody")
                    continue
                }
                #expect(error.isNobodyThere)
            }
        }
    }
}

@Test func `a path that does not fit is refused and not cut short`() throws {
    try withLoop { loop in
        let path = "/tmp/" + String(repeating: "p", count: 103)
        guard case .failure(let error) = try outcome(loop, .unix(path: path)) else {
            Issue.record("connected to a path that cannot exist")
            return
        }
        #expect(error.code == ENAMETOOLONG)
    }
}

@Test func `the peer of a Unix socket is known by process and user`() throws {
    try withDirectory { directory in
        try withLoop { loop in
            let connection = try Connection(loop, at: .unix(path: directory + "/s"))
            guard case .process(let identifier, let user, let userName) = connection.server.peer() else {
                Issue.record("no process")
                return
            }
            #expect(identifier == Int(getpid()))
            #expect(user == getuid())
            #expect(userName?.isEmpty == false)
            connection.close()
            #expect(connection.server.peer() == .unknown)
        }
    }
}

@Test(arguments: ["127.0.0.1", "::1"]) func `the peer of a TCP socket is known by its address`(host: String) throws {
    try withLoop { loop in
        let connection: Connection
        do {
            connection = try Connection(loop, at: .tcp(host: host, port: 0))
        } catch ListenError.system(_, let error) where error.code == EADDRNOTAVAIL || error.code == EAFNOSUPPORT {
            return  // A machine without IPv6.
        }
        defer { connection.close() }
        guard case .host(let found, let port, let isLoopback) = connection.server.peer() else {
            Issue.record("no host")
            return
        }
        #expect(found == host)
        #expect(port > 0)
        #expect(isLoopback && connection.server.peer().isLoopback)
    }
}

@Test func `a name with several addresses is tried until one answers`() throws {
    try withLoop { loop in
        let listener = try Listener(loop, at: .tcp(host: "127.0.0.1", port: 0))
        defer { listener.close() }
        guard case .tcp(_, let port) = listener.boundAddress else { return }
        guard case .success(let stream) = try outcome(loop, .tcp(host: "localhost", port: port)) else {
            Issue.record("localhost was not reached")
            return
        }
        stream.close()
    }
}

@Test func `a cancelled connection never calls back`() throws {
    try withDirectory { directory in
        try withLoop { loop in
            var options = ListenOptions()
            options.backlog = 0
            let listener = try Listener(loop, at: .unix(path: directory + "/s"), options)
            defer { listener.close() }
            guard case .success(let stream) = try outcome(loop, listener.boundAddress) else { return }
            var called = 0
            let early = try Stream.connect(loop, to: listener.boundAddress) { _ in called += 1 }
            early.cancel()
            let late = try Stream.connect(loop, to: listener.boundAddress) { _ in called += 1 }
            for _ in 0..<3 { loop.turn(waiting: true) }
            late.cancel()
            late.cancel()
            let keeper = Doorkeeper()
            listener.owner = keeper
            listener.resume()
            guard case .success(let last) = try outcome(loop, listener.boundAddress) else { return }
            try loop.run { keeper.streams.count == 2 }
            #expect(called == 0)
            for stream in keeper.streams + [stream, last] { stream.close() }
        }
    }
}

@Test func `a full queue of a Unix socket is waited for`() throws {
    try withDirectory { directory in
        try withLoop { loop in
            var options = ListenOptions()
            options.backlog = 1
            let listener = try Listener(loop, at: .unix(path: directory + "/s"), options)
            defer { listener.close() }
            let keeper = Doorkeeper()
            listener.owner = keeper
            var streams: [EventLoop.Stream] = []
            var failures = 0
            for _ in 0..<20 {
                try Stream.connect(loop, to: listener.boundAddress) { result in
                    if case .success(let stream) = result { streams.append(stream) } else { failures += 1 }
                }
            }
            try loop.run { streams.count == 2 }
            listener.resume()
            try loop.run { streams.count + failures == 20 && keeper.streams.count == 20 }
            #expect(failures == 0)
            for stream in streams + keeper.streams { stream.close() }
        }
    }
}
