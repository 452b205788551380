// Why this file exists: descriptors are what a daemon runs out of first. Whoever finds no room is told so, those who are in
// notice nothing, and who comes when there is room again comes in.

import Glibc
import TestSupport
import Testing

@Suite struct DescriptorTests {
    /// Descriptors that the daemon keeps for other things than clients.
    private static let keptCount = 64

    private func expectServed(_ clients: [TestSocket], _ what: String) throws {
        for (number, client) in clients.enumerated() {
            #expect(try client.isServed(), "\(what): client \(number + 1) of \(clients.count)")
        }
    }

    @Test(arguments: Door.allCases)
    func `as many clients as there are places are served, and one more is told that there is none`(
        _ door: Door
    ) throws {
        let places = 10
        let daemon = try TestDaemon(descriptorsMax: Self.keptCount + places)
        var clients: [TestSocket] = []
        for number in 1...places {
            clients.append(try daemon.connect(number.isMultiple(of: 2) ? .unix : .tcp))
            if number >= places - 1 { try expectServed(clients, "\(number) of \(places) places") }
        }
        for _ in 1...3 { #expect(try daemon.connect(door).isTurnedAway()) }
        // Also those who ask at once, and before they listen.
        let hasty = try daemon.connect(door)
        try? hasty.send(#"{"op":"ping"}"# + "\n")
        #expect(try hasty.isTurnedAway())
        try expectServed(clients, "while others are turned away")
        for _ in 1...3 {
            clients.removeFirst()
            clients.append(try daemon.connect(door))
            try expectServed(clients, "after one has left")
        }
        #expect(try daemon.connect(door).isTurnedAway())
        #expect(!daemon.process.hasEnded)
        #expect(daemon.log.split(separator: "\n").filter { $0.contains("too_many_clients") }.count == 1)
    }

    private func limit(_ daemon: TestDaemon, to descriptors: Int) throws {
        let process = try Process(
            "/usr/bin/prlimit", ["--pid", "\(daemon.process.id)", "--nofile=\(descriptors):20000"], output: nil)
        guard try process.waitForEnd() == 0 else { throw TookTooLong(description: "prlimit fails") }
    }

    @Test(arguments: Door.allCases)
    func `when descriptors run out those who are in are served, the next is told, and later ones come in again`(
        _ door: Door
    ) throws {
        let daemon = try TestDaemon()
        let neighbour = try daemon.connect(.unix)
        #expect(try neighbour.isServed())
        let free = 5
        let open = try daemon.descriptors()
        try limit(
            daemon, to: try #require((1...).first { limit in (0..<limit).filter { !open.contains($0) }.count == free }))
        var clients: [TestSocket] = []
        for number in 1...free {
            clients.append(try daemon.connect(number.isMultiple(of: 2) ? .unix : .tcp))
            if number >= free - 1 { try expectServed(clients, "\(number) of \(free) descriptors") }
        }
        for _ in 1...3 { #expect(try daemon.connect(door).isTurnedAway()) }
        try expectServed(clients + [neighbour], "while others are turned away")
        // What is written needs no descriptor that is not open.
        let text = String(repeating: "x", count: 900_000)
        for number in 1...5 {
            let reply = try neighbour.ask(#"{"op":"create","doc":"d\#(number)","content":["\#(text)"]}"#)
            #expect(reply?.isLike(#"{"ok":true,*"#) == true, "\(reply ?? "the end")")
        }
        clients.removeLast()
        clients.append(try daemon.connect(door))
        try expectServed(clients + [neighbour], "after one has left")
        #expect(try daemon.connect(door).isTurnedAway())
        try limit(daemon, to: 1_000)
        for _ in 1...20 { clients.append(try daemon.connect(door)) }
        try expectServed(clients + [neighbour], "after there are descriptors again")
        // The way back: what was turned away left nothing behind.
        clients = []
        try until("all that was opened is closed") { try daemon.descriptors() == open }
        #expect(try neighbour.isServed())
        #expect(!daemon.process.hasEnded)
    }

    @Test func `thousands of connections at once are all served`() throws {
        let isLong = unsafe getenv("ACCORDION_LONG") != nil
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let wanted = isLong ? 10_000 : 2_000
        let count = min(wanted, Int(clamping: limit.rlim_max) - 500)
        #expect(count > 100, "the limit of descriptors, \(limit.rlim_max), leaves no room for this test")
        let daemon = try TestDaemon()
        let clients = try (0..<count).map { try daemon.connect($0.isMultiple(of: 2) ? .unix : .tcp) }
        for client in clients { try client.send(#"{"op":"ping"}"# + "\n") }
        var served = 0
        for client in clients where try client.line()?.isLike(#"{"ok":true,*"#) == true { served += 1 }
        #expect(served == count)
    }
}
