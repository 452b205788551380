// Why this file exists: who may come in, by token, by certificate, by user or from this machine, is known in one place, which a
// reload makes anew and puts in the place of the old one.

import AccordionModel
import Configuration
import EventLoop
import Glibc
import Hub
import Transport
import Wire

final class Keyring: Admission {
    private struct Entry {
        let digest: String
        let name: String
        let rights: Rights
    }

    private let tokens: [Entry]
    private let certificates: [Entry]
    private let unixRole: Role
    private let unixUsers: [String: Role]
    private let loopbackRole: Role
    /// For doors of TLS; nil where none is configured.
    let tls: TLSContext?

    /// Throws where a certificate or a name can't be used.
    init(_ configuration: Configuration) throws(StartFailure) {
        tokens = try configuration.tokens.map { (entry) throws(StartFailure) in try Keyring.entry(entry) }
        certificates = try configuration.certificates.map { (entry) throws(StartFailure) in try Keyring.entry(entry) }
        unixRole = Keyring.role(configuration.unixRole)
        unixUsers = configuration.unixUsers.mapValues { Keyring.role($0) }
        loopbackRole = Keyring.role(configuration.loopbackRole)
        guard let certificate = configuration.certificate, let key = configuration.key else {
            tls = nil
            return
        }
        do throws(TLSFailure) {
            tls = try TLSContext(
                certificate: certificate, key: key, clientCA: configuration.clientCA,
                isClientOptional: !configuration.tokens.isEmpty)
        } catch {
            throw StartFailure(.brokenConfiguration, error.reason)
        }
    }

    private static func entry(_ entry: AdmissionEntry) throws(StartFailure) -> Entry {
        guard let name = Segment.checked(entry.name, bytesMax: 64) else {
            throw StartFailure(
                .brokenConfiguration, "\(JSONEscape.quoted(entry.name)) is no name: 1 to 64 bytes without \"/\"")
        }
        let documents = entry.documents.isEmpty ? nil : entry.documents.map { DocumentPattern($0) }
        return Entry(digest: entry.digest, name: name, rights: Rights(role: role(entry.role), documents: documents))
    }

    private static func role(_ name: String) -> Role {
        switch name {
        case "admin": .admin
        case "editor": .editor
        case "toggler": .toggler
        default: .viewer
        }
    }

    var hasTokens: Bool { !tokens.isEmpty }
    var hasCertificates: Bool { !certificates.isEmpty }

    /// All are looked at, so that the time tells nothing of which it was.
    func admit(token: String) -> Admitted? {
        let digest = Digest.sha256(token)
        var found: Entry?
        for entry in tokens where Digest.isSame(entry.digest, digest) { found = found ?? entry }
        return found.map {
            Admitted(rights: $0.rights, name: $0.name, credential: "token:" + $0.digest + ":" + $0.name)
        }
    }

    // MARK: - Without a token

    func origin(user: UInt32, name: String?, ownUser: UInt32) -> Origin {
        let checked = name.flatMap { Segment.checked($0, bytesMax: 64) } ?? "user-\(user)"
        let isOwner = user == 0 || user == ownUser
        return Origin(
            name: checked, isUser: true, rights: Rights(role: role(of: checked, isOwner: isOwner)),
            credential: "unix:\(isOwner ? "own" : "other"):\(checked)")
    }

    private func role(of user: String, isOwner: Bool) -> Role {
        unixUsers[user] ?? (isOwner ? .admin : unixRole)
    }

    /// By TCP: from this machine, where no token is needed; else only to greet.
    func origin(isLoopback: Bool) -> Origin {
        guard !hasTokens, isLoopback else {
            return Origin(name: "nobody", isUser: false, rights: Rights(role: .viewer, documents: []), needsToken: true)
        }
        return Origin(name: "anonymous", isUser: false, rights: Rights(role: loopbackRole), credential: "loopback")
    }

    /// By a certificate that was verified; nil where nobody has that name here.
    func origin(certificate name: String) -> Origin? {
        guard let entry = certificates.first(where: { $0.name == name }) else { return nil }
        return Origin(
            name: entry.name, isUser: true, rights: entry.rights, credential: "certificate:" + entry.name)
    }

    /// What a session's credential allows now; nil where it allows nothing any more.
    func rights(_ credential: String) -> Rights? {
        let parts = credential.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        switch parts.first {
        case "token" where parts.count == 3:
            return tokens.first { $0.digest == parts[1] && $0.name == parts[2] }?.rights
        case "certificate" where parts.count >= 2:
            return certificates.first { "certificate:" + $0.name == credential }?.rights
        case "unix" where parts.count == 3: return Rights(role: role(of: parts[2], isOwner: parts[1] == "own"))
        case "loopback": return hasTokens ? nil : Rights(role: loopbackRole)
        default: return nil
        }
    }
}
