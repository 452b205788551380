// Why this file exists: the ways in which a connection can end, each with a name, played between a real listener and real
// clients.
import Bytes
import EventLoop

enum Ending: CaseIterable {
    case serverFirst, clientFirst, bothAtOnce, inAccept, inConnect, inRead, inReadOfClient
    case withWritesInFlight, byPeerWithWritesInFlight, inReadWithWritesInFlight, inDrained, inEnded
    case whileEndPends, byPeerWhileEndPends, afterEnd, twice, inClosed, byReset, whilePaused, ownerless
}

/// Owns one end, and does what the ending asks of it. It keeps its stream after the end: the stream must let go of it.
final class Side: StreamOwner {
    var outbox = Outbox()
    var stream: EventLoop.Stream?
    var isClosed = false
    var onRead: (Side) -> Void = { _ in }
    var onEnd: (Side) -> Void = { $0.stream?.close() }
    var onDrained: (Side) -> Void = { _ in }
    var onClosed: (Side) -> Void = { _ in }

    init(_ stream: EventLoop.Stream) {
        self.stream = stream
        stream.owner = self
    }

    func streamRead(_ stream: EventLoop.Stream, _ bytes: Span<UInt8>) { onRead(self) }
    func streamEnded(_ stream: EventLoop.Stream) { onEnd(self) }
    func streamDrained(_ stream: EventLoop.Stream) { onDrained(self) }
    func streamFailed(_ stream: EventLoop.Stream, _ error: SystemError) {}
    func streamClosed(_ stream: EventLoop.Stream) {
        onClosed(self)
        isClosed = true
    }
}

final class Stage: ListenerOwner {
    let loop: Loop
    let ledger: FrameLedger
    private(set) var connectionCount = 0
    private var listener: Listener?
    private var ending = Ending.serverFirst
    private var servers: [Side] = []
    private var clients: [Side] = []

    init(_ loop: Loop, _ ledger: FrameLedger) {
        self.loop = loop
        self.ledger = ledger
    }

    func open(_ address: Address) throws {
        let listener = try Listener(loop, at: address)
        listener.owner = self
        listener.resume()
        self.listener = listener
    }

    /// The door ends while clients still stand before it.
    func close() throws {
        guard let listener else { return }
        listener.pause()
        var settled = 0
        for _ in 0..<10 {
            try Stream.connect(loop, to: listener.boundAddress) { result in
                settled += 1
                if case .success(let stream) = result { stream.close() }
            }
        }
        try loop.run(until: { settled == 10 }, "clients before a closing door")
        listener.resume()
        listener.close()
        self.listener = nil
    }

    func play(_ ending: Ending, connections: Int) throws {
        guard let listener else { return }
        self.ending = ending
        servers = []
        clients = []
        for _ in 0..<connections {
            try Stream.connect(loop, to: listener.boundAddress) { [self] result in
                guard case .success(let stream) = result else { return }
                let side = Side(stream)
                clients.append(side)
                beginClient(side)
            }
        }
        let ended = { [self] in
            servers.count == connections && clients.count == connections && servers.allSatisfy(\.isClosed)
                && clients.allSatisfy(\.isClosed)
        }
        let bothOpen = { [self] in servers.count == connections && clients.count == connections }
        try loop.run(until: bothOpen, "\(ending): connecting")
        for pair in zip(servers, clients) { end(pair.0, pair.1) }
        try loop.run(until: ended, "\(ending): closing")
        connectionCount += connections
        servers = []
        clients = []
    }

    func listenerAccepted(_ listener: Listener, _ stream: EventLoop.Stream) {
        let side = Side(stream)
        servers.append(side)
        switch ending {
        case .inAccept: stream.close()
        case .ownerless:
            // As if nobody had been there to take it.
            side.isClosed = true
            side.stream = nil
            stream.owner = nil
            stream.close()
        case .inRead: side.onRead = { $0.stream?.close() }
        case .inReadWithWritesInFlight: side.onRead = { [self] in closeWithWrites($0) }
        case .inDrained: side.onDrained = { $0.stream?.close() }
        case .inClosed: side.onClosed = { $0.stream?.close() }
        default: break
        }
        if ending != .whilePaused { stream.startReading() }
    }

    func listenerPaused(_ listener: Listener, _ error: SystemError, turnedAway: Int) {}

    private func beginClient(_ side: Side) {
        switch ending {
        case .inConnect: side.stream?.close()
        case .inReadOfClient: side.onRead = { $0.stream?.close() }
        case .withWritesInFlight, .byPeerWithWritesInFlight, .whileEndPends, .byPeerWhileEndPends, .byReset: return
        default: break
        }
        side.stream?.startReading()
    }

    /// What happens when both ends are open.
    private func end(_ server: Side, _ client: Side) {
        switch ending {
        case .serverFirst, .inClosed: server.stream?.close()
        case .clientFirst, .whilePaused: client.stream?.close()
        case .bothAtOnce: for side in [server, client] { side.stream?.close() }
        case .twice: for _ in 0..<2 { server.stream?.close() }
        case .inAccept, .inConnect, .ownerless: break
        case .inRead, .inReadWithWritesInFlight: send(client, bytes: 100)
        case .inReadOfClient: send(server, bytes: 100)
        case .withWritesInFlight: closeWithWrites(server)
        case .byPeerWithWritesInFlight:
            send(server, bytes: 4 << 20)
            client.stream?.close()
        case .inDrained: send(server, bytes: 4 << 20)
        case .inEnded: client.stream?.shutdown()
        case .whileEndPends:
            send(server, bytes: 4 << 20)
            server.stream?.shutdown()
            server.stream?.close()
        case .byPeerWhileEndPends:
            send(server, bytes: 4 << 20)
            server.stream?.shutdown()
            client.stream?.close()
        case .afterEnd:
            server.stream?.shutdown()
            server.stream?.close()
        case .byReset:
            // Unread bytes at the closing end make TCP reset the connection.
            send(server, bytes: 1000)
            client.stream?.close()
        }
        if [.withWritesInFlight, .whileEndPends].contains(ending) { client.stream?.startReading() }
        if [.whilePaused].contains(ending) { server.stream?.startReading() }
    }

    private func closeWithWrites(_ side: Side) {
        send(side, bytes: 4 << 20)
        side.stream?.close()
    }

    /// Events and replies, more than the kernel takes when many bytes are asked for.
    private func send(_ side: Side, bytes: Int) {
        let frame = Frame(capacityBytes: bytes, ledger: ledger)
        while frame.count < bytes { frame.append("0123456789") }
        frame.seal()
        side.stream?.queue(Piece(frame, isDroppable: true))
        side.stream?.queue(Piece(frame, 0..<10, isDroppable: false))
        side.stream?.flush()
    }
}
