// Why this file exists: the kernel's socket address is a family of C structs that are cast into each other. The casts stand
// here, and nowhere else.

internal import Glibc

/// An address as the kernel takes and gives it.
@safe struct SocketAddress {
    private var storage = sockaddr_storage()
    private var bytes = socklen_t(MemoryLayout<sockaddr_storage>.size)

    /// `path` has been checked: not empty, at most `Address.pathBytesMax` bytes.
    init(unixPath path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        precondition(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path), "the path was checked before")
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        unsafe withUnsafeBytes(of: &address) { source in
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.copyMemory(from: source) }
        }
        bytes = socklen_t(MemoryLayout<sockaddr_un>.size)
    }

    init(_ pointer: UnsafePointer<sockaddr>, _ length: socklen_t) {
        bytes = min(length, socklen_t(MemoryLayout<sockaddr_storage>.size))
        let source = unsafe UnsafeRawBufferPointer(start: pointer, count: Int(bytes))
        unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.copyMemory(from: source) }
    }

    /// What `getsockname` or `getpeername`, given as `call`, says; nil if it fails.
    init?(_ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0, &bytes) }
        }
        if result != 0 { return nil }
    }

    func with<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, bytes) }
        }
    }

    var family: Int32 { Int32(storage.ss_family) }

    /// The port of an IPv4 or IPv6 address, else 0.
    var port: UInt16 {
        switch family {
        case AF_INET: UInt16(bigEndian: `as`(sockaddr_in.self).sin_port)
        case AF_INET6: UInt16(bigEndian: `as`(sockaddr_in6.self).sin6_port)
        default: 0
        }
    }

    /// The path of a Unix address; empty if it has none.
    var path: String {
        guard family == AF_UNIX else { return "" }
        var address = `as`(sockaddr_un.self)
        let octets = unsafe withUnsafeBytes(of: &address.sun_path) { unsafe Array($0) }
        return String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// 127.0.0.0/8, ::1, or the former written as IPv6.
    var isLoopback: Bool {
        switch family {
        case AF_INET: return UInt32(bigEndian: `as`(sockaddr_in.self).sin_addr.s_addr) >> 24 == 127
        case AF_INET6:
            var address = `as`(sockaddr_in6.self).sin6_addr
            let octets = unsafe withUnsafeBytes(of: &address) { unsafe Array($0) }
            let zeros = octets.prefix { $0 == 0 }.count
            if zeros == 15 { return octets[15] == 1 }
            return zeros == 10 && octets[10] == 0xff && octets[11] == 0xff && octets[12] == 127
        default: return false
        }
    }

    /// The host in digits, without the port.
    var host: String {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let result = unsafe with { pointer, length in
            unsafe getnameinfo(pointer, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        }
        guard result == 0 else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func `as`<Form>(_: Form.Type) -> Form {
        unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: Form.self) }
    }
}
