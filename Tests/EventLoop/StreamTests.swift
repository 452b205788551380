// Why this file exists: what a connection promises, over TCP and Unix sockets: every byte once and in order, whatever the
// kernel takes at a time, and a clean end from either side.
import Bytes
import EventLoop
import TestSupport
import Testing

/// Bytes in which a gap, a repetition or an exchange shows.
private func pattern(_ count: Int) -> [UInt8] {
    let block = (0..<1021).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += block }
    bytes.removeLast(bytes.count - count)
    return bytes
}

@Test func `pieces of many frames arrive in the order in which they were queued`() throws {
    try withEachConnection { loop, connection in
        var expected: [UInt8] = []
        for number in 0..<3000 {
            let frame = sealed("\(number);")
            connection.server.queue(Piece(frame, isDroppable: number % 2 == 0))
            expected += Array("\(number);".utf8)
        }
        connection.client.startReading()
        connection.server.flush()
        try loop.run { connection.atClient.receivedCount >= expected.count }
        #expect(connection.atClient.received == expected)
        #expect(connection.server.outbox.isEmpty)
    }
}

@Test func `what the kernel takes at once needs no further word`() throws {
    try withEachConnection { loop, connection in
        connection.server.queue(Piece(sealed("a\n"), isDroppable: true))
        connection.server.queue(Piece(sealed("b\n"), isDroppable: false))
        #expect(connection.server.flush())
        connection.client.startReading()
        try loop.run { connection.atClient.text == "a\nb\n" }
        #expect(connection.atServer.drainedCount == 0)
    }
}

@Test func `a backlog leaves by itself when the other side reads, and then drained is said once`() throws {
    try withEachConnection { loop, connection in
        connection.server.limitSendBuffer(bytes: 65536)
        let bytes = pattern(4 << 20)
        connection.server.queue(Piece(sealed(bytes), isDroppable: false))
        connection.server.queue(Piece(sealed("end"), isDroppable: false))
        #expect(!connection.server.flush())
        #expect(connection.server.outbox.queuedReplyBytes > 1 << 20)
        #expect(!connection.server.flush())
        connection.client.startReading()
        try loop.run { connection.atServer.drainedCount > 0 }
        try loop.run { connection.atClient.receivedCount >= bytes.count + 3 }
        #expect(connection.atClient.received == bytes + Array("end".utf8))
        #expect(connection.atServer.drainedCount == 1)
    }
}

@Test func `events dropped behind a backlog are whole lines, and no reply is lost`() throws {
    try withEachConnection { loop, connection in
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        connection.server.limitSendBuffer(bytes: 65536)
        var kept = 0
        for number in 0..<4000 {
            let isDroppable = random.below(2) == 0
            let filling = String(repeating: "x", count: random.below(2000))
            connection.server.queue(
                Piece(sealed("\(isDroppable ? "e" : "r")\(number)\(filling)\n"), isDroppable: isDroppable))
            if !isDroppable { kept += 1 }
            if random.below(4) == 0 { connection.server.flush() }
            if random.below(200) == 0 { _ = connection.server.dropEvents() }
            if random.below(40) == 0 { connection.client.startReading() }
            if random.below(10) == 0 { loop.turn(waiting: false) }
            if random.below(40) == 0 { connection.client.stopReading() }
        }
        connection.client.startReading()
        connection.server.shutdown()
        try loop.run { connection.atClient.endedCount == 1 }
        let lines = connection.atClient.text.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("r") }.count == kept, "seed \(seed)")
        let numbers = lines.compactMap { Int($0.dropFirst().prefix { $0.isNumber }) }
        #expect(numbers.count == lines.count && numbers == numbers.sorted(), "seed \(seed)")
        #expect(connection.atClient.received.last == 0x0a, "seed \(seed)")
    }
}

