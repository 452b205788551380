// Why this file exists: the service manager and the journal both take datagrams, and both may be slow to take them. What they
// don't take at once is not sent, and whoever sent it decides whether that matters.

internal import Glibc

/// A socket that sends to one place by its name. No call waits.
final class Datagrams {
    private let descriptor: Int32
    /// As the system wants it: an abstract name begins with a zero.
    private let name: [UInt8]

    /// `path`: of a file, or after an `@` of Linux' abstract names. Nil where it can't be a socket's, or none can be made.
    init?(to path: String) {
        var name = Array(path.utf8)
        guard name.count > 1, name.count < 108, name[0] == UInt8(ascii: "/") || name[0] == UInt8(ascii: "@") else {
            return nil
        }
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Whether it was taken.
    func send(_ message: [UInt8]) -> Bool {
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &target.sun_path) { unsafe $0.copyBytes(from: name) }
        // An abstract name is as long as it is; a path ends with a zero.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (name[0] == 0 ? 0 : 1))
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let sent = unsafe withUnsafePointer(to: &target) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(descriptor, message, message.count, flags, $0, length)
            }
        }
        return sent == message.count
    }
}
