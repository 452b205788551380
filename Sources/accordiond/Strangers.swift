// Why this file exists: who has shaken no hands and shown no token yet may be anybody. There is room for a few of them, for a
// few seconds; whoever comes later finds room all the same, because the one that has waited longest makes it.

import EventLoop

final class Strangers {
    /// At once, and of one address beyond this machine.
    static let strangersMax = 64
    static let strangersOfOneMax = 8
    /// How long one may take to be none.
    static let patienceMilliseconds = 5_000
    private static let lookMilliseconds = 250
    /// An address that was refused is read so much later, for each time, at most so much.
    private static let penaltyMilliseconds = 500
    private static let penaltyMillisecondsMax = 4_000
    private static let penaltiesMax = 10_000

    private struct Stranger {
        let handshake: Handshake?
        weak var connection: Connection?
        let host: String
        let isLoopback: Bool
        let untilMilliseconds: Int

        var stream: Stream? { handshake?.stream ?? connection?.stream }
        var isOver: Bool { handshake == nil && (connection == nil || connection?.session.isAdmitted == true) }
    }

    private let loop: Loop
    private var timer: Timer?
    private var isLooking = false
    /// In the order in which they came.
    private var all: [Stranger] = []
    private var penalties: [String: (count: Int, untilMilliseconds: Int)] = [:]
    private var held: [Connection] = []

    init(_ loop: Loop) throws(SystemError) {
        self.loop = loop
        timer = try Timer(loop) { [unowned self] in look() }
    }

    func close() {
        timer?.close()
        timer = nil
        all = []
        held = []
    }

    func add(_ handshake: Handshake, _ host: String, isLoopback: Bool) {
        add(
            Stranger(
                handshake: handshake, connection: nil, host: host, isLoopback: isLoopback,
                untilMilliseconds: loop.nowMilliseconds + Self.patienceMilliseconds))
    }

    func add(_ connection: Connection, _ host: String, isLoopback: Bool) {
        if let penalty = penalties[host], penalty.untilMilliseconds > loop.nowMilliseconds {
            connection.heldUntilMilliseconds = penalty.untilMilliseconds
            connection.stream.stopReading()
            held.append(connection)
        }
        add(
            Stranger(
                handshake: nil, connection: connection, host: host, isLoopback: isLoopback,
                untilMilliseconds: loop.nowMilliseconds + Self.patienceMilliseconds))
    }

    private func add(_ stranger: Stranger) {
        all.removeAll(where: \.isOver)
        if !stranger.isLoopback, all.count(where: { $0.host == stranger.host }) >= Self.strangersOfOneMax,
            let oldest = all.firstIndex(where: { $0.host == stranger.host })
        {
            all.remove(at: oldest).stream?.close()
        }
        if all.count >= Self.strangersMax { all.removeFirst().stream?.close() }
        all.append(stranger)
        look(afterMilliseconds: Self.lookMilliseconds)
    }

    func remove(_ handshake: Handshake) { all.removeAll { $0.handshake === handshake } }

    /// A token was refused.
    func refused(_ host: String) {
        let now = loop.nowMilliseconds
        if penalties.count >= Self.penaltiesMax { penalties = penalties.filter { $0.value.untilMilliseconds > now } }
        guard penalties.count < Self.penaltiesMax else { return }
        let count = min((penalties[host]?.count ?? 0) + 1, 16)
        penalties[host] = (count, now + min(count * Self.penaltyMilliseconds, Self.penaltyMillisecondsMax))
    }

    private func look(afterMilliseconds: Int) {
        guard !isLooking else { return }
        isLooking = true
        timer?.start(afterMilliseconds: afterMilliseconds)
    }

    private func look() {
        isLooking = false
        let now = loop.nowMilliseconds
        let due = held.filter { $0.heldUntilMilliseconds <= now }
        held.removeAll { $0.heldUntilMilliseconds <= now }
        for connection in due { connection.readAgain() }
        all.removeAll(where: \.isOver)
        let late = all.filter { $0.untilMilliseconds <= now }
        all.removeAll { $0.untilMilliseconds <= now }
        for stranger in late { stranger.stream?.close() }
        if !all.isEmpty || !held.isEmpty { look(afterMilliseconds: Self.lookMilliseconds) }
    }
}
