// Why this file exists: everything that the daemon is told from outside is checked here, before anything is opened.

import AccordionModel
import Causality
import CommandLine
import Configuration
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
    /// What the file says; where a flag says otherwise the flag counts.
    let configuration: Configuration
    let limits: HubLimits

    /// `making`: directories of the user's own are made where they are missing. `hasSockets`: doors were handed over, so that
    /// no other is opened that nobody asked for.
    init(_ invocation: Invocation, making: Bool = true, hasSockets: Bool = false) throws(StartFailure) {
        configuration = try ConfigurationFile.read(invocation)
        limits = DaemonSettings.limits(configuration.limits)
        addresses = try DaemonSettings.addresses(invocation, configuration, making: making, hasSockets: hasSockets)
        stateDirectory = try DaemonSettings.stateDirectory(invocation, configuration, making: making)
        isDurable = invocation.value("durability").map { $0 != "relaxed" } ?? configuration.isDurable
        guard let name = invocation.value("node") ?? configuration.node else { return }
        guard let named = NodeName(name) else {
            let source = invocation.value("node") == nil ? "node =" : "--node"
            throw StartFailure(
                invocation.value("node") == nil ? .brokenConfiguration : .daemonUsage,
                "\(source) \(JSONEscape.quoted(name)): a name is 1 to \(NodeName.bytesMax) of a-z 0-9 - ~")
        }
        node = named
    }

    private static func limits(_ named: [String: Int]) -> HubLimits {
        var limits = HubLimits()
        let places: [String: WritableKeyPath<HubLimits, Int>] = [
            "queued_event_bytes_max": \.queuedEventBytesMax, "queued_reply_bytes_max": \.queuedReplyBytesMax,
            "turn_bytes_max": \.turnBytesMax, "max_line_bytes": \.lineBytesMax,
            "max_document_bytes": \.documentBytesMax, "document_lines_bytes_max": \.documentLinesBytesMax,
            "document_cache_bytes_max": \.documentCacheBytesMax, "waiting_operations_max": \.waitingOperationsMax,
            "subscriptions_max": \.subscriptionsMax, "undo_flags_max": \.undoFlagsMax,
        ]
        for (name, value) in named { if let place = places[name] { limits[keyPath: place] = value } }
        return limits
    }

    /// What the hub is told of a run that began with `start`.
    func hub(_ start: StoreStart) -> HubSettings {
        HubSettings(
            node: start.node, epoch: Identifier.random(characters: 16), run: start.run,
            server: "accordiond/\(DaemonCommand.version)", limits: limits,
            isReplicated: !configuration.cluster.servers.isEmpty)
    }

    /// `--state`, what systemd names, the system's directory for a system service, else the user's own; the last with all
    /// above it is made, where it is missing and `making`, for the user alone.
    static func stateDirectory(
        _ invocation: Invocation, _ configuration: Configuration, making: Bool = false
    ) throws(StartFailure) -> String {
        if let named = invocation.value("state") {
            guard !named.isEmpty else { throw StartFailure(.daemonUsage, "--state names no directory") }
            return named
        }
        if let named = configuration.state { return named }
        if let listed = variable("STATE_DIRECTORY"), let first = listed.split(separator: ":").first {
            return String(first)
        }
        if isSystemService(invocation) { return "/var/lib/accordiond" }
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

    /// Whether it runs for everybody: for root, or for a system's user under a service manager that names its state.
    static func isSystemService(_ invocation: Invocation) -> Bool {
        !invocation.flag("user") && (geteuid() == 0 || variable("STATE_DIRECTORY") != nil)
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    private static func addresses(
        _ invocation: Invocation, _ configuration: Configuration, making: Bool, hasSockets: Bool
    ) throws(StartFailure) -> [Address] {
        var addresses: [Address] = []
        for text in invocation.values("listen") {
            do throws(AddressError) {
                addresses.append(try Address(parsing: text))
            } catch {
                throw StartFailure(.daemonUsage, "--listen \(JSONEscape.quoted(text)): \(error)")
            }
        }
        if !addresses.isEmpty { return addresses }
        for text in configuration.listen {
            do throws(AddressError) {
                addresses.append(try Address(parsing: text))
            } catch {
                throw StartFailure(.brokenConfiguration, "listen \(JSONEscape.quoted(text)): \(error)")
            }
        }
        if !addresses.isEmpty || hasSockets { return addresses }
        if isSystemService(invocation) { return [.unix(path: "/run/accordiond/accordiond.sock")] }
        do throws(UserPlaceFault) {
            return [.unix(path: try UserSocket.path(makingDirectory: making))]
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
