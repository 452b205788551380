// Why this file exists: who is at the other end decides what it may do. The kernel knows it; it is asked when it is needed
// and not kept with every connection.

internal import Glibc

/// The other end of a connection.
package enum Peer: Equatable, Sendable, CustomStringConvertible {
    /// Of a Unix socket: the process that connected. `userName` is nil if the system has no name for the number.
    case process(identifier: Int, user: UInt32, userName: String?)
    /// Of a TCP socket: the host in digits.
    case host(String, port: UInt16, isLoopback: Bool)
    /// It is gone already.
    case unknown

    package var description: String {
        switch self {
        case .process(let identifier, let user, let userName): "\(userName ?? "user \(user)") (process \(identifier))"
        case .host(let host, let port, _):
            host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unknown: "unknown"
        }
    }

    package var isLoopback: Bool {
        switch self {
        case .process: true
        case .host(_, _, let isLoopback): isLoopback
        case .unknown: false
        }
    }
}

extension Stream {
    /// Asks the kernel who is at the other end; for a Unix socket the system's user database too. Not for hot paths.
    package func peer() -> Peer {
        guard state == .open else { return .unknown }
        if isUnix {
            guard let credentials = System.credentials(descriptor) else { return .unknown }
            return .process(
                identifier: Int(credentials.process), user: credentials.user,
                userName: System.userName(credentials.user))
        }
        guard let address = System.peerAddress(descriptor) else { return .unknown }
        return .host(address.host, port: address.port, isLoopback: address.isLoopback)
    }
}
