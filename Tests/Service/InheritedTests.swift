// Why this file exists: what a service manager hands over is served to everybody; the wrong thing must never be.
import Glibc
import Service
import Testing

/// A socket for as long as a test needs it.
private final class Held {
    let descriptor: Int32

    init(_ family: Int32, _ type: __socket_type = SOCK_STREAM, listens: Bool = true) {
        descriptor = socket(family, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if family == AF_UNIX {
            // An abstract name of the kernel's choice.
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            _ = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size))
                }
            }
        }
        if listens { listen(descriptor, 1) }
    }

    deinit { close(descriptor) }
}

struct InheritedTests {
    private func kind(_ socket: Held, _ name: String) -> InheritedSocket.Kind? {
        try? InheritedSocket.examine(socket.descriptor, name).kind
    }

    @Test func `a name says what it must be, any other that it is what it is`() {
        let (unix, four, six) = (Held(AF_UNIX), Held(AF_INET), Held(AF_INET6))
        for name in ["unix", "accordiond.socket", "unknown", ""] { #expect(kind(unix, name) == .unix) }
        for name in ["tcp", "accordiond-tcp.socket", ""] {
            #expect(kind(four, name) == .tcp && kind(six, name) == .tcp)
        }
        #expect(kind(four, "tls") == .tls && kind(six, "tls") == .tls)
        for name in ["tcp", "tls"] { #expect(kind(unix, name) == nil) }
        #expect(kind(four, "unix") == nil)
    }

    @Test func `what does not listen, and what is no stream, is refused with its number and name`() {
        let odd = [
            Held(AF_UNIX, listens: false), Held(AF_INET, SOCK_DGRAM, listens: false), Held(AF_INET, listens: false),
        ]
        for socket in odd {
            #expect(
                throws: InheritedFault(
                    reason:
                        "the descriptor \(socket.descriptor) that was handed over as \"a?\" is no stream socket that listens"
                )
            ) {
                try InheritedSocket.examine(socket.descriptor, "a\n")
            }
        }
        let file = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        #expect(throws: InheritedFault.self) { try InheritedSocket.examine(file, "unix") }
        #expect(throws: InheritedFault.self) { try InheritedSocket.examine(9_999, "unix") }
    }
}
