// Why this file exists: what is done to a daemon to see whether it bears it: the inputs of the table and noise, many
// connections at once; lines that never end; bytes one by one; clients that leave in the middle of anything.

/// What is done to a daemon, on a thread of its own.
struct Attack: Sendable {
    /// What fourteen endless lines may cost the daemon.
    private static let grownKiBMax = 20_000
    private let place: DaemonPlace
    private let seed: UInt64

    init(_ place: DaemonPlace, seed: UInt64) {
        self.place = place
        self.seed = seed
    }

    func run(_ connections: Int, atOnceMax: Int) throws(BenchFailure) {
        let table = HostileInput.all
        var done = 0
        while done < connections {
            let wave = (done..<min(connections, done + atOnceMax)).map { number in
                (number.isMultiple(of: 2) ? Door.unix : Door.tcp, input(number, table))
            }
            try send(wave)
            done += wave.count
        }
    }

    private func input(_ number: Int, _ table: [HostileInput]) -> HostileInput {
        // Pairs of one input, one by each door; every second pair is noise.
        let pair = number / 2
        return pair.isMultiple(of: 2)
            ? .noise(seed: seed &+ UInt64(pair)) : table[pair / 2 % table.count]
    }

    /// All at once: each connection is open before the first byte is sent, and part follows part on all of them.
    private func send(_ wave: [(door: Door, input: HostileInput)]) throws(BenchFailure) {
        var sockets: [BenchSocket] = []
        for (door, _) in wave { sockets.append(try BenchSocket(door, place)) }
        for part in 0..<(wave.map(\.input.parts.count).max() ?? 0) {
            for (socket, (_, input)) in zip(sockets, wave) where part < input.parts.count {
                try socket.send(input.parts[part])
            }
        }
        for (socket, (door, input)) in zip(sockets, wave) {
            do throws(BenchFailure) {
                try expect(input, socket)
            } catch {
                throw BenchFailure("\(input.name), by \(door): \(error.message)")
            }
        }
    }

    private func expect(_ input: HostileInput, _ socket: BenchSocket) throws(BenchFailure) {
        for answer in input.answers {
            guard let line = try socket.line() else { throw BenchFailure("the connection ended") }
            guard answer.accepts(line) else { throw BenchFailure("the answer was \(line.prefix(300))") }
        }
        switch input.ending {
        case .goesOn:
            let pong = try socket.ask("{\"op\":\"ping\"}")
            guard pong?.contains("\"ok\":true") == true else {
                throw BenchFailure("a ping after it was answered with \(pong ?? "the end")")
            }
        case .closed:
            if let line = try socket.line() {
                throw BenchFailure("it was not closed, but answered: \(line.prefix(300))")
            }
        case .unfinished: break
        }
    }

    /// Clients that send and send, and never an LF, all at the same time. Each is allowed a line's worth of memory.
    func endlessLines(_ clients: Int, bytes: Int) throws(BenchFailure) {
        place.forgetPeak()
        let beforeKiB = place.residentKiB
        var sockets: [BenchSocket] = []
        for number in 0..<clients { sockets.append(try BenchSocket(number.isMultiple(of: 2) ? .unix : .tcp, place)) }
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
        for _ in 0..<(bytes / piece.count + 1) {
            for socket in sockets { try socket.send(piece) }
        }
        for socket in sockets {
            guard try socket.ask("")?.contains("\"line_too_long\"") == true else {
                throw BenchFailure("an endless line was not refused")
            }
        }
        let grownKiB = place.peakKiB - beforeKiB
        guard grownKiB < Self.grownKiBMax else {
            throw BenchFailure("\(clients) endless lines cost the daemon \(grownKiB) KiB")
        }
    }

    /// Clients that send a byte at a time.
    func drip(_ clients: Int) throws(BenchFailure) {
        var sockets: [BenchSocket] = []
        for number in 0..<clients { sockets.append(try BenchSocket(number.isMultiple(of: 2) ? .unix : .tcp, place)) }
        for byte in Array("{\"op\":\"get\",\"doc\":\"hostile\",\"x\":\"广东省\"}\r\n".utf8) {
            for socket in sockets { try socket.send([byte]) }
        }
        for socket in sockets {
            guard try socket.line()?.contains("\"ok\":true") == true else {
                throw BenchFailure("a request that came byte by byte was not answered")
            }
        }
    }

    /// Clients that leave at each byte of a conversation, and take their answers or do not.
    func leaveEarly() throws(BenchFailure) {
        let conversation = Array(
            ("{\"op\":\"hello\",\"name\":\"x\"}\n{\"op\":\"subscribe\",\"doc\":\"hostile\",\"presence\":true}\n"
                + "{\"op\":\"get\",\"doc\":\"hostile\"}\r\n{\"op\":\"select\",\"doc\":\"hostile\",\"section\":\"a\"}\n")
                .utf8)
        for door in Door.allCases {
            for place in 0...conversation.count {
                for isReset in [false, true] {
                    let socket = try BenchSocket(door, self.place)
                    try socket.send(Array(conversation[..<place]))
                    if isReset { socket.resetAtEnd() }
                }
            }
        }
    }
}
