// Why this file exists: what a daemon must know before it joins others: where the broker is and who it is to it, who it is to
// the others, and what its state says of what it owes them.

import Cluster
import Configuration
import Hub
import Replication
import Store
import Wire

struct ClusterStart {
    let broker: BrokerSettings
    let replication: ReplicationSettings
    let standing: ReplicationStart

    /// Nil where no broker is configured. Throws where a setting will not do, or the state can't be read.
    init?(_ settings: DaemonSettings, _ hub: HubSettings, _ store: DocumentStore) throws(StartFailure) {
        let cluster = settings.configuration.cluster
        guard !cluster.servers.isEmpty else { return nil }
        let instance = Identifier.random(characters: 16)
        do throws(StartFailure) {
            broker = try ClusterStart.brokerSettings(cluster, node: hub.node.description, instance: instance)
            replication = ReplicationSettings(peer: Peer(node: hub.node, instance: instance, run: hub.run))
            do throws(StoreFailure) {
                standing = ReplicationStart(try store.replicationStanding())
            } catch {
                throw StartFailure(error)
            }
        } catch {
            store.close()
            throw error
        }
    }

    /// What the configuration says, with what stands in its files. Nothing is connected.
    static func brokerSettings(
        _ cluster: ClusterConfiguration, node: String, instance: String
    ) throws(StartFailure) -> BrokerSettings {
        for server in cluster.servers { try check(server) }
        var settings = BrokerSettings(servers: cluster.servers, instance: instance)
        settings.name = cluster.name
        settings.replicas = Int64(cluster.replicas)
        settings.retentionSeconds = Int64(cluster.retentionDays) * 24 * 3_600
        settings.clientName = "accordiond \(node)"
        settings.credentialsFile = try readable(cluster.credentials, "credentials")?.path
        settings.user = cluster.user
        if let file = try readable(cluster.passwordFile, "password_file") {
            let line = file.bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") && $0 != 0 }
            settings.password = String(decoding: line, as: UTF8.self)
        }
        settings.certificateAuthorityFile = try readable(cluster.certificateAuthority, "ca")?.path
        settings.certificateFile = try readable(cluster.certificate, "certificate")?.path
        settings.keyFile = try readable(cluster.key, "key")?.path
        return settings
    }

    private static func readable(
        _ path: String?, _ name: String
    ) throws(StartFailure) -> (path: String, bytes: [UInt8])? {
        guard let path else { return nil }
        guard let bytes = ConfigurationFile.contents(path) else {
            throw StartFailure(
                .brokenConfiguration,
                "[cluster] \(name) \(JSONEscape.quoted(path)) can't be read: \(ConfigurationFile.reason())")
        }
        return (path, bytes)
    }

    /// A host and perhaps a port behind `nats://` or `tls://`, and nothing else: a password there would stand in logs.
    private static func check(_ server: String) throws(StartFailure) {
        let shown = "[cluster] servers: \(JSONEscape.quoted(server.contains("@") ? "(a server with a user)" : server))"
        guard let scheme = ["nats://", "tls://"].first(where: { server.hasPrefix($0) }) else {
            throw StartFailure(.brokenConfiguration, "\(shown) must begin with nats:// or tls://")
        }
        let place = server.dropFirst(scheme.count)
        if place.contains("@") {
            throw StartFailure(.brokenConfiguration, "\(shown): a user belongs into user and password_file")
        }
        var host = place
        if place.hasPrefix("[") {
            guard let end = place.firstIndex(of: "]") else {
                throw StartFailure(.brokenConfiguration, "\(shown) has no \"]\"")
            }
            host = place[...end]
        } else if let colon = place.firstIndex(of: ":") {
            host = place[..<colon]
        }
        let rest = place[host.endIndex...]
        let isPort = rest.isEmpty || rest.hasPrefix(":") && (UInt16(rest.dropFirst()).map { $0 > 0 } ?? false)
        let isHost = !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
        guard isPort, isHost else {
            throw StartFailure(.brokenConfiguration, "\(shown) is no HOST:PORT behind \(scheme)")
        }
    }
}

// MARK: - The store's words and the decider's

extension ReplicationStart {
    init(_ standing: ReplicationStanding) {
        self.init(
            cursor: standing.place.map { StreamCursor(stream: $0.stream, sequence: $0.sequence) },
            lastPlace: standing.lastPlace, hasOutgoing: standing.hasOutgoing)
    }
}

extension ReplicationRecord {
    /// As the store takes it.
    var delta: ReplicationDelta {
        var delta = ReplicationDelta()
        delta.place = cursor.map { StreamPlace(stream: $0.stream, sequence: $0.sequence) }
        delta.outgoing = outgoing.map {
            OutgoingEntry(place: $0.place, document: $0.name, dot: $0.dot, instance: $0.instance, text: $0.text)
        }
        delta.confirmed = confirmed
        delta.confirmedDots = confirmedDots.map { (document: $0.name, dot: $0.dot) }
        return delta
    }
}

extension OutgoingRow {
    init(_ entry: OutgoingEntry) {
        self.init(
            place: entry.place, name: entry.document, dot: entry.dot, instance: entry.instance, text: entry.text)
    }
}
