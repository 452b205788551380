// Why this file exists: a cluster's tests need several daemons and a broker between them, each of which can be killed, stopped
// and started again on what it has left.

import Glibc
import TestSupport

/// Some daemons, and the broker's servers.
final class TestCluster {
    let brokers: [TestBroker]
    private(set) var nodes: [ClusterNode] = []

    init(daemons: Int, brokers: [TestBroker]) throws {
        self.brokers = brokers
        for number in 0..<daemons { nodes.append(try ClusterNode("n\(number + 1)", brokers)) }
    }

    convenience init(daemons: Int = 3) throws { try self.init(daemons: daemons, brokers: [try TestBroker()]) }

    func add(_ name: String, state: String? = nil) throws -> ClusterNode {
        let node = try ClusterNode(name, brokers, state: state)
        nodes.append(node)
        return node
    }

    /// Waits until all daemons that run show the same of a document, and returns it.
    @discardableResult
    func agree(on document: String, seconds: Int = 30, _ isSo: (String) -> Bool = { _ in true }) throws -> String {
        var shown = ""
        try until("all daemons agree on \(document)", seconds: seconds) {
            let all = try nodes.filter { $0.daemon != nil }.map { try $0.get(document) }
            shown = all[0]
            return isSo(shown) && all.allSatisfy { $0 == shown }
        }
        return shown
    }
}

/// A daemon of a cluster, with a state that outlives its runs.
final class ClusterNode {
    let name: String
    let scratch: Scratch
    private(set) var daemon: TestDaemon?
    private let statePath: String?
    private let configuration: String

    init(_ name: String, _ brokers: [TestBroker], state: String? = nil, settings: String = "") throws {
        self.name = name
        scratch = try Scratch()
        statePath = state
        configuration = scratch.path + "/cluster.toml"
        let servers = brokers.map { "\"\($0.address)\"" }.joined(separator: ", ")
        try write("[cluster]\nservers = [\(servers)]\n\(settings)\n", to: configuration)
        try start()
    }

    func start() throws {
        daemon = try TestDaemon(["--config", configuration], node: name, in: scratch, statePath: statePath)
    }

    func signal(_ signal: Int32) { daemon?.process.signal(signal) }

    /// It ends as `signal` says.
    @discardableResult
    func stop(_ signal: Int32 = SIGKILL) throws -> Int32 {
        daemon?.process.signal(SIGCONT)
        daemon?.process.signal(signal)
        let status = try daemon?.process.waitForEnd()
        daemon = nil
        return status ?? 0
    }

    var log: String { contents(scratch.path + "/log") }

    func connect() throws -> TestSocket {
        guard let daemon else { throw TookTooLong(description: "\(name) does not run") }
        return try TestSocket(unix: daemon.socketPath)
    }

    func ask(_ request: String) throws -> String { try connect().ask(request) ?? "" }

    func get(_ document: String) throws -> String { try ask("{\"op\":\"get\",\"doc\":\"\(document)\"}") }

    func status() throws -> String { try ask("{\"op\":\"status\"}") }

    func toggle(_ document: String, _ section: String) throws -> String {
        try ask("{\"op\":\"toggle\",\"doc\":\"\(document)\",\"section\":\"\(section)\"}")
    }

    /// So many sections, titled s0, s1, …
    func create(_ document: String, sections: Int = 3) throws {
        let list = (0..<sections).map { "{\"title\":\"s\($0)\",\"content\":[]}" }.joined(separator: ",")
        let reply = try ask(
            "{\"op\":\"create\",\"doc\":\"\(document)\",\"title\":\"T\",\"content\":[\(list)]}")
        guard reply.contains("\"ok\":true") else { throw TookTooLong(description: reply) }
    }

    /// Waits until the broker has all that this daemon wrote, and it has read all that the broker has.
    func settle() throws {
        try until("\(name) is at the stream's end") {
            let status = try status()
            return status.contains("\"current\":true") && status.contains("\"cluster_unconfirmed\":0")
        }
    }
}
