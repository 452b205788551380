// Why this file exists: which token is shown to whom: one that was named, wherever the daemon is; the usual one only where
// nobody can read it on its way.

import CommandLine
import EventLoop
import Wire

extension Client {
    private static let bytesMax = 4_096

    func token(for address: Address) -> String? {
        if let givenToken { return givenToken }
        let isSafe: Bool
        switch address {
        case .unix: return nil
        case .tls: isSafe = true
        case .tcp: isSafe = address.isLoopback
        }
        guard isSafe else { return nil }
        let directory = Standard.variable("XDG_CONFIG_HOME") ?? Standard.variable("HOME").map { $0 + "/.config" }
        let bytes = directory.flatMap { try? Standard.file($0 + "/accordion/token", bytesMax: Self.bytesMax) }
        return bytes.flatMap { Client.firstWord($0) }
    }

    /// The token that was named, by a flag or in the environment.
    static func readToken(_ invocation: Invocation) throws(CommandFailure) -> String? {
        guard let path = invocation.value("token-file") ?? Standard.variable("ACCORDION_TOKEN_FILE") else { return nil }
        do throws(Standard.FileFault) {
            if let token = firstWord(try Standard.file(path, bytesMax: bytesMax)) { return token }
        } catch {
            throw CommandFailure(
                .unreadableFile, "the token in \(JSONEscape.quoted(path)) can't be read: \(error.reason)")
        }
        throw CommandFailure(.unreadableFile, "\(JSONEscape.quoted(path)) holds no token")
    }

    private static func firstWord(_ bytes: [UInt8]) -> String? {
        bytes.split { $0 == 0x0A || $0 == 0x0D || $0 == 0x20 }.first.map { String(decoding: $0, as: UTF8.self) }
    }
}
