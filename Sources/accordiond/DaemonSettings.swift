// Why this file exists: everything that the daemon is told from outside is checked here, before anything is opened.

import AccordionModel
import Causality
import CommandLine
import EventLoop
import Glibc
import Hub
import Wire

struct DaemonSettings {
    var addresses: [Address]
    /// Where the state is kept; nil where none was named.
    var stateDirectory: String?
    /// Answer only when a write is stored.
    var isDurable: Bool
    var hub: HubSettings

    init(_ invocation: Invocation) throws(StartFailure) {
        addresses = try DaemonSettings.addresses(invocation)
        stateDirectory = invocation.value("state")
        isDurable = invocation.value("durability") != "relaxed"
        let node: NodeName
        if let name = invocation.value("node") {
            guard let named = NodeName(name) else {
                throw StartFailure(
                    .brokenConfiguration,
                    "--node \(JSONEscape.quoted(name)): a name is 1 to \(NodeName.bytesMax) of a-z 0-9 - ~")
            }
            node = named
        } else {
            guard let made = NodeName(Identifier.random(characters: 8)) else {
                throw StartFailure(.brokenConfiguration, "no name could be made")
            }
            node = made
        }
        hub = HubSettings(
            node: node, epoch: Identifier.random(characters: 16), server: "accordiond/\(DaemonCommand.version)")
    }

    private static func addresses(_ invocation: Invocation) throws(StartFailure) -> [Address] {
        var addresses: [Address] = []
        for text in invocation.values("listen") {
            do throws(AddressError) {
                addresses.append(try Address(parsing: text))
            } catch {
                throw StartFailure(.brokenConfiguration, "--listen \(JSONEscape.quoted(text)): \(error)")
            }
        }
        if !addresses.isEmpty { return addresses }
        let isForUser = invocation.flag("user") || geteuid() != 0
        guard isForUser else { return [.unix(path: "/run/accordiond/accordiond.sock")] }
        do throws(UserSocket.Fault) {
            return [.unix(path: try UserSocket.path(makingDirectory: true))]
        } catch {
            throw StartFailure(.brokenConfiguration, error.message)
        }
    }
}

/// Names that nobody else has.
enum Identifier {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")

    /// So many characters of base 32, five random bits each.
    static func random(characters: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return String((0..<characters).map { _ in alphabet[Int(generator.next() & 31)] })
    }
}
