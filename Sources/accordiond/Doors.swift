// Why this file exists: who comes in, by which door and as whom. A door that is not safe to open stops the start; one that
// has no room for more says so and opens again when there is.

import AccordionModel
import EventLoop
import Glibc
import Hub
import Wire

final class Doors: ListenerOwner {
    /// Descriptors that are not for clients.
    private static let descriptorsKept = 64
    private static let pauseMilliseconds = 100

    private unowned let daemon: Daemon
    private var listeners: [Listener] = []
    private var isWaitingForRoom = false
    private var retry: Timer?
    let clientsMax: Int
    private(set) var turnedAwayCount = 0
    private let ownUser = geteuid()
    private let userNames = UserNames()

    init(_ settings: DaemonSettings, _ loop: Loop, _ daemon: Daemon) throws(StartFailure) {
        self.daemon = daemon
        clientsMax = max(1, Doors.raiseDescriptorLimit() - Doors.descriptorsKept)
        do throws(StartFailure) {
            for address in settings.addresses { listeners.append(try Doors.listen(at: address, loop)) }
            do throws(SystemError) {
                retry = try Timer(loop) { [unowned self] in makeRoom() }
            } catch {
                throw StartFailure(.storeUnopenable, "\(error)")
            }
        } catch {
            for listener in listeners { listener.close() }
            throw error
        }
        let farewell = Doors.farewell
        for listener in listeners {
            listener.farewell = farewell
            listener.owner = self
        }
    }

    func open() {
        for listener in listeners {
            daemon.log.write(.info, "listening at \(listener.boundAddress)")
            if case .tcp = listener.boundAddress {
                daemon.log.write(
                    .notice, "anybody on this machine may come in at \(listener.boundAddress), in the role editor")
            }
            listener.resume()
        }
    }

    func close() {
        for listener in listeners { listener.close() }
        listeners = []
        retry?.close()
        retry = nil
    }

    /// Refuses doors that must not be opened, before anything else is touched.
    static func check(_ addresses: [Address]) throws(StartFailure) {
        for address in addresses {
            switch address {
            case .unix: break
            case .tcp:
                guard address.isLoopback else {
                    throw StartFailure(
                        .brokenConfiguration,
                        "\(address): an address beyond this machine needs tokens, which this version does not have")
                }
            case .tls:
                throw StartFailure(.brokenConfiguration, "\(address): this version does not speak TLS")
            }
        }
    }

    private static func listen(at address: Address, _ loop: Loop) throws(StartFailure) -> Listener {
        do throws(ListenError) {
            return try Listener(loop, at: address)
        } catch {
            if case .inUse = error { throw StartFailure(.inUse, "\(error)") }
            throw StartFailure(.brokenConfiguration, "\(error)")
        }
    }

    // MARK: - Coming in

    func listenerAccepted(_ listener: Listener, _ stream: Stream) {
        daemon.connected(stream, origin(of: stream))
        if daemon.connectionCount >= clientsMax { waitForRoom() }
    }

    private func origin(of stream: Stream) -> Origin {
        switch stream.peer(userNames) {
        case .process(_, let user, let name):
            let checked = name.flatMap { Segment.checked($0, bytesMax: 64) }
            return Origin(
                name: checked ?? "user-\(user)", isUser: true,
                role: user == 0 || user == ownUser ? .admin : .editor)
        case .host, .unknown:
            return Origin(name: "anonymous", isUser: false, role: .editor)
        }
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
