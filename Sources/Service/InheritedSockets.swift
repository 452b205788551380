// Why this file exists: a service manager may hold the doors and hand them over, so that nobody is refused while the daemon
// starts or is exchanged. A descriptor of the wrong kind would be served as what it is not: each is looked at before.

internal import CSystemd
internal import Glibc

/// A door that was handed over, open and listening.
package struct InheritedSocket: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case unix, tcp, tls
    }

    package let descriptor: Int32
    package let kind: Kind

    package init(descriptor: Int32, kind: Kind) {
        self.descriptor = descriptor
        self.kind = kind
    }
}

/// What was handed over can't be served; why.
package struct InheritedFault: Error, Equatable {
    package let reason: String

    package init(reason: String) { self.reason = reason }
}

extension InheritedSocket {
    /// All that was handed to this process, in their order; none where nothing was. The variables are taken away. A name
    /// (FileDescriptorName=) of `unix`, `tcp` or `tls` says what a socket must be; under any other it is what it is, a
    /// socket of the internet without TLS.
    package static func ofEnvironment() throws(InheritedFault) -> [InheritedSocket] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = unsafe sd_listen_fds_with_names(1, &names)
        guard count >= 0 else {
            throw InheritedFault(reason: "the descriptors that were handed over can't be read: error \(-count)")
        }
        defer {
            if let list = unsafe names {
                for place in 0..<Int(count) { unsafe free(list[place]) }
                unsafe free(list)
            }
        }
        var sockets: [InheritedSocket] = []
        for place in 0..<Int(count) {
            let name = unsafe names?[place].map { unsafe String(cString: $0) } ?? ""
            sockets.append(try examine(accordion_first_descriptor() + Int32(place), name))
        }
        return sockets
    }

    /// What a descriptor is, under the name that it was given.
    package static func examine(_ descriptor: Int32, _ name: String) throws(InheritedFault) -> InheritedSocket {
        let isUnix = accordion_is_listening(descriptor, AF_UNIX) > 0
        let isInternet =
            accordion_is_listening(descriptor, AF_INET) > 0 || accordion_is_listening(descriptor, AF_INET6) > 0
        func fault(_ what: String) -> InheritedFault {
            let shown = name.unicodeScalars.map { $0.value < 0x20 || $0.value > 0x7E ? "?" : String($0) }.joined()
            return InheritedFault(
                reason: "the descriptor \(descriptor) that was handed over as \"\(shown)\" is \(what)")
        }
        guard isUnix || isInternet else { throw fault("no stream socket that listens") }
        switch name {
        case "unix" where !isUnix: throw fault("no Unix socket")
        case "tcp" where !isInternet, "tls" where !isInternet: throw fault("no socket of the internet")
        case "tls": return InheritedSocket(descriptor: descriptor, kind: .tls)
        default: return InheritedSocket(descriptor: descriptor, kind: isUnix ? .unix : .tcp)
        }
    }
}
