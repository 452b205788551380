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
    /// Asks the kernel who is at the other end; for a Unix socket the system's user database too, where `names` does not
    /// remember the user.
    package func peer(_ names: UserNames = UserNames()) -> Peer {
        guard state == .open else { return .unknown }
        if isUnix {
            guard let credentials = System.credentials(descriptor) else { return .unknown }
            return .process(
                identifier: Int(credentials.process), user: credentials.user,
                userName: names.name(of: credentials.user, nowMilliseconds: loop.nowMilliseconds))
        }
        guard let address = System.peerAddress(descriptor) else { return .unknown }
        return .host(address.host, port: address.port, isLoopback: address.isLoopback)
    }
}

/// How long the other side of a TCP connection has been silent while it owes an answer.
package struct Silence: Equatable, Sendable {
    /// Since it last acknowledged anything.
    package let milliseconds: Int
    /// What we sent, or asked, again since then, without an answer.
    package let triesCount: Int
}

extension Stream {
    /// Keepalive probes only an idle connection. Where bytes are under way the kernel sends them again for a quarter of an
    /// hour, and asks a peer that has no room for as long; its own limit for that (TCP_USER_TIMEOUT) also ends
    /// connections of peers that answer and just do not read, which must live. So its count of tries without an answer is
    /// looked at: zero for a slow peer that is there. Nil for a Unix socket and for one that is closed.
    package func silence() -> Silence? {
        guard state == .open, !isUnix else { return nil }
        return System.silence(descriptor)
    }
}
