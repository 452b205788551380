// Why this file exists: a figure alone says little. Beside it stand programs that people know, started for it on ports of
// their own: what carries a message to many (Redis, NATS, mosquitto), and as a floor a broadcaster that does nothing else.

import Glibc

/// A server that carries what one client says to all that listen.
struct Rival {
    let name: String
    /// The program, and what it is told, given a port and a directory of its own.
    let program: String
    let arguments: (UInt16, String) -> [String]
    /// A file that it needs in its directory.
    var file: (name: String, text: (UInt16) -> String)?
    /// What a subscriber says first, and how many bytes it is answered.
    let hello: [UInt8]
    let helloAnswerBytes: Int
    /// What the publisher says first.
    let publisherHello: [UInt8]
    let message: [UInt8]
    /// The byte with which a message ends, and which stands nowhere else in it.
    let mark = UInt8(ascii: "~")

    /// As long as an event of ours.
    static let event =
        #"{"event":"changed","doc":"provinces","version":{"n1":123456},"by":"p","at":1700000000000,"changes":[{"section":"广东省","open":true}]}~"#

    private static func words(_ texts: [String]) -> [UInt8] {
        Array(
            ("*\(texts.count)\r\n" + texts.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()).utf8)
    }

    /// Redis, which only publishes, or stores each toggle in a hash as well (`appendfsync`: `always`, `everysec`).
    static func redis(storing appendfsync: String? = nil) -> Rival {
        let publish = words(["PUBLISH", "doc", event])
        return Rival(
            name: appendfsync.map { "redis, appendfsync \($0)" } ?? "redis PUBLISH", program: "redis-server",
            arguments: { port, directory in
                [
                    "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--dir", directory,
                    "--client-output-buffer-limit", "pubsub 0 0 0", "--appendonly", appendfsync == nil ? "no" : "yes",
                    "--appendfsync", appendfsync ?? "no",
                ]
            },
            hello: words(["SUBSCRIBE", "doc"]), helloAnswerBytes: 32, publisherHello: [],
            message: appendfsync == nil ? publish : words(["HSET", "provinces", "guangdong", "1"]) + publish)
    }

    static var nats: Rival {
        Rival(
            name: "nats", program: "nats-server", arguments: { port, _ in ["-a", "127.0.0.1", "-p", "\(port)"] },
            hello: Array("CONNECT {\"verbose\":false}\r\nSUB doc 1\r\n".utf8), helloAnswerBytes: 1,
            publisherHello: Array("CONNECT {\"verbose\":false}\r\n".utf8),
            message: Array("PUB doc \(event.utf8.count)\r\n\(event)\r\n".utf8))
    }

    static var mosquitto: Rival {
        Rival(
            name: "mosquitto", program: "mosquitto",
            arguments: { _, directory in ["-c", directory + "/mosquitto.conf"] },
            file: (
                "mosquitto.conf",
                {
                    "listener \($0) 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nmax_inflight_messages 0\n"
                        + "set_tcp_nodelay true\n"
                }
            ),
            hello: mqttConnect + [0x82, 0x08, 0x00, 0x01, 0x00, 0x03] + Array("doc".utf8) + [0x00], helloAnswerBytes: 9,
            publisherHello: mqttConnect,
            message: mqttPublish)
    }

    private static let mqttConnect: [UInt8] = [0x10, 0x0C, 0x00, 0x04] + Array("MQTT".utf8) + [0x04, 0x02, 0, 0, 0, 0]

    private static var mqttPublish: [UInt8] {
        let body = [0x00, 0x03] + Array("doc".utf8) + Array(event.utf8)
        return [0x30, UInt8(body.count % 128 | 128), UInt8(body.count / 128)] + body
    }

    static var floor: Rival {
        Rival(
            name: "bare broadcaster", program: "accordion-bench",
            arguments: { port, _ in ["broadcaster", "--port", "\(port)"] },
            hello: Array("S\n".utf8), helloAnswerBytes: 1, publisherHello: [], message: Array((event + "\n").utf8))
    }
}

/// A rival that was started; it is ended when nobody holds it any more.
final class RunningRival {
    let rival: Rival
    let port: UInt16
    let identifier: pid_t
    private let directory: String

    /// Nil where the program is not installed.
    init?(_ rival: Rival, in directory: BenchDirectory, processor: Int?) throws(BenchFailure) {
        guard let program = RunningRival.find(rival.program) else { return nil }
        self.rival = rival
        port = try RunningRival.freePort()
        self.directory = directory.path + "/rival-\(port)"
        unsafe mkdir(self.directory, 0o700)
        if let file = rival.file { _ = Bench.write(file.text(port), toFile: self.directory + "/" + file.name) }
        identifier = try BenchDaemon.spawn(
            program, rival.arguments(port, self.directory), log: self.directory + "/log")
        Bench.pin(identifier, to: processor)
        let deadline = Bench.nowMicroseconds + 10_000_000
        while true {
            let descriptor = Crowd.connect(port)
            if descriptor >= 0 {
                close(descriptor)
                break
            }
            guard Bench.nowMicroseconds < deadline else { throw BenchFailure("\(rival.name) does not start") }
            usleep(10_000)
        }
    }

    deinit {
        kill(identifier, SIGKILL)
        waitpid(identifier, nil, 0)
        // What it has put there goes with the directory of the measurement.
        Bench.remove(directory)
    }

    private static func find(_ name: String) -> String? {
        if name == "accordion-bench" { return try? BenchDaemon.besideThis(name) }
        return ["/usr/bin/", "/usr/sbin/", "/usr/local/bin/"].map { $0 + name }.first { unsafe access($0, X_OK) == 0 }
    }

    /// A port that was free a moment ago.
    static func freePort() throws(BenchFailure) -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard result else { throw BenchFailure("no port is free") }
        return UInt16(bigEndian: address.sin_port)
    }
}
