// Why this file exists: the socket calls of `System`, where an address or an option goes through a pointer.

internal import CLibuv
internal import Glibc

extension System {
    /// A stream socket, non-blocking and closed on exec.
    static func socket(_ family: Int32) throws(SystemError) -> Descriptor {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(family, kind, 0)
        if descriptor < 0 { throw SystemError("socket", errno) }
        return Descriptor(descriptor)
    }

    static func socketPair() throws(SystemError) -> (Int32, Int32) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        var numbers: (Int32, Int32) = (-1, -1)
        let result = unsafe withUnsafeMutableBytes(of: &numbers) { bytes in
            unsafe socketpair(AF_UNIX, kind, 0, bytes.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        if result != 0 { throw SystemError("socketpair", errno) }
        return numbers
    }

    static func bind(_ descriptor: Int32, _ address: SocketAddress) throws(SystemError) {
        let result = unsafe address.with { unsafe Glibc.bind(descriptor, $0, $1) }
        if result != 0 { throw SystemError("bind", errno) }
    }

    static func listen(_ descriptor: Int32, backlog: Int32) throws(SystemError) {
        if Glibc.listen(descriptor, backlog) != 0 { throw SystemError("listen", errno) }
    }

    /// 0, or the `errno`; EINPROGRESS is the usual answer of TCP.
    static func connect(_ descriptor: Int32, _ address: SocketAddress) -> Int32 {
        while true {
            let result = unsafe address.with { unsafe Glibc.connect(descriptor, $0, $1) }
            if result == 0 { return 0 }
            if errno != EINTR { return errno }
        }
    }

    /// The accepted descriptor, or the negated `errno`.
    static func accept(_ descriptor: Int32) -> Int32 {
        let accepted = accordion_accept(descriptor)
        return accepted >= 0 ? accepted : -errno
    }

    static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) throws(SystemError) {
        var value = value
        let size = socklen_t(MemoryLayout<Int32>.size)
        if unsafe setsockopt(descriptor, level, name, &value, size) != 0 { throw SystemError("setsockopt", errno) }
    }

    static func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) throws(SystemError) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        if unsafe getsockopt(descriptor, level, name, &value, &size) != 0 { throw SystemError("getsockopt", errno) }
        return value
    }

    /// Small writes leave at once; an idle peer that has vanished is found after `idleSeconds` and three probes, a quarter
    /// of that apart; 0 means never. With the default of 60 that is 105 seconds. On Linux the connections accepted from a listening socket take these over from it.
    static func configureTCP(_ descriptor: Int32, idleSeconds: Int) throws(SystemError) {
        try setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        guard idleSeconds > 0 else { return }
        let idle = Int32(clamping: min(idleSeconds, 32767))
        try setOption(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        try setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, idle)
        try setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, max(idle / 4, 1))
        try setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
    }

    /// What TCP_INFO tells of the other side's answers; nil if this is no TCP connection.
    static func silence(_ descriptor: Int32) -> Silence? {
        var info = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        guard unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else { return nil }
        return Silence(
            milliseconds: Int(info.tcpi_last_ack_recv),
            triesCount: Int(info.tcpi_retransmits) + Int(info.tcpi_probes))
    }

    static func localAddress(_ descriptor: Int32) -> SocketAddress? {
        unsafe SocketAddress { unsafe getsockname(descriptor, $0, $1) }
    }

    static func peerAddress(_ descriptor: Int32) -> SocketAddress? {
        unsafe SocketAddress { unsafe getpeername(descriptor, $0, $1) }
    }

    /// The process at the other end of a Unix socket, as it was when it connected.
    static func credentials(_ descriptor: Int32) -> (user: uid_t, process: pid_t)? {
        var credentials = accordion_credentials()
        var size = socklen_t(MemoryLayout<accordion_credentials>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
        return (credentials.uid, credentials.pid)
    }

    /// Ends sending; what is in the kernel's buffer still goes out.
    static func shutdownSending(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Says `bytes` as far as the kernel takes them at once and ends the connection. What the peer had sent is read away
    /// first, since closing over unread bytes would make TCP throw ours away.
    static func dismiss(_ descriptor: Int32, _ bytes: [UInt8]) {
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        _ = unsafe send(descriptor, bytes, bytes.count, flags)
        shutdownSending(descriptor)
        var unread = [UInt8](repeating: 0, count: 16384)
        var readsLeft = 4
        while readsLeft > 0, unsafe recv(descriptor, &unread, unread.count, flags) > 0 { readsLeft -= 1 }
        close(descriptor)
    }

    /// Every address of a host name or of a host in digits, the preferred ones first, IPv4 before IPv6 for `localhost`.
    /// It may ask a name server and wait for it.
    static func resolve(host: String, port: UInt16) throws(SystemError) -> [SocketAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard result == 0 else { throw SystemError("getaddrinfo", result == EAI_SYSTEM ? errno : result) }
        defer { unsafe freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ai_addr {
                unsafe found.append(SocketAddress(address, entry.pointee.ai_addrlen))
            }
            unsafe next = entry.pointee.ai_next
        }
        if host.lowercased() == "localhost" {
            return found.filter { $0.family == AF_INET } + found.filter { $0.family != AF_INET }
        }
        return found
    }

    static func isLoopback(numericHost host: String) -> Bool {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0 else { return false }
        defer { unsafe freeaddrinfo(list) }
        guard let entry = unsafe list, let address = unsafe entry.pointee.ai_addr else { return false }
        return unsafe SocketAddress(address, entry.pointee.ai_addrlen).isLoopback
    }
}

extension Address {
    /// Every address of the kernel that this one names.
    func resolved() throws(SystemError) -> [SocketAddress] {
        switch self {
        case .unix(let path): [SocketAddress(unixPath: path)]
        case .tcp(let host, let port), .tls(let host, let port): try System.resolve(host: host, port: port)
        }
    }
}
