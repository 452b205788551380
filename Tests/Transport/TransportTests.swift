// Why this file exists: both ends of a TLS connection in one hand: what goes in at one comes out at the other, however it is
// cut, and what is wrong is refused.

import Glibc
import TestSupport
import Testing
import Transport

/// Certificates for these tests alone, made by openssl.
final class Certificates {
    let folder: String

    init() throws {
        var template = Array("/tmp/accordion-tls-XXXXXX".utf8CString)
        try #require(unsafe mkdtemp(&template) != nil)
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let script = """
            cd \(folder)
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=ca
            for name in server carol; do
                openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $name.key -out $name.csr -subj /CN=$name
                printf 'subjectAltName=DNS:localhost,IP:127.0.0.1' > ext
                openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out $name.pem -extfile ext
            done
            """
        let status = unsafe system("( \(script) ) >/dev/null 2>&1")
        try #require(status == 0, "openssl makes certificates")
    }

    deinit { _ = unsafe system("rm -rf \(folder)") }
}

@Suite struct TransportTests {
    private let certificates: Certificates

    init() throws { certificates = try Certificates() }

    private func path(_ name: String) -> String { certificates.folder + "/" + name }

    private func server(clientCA: Bool = false) throws -> TLSContext {
        try TLSContext(
            certificate: path("server.pem"), key: path("server.key"), clientCA: clientCA ? path("ca.pem") : nil,
            isClientOptional: true)
    }

    /// Carries bytes between both until neither has more, in pieces of at most so many; what each understood.
    private func talk(_ one: TLS, _ other: TLS, pieceBytes: Int = .max) throws -> (one: [UInt8], other: [UInt8]) {
        var heard: (one: [UInt8], other: [UInt8]) = ([], [])
        while true {
            let (left, right) = (one.takeOutput(), other.takeOutput())
            if left.isEmpty, right.isEmpty { return heard }
            for start in stride(from: 0, to: left.count, by: min(pieceBytes, max(1, left.count))) {
                let piece = Array(left[start..<min(left.count, start + min(pieceBytes, left.count))])
                heard.other += try other.receive(piece.span)
            }
            for start in stride(from: 0, to: right.count, by: min(pieceBytes, max(1, right.count))) {
                let piece = Array(right[start..<min(right.count, start + min(pieceBytes, right.count))])
                heard.one += try one.receive(piece.span)
            }
        }
    }

    @Test(arguments: [1, 7, 1_000, Int.max])
    func `what is said at one end is heard at the other, however it is cut`(_ pieceBytes: Int) throws {
        let client = try TLS(try TLSContext(clientBelieving: path("ca.pem")), host: "localhost")
        let server = try TLS(try server())
        try client.begin()
        _ = try talk(client, server, pieceBytes: pieceBytes)
        #expect(client.isEstablished && server.isEstablished && client.version == "TLSv1.3")
        var random = SplitMix(seed: 1)
        let text = (0..<100_000).map { _ in UInt8(random.below(256)) }
        try client.send(text.span)
        #expect(try talk(client, server, pieceBytes: pieceBytes).other == text)
        try server.send(text.span)
        #expect(try talk(client, server, pieceBytes: pieceBytes).one == text)
        client.end()
        _ = try talk(client, server)
        #expect(server.hasEnded)
    }

    @Test func `a certificate of another name, or of nobody known, is refused`() throws {
        for (authorities, host) in [("ca.pem", "example.org"), ("carol.pem", "localhost")] {
            let client = try TLS(try TLSContext(clientBelieving: path(authorities)), host: host)
            let server = try TLS(try server())
            try client.begin()
            #expect(throws: TLSFailure.self) { _ = try talk(client, server) }
            #expect(!client.isEstablished)
        }
        let client = try TLS(try TLSContext(clientBelieving: path("ca.pem")), host: "127.0.0.1")
        let server = try TLS(try server())
        try client.begin()
        _ = try talk(client, server)
        #expect(client.isEstablished, "an address is checked as one")
    }

    @Test func `bytes that are no TLS are refused, and never stop the program`() throws {
        let seed = freshSeed()
        var random = SplitMix(seed: seed)
        let context = try server()
        for _ in 0..<300 {
            let server = try TLS(context)
            let count = 1 + random.below(600)
            var bytes = (0..<count).map { _ in UInt8(random.below(256)) }
            if random.once(in: 2) {
                bytes.replaceSubrange(0..<min(3, count), with: [0x16, 0x03, 0x01].prefix(min(3, count)))
            }
            do throws(TLSFailure) {
                _ = try server.receive(bytes.span)
            } catch {
                #expect(!error.reason.isEmpty)
            }
            #expect(!server.isEstablished, "seed \(seed)")
        }
    }

    @Test func `what can't be used for a door is told with its file`() throws {
        func reason(_ certificate: String, _ key: String) -> String {
            do throws(TLSFailure) {
                _ = try TLSContext(
                    certificate: path(certificate), key: path(key), clientCA: nil, isClientOptional: true)
                return ""
            } catch {
                return error.reason
            }
        }
        #expect(reason("none.pem", "server.key").contains("none.pem"))
        #expect(reason("server.pem", "server.pem").contains("server.pem"))
        #expect(reason("server.pem", "carol.key").contains("key"))
    }

    @Test func `digests are those of the standard, and are compared whole`() {
        #expect(Digest.sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Digest.isSame("abcd", "abcd") && !Digest.isSame("abcd", "abce") && !Digest.isSame("abcd", "abc"))
        #expect(!Digest.isSame("", ""))
        let (one, other) = (Digest.random(bytes: 32), Digest.random(bytes: 32))
        #expect(one?.count == 32 && one != other)
    }
}
