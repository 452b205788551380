// Why this file exists: a stream between a client and a daemon: bytes in order, late, and gone when it breaks.

import Bytes
import Hub

final class SimulatedConnection: SessionOwner {
    let process: SimulatedProcess
    private let client: SimulatedClient
    private let session: Session
    private let world: World
    private(set) var isBroken = false
    private var toDaemonAt: Int64 = 0
    private var toClientAt: Int64 = 0
    private var isFlushDue = false
    /// Input that the daemon does not want yet.
    private var unread: [[UInt8]] = []

    init(_ client: SimulatedClient, _ process: SimulatedProcess) {
        self.client = client
        self.process = process
        world = process.world
        process.beginTurn()
        session = process.hub.connect(Origin(name: client.name, isUser: false, role: .editor))
        session.owner = self
        process.connections.append(self)
    }

    // MARK: - To the daemon

    func send(_ bytes: [UInt8]) {
        guard !isBroken else { return }
        toDaemonAt = max(toDaemonAt, world.schedule.now + world.random.between(0, 15))
        world.schedule.after(toDaemonAt - world.schedule.now) { [self] in
            guard !isBroken else { return }
            unread.append(bytes)
            feed()
        }
    }

    private func feed() {
        while process.hub.wantsInput(session), !unread.isEmpty {
            process.beginTurn()
            let bytes = unread.removeFirst()
            process.hub.receive(session, bytes.span)
        }
        process.poke()
    }

    // MARK: - To the client

    func sessionIsDue(_ session: Session) {
        guard !isFlushDue, !isBroken else { return }
        isFlushDue = true
        world.schedule.after(world.random.between(0, 3)) { [self] in flush() }
    }

    /// The client reads again.
    func wake() { sessionIsDue(session) }

    private func flush() {
        isFlushDue = false
        guard !isBroken, !client.isAsleep else { return }
        var bytes: [UInt8] = []
        session.outbox.forEachUnsent(piecesMax: 1 << 20) { piece in
            piece.frame.withSpan { span in
                for place in piece.lower..<piece.upper { bytes.append(span[place]) }
            }
        }
        session.outbox.consume(bytes.count)
        process.beginTurn()
        process.hub.flushed(session)
        feed()
        if !bytes.isEmpty {
            toClientAt = max(toClientAt, world.schedule.now + world.random.between(0, 15))
            world.schedule.after(toClientAt - world.schedule.now) { [self] in
                if !isBroken { client.receive(bytes) }
            }
        }
        if session.isFinished { breakOff() }
    }

    /// It is gone; what was on its way is lost.
    func breakOff() {
        guard !isBroken else { return }
        isBroken = true
        session.owner = nil
        if !process.isDead {
            process.beginTurn()
            process.hub.disconnect(session)
            process.connections.removeAll { $0 === self }
            process.poke()
        }
        client.connectionBroke()
    }
}
