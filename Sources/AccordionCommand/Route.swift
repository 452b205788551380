// Why this file exists: commands speak to a daemon the same way whether it is behind TLS or not. Where it is, a go-between
// shakes hands and encrypts, and the command gets a stream of plain bytes.

import Bytes
import EventLoop
import Transport

/// Why a daemon was not reached.
struct RouteFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: SystemError) { description = "\(error)" }
    init(_ failure: TLSFailure) { description = failure.reason }
    init(_ text: String) { description = text }
}

/// The way to daemons.
final class Route {
    private let loop: Loop
    /// A file of those to believe; nil: the system's.
    private let authorities: String?
    fileprivate var betweens: [ObjectIdentifier: GoBetween] = [:]

    init(loop: Loop, authorities: String?) {
        self.loop = loop
        self.authorities = authorities
    }

    /// The end: nothing is left open.
    func close() {
        for between in betweens.values { between.close() }
        betweens = [:]
    }

    /// `completion` is called once, from the loop.
    @discardableResult
    func connect(
        to address: Address, _ completion: @escaping (Result<Stream, RouteFailure>) -> Void
    ) throws(SystemError) -> Connector {
        try Stream.connect(loop, to: address) { [self] result in
            switch (result, address) {
            case (.failure(let error), _): completion(.failure(RouteFailure(error)))
            case (.success(let stream), .tls(let host, _)):
                do throws(TLSFailure) {
                    let tls = try TLS(try TLSContext(clientBelieving: authorities), host: host)
                    let between = GoBetween(loop, stream, tls, self, completion)
                    betweens[ObjectIdentifier(between)] = between
                    try between.begin()
                } catch {
                    stream.close()
                    completion(.failure(RouteFailure(error)))
                }
            case (.success(let stream), _): completion(.success(stream))
            }
        }
    }
}

/// Between the network and one end of a pair. It lives as long as its streams do.
private final class GoBetween: StreamOwner {
    private static let waitingBytesMax = 1 << 20

    var outbox = Outbox()
    private let loop: Loop
    private let network: Stream
    private let tls: TLS
    private var completion: ((Result<Stream, RouteFailure>) -> Void)?
    private var inner: Inner?
    private weak var route: Route?

    init(
        _ loop: Loop, _ network: Stream, _ tls: TLS, _ route: Route,
        _ completion: @escaping (Result<Stream, RouteFailure>) -> Void
    ) {
        self.route = route
        self.loop = loop
        self.network = network
        self.tls = tls
        self.completion = completion
    }

    func close() {
        completion = nil
        inner?.stream.close()
        network.close()
    }

    func begin() throws(TLSFailure) {
        network.owner = self
        try tls.begin()
        send()
        network.startReading()
    }

    private func send() {
        let bytes = tls.takeOutput()
        guard !bytes.isEmpty else { return }
        network.queue(Piece(Frame(sealing: bytes), isDroppable: false))
        network.flush()
    }

    private func complete(_ result: Result<Stream, RouteFailure>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    // MARK: - From the network

    func streamRead(_ stream: Stream, _ bytes: Span<UInt8>) {
        do throws(TLSFailure) {
            let plain = try tls.receive(bytes)
            send()
            if tls.isEstablished, inner == nil { try meet() }
            if !plain.isEmpty, let inner { inner.give(plain) }
            if tls.hasEnded { inner?.end() }
        } catch {
            send()
            complete(.failure(RouteFailure(error)))
            inner?.end()
            network.close()
        }
    }

    /// The hands are shaken: the command gets its end.
    private func meet() throws(TLSFailure) {
        do throws(SystemError) {
            let (ours, theirs) = try Stream.pair(loop)
            let inner = Inner(ours, self)
            self.inner = inner
            ours.owner = inner
            ours.startReading()
            complete(.success(theirs))
        } catch {
            throw TLSFailure("\(error)")
        }
    }

    func streamEnded(_ stream: Stream) {
        complete(.failure(RouteFailure("the daemon has closed the connection")))
        inner?.end()
        if inner == nil { network.close() }
    }

    func streamDrained(_ stream: Stream) { inner?.stream.startReading() }
    func streamFailed(_ stream: Stream, _ error: SystemError) { complete(.failure(RouteFailure(error))) }

    func streamClosed(_ stream: Stream) {
        inner?.end()
        inner = nil
        route?.betweens[ObjectIdentifier(self)] = nil
    }

    // MARK: - From the command

    fileprivate func take(_ plain: Span<UInt8>) {
        do throws(TLSFailure) {
            try tls.send(plain)
            send()
        } catch {
            network.close()
        }
        if outbox.queuedBytes > Self.waitingBytesMax { inner?.stream.stopReading() }
    }

    fileprivate func commandEnded() {
        tls.end()
        send()
        network.shutdown()
    }

    fileprivate func commandClosed() {
        inner = nil
        network.close()
    }

    fileprivate func hold(_ isHeld: Bool) { if isHeld { network.stopReading() } else { network.startReading() } }

    /// Our end of the pair.
    fileprivate final class Inner: StreamOwner {
        var outbox = Outbox()
        let stream: Stream
        private let between: GoBetween

        init(_ stream: Stream, _ between: GoBetween) {
            self.stream = stream
            self.between = between
        }

        func give(_ plain: [UInt8]) {
            stream.queue(Piece(Frame(sealing: plain), isDroppable: false))
            stream.flush()
            if outbox.queuedBytes > GoBetween.waitingBytesMax { between.hold(true) }
        }

        func end() { stream.shutdown() }

        func streamRead(_ stream: Stream, _ bytes: Span<UInt8>) { between.take(bytes) }
        func streamEnded(_ stream: Stream) { between.commandEnded() }
        func streamDrained(_ stream: Stream) { between.hold(false) }
        func streamFailed(_ stream: Stream, _ error: SystemError) {}
        func streamClosed(_ stream: Stream) { between.commandClosed() }
    }
}

extension Frame {
    /// A frame of these bytes, ready to be sent.
    fileprivate convenience init(sealing bytes: [UInt8]) {
        self.init(capacityBytes: bytes.count)
        append(bytes)
        seal()
    }
}
