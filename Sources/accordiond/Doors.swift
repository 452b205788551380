// Why this file exists: who comes in, by which door and as whom. A door that is not safe to open stops the start; one that
// has no room for more says so and opens again when there is.

import AccordionModel
import EventLoop
import Glibc
import Hub
import Service
import Transport
import Wire

final class Doors: ListenerOwner {
    /// Descriptors that are not for clients.
    private static let descriptorsKept = 64
    private static let pauseMilliseconds = 100

    unowned let daemon: Daemon
    private let loop: Loop
    private var listeners: [Listener] = []
    /// Those of them that were handed over: they stay, whatever the configuration says.
    private var inherited: [Listener] = []
    var hasInherited: Bool { !inherited.isEmpty }
    private(set) var keyring: Keyring
    private var isWaitingForRoom = false
    private var retry: Timer?
    private(set) var strangers: Strangers?
    private let descriptorsMax: Int
    private var clientsWanted: Int?
    var clientsMax: Int { min(descriptorsMax, clientsWanted ?? .max) }
    private(set) var turnedAwayCount = 0
    private let ownUser = geteuid()
    private let userNames = UserNames()
    private var handshakes: [ObjectIdentifier: Handshake] = [:]

    init(
        _ settings: DaemonSettings, _ keyring: Keyring, _ sockets: [InheritedSocket], _ loop: Loop, _ daemon: Daemon
    ) throws(StartFailure) {
        self.daemon = daemon
        self.loop = loop
        self.keyring = keyring
        descriptorsMax = max(1, Doors.raiseDescriptorLimit() - Doors.descriptorsKept)
        clientsWanted = settings.configuration.limits["clients_max"]
        do throws(StartFailure) {
            for socket in sockets { try add(try Doors.take(over: socket, loop)) }
            inherited = listeners
            try Doors.check(settings, inherited.map(\.boundAddress))
            for address in settings.addresses where !inherited.contains(where: { $0.serves(address) }) {
                try add(try Doors.listen(at: address, settings, loop))
            }
            do throws(SystemError) {
                retry = try Timer(loop) { [unowned self] in makeRoom() }
                strangers = try Strangers(loop)
            } catch {
                throw StartFailure(.storeUnopenable, "\(error)")
            }
        } catch {
            for listener in listeners { listener.close() }
            retry?.close()
            throw error
        }
    }

    private func add(_ listener: Listener) throws(StartFailure) {
        listener.farewell = Doors.farewell
        listener.owner = self
        listeners.append(listener)
    }

    func open() { for listener in listeners { open(listener) } }

    private func open(_ listener: Listener) {
        daemon.log.write(.info, "listening at \(listener.boundAddress)")
        if case .tcp = listener.boundAddress, !keyring.hasTokens {
            daemon.log.write(
                .notice,
                "anybody on this machine may come in at \(listener.boundAddress), in the role "
                    + keyring.origin(isLoopback: true).rights.role.name)
        }
        listener.resume()
    }

    func close() {
        for listener in listeners { listener.close() }
        listeners = []
        retry?.close()
        retry = nil
        strangers?.close()
        for handshake in handshakes.values { handshake.stream.close() }
    }

    // MARK: - Which may be opened

    /// Refuses doors that must not be opened, before anything else is touched. `others`: of sockets that were handed over.
    static func check(_ settings: DaemonSettings, _ others: [Address] = []) throws(StartFailure) {
        let configuration = settings.configuration
        let hasTokens = !configuration.tokens.isEmpty
        for address in others + settings.addresses {
            switch address {
            case .unix: continue
            case .tcp:
                if address.isLoopback { continue }
                guard hasTokens else {
                    throw StartFailure(
                        .brokenConfiguration,
                        "\(address): an address beyond this machine needs tokens: `accordion token new NAME` makes one")
                }
                guard configuration.isInsecure else {
                    throw StartFailure(
                        .brokenConfiguration,
                        "\(address): beyond this machine everything, tokens too, could be read on its way: listen at "
                            + "tls:// instead, or write insecure = true")
                }
            case .tls:
                guard configuration.certificate != nil else {
                    throw StartFailure(.brokenConfiguration, "\(address): TLS needs [tls] with certificate and key")
                }
                let hasCertificates = configuration.clientCA != nil && !configuration.certificates.isEmpty
                guard address.isLoopback || hasTokens || hasCertificates else {
                    throw StartFailure(
                        .brokenConfiguration,
                        "\(address): an address beyond this machine needs tokens, or client_ca and [[certificate]]")
                }
            }
        }
    }

    private static func listen(
        at address: Address, _ settings: DaemonSettings, _ loop: Loop
    ) throws(StartFailure) -> Listener {
        var options = ListenOptions()
        options.group = settings.configuration.unixGroup
        do throws(ListenError) {
            return try Listener(loop, at: address, options)
        } catch {
            if case .inUse = error { throw StartFailure(.inUse, "\(error)") }
            throw StartFailure(.brokenConfiguration, "\(error)")
        }
    }

    private static func take(over socket: InheritedSocket, _ loop: Loop) throws(StartFailure) -> Listener {
        do throws(SystemError) {
            return try Listener(loop, inherited: socket.descriptor, speaksTLS: socket.kind == .tls)
        } catch {
            throw StartFailure(
                .brokenConfiguration, "the descriptor \(socket.descriptor) that was handed over: \(error)")
        }
    }

