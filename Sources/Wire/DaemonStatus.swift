// Why this file exists: every queue has a limit that has a name, and whoever runs a daemon must be able to see what each of
// them holds and how often it has acted. Rooms that count add their numbers under names of their own; the wire knows none.

import Bytes

/// What a daemon tells of itself to `status`. Names are in snake case, and no name stands twice in a list.
package struct DaemonStatus: Sendable, Equatable {
    package struct Measure: Sendable, Equatable {
        package var name: String
        package var value: Int

        package init(_ name: String, _ value: Int) {
            self.name = name
            self.value = value
        }
    }

    /// How a daemon of a cluster stands to the others.
    package struct Cluster: Sendable, Equatable {
        package var isConnected: Bool
        /// Whether the stream was read to its end since the connection.
        package var isCurrent: Bool
        /// Why there is no connection; empty where there is one.
        package var problem: String
        /// Why nothing is written; empty where it is.
        package var readOnly: String

        package init(isConnected: Bool, isCurrent: Bool, problem: String, readOnly: String) {
            self.isConnected = isConnected
            self.isCurrent = isCurrent
            self.problem = problem
            self.readOnly = readOnly
        }
    }

    package var server: String
    package var node: String
    package var epoch: String
    package var uptimeMilliseconds: Int
    /// Nil where this daemon is alone.
    package var cluster: Cluster?
    /// What has happened since the start; these only grow.
    package var counters: [Measure] = []
    /// What is now.
    package var gauges: [Measure] = []
    /// How far it may go.
    package var limits: [Measure] = []

    package init(server: String, node: String, epoch: String, uptimeMilliseconds: Int) {
        self.server = server
        self.node = node
        self.epoch = epoch
        self.uptimeMilliseconds = uptimeMilliseconds
    }

    package mutating func count(_ name: String, _ value: Int) { counters.append(Measure(name, value)) }
    package mutating func gauge(_ name: String, _ value: Int) { gauges.append(Measure(name, value)) }
    package mutating func limit(_ name: String, _ value: Int) { limits.append(Measure(name, value)) }

    package func counter(_ name: String) -> Int? { counters.first { $0.name == name }?.value }
    package func gauge(_ name: String) -> Int? { gauges.first { $0.name == name }?.value }
    package func limit(_ name: String) -> Int? { limits.first { $0.name == name }?.value }

    func write(to writer: JSONWriter) {
        writer.raw(",\"status\":{\"server\":")
        writer.string(server)
        writer.raw(",\"node\":")
        writer.string(node)
        writer.raw(",\"epoch\":")
        writer.string(epoch)
        writer.raw(",\"uptime_ms\":")
        writer.integer(uptimeMilliseconds)
        if let cluster {
            writer.raw(",\"cluster\":{\"connected\":")
            writer.bool(cluster.isConnected)
            writer.raw(",\"current\":")
            writer.bool(cluster.isCurrent)
            if !cluster.problem.isEmpty {
                writer.raw(",\"problem\":")
                writer.string(cluster.problem)
            }
            if !cluster.readOnly.isEmpty {
                writer.raw(",\"read_only\":")
                writer.string(cluster.readOnly)
            }
            writer.raw("}")
        }
        writer.raw(",\"counters\":")
        writer.measures(counters)
        writer.raw(",\"gauges\":")
        writer.measures(gauges)
        writer.raw(",\"limits\":")
        writer.measures(limits)
        writer.raw("}")
    }
}

extension JSONWriter {
    fileprivate func measures(_ measures: [DaemonStatus.Measure]) {
        object(measures) { measure in
            name(measure.name)
            integer(measure.value)
        }
    }
}

extension Members {
    func status() throws(Failure) -> DaemonStatus {
        var status = DaemonStatus(
            server: try string("server") ?? "", node: try string("node") ?? "", epoch: try string("epoch") ?? "",
            uptimeMilliseconds: try integer("uptime_ms") ?? 0)
        if let cluster = object["cluster"]?.object {
            status.cluster = DaemonStatus.Cluster(
                isConnected: cluster["connected"]?.bool ?? false, isCurrent: cluster["current"]?.bool ?? false,
                problem: cluster["problem"]?.string ?? "", readOnly: cluster["read_only"]?.string ?? "")
        }
        status.counters = try measures("counters")
        status.gauges = try measures("gauges")
        status.limits = try measures("limits")
        return status
    }

    private func measures(_ name: StaticString) throws(Failure) -> [DaemonStatus.Measure] {
        guard let value = object[name] else { return [] }
        guard let object = value.object else { throw wrongType(name, "an object of whole numbers by name") }
        var measures: [DaemonStatus.Measure] = []
        var members = object.members
        while let member = members.next() {
            guard let number = member.value.integer else { throw wrongType(name, "an object of whole numbers by name") }
            measures.append(DaemonStatus.Measure(member.name.string, number))
        }
        return measures
    }
}
