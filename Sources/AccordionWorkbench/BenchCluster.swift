// Why this file exists: a cluster that is measured needs servers of the broker and daemons that know them, each of which can
// be killed, stopped and started again on what it has left. Unsafe for bind(2), by which a free port is found.

import Glibc

/// One server of the broker; several are made into one by `routes`.
final class BenchBroker {
    let port: UInt16
    private let routePort: UInt16
    private let directory: BenchDirectory
    private var configuration = ""
    private var identifier: pid_t = 0
    static let program = "/usr/sbin/nats-server"

    private init() throws(BenchFailure) {
        guard unsafe access(BenchBroker.program, X_OK) == 0 else {
            throw BenchFailure("there is no \(BenchBroker.program): Debian's package nats-server has it")
        }
        directory = try BenchDirectory()
        port = try BenchBroker.freePort()
        routePort = try BenchBroker.freePort()
    }

    deinit { kill() }

    /// So many servers, which are one broker.
    static func started(_ count: Int) throws(BenchFailure) -> [BenchBroker] {
        var servers: [BenchBroker] = []
        for _ in 0..<count { servers.append(try BenchBroker()) }
        let routes = servers.map { "nats://127.0.0.1:\($0.routePort)" }.joined(separator: ", ")
        for (number, server) in servers.enumerated() {
            server.configuration = """
                server_name: s\(number + 1)
                listen: 127.0.0.1:\(server.port)
                jetstream { store_dir: "\(server.directory.path)/jetstream" }
                """
            if count > 1 {
                server.configuration +=
                    "\ncluster { name: bench, listen: 127.0.0.1:\(server.routePort), routes: [\(routes)] }"
            }
            try server.start()
        }
        return servers
    }

    var address: String { "nats://127.0.0.1:\(port)" }
    var isRunning: Bool { identifier != 0 }

    func start() throws(BenchFailure) {
        let file = directory.path + "/config"
        guard Bench.write(configuration, toFile: file) else { throw BenchFailure("\(file) can't be made") }
        identifier = try BenchDaemon.spawn(BenchBroker.program, ["-c", file], log: directory.path + "/log")
    }

    func signal(_ signal: Int32) { if identifier != 0 { Glibc.kill(identifier, signal) } }

    /// It ends as in a crash.
    func kill() {
        guard identifier != 0 else { return }
        Glibc.kill(identifier, SIGKILL)
        waitpid(identifier, nil, 0)
        identifier = 0
    }

    /// A port of this machine that nobody uses now.
    static func freePort() throws(BenchFailure) -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Int32 in
                guard unsafe bind(descriptor, pointer, length) == 0 else { return -1 }
                return unsafe getsockname(descriptor, pointer, &length)
            }
        }
        guard result == 0 else { throw BenchFailure("no port is free") }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// A daemon of a cluster, with a state that outlives its runs.
final class BenchNode {
    let name: String
    let directory: BenchDirectory
    private(set) var daemon: BenchDaemon?
    private let arguments: [String]

    init(_ name: String, servers: [String], replicas: Int, _ more: [String] = []) throws(BenchFailure) {
        self.name = name
        directory = try BenchDirectory()
        let file = directory.path + "/config"
        let list = servers.map { "\"\($0)\"" }.joined(separator: ", ")
        let text = "[cluster]\nservers = [\(list)]\nreplicas = \(replicas)\n"
        guard Bench.write(text, toFile: file) else { throw BenchFailure("\(file) can't be made") }
        arguments = ["--node", name, "--config", file] + more
    }

    func start() throws(BenchFailure) { daemon = try BenchDaemon(arguments, in: directory) }

    func signal(_ signal: Int32) { if let daemon { Glibc.kill(daemon.place.identifier, signal) } }

    func kill() {
        signal(SIGCONT)
        daemon?.kill()
        daemon = nil
    }

    func ask(_ line: String) throws(BenchFailure) -> String {
        guard let daemon else { throw BenchFailure("\(name) does not run") }
        return try BenchSocket(.unix, daemon.place).ask(line) ?? ""
    }

    /// A number of its `status`.
    func measure(_ name: String) throws(BenchFailure) -> Int {
        let status = try ask(#"{"op":"status"}"#)
        guard let range = status.firstRange(of: "\"\(name)\":") else { throw BenchFailure("no \(name) in \(status)") }
        return Int(status[range.upperBound...].prefix { $0.isNumber }) ?? 0
    }
}