    /// Other doors and another keyring from now on; all of it, or, where it throws, nothing.
    func change(to settings: DaemonSettings, _ keyring: Keyring) throws(StartFailure) {
        let kept = listeners.filter { listener in
            inherited.contains { $0 === listener } || settings.addresses.contains { listener.serves($0) }
        }
        var made: [Listener] = []
        do throws(StartFailure) {
            try Doors.check(settings, inherited.map(\.boundAddress))
            for address in settings.addresses where !kept.contains(where: { $0.serves(address) }) {
                made.append(try Doors.listen(at: address, settings, loop))
            }
        } catch {
            for listener in made { listener.close() }
            throw error
        }
        self.keyring = keyring
        clientsWanted = settings.configuration.limits["clients_max"]
        for listener in listeners where !kept.contains(where: { $0 === listener }) {
            daemon.log.write(.info, "no longer listening at \(listener.boundAddress)")
            listener.close()
        }
        listeners = kept
        for listener in made {
            listener.farewell = Doors.farewell
            listener.owner = self
            listeners.append(listener)
            open(listener)
        }
    }

    // MARK: - Coming in

    func listenerAccepted(_ listener: Listener, _ stream: Stream) {
        if case .tls = listener.boundAddress { return shakeHands(stream) }
        let peer = stream.peer(userNames)
        switch peer {
        case .process(_, let user, let name):
            daemon.connected(stream, keyring.origin(user: user, name: name, ownUser: ownUser))
        case .host(let host, _, let isLoopback):
            let connection = daemon.connected(stream, keyring.origin(isLoopback: isLoopback))
            if !connection.session.isAdmitted { strangers?.add(connection, host, isLoopback: isLoopback) }
        case .unknown: return stream.close()
        }
        if daemon.connectionCount >= clientsMax { waitForRoom() }
    }

    private func shakeHands(_ stream: Stream) {
        guard let context = keyring.tls, case .host(let host, _, let isLoopback) = stream.peer(userNames) else {
            return stream.close()
        }
        do throws(TLSFailure) {
            let handshake = Handshake(stream, try TLS(context), self)
            handshakes[ObjectIdentifier(handshake)] = handshake
            stream.owner = handshake
            strangers?.add(handshake, host, isLoopback: isLoopback)
            stream.startReading()
        } catch {
            daemon.log.fault("tls_failed", "a client could not be greeted: \(error)")
            stream.close()
        }
    }

    /// The hands are shaken; `plain` came along with it.
    func established(_ handshake: Handshake, _ plain: [UInt8]) {
        handshakes[ObjectIdentifier(handshake)] = nil
        strangers?.remove(handshake)
        let stream = handshake.stream
        guard case .host(let host, _, let isLoopback) = stream.peer(userNames) else { return stream.close() }
        let known = handshake.tls.peerName.flatMap { keyring.origin(certificate: $0) }
        guard known != nil || keyring.hasTokens || (isLoopback && !keyring.hasCertificates) else {
            daemon.log.fault("unauthorized", "a client with a certificate of no known name was sent away")
            return stream.close()
        }
        let waiting = handshake.outbox
        let connection = daemon.connected(
            stream, known ?? keyring.origin(isLoopback: isLoopback), tls: handshake.tls, waiting)
        if !connection.session.isAdmitted { strangers?.add(connection, host, isLoopback: isLoopback) }
        if !plain.isEmpty { connection.take(plain.span) }
        if daemon.connectionCount >= clientsMax { waitForRoom() }
    }

    func failed(_ handshake: Handshake, _ failure: TLSFailure) {
        daemon.log.fault("tls_failed", "a client could not be greeted: \(failure)")
        handshake.stream.close()
    }

    func handshakeClosed(_ handshake: Handshake) {
        handshakes[ObjectIdentifier(handshake)] = nil
        strangers?.remove(handshake)
    }

    // MARK: - No room

    func listenerPaused(_ listener: Listener, _ error: SystemError, turnedAway: Int) {
        turnedAwayCount += turnedAway
        daemon.log.fault(
            "too_many_clients", count: max(1, turnedAway), "a client was turned away or has to wait: \(error)")
        waitForRoom()
    }

    /// From now on who comes is told that there is no room, some of them at a time, until a place is free.
    private func waitForRoom() {
        isWaitingForRoom = true
        for listener in listeners { listener.pause() }
        retry?.start(afterMilliseconds: Doors.pauseMilliseconds)
    }

    func connectionClosed() { if isWaitingForRoom { makeRoom() } }

    private func makeRoom() {
        guard daemon.connectionCount < clientsMax else {
            let turnedAway = listeners.reduce(0) { $0 + $1.turnAway() }
            if turnedAway > 0 {
                daemon.log.fault(
                    "too_many_clients", count: turnedAway,
                    "a client was turned away: all \(clientsMax) places are taken")
            }
            retry?.start(afterMilliseconds: Doors.pauseMilliseconds)
            return
        }
        isWaitingForRoom = false
        retry?.stop()
        for listener in listeners { listener.resume() }
    }

    /// The soft limit of descriptors is raised to the hard one; it is how many clients there can be.
    private static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }

    private static var farewell: [UInt8] {
        Failure(.tooManyClients, "no more clients can be served at the moment").line
    }
}