@Test func `a side that has ended sending is still answered`() throws {
    try withEachConnection { loop, connection in
        connection.atServer.onEnd = { stream in
            stream.queue(Piece(sealed("answer"), isDroppable: false))
            stream.shutdown()
        }
        connection.server.startReading()
        connection.client.startReading()
        connection.client.queue(Piece(sealed("question"), isDroppable: false))
        connection.client.shutdown()
        connection.client.queue(Piece(sealed("too late"), isDroppable: false))
        try loop.run { connection.atClient.endedCount == 1 }
        #expect(connection.atServer.text == "question")
        #expect(connection.atClient.text == "answer")
        #expect(connection.atServer.endedCount == 1)
    }
}

@Test func `ending sends the backlog first`() throws {
    try withEachConnection { loop, connection in
        connection.server.limitSendBuffer(bytes: 65536)
        connection.server.queue(Piece(sealed([UInt8](repeating: 7, count: 2 << 20)), isDroppable: true))
        connection.server.shutdown()
        connection.client.startReading()
        try loop.run { connection.atClient.endedCount == 1 }
        #expect(connection.atClient.receivedCount == 2 << 20)
    }
}

@Test func `after close no word comes but that it is closed`() throws {
    try withEachConnection { loop, connection in
        connection.atServer.onRead = { $0.close() }
        connection.server.limitSendBuffer(bytes: 65536)
        connection.server.queue(Piece(sealed([UInt8](repeating: 7, count: 2 << 20)), isDroppable: true))
        connection.server.flush()
        connection.server.startReading()
        for text in ["one", "two"] {
            connection.client.queue(Piece(sealed(text), isDroppable: false))
            connection.client.flush()
        }
        try loop.run { connection.atServer.closedCount == 1 }
        connection.server.close()
        connection.server.startReading()
        connection.server.queue(Piece(sealed("x"), isDroppable: false))
        #expect(connection.server.flush())
        #expect(connection.atServer.text == "onetwo" || connection.atServer.text == "one")
        #expect(connection.atServer.drainedCount == 0 && connection.atServer.failures.isEmpty)
        #expect(connection.server.owner == nil)
    }
}

@Test func `a connection that is lost is told once, after flush has returned, and closes`() throws {
    try withEachConnection { loop, connection in
        connection.client.queue(Piece(sealed("unread"), isDroppable: false))
        connection.client.flush()
        connection.server.queue(Piece(sealed([UInt8](repeating: 7, count: 8 << 20)), isDroppable: true))
        connection.server.flush()
        connection.client.close()
        try loop.run { connection.atServer.closedCount == 1 }
        #expect(connection.atServer.failures.count == 1)
        #expect(connection.atServer.failures.allSatisfy { $0.isDisconnection })
    }
}

@Test func `writing to a connection that is gone fails from the loop and not from flush`() throws {
    try withDirectory { directory in
        try withLoop { loop in
            let connection = try Connection(loop, at: .unix(path: directory + "/s"))
            defer { connection.close() }
            connection.client.close()
            try loop.run { connection.atClient.closedCount == 1 }
            connection.server.queue(Piece(sealed("x"), isDroppable: false))
            #expect(!connection.server.flush())
            #expect(connection.atServer.failures.isEmpty)
            try loop.run { connection.atServer.closedCount == 1 }
            #expect(connection.atServer.failures == [SystemError("write", 32)])
        }
    }
}

@Test func `reading can be paused, and nothing is lost by it`() throws {
    try withEachConnection { loop, connection in
        connection.atServer.onRead = { $0.stopReading() }
        let bytes = pattern(300_000)
        connection.client.queue(Piece(sealed(bytes), isDroppable: false))
        connection.client.shutdown()
        while connection.atServer.endedCount == 0 {
            let before = connection.atServer.receivedCount
            connection.server.startReading()
            try loop.run { connection.atServer.receivedCount > before || connection.atServer.endedCount == 1 }
            #expect(connection.atServer.receivedCount - before <= 65536)
        }
        #expect(connection.atServer.received == bytes)
    }
}
