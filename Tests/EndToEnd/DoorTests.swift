// Why this file exists: the doors as they are met: with and without a token, by TLS that is not ours, by another user, and
// while an administrator changes his mind.

import Glibc
import TestSupport
import Testing

/// A daemon with a configuration, certificates and tokens.
private final class Keep {
    let scratch: Scratch
    let daemon: TestDaemon
    let tls: UInt16
    let tokens: [String: String]
    private let entries: [String: String]

    var path: String { scratch.path }

    init() throws {
        scratch = try Scratch()
        let script = """
            cd \(scratch.path)
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=ca
            for name in server other carol; do
                openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $name.key -out $name.csr -subj /CN=$name
                printf 'subjectAltName=DNS:localhost,IP:127.0.0.1' > ext
                openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out $name.pem -extfile ext
            done
            cp server.pem door.pem; cp server.key door.key
            """
        try Process("/bin/sh", ["-c", script], output: nil).waitForEnd()
        var (tokens, entries): ([String: String], [String: String]) = ([:], [:])
        for (name, role) in [("viewer", "viewer"), ("toggler", "toggler"), ("editor", "editor"), ("admin", "admin")] {
            let (out, err) = ("\(scratch.path)/\(name).token", "\(scratch.path)/\(name).entry")
            let words = ["token", "new", name, "--role", role] + (name == "toggler" ? ["--documents", "run-*"] : [])
            try Process(productsDirectory + "/accordion", words, output: out, errors: err).waitForEnd()
            tokens[name] = String(contents(out).dropLast())
            entries[name] = contents(err)
        }
        self.tokens = tokens
        self.entries = entries
        try Keep.configure(scratch.path, entries, tls: 0)
        daemon = try TestDaemon(
            ["--config", scratch.path + "/config", "--listen", "tls://127.0.0.1:0"], in: scratch)
        let log = scratch.path + "/log"
        var found: UInt16 = 0
        try until("the TLS door is open") {
            for line in contents(log).split(separator: "\n") {
                guard let range = line.firstRange(of: "listening at tls://127.0.0.1:") else { continue }
                found = UInt16(line[range.upperBound...]) ?? 0
            }
            return found != 0
        }
        tls = found
    }

    private static func configure(_ path: String, _ entries: [String: String], tls: Int, without: String = "") throws {
        let text =
            "loopback_role = \"viewer\"\n[tls]\ncertificate = \"\(path)/door.pem\"\nkey = \"\(path)/door.key\"\n"
            + "client_ca = \"\(path)/ca.pem\"\n[unix]\nrole = \"viewer\"\ngroup = \"nogroup\"\n"
            + "[[certificate]]\nname = \"carol\"\nrole = \"admin\"\n"
            + entries.filter { $0.key != without }.sorted { $0.key < $1.key }.map(\.value).joined()
        unsafe unlink(path + "/config")
        try write(text, to: path + "/config")
    }

    func reload(without: String = "", times: Int = 1) throws {
        try Keep.configure(path, entries, tls: 0, without: without)
        let before = told("read again")
        daemon.process.signal(SIGHUP)
        try until("it is read again") { told("read again") > before }
    }

    func told(_ text: String) -> Int { contents(path + "/log").split(separator: "\n").count { $0.contains(text) } }

