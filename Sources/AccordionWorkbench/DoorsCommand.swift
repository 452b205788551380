// Why this file exists: `accordion-bench doors`: whoever says nothing, or stalls in the handshake, must not keep others out; and
// an administrator who reloads must cut nobody.

import CommandLine
import Glibc
import Transport

enum DoorsCommand: BenchCommand {
    static let table = Command(
        "doors", summary: "crowds the doors with clients that say nothing, and times how others come in; then reloads",
        details: ["It needs the program openssl, which makes a certificate."],
        options: [
            Option("silent", value: OptionValue("N", .integer(20...10_000)), help: "So many that say nothing (1,000)"),
            Option("stalled", value: OptionValue("N", .integer(10...10_000)), help: "So many stalled handshakes (500)"),
            Option("reloads", value: OptionValue("N", .integer(1...1_000)), help: "So many reloads under load (50)"),
        ],
        example: Example("accordion-bench doors --silent 200 --stalled 100", "a short form"))

    private static let rounds = 50
    private static let mostMicroseconds = 100_000

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        let directory = try BenchDirectory()
        let token = try prepare(directory)
        let daemon = try BenchDaemon(
            ["--config", directory.path + "/config", "--listen", "tls://127.0.0.1:0"], in: directory)
        defer { daemon.end() }
        let (plain, tls) = (daemon.place, daemon.tlsPlace)
        let context = try make { () throws(TLSFailure) in
            try TLSContext(clientBelieving: directory.path + "/server.pem")
        }
        var crowd: [BenchSocket] = []
        var (byTCP, byTLS): ([Int], [Int]) = ([], [])
        for _ in 0..<rounds {
            for _ in 0..<((invocation.integer("silent") ?? 1_000) / rounds) {
                crowd.append(try BenchSocket(.tcp, plain))
            }
            for _ in 0..<((invocation.integer("stalled") ?? 500) / rounds) {
                let socket = try BenchSocket(.tcp, tls)
                try socket.send([0x16, 0x03, 0x01, 0x02])
                crowd.append(socket)
            }
            byTCP.append(try time { () throws(BenchFailure) in try comeIn(plain, token) })
            byTLS.append(try time { () throws(BenchFailure) in try comeIn(tls, token, context) })
        }
        tell("in by TCP, token and ping", byTCP, crowd.count)
        tell("in by TLS, token and ping", byTLS, crowd.count)
        try reload(daemon, token, invocation.integer("reloads") ?? 50)
        guard max(byTCP.max() ?? 0, byTLS.max() ?? 0) < mostMicroseconds else {
            throw BenchFailure("somebody had to wait longer than \(mostMicroseconds / 1_000) ms")
        }
    }

    /// A certificate, a token and a configuration; the token.
    private static func prepare(_ directory: BenchDirectory) throws(BenchFailure) -> String {
        let script =
            "cd \(directory.path) && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key "
            + "-out server.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
        let maker = try BenchDaemon.spawn("/bin/sh", ["-c", script], log: directory.path + "/log")
        waitpid(maker, nil, 0)
        guard let random = Digest.random(bytes: 16) else { throw BenchFailure("no random bytes") }
        let token = random.map { String($0, radix: 16) }.joined()
        let text =
            "[tls]\ncertificate = \"\(directory.path)/server.pem\"\nkey = \"\(directory.path)/server.key\"\n"
            + "[[token]]\nname = \"bench\"\nsha256 = \"\(Digest.sha256(token))\"\nrole = \"editor\"\n"
        guard Bench.write(text, toFile: directory.path + "/config") else {
            throw BenchFailure("no configuration can be written")
        }
        return token
    }

    private static func make<Value>(_ body: () throws(TLSFailure) -> Value) throws(BenchFailure) -> Value {
        do throws(TLSFailure) { return try body() } catch { throw BenchFailure(error.reason) }
    }

    private static func time(_ body: () throws(BenchFailure) -> Void) throws(BenchFailure) -> Int {
        let start = Bench.nowMicroseconds
        try body()
        return Bench.nowMicroseconds - start
    }

    private static func comeIn(_ place: DaemonPlace, _ token: String) throws(BenchFailure) {
        let socket = try BenchSocket(.tcp, place)
        _ = try socket.ask("{\"op\":\"hello\",\"token\":\"\(token)\"}")
        guard try socket.ask("{\"op\":\"ping\"}")?.contains("true") == true else {
            throw BenchFailure("it was not served")
        }
    }

    private static func comeIn(_ place: DaemonPlace, _ token: String, _ context: TLSContext) throws(BenchFailure) {
        let socket = try BenchSocket(.tcp, place)
        let tls = try make { () throws(TLSFailure) in try TLS(context, host: "localhost") }
        try make { () throws(TLSFailure) in try tls.begin() }
        var heard: [UInt8] = []
        var hasAsked = false
        while heard.count(where: { $0 == 0x0A }) < 2 {
            let output = tls.takeOutput()
            if !output.isEmpty { try socket.send(output) }
            if tls.isEstablished, !hasAsked {
                hasAsked = true
                let lines = Array("{\"op\":\"hello\",\"token\":\"\(token)\"}\n{\"op\":\"ping\"}\n".utf8)
                try make { () throws(TLSFailure) in try tls.send(lines.span) }
                continue
            }
            guard let bytes = try socket.bytes() else { throw BenchFailure("a handshake was ended") }
            heard += try make { () throws(TLSFailure) in try tls.receive(bytes.span) }
        }
    }

    private static func tell(_ name: String, _ times: [Int], _ crowd: Int) {
        let sorted = times.sorted()
        Bench.figure(
            name,
            "median \(millis(sorted[sorted.count / 2])) ms, most \(millis(sorted[sorted.count - 1])) ms, "
                + "beside up to \(crowd) that say nothing")
    }

    private static func millis(_ microseconds: Int) -> String { "\(microseconds / 1_000).\(microseconds / 100 % 10)" }

    /// Clients that write without a pause while the configuration is read again and again.
    private static func reload(_ daemon: BenchDaemon, _ token: String, _ count: Int) throws(BenchFailure) {
        var clients: [BenchSocket] = []
        for _ in 0..<20 {
            let client = try BenchSocket(.tcp, daemon.place)
            _ = try client.ask("{\"op\":\"hello\",\"token\":\"\(token)\"}")
            clients.append(client)
        }
        _ = try clients[0].ask("{\"op\":\"create\",\"doc\":\"d\",\"content\":[{\"title\":\"a\",\"content\":[]}]}")
        var cut = 0
        for _ in 0..<count {
            kill(daemon.place.identifier, SIGHUP)
            for client in clients {
                let answer = try client.ask("{\"op\":\"toggle\",\"doc\":\"d\",\"section\":\"a\"}")
                if answer?.contains("\"ok\":true") != true { cut += 1 }
            }
        }
        let told = daemon.log.split(separator: "\n").count { $0.contains("read again") }
        Bench.figure("reloads", "\(count) asked for, \(told) done, \(clients.count) clients writing, \(cut) cut")
        guard cut == 0, told > 0 else { throw BenchFailure("a reload cut somebody") }
    }
}
