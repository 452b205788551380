// Why this file exists: an address is typed by people; each mistake is told as what it is.
import EventLoop
import Testing

@Test(arguments: [
    ("unix:/run/accordiond/s", Address.unix(path: "/run/accordiond/s")), ("unix:s", .unix(path: "s")),
    ("tcp://127.0.0.1:80", .tcp(host: "127.0.0.1", port: 80)), ("tcp://localhost", .tcp(host: "localhost", port: 7433)),
    ("tcp://[::1]", .tcp(host: "::1", port: 7433)), ("tcp://[::1]:0", .tcp(host: "::1", port: 0)),
    ("tls://example.org", .tls(host: "example.org", port: 7434)),
    ("tls://[fe80::1%eth0]:65535", .tls(host: "fe80::1%eth0", port: 65535)),
]) func `an address is read`(text: String, address: Address) throws {
    #expect(try Address(parsing: text) == address)
    #expect(try Address(parsing: address.description) == address)
}

@Test(arguments: [
    ("", AddressError.unknownScheme("")), ("/run/s", .unknownScheme("/run/s")), ("udp://a", .unknownScheme("udp://a")),
    ("TCP://a", .unknownScheme("TCP://a")), ("unix:", .emptyPath), ("unix:a\0b", .badPath("a\0b")),
    ("tcp://", .badHost("")), ("tcp://:80", .badHost("")), ("tcp://::1", .badHost("::1")),
    ("tcp://[::1", .badHost("[::1")), ("tcp://[::1]80", .badHost("[::1]80")), ("tcp://[a]:80", .badHost("[a]:80")),
    ("tcp://a b", .badHost("a b")), ("tcp://a/", .badHost("a/")), ("tcp://a:", .badPort("")),
    ("tcp://a:65536", .badPort("65536")), ("tcp://a:-1", .badPort("-1")), ("tcp://a:+1", .badPort("+1")),
    ("tcp://a:80x", .badPort("80x")), ("tcp://a:８０", .badPort("８０")),
]) func `a mistake in an address is told`(text: String, error: AddressError) {
    #expect(throws: error) { try Address(parsing: text) }
    #expect(!error.description.isEmpty)
}

@Test func `a path has at most 107 bytes, not characters`() throws {
    let most = String(repeating: "p", count: 107)
    #expect(try Address(parsing: "unix:" + most) == .unix(path: most))
    #expect(throws: AddressError.pathTooLong(most + "p", bytes: 108)) { try Address(parsing: "unix:\(most)p") }
    let wide = String(repeating: "省", count: 36)
    #expect(throws: AddressError.pathTooLong(wide, bytes: 108)) { try Address(parsing: "unix:" + wide) }
}

@Test(arguments: [
    ("unix:/s", true), ("tcp://localhost", true), ("tcp://LOCALHOST", true), ("tcp://127.0.0.1", true),
    ("tcp://127.9.9.9", true), ("tcp://[::1]", true), ("tls://[::ffff:127.0.0.1]", true), ("tcp://0.0.0.0", false),
    ("tcp://[::]", false), ("tcp://128.0.0.1", false), ("tcp://localhost.example.org", false),
    ("tls://10.0.0.1", false),
    ("tcp://[::2]", false), ("tcp://[::ffff:10.0.0.1]", false),
]) func `loopback is what only this machine can reach`(text: String, isLoopback: Bool) throws {
    #expect(try Address(parsing: text).isLoopback == isLoopback)
}
