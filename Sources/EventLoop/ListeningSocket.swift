// Why this file exists: before anyone is accepted a door has to be built so that nobody slips in early, a dead daemon's
// socket file does not bar the way, a living one's is never touched, and two daemons that start together do not both win.
// All that happens here, synchronously, once; `Listener` then only accepts.

internal import Glibc

/// Why an address could not be listened at.
package enum ListenError: Error, Equatable, CustomStringConvertible {
    /// Somebody listens there.
    case inUse(Address)
    /// There is a file, and it is no socket; it was left alone.
    case notASocket(path: String)
    /// The path can't be one of a socket.
    case badPath(AddressError)
    case system(Address, SystemError)

    package var description: String {
        switch self {
        case .inUse(let address): "\(address) is in use"
        case .notASocket(let path): "\(path.debugDescription) exists and is no socket"
        case .badPath(let error): "\(error)"
        case .system(let address, let error): "\(address): \(error)"
        }
    }
}

/// How a door is built. The defaults are the daemon's.
package struct ListenOptions {
    /// After so many seconds of silence a TCP peer is probed; 0 means never.
    package var keepaliveSeconds = 60
    package var directoryMode: UInt32 = 0o750
    package var socketMode: UInt32 = 0o660
    /// Whose socket file and directory it is besides its owner's; nil: as they are made.
    package var group: String?
    package var backlog: Int32 = 4096
    /// How long another one that starts in the same directory is waited for.
    package var lockTimeoutMilliseconds = 2000

    package init() {}
}

/// A bound and listening socket, and what has to be known to take it down again.
struct ListeningSocket: ~Copyable {
    let descriptor: Descriptor
    let address: Address
    /// The socket file that we made; it alone is removed at the end.
    let identity: System.FileIdentity?

    private init(_ descriptor: consuming Descriptor, _ address: Address, _ identity: System.FileIdentity? = nil) {
        self.descriptor = descriptor
        self.address = address
        self.identity = identity
    }

    static func make(_ address: Address, _ options: ListenOptions) throws(ListenError) -> ListeningSocket {
        if case .unix(let path) = address {
            do throws(AddressError) {
                _ = try Address.checked(path: path)
            } catch {
                throw .badPath(error)
            }
        }
        do throws(SystemError) {
            switch address {
            case .unix(let path): return try unix(path, options)
            case .tcp, .tls: return try tcp(address, options)
            }
        } catch {
            if error.code == EADDRINUSE { throw .inUse(address) }
            if error.code == ENOTSOCK, case .unix(let path) = address { throw .notASocket(path: path) }
            throw .system(address, error)
        }
    }

    /// A socket that somebody else has bound and listens on, a service manager for instance.
    static func inherit(
        _ number: Int32, speaksTLS: Bool, _ options: ListenOptions
    ) throws(SystemError) -> ListeningSocket {
        let descriptor = Descriptor(number)
        guard let local = System.localAddress(number) else { throw SystemError("getsockname", ENOTSOCK) }
        guard try System.option(number, SOL_SOCKET, SO_ACCEPTCONN) == 1 else { throw SystemError("accept", EINVAL) }
        if local.family == AF_UNIX {
            return ListeningSocket(descriptor, .unix(path: local.path))
        }
        try System.configureTCP(number, idleSeconds: options.keepaliveSeconds)
        let (host, port) = (local.host, local.port)
        return ListeningSocket(descriptor, speaksTLS ? .tls(host: host, port: port) : .tcp(host: host, port: port))
    }

    // MARK: TCP

    /// The first address of the host that this machine has.
    private static func tcp(_ address: Address, _ options: ListenOptions) throws(SystemError) -> ListeningSocket {
        var failure = SystemError("getaddrinfo", ENOENT)
        for candidate in try address.resolved() {
            do throws(SystemError) {
                return try tcp(address, candidate, options)
            } catch {
                failure = error
                if error.code != EAFNOSUPPORT, error.code != EADDRNOTAVAIL { break }
            }
        }
        throw failure
    }

    private static func tcp(
        _ address: Address, _ candidate: SocketAddress, _ options: ListenOptions
    ) throws(SystemError) -> ListeningSocket {
        let descriptor = try System.socket(candidate.family)
        let number = descriptor.number
        try System.setOption(number, SOL_SOCKET, SO_REUSEADDR, 1)
        // [::] means IPv6: what is bound does not depend on a setting of the machine. IPv4 is another address.
        if candidate.family == AF_INET6 { try System.setOption(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
        try System.configureTCP(number, idleSeconds: options.keepaliveSeconds)
        try System.bind(number, candidate)
        try System.listen(number, backlog: options.backlog)
        return ListeningSocket(descriptor, address.withPort(System.localAddress(number)?.port ?? candidate.port))
    }

    // MARK: Unix

    /// Whoever wants to make or replace a socket file holds a lock on its directory meanwhile: between `bind` and `listen`
    /// a living socket refuses connections like a dead one. No other file is left behind by that.
    private static func unix(_ path: String, _ options: ListenOptions) throws(SystemError) -> ListeningSocket {
        let directory = parent(of: path)
        if try System.makeDirectory(directory, mode: options.directoryMode), let group = options.group {
            try System.setGroup(directory, named: group)
        }
        let lock = try System.openDirectory(directory)
        var waitedMilliseconds = 0
        while try !System.lock(lock.number) {
            if waitedMilliseconds >= options.lockTimeoutMilliseconds { throw SystemError("flock", EADDRINUSE) }
            System.pause(milliseconds: 10)
            waitedMilliseconds += 10
        }
        try removeStale(path)

        let descriptor = try System.socket(AF_UNIX)
        System.setMode(descriptor.number, options.socketMode)
        try System.bind(descriptor.number, SocketAddress(unixPath: path))
        guard let identity = try System.identity(of: path), identity.isSocket else {
            throw SystemError("bind", EADDRINUSE)
        }
        do throws(SystemError) {
            if let group = options.group { try System.setGroup(path, named: group) }
            try System.setMode(path, options.socketMode)
            try System.listen(descriptor.number, backlog: options.backlog)
        } catch {
            try System.unlink(path)
            throw error
        }
        return ListeningSocket(descriptor, .unix(path: path), identity)
    }

    /// Removes a socket file at which nobody listens. EADDRINUSE if somebody does, ENOTSOCK if it is another kind of file.
    private static func removeStale(_ path: String) throws(SystemError) {
        guard let identity = try System.identity(of: path) else { return }
        guard identity.isSocket else { throw SystemError("bind", ENOTSOCK) }
        let caller = try System.socket(AF_UNIX)
        let result = System.connect(caller.number, SocketAddress(unixPath: path))
        switch result {
        case ECONNREFUSED: try System.unlink(path)
        case ENOENT: return
        case 0, EAGAIN, EINPROGRESS, EPROTOTYPE: throw SystemError("bind", EADDRINUSE)
        default: throw SystemError("connect", result)
        }
    }

    /// Removes the socket file if it is still ours. Called while the socket still listens, so nobody can have taken it for
    /// stale; what stands there after an administrator's own removal is left alone.
    borrowing func removeFile() {
        guard let identity, case .unix(let path) = address else { return }
        if let found = try? System.identity(of: path), found == identity { try? System.unlink(path) }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

extension Address {
    fileprivate func withPort(_ port: UInt16) -> Address {
        switch self {
        case .unix: self
        case .tcp(let host, _): .tcp(host: host, port: port)
        case .tls(let host, _): .tls(host: host, port: port)
        }
    }
}