    func socket(_ token: String?) throws -> TestSocket {
        let socket = try TestSocket(port: daemon.port)
        if let token { _ = try socket.ask(#"{"op":"hello","token":"\#(tokens[token] ?? token)"}"#) }
        return socket
    }

    /// What openssl's own client says and hears.
    func openssl(_ words: String, saying lines: String = "") throws -> String {
        let output = "\(path)/s_client"
        unsafe unlink(output)
        // Its input stays open until the answer is there.
        let wait =
            lines.hasPrefix("{")
            ? "for i in $(seq 100); do grep -q '\"ok\"' s_client && break; sleep 0.1; done" : "sleep 0.5"
        let command = "(printf '%s' '\(lines)'; \(wait)) | openssl s_client -connect 127.0.0.1:\(tls) \(words)"
        try Process("/bin/sh", ["-c", "cd \(path); " + command], output: output).waitForEnd()
        return contents(output)
    }
}

@Suite struct DoorTests {
    /// Each operation, and the rank of the least role that may ask for it.
    private static let operations: [(line: String, rank: Int)] = [
        (#"{"op":"ping"}"#, 0), (#"{"op":"list"}"#, 0), (#"{"op":"get","doc":"run-1"}"#, 0),
        (#"{"op":"subscribe","doc":"run-1"}"#, 0), (#"{"op":"unsubscribe","doc":"run-1"}"#, 0),
        (#"{"op":"watch_list","on":true}"#, 0), (#"{"op":"select","doc":"run-1","section":null}"#, 0),
        (#"{"op":"history","doc":"run-1"}"#, 0), (#"{"op":"toggle","doc":"run-1","section":"a"}"#, 1),
        (#"{"op":"open","doc":"run-1","section":"a"}"#, 1), (#"{"op":"close","doc":"run-1","section":"a"}"#, 1),
        (#"{"op":"check","doc":"run-1","section":"t"}"#, 1), (#"{"op":"uncheck","doc":"run-1","section":"t"}"#, 1),
        (#"{"op":"open_all","doc":"run-1"}"#, 1), (#"{"op":"close_all","doc":"run-1"}"#, 1),
        (#"{"op":"level","doc":"run-1","depth":1}"#, 1), (#"{"op":"reset","doc":"run-1"}"#, 1),
        (#"{"op":"batch","doc":"run-1","ops":[]}"#, 1), (#"{"op":"present","doc":"run-1","on":true}"#, 1),
        (#"{"op":"undo","doc":"run-1"}"#, 1), (#"{"op":"redo","doc":"run-1"}"#, 1),
        (#"{"op":"replace","doc":"run-1","content":[]}"#, 2), (#"{"op":"delete","doc":"run-1"}"#, 2),
        (#"{"op":"create","doc":"run-1","content":[]}"#, 2), (#"{"op":"status"}"#, 3),
    ]

    @Test func `each role may do by its token what it may, and no more`() throws {
        let keep = try Keep()
        let editor = try keep.socket("editor")
        #expect(
            try editor.ask(#"{"op":"create","doc":"run-1","content":[{"title":"a","content":[]}]}"#)?.contains("true")
                == true)
        #expect(
            try editor.ask(#"{"op":"create","doc":"other","content":[{"title":"a","content":[]}]}"#)?.contains("true")
                == true)
        let roles = ["viewer", "toggler", "editor", "admin"]
        for (line, needed) in Self.operations {
            for (rank, role) in roles.enumerated() {
                let socket = try keep.socket(role)
                let answer = try socket.ask(line) ?? ""
                #expect(answer.contains(#""code":"forbidden""#) == (rank < needed), "\(role): \(line): \(answer)")
                #expect(!answer.isEmpty)
            }
            // What was taken away is there for the next one.
            _ = try editor.ask(
                #"{"op":"create","doc":"run-1","content":[{"title":"a","content":[]},{"title":"t","task":false}]}"#)
        }
        for (role, sees) in [("viewer", true), ("toggler", false), ("editor", true)] {
            let answer = try keep.socket(role).ask(#"{"op":"get","doc":"other"}"#) ?? ""
            #expect(answer.contains(sees ? #""ok":true"# : "unknown_document"), "\(role): \(answer)")
        }
        let stranger = try keep.socket(nil)
        for _ in 0..<3 { #expect(try stranger.ask(#"{"op":"list"}"#)?.contains("unauthorized") == true) }
        #expect(try stranger.ask(#"{"op":"list"}"#) == nil, "the third time was the last")
    }

    @Test func `a token is printed once, and its entry beside it; with --json as one object`() throws {
        let scratch = try Scratch()
        func run(_ words: [String]) throws -> Outcome {
            let (out, err) = (scratch.path + "/o", scratch.path + "/e")
            for path in [out, err] { unsafe unlink(path) }
            let process = try Process(productsDirectory + "/accordion", words, output: out, errors: err)
            return Outcome(status: try process.waitForEnd(), output: contents(out), errors: contents(err))
        }
        let one = try run(["token", "new", "ann", "--role", "admin", "--documents", "a\"b"])
        #expect(one.status == 0 && one.output.utf8.count == 44, "43 characters and a line end: \(one.output)")
        #expect(one.errors.contains("name = \"ann\"") && one.errors.contains("documents = [\"a\\\"b\"]"))
        #expect(!one.errors.contains(one.output.dropLast()), "the entry does not hold the token")
        let other = try run(["--json", "token", "new", "ann"])
        #expect(other.output.hasPrefix("{\"token\":\"") && other.output.contains("toggler"))
        #expect(try run(["token", "new", "a/b"]).status == 2 && run(["token"]).status == 2)
        #expect(try run(["help", "token", "new"]).output.contains("Usage: accordion token new"))
    }

    @Test func `TLS is spoken with a client that is not ours: 1.2 and later, no renegotiation, certificates by name`()
        throws
    {
        let keep = try Keep()
        for version in ["-tls1", "-tls1_1"] {
            #expect(try !keep.openssl("\(version) -CAfile ca.pem").contains("Cipher is ECDHE"), "\(version)")
        }
        for version in ["-tls1_2", "-tls1_3"] {
            let said = try keep.openssl(
                "\(version) -quiet -no_ign_eof -CAfile ca.pem", saying: #"{"op":"ping"}"# + "\n")
            #expect(said.contains("unauthorized"), "\(version): \(said)")
        }
        let carol = try keep.openssl(
            "-quiet -no_ign_eof -CAfile ca.pem -cert carol.pem -key carol.key", saying: #"{"op":"hello"}"# + "\n")
        #expect(carol.contains(#""name":"carol","role":"admin""#), "\(carol)")
        let renegotiation = try keep.openssl("-tls1_2 -CAfile ca.pem", saying: "R\n")
        #expect(!renegotiation.contains(#""ok":true"#) && renegotiation.contains("RENEGOTIATING"))
        #expect(try keep.socket("viewer").ask(#"{"op":"ping"}"#)?.contains("true") == true)
    }

    @Test func `our own client believes whom it is told to, and shows its token`() throws {
        let keep = try Keep()
        func run(_ words: [String]) throws -> Outcome {
            let (out, err) = ("\(keep.path)/o", "\(keep.path)/e")
            for path in [out, err] { unsafe unlink(path) }
            let process = try Process(
                productsDirectory + "/accordion", ["--address", "tls://localhost:\(keep.tls)"] + words, output: out,
                errors: err)
            return Outcome(status: try process.waitForEnd(), output: contents(out), errors: contents(err))
        }
        let editor = ["--ca", keep.path + "/ca.pem", "--token-file", keep.path + "/editor.token"]
        try write(#"[{"name":"a","city":[{"name":"b"}]}]"#, to: keep.path + "/p.json")
        let large = String(repeating: "x", count: 3 << 20)
        try write(#"{"doc":"large","content":[{"title":"a","content":["\#(large)"]}]}"#, to: keep.path + "/large.json")
        #expect(try run(editor + ["import", keep.path + "/p.json", "--as", "run-1"]).status == 0)
        #expect(try run(editor + ["import", keep.path + "/large.json"]).status == 0)
        #expect(try run(editor + ["export", "large"]).output.contains(large))
        #expect(try run(editor + ["toggle", "run-1", "a"]).output.contains("open"))
        let unbelieved = try run(["--token-file", keep.path + "/editor.token", "list"])
        #expect(unbelieved.status == 5 && unbelieved.errors.contains("certificate"), "\(unbelieved.errors)")
        let unnamed = try run(["--ca", keep.path + "/ca.pem", "list"])
        #expect(unnamed.status == 4, "\(unnamed.errors)")
    }

    @Test
    func `a reload takes rights away while connected, keeps those whose rights stay, and changes the certificate`()
        throws
    {
        let keep = try Keep()
        let (viewer, editor) = (try keep.socket("viewer"), try keep.socket("editor"))
        #expect(try viewer.ask(#"{"op":"ping"}"#)?.contains("true") == true)
        try Process("/bin/sh", ["-c", "cd \(keep.path); cp other.pem door.pem; cp other.key door.key"], output: nil)
            .waitForEnd()
        try keep.reload(without: "viewer")
        #expect(try viewer.ask("")?.contains(#"{"event":"goodbye","reason":"unauthorized"}"#) == true)
        #expect(try editor.ask(#"{"op":"ping"}"#)?.contains("true") == true)
        #expect(try keep.openssl("-CAfile ca.pem").contains("CN = other"))
        // A broken file changes nothing, and is told.
        try write("node = [", to: keep.path + "/config.new")
        unsafe rename(keep.path + "/config.new", keep.path + "/config")
        keep.daemon.process.signal(SIGHUP)
        try until("it is told") { keep.told("the configuration stays as it was") == 1 }
        #expect(keep.told("config:1:") == 1)
        #expect(try editor.ask(#"{"op":"ping"}"#)?.contains("true") == true)
    }

    @Test func `fifty reloads in a burst cut nobody`() throws {
        let keep = try Keep()
        let sockets = try (0..<20).map { _ in try keep.socket("editor") }
        #expect(try sockets[0].ask(#"{"op":"create","doc":"d","content":[{"title":"a","content":[]}]}"#) != nil)
        for round in 0..<50 {
            keep.daemon.process.signal(SIGHUP)
            for socket in sockets {
                let answer = try socket.ask(#"{"op":"toggle","doc":"d","section":"a"}"#)
                #expect(answer?.contains(#""ok":true"#) == true, "\(round)")
            }
        }
        #expect(keep.told("read again") >= 1)
    }

    @Test(arguments: [
        (["--listen", "tcp://0.0.0.0:0"], "", "needs tokens"),
        (["--listen", "tls://127.0.0.1:0"], "", "needs [tls]"),
        (
            ["--listen", "tcp://0.0.0.0:0"],
            "[[token]]\nname = \"a\"\nsha256 = \"\(String(repeating: "0", count: 64))\"\n", "insecure"
        ),
        ([], "listne = []", "config:1:10: \"listne\" is no setting"),
        ([], "[tls]\ncertificate = \"/none\"\nkey = \"/none\"", "/none"),
    ])
    func `what must not be opened, or can't be, ends with 78 and says why`(
        _ words: [String], _ text: String, _ reason: String
    ) throws {
        let scratch = try Scratch()
        try write(text, to: scratch.path + "/config")
        for check in [[], ["--check-config"]] {
            let output = scratch.path + "/out\(check.count)"
            let process = try Process(
                productsDirectory + "/accordiond",
                ["--config", scratch.path + "/config", "--state", scratch.path + "/state"] + words + check,
                output: output)
            #expect(try process.waitForEnd() == 78)
            #expect(contents(output).contains(reason), "\(contents(output))")
        }
    }

    @Test func `another user on the Unix socket is who the kernel says, in the role that is configured`() throws {
        guard geteuid() == 0 else { return }
        let keep = try Keep()
        let perl =
            "use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die \"$!\"; print $s qq({\"op\":\"hello\"}\\n"
            + "{\"op\":\"create\",\"doc\":\"x\",\"content\":[]}\\n); $s->shutdown(1); print while <$s>;"
        unsafe chmod(keep.path, 0o755)
        let output = keep.path + "/perl"
        let process = try Process(
            "/usr/bin/setpriv",
            ["--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/perl", "-e", perl, keep.daemon.socketPath],
            output: output)
        try process.waitForEnd()
        let said = contents(output)
        #expect(said.contains(#""name":"nobody","role":"viewer""#) && said.contains("forbidden"), "\(said)")
        let outside = keep.path + "/outside"
        let other = try Process(
            "/usr/bin/setpriv",
            ["--reuid=65534", "--regid=65533", "--clear-groups", "/usr/bin/perl", "-e", perl, keep.daemon.socketPath],
            output: outside)
        #expect(
            try other.waitForEnd() != 0 && contents(outside).contains("denied"), "who is not in the group stays outside"
        )
    }

    @Test func `silent connections and stalled handshakes hinder nobody`() throws {
        let keep = try Keep()
        let silent = try (0..<200).map { _ in try TestSocket(port: keep.daemon.port) }
        let stalled = try (0..<100).map { _ in try TestSocket(port: keep.tls) }
        #expect(try keep.socket("viewer").ask(#"{"op":"ping"}"#)?.contains("true") == true)
        let said = try keep.openssl(
            "-quiet -no_ign_eof -CAfile ca.pem -cert carol.pem -key carol.key", saying: #"{"op":"ping"}"# + "\n")
        #expect(said.contains(#""ok":true"#))
        #expect(silent.count + stalled.count == 300)
    }
}
