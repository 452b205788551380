// Why this file exists: what a service manager hears of the real daemon, and what it hands to it. The manager is played by a
// socket of the test's own, or by systemd's own program for handing sockets over.
import Glibc
import TestSupport
import Testing

/// The place of a service manager.
private final class Manager {
    let path: String
    private let descriptor: Int32
    private(set) var heard: [String] = []

    init(_ scratch: Scratch) throws {
        path = scratch.path + "/notify"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = path
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name.utf8) }
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw TookTooLong(description: "no socket at \(path)") }
    }

    deinit { close(descriptor) }

    /// Takes all that was said by now.
    func listen() {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0 { return }
            heard.append(String(decoding: buffer.prefix(count), as: UTF8.self))
        }
    }

    /// Listens until something is heard that begins so, and forgets all up to it.
    @discardableResult
    func await(_ beginning: String) throws -> String {
        try until("the manager hears \(beginning)") {
            listen()
            return heard.contains { $0.hasPrefix(beginning) }
        }
        let place = heard.firstIndex { $0.hasPrefix(beginning) } ?? 0
        defer { heard.removeFirst(place + 1) }
        return heard[place]
    }
}

struct SupervisionTests {
    private let scratch: Scratch
    private let manager: Manager

    init() throws {
        scratch = try Scratch()
        manager = try Manager(scratch)
    }

    private func start(watchdogMicroseconds: Int? = nil, _ arguments: [String] = []) throws -> TestDaemon {
        var environment = ["NOTIFY_SOCKET=\(manager.path)"]
        if let watchdogMicroseconds { environment.append("WATCHDOG_USEC=\(watchdogMicroseconds)") }
        return try TestDaemon(arguments, in: scratch, environment: environment)
    }

