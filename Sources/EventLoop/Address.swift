// Why this file exists: where the daemon listens and a client connects is written as one text, in a configuration file or
// on a command line, and a mistake in it must be told before anything is bound.

/// A place to listen at or to connect to: `unix:PATH`, `tcp://HOST:PORT` or `tls://HOST:PORT`.
package enum Address: Equatable, Hashable, Sendable, CustomStringConvertible {
    case unix(path: String)
    case tcp(host: String, port: UInt16)
    /// The same as `tcp` to this room; whoever asks for it speaks TLS over it.
    case tls(host: String, port: UInt16)

    package static let defaultPort: UInt16 = 7433
    package static let defaultPortTLS: UInt16 = 7434
    /// What fits in the kernel's address of a Unix socket, in bytes, less the NUL at its end.
    package static let pathBytesMax = 107

    /// An absent port is the default one; an IPv6 host stands in brackets; port 0 lets the system choose one.
    package init(parsing text: String) throws(AddressError) {
        if let path = text.after("unix:") {
            self = .unix(path: try Self.checked(path: String(path)))
        } else if let rest = text.after("tcp://") {
            let (host, port) = try Self.hostAndPort(rest, Self.defaultPort)
            self = .tcp(host: host, port: port)
        } else if let rest = text.after("tls://") {
            let (host, port) = try Self.hostAndPort(rest, Self.defaultPortTLS)
            self = .tls(host: host, port: port)
        } else {
            throw .unknownScheme(text)
        }
    }

    package var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port): "tcp://\(Self.bracketed(host)):\(port)"
        case .tls(let host, let port): "tls://\(Self.bracketed(host)):\(port)"
        }
    }

    /// True if nobody on another machine can reach it: a Unix socket, `localhost`, 127.0.0.0/8, ::1. Another host name is
    /// not, whatever it may resolve to.
    package var isLoopback: Bool {
        switch self {
        case .unix: true
        case .tcp(let host, _), .tls(let host, _):
            host.lowercased() == "localhost" || System.isLoopback(numericHost: host)
        }
    }

    static func checked(path: String) throws(AddressError) -> String {
        if path.isEmpty { throw .emptyPath }
        if path.utf8.contains(0) { throw .badPath(path) }
        if path.utf8.count > pathBytesMax { throw .pathTooLong(path, bytes: path.utf8.count) }
        return path
    }

    private static func bracketed(_ host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    }

    private static func hostAndPort(
        _ text: Substring, _ defaultPort: UInt16
    ) throws(AddressError) -> (String, UInt16) {
        var host = text
        var port: Substring?
        if text.first == "[" {
            guard let close = text.firstIndex(of: "]") else { throw .badHost(String(text)) }
            host = text[text.index(after: text.startIndex)..<close]
            let rest = text[text.index(after: close)...]
            if !rest.isEmpty {
                guard rest.first == ":" else { throw .badHost(String(text)) }
                port = rest.dropFirst()
            }
            guard host.utf8.contains(UInt8(ascii: ":")) else { throw .badHost(String(text)) }
        } else if let colon = text.lastIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
            if host.utf8.contains(UInt8(ascii: ":")) { throw .badHost(String(text)) }
        }
        let allowed = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") }
        guard !host.isEmpty, host.utf8.count <= 253, allowed else { throw .badHost(String(host)) }
        guard let port else { return (String(host), defaultPort) }
        let digits = port.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        guard digits, let number = UInt16(port) else { throw .badPort(String(port)) }
        return (String(host), number)
    }
}

extension String {
    fileprivate func after(_ prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}

/// What is wrong with the text of an address.
package enum AddressError: Error, Equatable, CustomStringConvertible {
    case unknownScheme(String)
    case emptyPath
    case badPath(String)
    case pathTooLong(String, bytes: Int)
    case badHost(String)
    case badPort(String)

    package var description: String {
        switch self {
        case .unknownScheme(let text): "address \(text.debugDescription) begins with none of unix:, tcp://, tls://"
        case .emptyPath: "the path of the Unix socket is empty"
        case .badPath(let path): "path \(path.debugDescription) holds a NUL"
        case .pathTooLong(let path, let bytes):
            "path \(path.debugDescription) has \(bytes) bytes; a Unix socket takes at most \(Address.pathBytesMax)"
        case .badHost(let host): "host \(host.debugDescription) is no host name, no IPv4 address, no [IPv6 address]"
        case .badPort(let port): "port \(port.debugDescription) is not a number from 0 to 65535"
        }
    }
}
