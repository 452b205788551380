// Why this file exists: TLS as bytes in and bytes out. It touches no socket: what comes from the network is given to it, and
// it says what is to be read and what is to be sent; so it fits any loop, and a test can hold both ends.

internal import COpenSSL

/// One side of one connection. Not to be used after it has thrown, but to send what it still has.
@safe package final class TLS {
    private let pointer: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private let context: TLSContext
    package private(set) var isEstablished = false
    /// The other side has said that it sends no more.
    package private(set) var hasEnded = false
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    /// `host` is whom a client means to reach.
    package init(_ context: TLSContext, host: String = "") throws(TLSFailure) {
        self.context = context
        guard let made = unsafe SSL_new(context.pointer) else { throw .last("TLS can't begin") }
        unsafe pointer = made
        guard let incoming = unsafe accordion_bio_new(), let outgoing = unsafe accordion_bio_new() else {
            preconditionFailure("no memory for a connection")
        }
        unsafe self.incoming = incoming
        unsafe self.outgoing = outgoing
        unsafe SSL_set_bio(made, incoming, outgoing)
        if context.isServer {
            unsafe SSL_set_accept_state(made)
        } else {
            unsafe SSL_set_connect_state(made)
            let isAddress = host.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2E } || host.contains(":")
            guard unsafe accordion_ssl_expect(made, host, isAddress ? 1 : 0) == 1 else {
                throw .last("\(host) can't be checked")
            }
        }
    }

    // The two BIOs are the SSL's own, and go with it.
    deinit { unsafe SSL_free(pointer) }

    /// Begins, for a client: what is to be sent is in `takeOutput`.
    package func begin() throws(TLSFailure) { try shakeHands() }

    /// Takes what came from the network and gives what it means; nothing before the hands are shaken.
    package func receive(_ bytes: Span<UInt8>) throws(TLSFailure) -> [UInt8] {
        var position = 0
        while position < bytes.count {
            let rest = bytes.extracting(position..<bytes.count)
            let taken = unsafe rest.withUnsafeBufferPointer {
                unsafe BIO_write(incoming, $0.baseAddress, Int32(clamping: $0.count))
            }
            guard taken > 0 else { throw .last("TLS takes nothing") }
            position += Int(taken)
        }
        if !isEstablished { try shakeHands() }
        guard isEstablished else { return [] }
        return try readAll()
    }

    private func shakeHands() throws(TLSFailure) {
        let result = unsafe SSL_do_handshake(pointer)
        if result == 1 {
            isEstablished = true
            return
        }
        try examine(result, "no TLS")
    }

    private func readAll() throws(TLSFailure) -> [UInt8] {
        var plain: [UInt8] = []
        while true {
            let count = unsafe SSL_read(pointer, &buffer, Int32(buffer.count))
            if count > 0 {
                plain += buffer.prefix(Int(count))
                continue
            }
            try examine(count, "TLS broke")
            return plain
        }
    }

    private func examine(_ result: Int32, _ what: String) throws(TLSFailure) {
        switch unsafe SSL_get_error(pointer, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
        case SSL_ERROR_ZERO_RETURN: hasEnded = true
        default: throw .last(what)
        }
    }

    /// Takes plain bytes to be sent, all of them; after the hands are shaken.
    package func send(_ plain: Span<UInt8>) throws(TLSFailure) {
        var position = 0
        while position < plain.count {
            let rest = plain.extracting(position..<plain.count)
            let taken = unsafe rest.withUnsafeBufferPointer {
                unsafe SSL_write(pointer, $0.baseAddress, Int32(clamping: $0.count))
            }
            guard taken > 0 else {
                try examine(taken, "TLS broke")
                return
            }
            position += Int(taken)
        }
    }

    /// Says that no more is sent.
    package func end() { if isEstablished { _ = unsafe SSL_shutdown(pointer) } }

    /// What is to be sent to the network now.
    package func takeOutput() -> [UInt8] {
        let pending = unsafe Int(accordion_bio_pending(outgoing))
        guard pending > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: pending)
        let count = unsafe BIO_read(outgoing, &bytes, Int32(clamping: pending))
        return Array(bytes.prefix(max(0, Int(count))))
    }

    /// The common name in the peer's certificate, where it has shown one that is believed.
    package var peerName: String? {
        var name = [CChar](repeating: 0, count: 256)
        let count = unsafe accordion_ssl_peer_name(pointer, &name, Int32(name.count))
        guard count > 0 else { return nil }
        return String(decoding: name.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Which version is spoken, such as `TLSv1.3`.
    package var version: String { unsafe String(cString: SSL_get_version(pointer)) }
}