    @Test func `it says when it serves, how it stands, that it reloads and that it stops, in this order`() throws {
        let daemon = try start()
        #expect(try manager.await("READY=1").contains("\nSTATUS=0 clients, 0 documents"))
        let socket = try TestSocket(unix: daemon.socketPath)
        _ = try socket.ask(#"{"op":"create","doc":"p"}"#)
        try manager.await("STATUS=1 client, 1 document")
        daemon.process.signal(SIGHUP)
        let reloading = try manager.await("RELOADING=1")
        let moment = reloading.split(separator: "=").last.flatMap { UInt64($0) } ?? 0
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        #expect(moment > 0 && moment <= UInt64(now.tv_sec + 1) * 1_000_000, "\(reloading)")
        #expect(try manager.await("READY=1").contains("1 client, 1 document"))
        daemon.process.signal(SIGTERM)
        try manager.await("STOPPING=1")
        #expect(try daemon.process.waitForEnd() == 0)
        #expect(!manager.heard.contains { $0.contains("WATCHDOG") })
    }

    @Test func `a broken configuration is told at a reload, and the daemon is ready as before`() throws {
        let file = scratch.path + "/configuration.toml"
        try write("durability = \"durable\"\n", to: file)
        let daemon = try start(["--config", file])
        try manager.await("READY=1")
        try write("durability = \"perhaps\"\n", to: file)
        daemon.process.signal(SIGHUP)
        try manager.await("RELOADING=1")
        try manager.await("READY=1")
        #expect(daemon.log.contains("the configuration stays as it was"))
        #expect(try TestSocket(unix: daemon.socketPath).ask(#"{"op":"ping"}"#) != nil)
    }

    @Test func `it lives while the loop turns and the store answers, and not longer`() throws {
        let daemon = try start(watchdogMicroseconds: 100_000)
        let socket = try TestSocket(unix: daemon.socketPath)
        _ = try socket.ask(#"{"op":"create","doc":"p","content":[{"id":"a","title":"A","content":[]}]}"#)
        for _ in 0..<3 { try manager.await("WATCHDOG=1") }
        let holder = try DatabaseHolder(daemon.statePath + "/accordion.db")
        // The store waits a second for the lock, in which a loop alone would show twenty signs of life.
        try socket.send(#"{"op":"open","doc":"p","section":"a"}"# + "\n")
        try until("the store waits") {
            manager.listen()
            return try TestSocket(unix: daemon.socketPath).ask(#"{"op":"status"}"#)?.contains(#""store_jobs":0"#)
                == false
        }
        let before = manager.heard.count { $0 == "WATCHDOG=1" }
        #expect(try socket.line()?.contains("storage_failed") == true)
        manager.listen()
        #expect(manager.heard.count { $0 == "WATCHDOG=1" } - before <= 3)
        holder.letGo()
        for _ in 0..<3 { try manager.await("WATCHDOG=1") }
    }

    @Test func `a manager that does not read holds no client up`() throws {
        let daemon = try start(watchdogMicroseconds: 2_000)
        let socket = try TestSocket(unix: daemon.socketPath)
        for _ in 0..<1_000 { #expect(try socket.ask(#"{"op":"ping"}"#) != nil) }
        daemon.process.signal(SIGTERM)
        #expect(try daemon.process.waitForEnd() == 0)
    }

    // MARK: - Doors that are handed over

    /// Starts the daemon by systemd's program for it; it waits for the first client.
    private func activate(_ options: [String], _ arguments: [String] = []) throws -> Process {
        try Process(
            "/usr/bin/systemd-socket-activate",
            options + ["\(productsDirectory)/accordiond", "--state", scratch.path + "/state"] + arguments,
            output: scratch.path + "/log")
    }

    private func freePort() throws -> UInt16 {
        let daemon = try TestDaemon()
        return daemon.port
    }

    @Test func `both doors can be handed over by name, and a socket's file is left to whoever made it`() throws {
        let (path, port) = (scratch.path + "/handed", try freePort())
        let process = try activate(["-l", path, "-l", "127.0.0.1:\(port)", "--fdname=unix:tcp"])
        try until("the socket is there") { unsafe access(path, F_OK) == 0 }
        // Whoever comes first is served, though nobody served when it came.
        let first = try TestSocket(unix: path)
        #expect(try first.ask(#"{"op":"create","doc":"p"}"#)?.contains(#""ok":true"#) == true)
        #expect(try TestSocket(port: port).ask(#"{"op":"get","doc":"p"}"#)?.contains(#""ok":true"#) == true)
        let log = contents(scratch.path + "/log")
        #expect(log.contains("listening at unix:\(path)") && log.contains("listening at tcp://127.0.0.1:\(port)"))
        #expect(log.components(of: "listening at").count == 3, "no other door is opened: \(log)")
        process.signal(SIGHUP)
        try until("it has reloaded") { contents(scratch.path + "/log").contains("the configuration was read again") }
        #expect(try TestSocket(unix: path).ask(#"{"op":"ping"}"#) != nil)
        process.signal(SIGTERM)
        #expect(try process.waitForEnd() == 0)
        #expect(unsafe access(path, F_OK) == 0)
    }

    @Test func `a door of the wrong kind, and one that must not be open, stop the start`() throws {
        let port = try freePort()
        for (options, reason) in [
            (["-l", scratch.path + "/a", "--fdname=tcp"], "is no socket of the internet"),
            (["-l", "127.0.0.1:\(port)", "--fdname=unix"], "is no Unix socket"),
            (["-l", "0.0.0.0:\(port)", "--fdname=tcp"], "beyond this machine needs tokens"),
            (["-l", "127.0.0.1:\(port)", "--fdname=tls"], "TLS needs [tls]"),
        ] {
            unsafe unlink(scratch.path + "/log")
            let process = try activate(options)
            try until("it waits") { contents(scratch.path + "/log").contains("Listening on") }
            let socket = try options[1].contains(":") ? TestSocket(port: port) : TestSocket(unix: options[1])
            #expect(try process.waitForEnd() == 78, "\(contents(scratch.path + "/log"))")
            #expect(contents(scratch.path + "/log").contains(reason), "\(contents(scratch.path + "/log"))")
            withExtendedLifetime(socket) {}
        }
    }
}

extension String {
    fileprivate func components(of separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
