// Why this file exists: everything that the daemon is told from outside is checked here, before anything is opened.

import AccordionModel
import Causality
import CommandLine
import EventLoop
import Glibc
import Hub
import Store
import Wire

struct DaemonSettings {
    var addresses: [Address]
    /// Where the state is kept.
    var stateDirectory: String
    /// The name that the command line gives this daemon; without it the one that is stored.
    var node: NodeName?
    /// Answer only when a write is stored.
    var isDurable: Bool

    init(_ invocation: Invocation) throws(StartFailure) {
        addresses = try DaemonSettings.addresses(invocation)
        stateDirectory = try DaemonSettings.stateDirectory(invocation, making: true)
        isDurable = invocation.value("durability") != "relaxed"
        if let name = invocation.value("node") {
            guard let named = NodeName(name) else {
                throw StartFailure(
                    .daemonUsage,
                    "--node \(JSONEscape.quoted(name)): a name is 1 to \(NodeName.bytesMax) of a-z 0-9 - ~")
            }
            node = named
        }
    }

    /// What the hub is told of a run that began with `start`.
    func hub(_ start: StoreStart) -> HubSettings {
        HubSettings(
            node: start.node, epoch: Identifier.random(characters: 16), run: start.run,
            server: "accordiond/\(DaemonCommand.version)")
    }

    /// `--state`, what systemd names, the system's directory for a system service, else the user's own; the last with all
    /// above it is made, where it is missing and `making`, for the user alone.
    static func stateDirectory(_ invocation: Invocation, making: Bool = false) throws(StartFailure) -> String {
        if let named = invocation.value("state") {
            guard !named.isEmpty else { throw StartFailure(.daemonUsage, "--state names no directory") }
            return named
        }
        if let listed = variable("STATE_DIRECTORY"), let first = listed.split(separator: ":").first {
            return String(first)
        }
        if !invocation.flag("user"), geteuid() == 0 { return "/var/lib/accordiond" }
        do throws(UserPlaceFault) {
            return making ? try UserState.madeDirectory() : try UserState.directory()
        } catch {
            throw StartFailure(.brokenConfiguration, "\(error.message): name a directory with --state")
        }
    }

    /// The directories of Unix sockets that are not there; listening makes them, each under one that is.
    func missingSocketDirectories() throws(StartFailure) -> [String] {
        var missing: [String] = []
        for case .unix(let path) in addresses {
            let directory = Self.parent(of: path)
            if Self.exists(directory) || missing.contains(directory) { continue }
            let around = Self.parent(of: directory)
            guard Self.exists(around) else {
                throw StartFailure(
                    .brokenConfiguration,
                    "\(JSONEscape.quoted(directory)) can't be made for the socket: there is no \(JSONEscape.quoted(around))"
                )
            }
            missing.append(directory)
        }
        return missing
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// The directory that a path names something in.
    private static func parent(of path: String) -> String {
        var path = path[...]
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    private static func addresses(_ invocation: Invocation) throws(StartFailure) -> [Address] {
        var addresses: [Address] = []
        for text in invocation.values("listen") {
            do throws(AddressError) {
                addresses.append(try Address(parsing: text))
            } catch {
                throw StartFailure(.daemonUsage, "--listen \(JSONEscape.quoted(text)): \(error)")
            }
        }
        if !addresses.isEmpty { return addresses }
        let isForUser = invocation.flag("user") || geteuid() != 0
        guard isForUser else { return [.unix(path: "/run/accordiond/accordiond.sock")] }
        do throws(UserPlaceFault) {
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
