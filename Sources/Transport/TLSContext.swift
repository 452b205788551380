// Why this file exists: certificates are read once and serve many connections; a reload makes another one, and the
// connections that there are keep theirs.

internal import COpenSSL

/// Why something about TLS can't be.
package struct TLSFailure: Error, Equatable, CustomStringConvertible {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }

    /// With what the library says last.
    static func last(_ what: String) -> TLSFailure {
        var text = [CChar](repeating: 0, count: 256)
        unsafe accordion_ssl_reason(&text, text.count)
        let words = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // "error:0A000412:SSL routines::name": the last part is for people.
        let reason = words.split(separator: ":").last.map(String.init) ?? ""
        return TLSFailure(reason.isEmpty ? what : "\(what): \(reason)")
    }

    package var description: String { reason }
}

/// What connections of one door, or of one client, have in common: TLS 1.2 and later, certificates, whom to believe.
@safe package final class TLSContext {
    let pointer: OpaquePointer
    let isServer: Bool

    private init(isServer: Bool) throws(TLSFailure) {
        self.isServer = isServer
        guard let made = unsafe SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            throw .last("TLS can't be set up")
        }
        unsafe pointer = made
        unsafe accordion_ssl_settings(made)
    }

    deinit { unsafe SSL_CTX_free(pointer) }

    /// A door. `certificate` holds its chain, `key` its private key, both PEM; with `clientCA` clients must show a certificate
    /// that it has signed, unless `isClientOptional`.
    package convenience init(
        certificate: String, key: String, clientCA: String?, isClientOptional: Bool
    ) throws(TLSFailure) {
        try self.init(isServer: true)
        guard unsafe SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
            throw .last("the certificate \(certificate) can't be used")
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1 else {
            throw .last("the key \(key) can't be used")
        }
        guard unsafe SSL_CTX_check_private_key(pointer) == 1 else {
            throw .last("the key \(key) does not belong to the certificate")
        }
        guard let clientCA else { return }
        guard unsafe SSL_CTX_load_verify_locations(pointer, clientCA, nil) == 1 else {
            throw .last("the client CA \(clientCA) can't be used")
        }
        unsafe SSL_CTX_set_client_CA_list(pointer, SSL_load_client_CA_file(clientCA))
        let mode = SSL_VERIFY_PEER | (isClientOptional ? 0 : SSL_VERIFY_FAIL_IF_NO_PEER_CERT)
        unsafe SSL_CTX_set_verify(pointer, mode, nil)
    }

    /// A client, which believes the system's authorities, or those in a file alone.
    package convenience init(clientBelieving file: String?) throws(TLSFailure) {
        try self.init(isServer: false)
        if let file {
            guard unsafe SSL_CTX_load_verify_locations(pointer, file, nil) == 1 else {
                throw .last("the authorities in \(file) can't be used")
            }
        } else {
            guard unsafe SSL_CTX_set_default_verify_paths(pointer) == 1 else {
                throw .last("the system's authorities can't be used")
            }
        }
        unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    }
}
