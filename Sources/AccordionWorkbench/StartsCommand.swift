// Why this file exists: `accordion-bench starts`: a service that says it is ready must be. Whoever hears READY and connects at
// once must never be refused, at either door, however often the daemon is started. Unsafe for the service manager's socket,
// whose address is given by pointer.

import CommandLine
import Glibc

enum StartsCommand: BenchCommand {
    static let table = Command(
        "starts", summary: "starts a daemon again and again, and connects the moment it says that it is ready",
        options: [Option("starts", value: OptionValue("N", .integer(1...100_000)), help: "So many starts (500)")],
        example: Example("accordion-bench starts --starts 20", "a short form"))

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        let starts = invocation.integer("starts") ?? 500
        let directory = try BenchDirectory()
        // A port that is free, and documents that a start finds.
        let first = try BenchDaemon(in: directory)
        let port = first.place.port
        for number in 0..<100 {
            _ = try BenchSocket(.unix, first.place).ask(#"{"op":"create","doc":"d\#(number)","content":["text"]}"#)
        }
        first.end()
        let program = try BenchDaemon.besideThis("accordiond")
        let manager = try Manager(directory.path + "/notify")
        let socketPath = directory.path + "/run/accordiond.sock"
        var (ready, served) = (Latencies(), Latencies())
        var refused = 0
        for _ in 0..<starts {
            let began = Bench.nowMicroseconds
            let identifier = try BenchDaemon.spawn(
                program,
                [
                    "--listen", "unix:\(socketPath)", "--listen", "tcp://127.0.0.1:\(port)", "--state",
                    directory.state,
                ], environment: ["NOTIFY_SOCKET=\(manager.path)"], log: directory.path + "/log")
            defer {
                kill(identifier, SIGTERM)
                waitpid(identifier, nil, 0)
            }
            try manager.awaitReady()
            ready.add(Bench.nowMicroseconds - began)
            let place = DaemonPlace(identifier: identifier, socketPath: socketPath, port: port)
            for door in [Door.unix, .tcp] where !isServed(door, place) { refused += 1 }
            served.add(Bench.nowMicroseconds - began)
        }
        Bench.figure("starts", "\(starts), at both doors")
        Bench.figure("from the start to READY", ready.summary)
        Bench.figure("from the start to a reply at both doors", served.summary)
        Bench.figure("refused after READY", "\(refused)")
        if refused > 0 { throw BenchFailure("a daemon that said it was ready refused \(refused) connections") }
    }

    private static func isServed(_ door: Door, _ place: DaemonPlace) -> Bool {
        do throws(BenchFailure) {
            return try BenchSocket(door, place).ask(#"{"op":"ping"}"#)?.contains(#""ok":true"#) == true
        } catch {
            return false
        }
    }

    /// Stands in the place of a service manager.
    private final class Manager {
        private static let timeoutSeconds = 30
        let path: String
        private let descriptor: Int32

        init(_ path: String) throws(BenchFailure) {
            self.path = path
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) {
                unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1))
            }
            let bound = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard bound == 0 else { throw BenchFailure("no socket can be made at \(path)") }
        }

        deinit {
            close(descriptor)
            unsafe unlink(path)
        }

        func awaitReady() throws(BenchFailure) {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let deadline = Bench.nowMicroseconds + Manager.timeoutSeconds * 1_000_000
            while Bench.nowMicroseconds < deadline {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&waiting, 1, 1_000) > 0 else { continue }
                let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
                if String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).hasPrefix("READY=1") { return }
            }
            throw BenchFailure("the daemon has not said that it is ready within \(Manager.timeoutSeconds) s")
        }
    }
}
