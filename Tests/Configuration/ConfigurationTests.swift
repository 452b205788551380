// Why this file exists: an administrator trusts that a file means what it says, and that a slip in it is told with its place.

import Configuration
import Glibc
import Testing

@Suite struct ConfigurationTests {
    private func read(_ text: String) throws -> Configuration {
        try Configuration(reading: Array(text.utf8), file: "f.toml")
    }

    private func fault(_ text: String) -> String {
        do throws(ConfigurationFault) {
            _ = try Configuration(reading: Array(text.utf8), file: "f.toml")
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test func `an empty file means the defaults`() throws {
        #expect(try read("") == Configuration())
        #expect(try read("# nothing\n\n[limits]\n[history]\n") == Configuration())
    }

    @Test func `every setting is taken`() throws {
        let read = try read(
            """
            listen = ["unix:/a", "tls://[::]:1"]
            state = "/s"
            node = "n1"
            durability = "relaxed"
            insecure = true
            loopback_role = "viewer"
            [[token]]
            name = "ann"
            sha256 = "\(String(repeating: "AB", count: 32))"
            role = "admin"
            documents = ["a*", "b"]
            [[token]]
            name = "bob"
            sha256 = "\(String(repeating: "0", count: 64))"
            [tls]
            certificate = "c"
            key = "k"
            client_ca = "ca"
            [[certificate]]
            name = "carol"
            role = "editor"
            [unix]
            role = "toggler"
            group = "g"
            users = { alice = "admin", "john.doe" = "viewer" }
            [cluster]
            servers = ["nats://h"]
            [limits]
            max_line_bytes = 65_536
            clients_max = 10
            [history]
            days = 3
            entries = 7
            """)
        #expect(read.listen == ["unix:/a", "tls://[::]:1"] && read.state == "/s" && read.node == "n1")
        #expect(!read.isDurable && read.isInsecure && read.loopbackRole == "viewer")
        #expect(read.tokens.map(\.name) == ["ann", "bob"] && read.tokens.map(\.role) == ["admin", "viewer"])
        #expect(read.tokens[0].digest == String(repeating: "ab", count: 32) && read.tokens[0].documents == ["a*", "b"])
        #expect(read.certificate == "c" && read.key == "k" && read.clientCA == "ca")
        #expect(read.certificates.map(\.name) == ["carol"] && read.certificates[0].role == "editor")
        #expect(read.unixRole == "toggler" && read.unixGroup == "g")
        #expect(read.unixUsers == ["alice": "admin", "john.doe": "viewer"] && read.cluster.servers == ["nats://h"])
        #expect(read.limits == ["max_line_bytes": 65_536, "clients_max": 10])
        #expect(read.historyDays == 3 && read.historyEntries == 7)
    }

    @Test(arguments: [
        ("listne = []", "f.toml:1:10: \"listne\" is no setting"),
        ("\n  node = 3", "f.toml:2:10: \"node\" must be a text"),
        ("[limits]\nmax_lines = 1", "f.toml:2:13: \"limits.max_lines\" is no setting"),
        ("[limits]\nmax_line_bytes = \"1\"", "f.toml:2:18: \"limits.max_line_bytes\" must be a whole number"),
        ("[limits]\nmax_line_bytes = 1", "f.toml:2:18: \"limits.max_line_bytes\" must be from 1024 to 67108864"),
        ("[history]\ndays = 1.5", "f.toml:2:8: \"history.days\" must be a whole number"),
        ("insecure = \"yes\"", "f.toml:1:12: \"insecure\" must be true or false"),
        ("durability = \"perhaps\"", "f.toml:1:14: \"durability\" must be one of durable, relaxed"),
        ("listen = \"unix:/a\"", "f.toml:1:10: \"listen\" must be a list"),
        ("unix = 1", "f.toml:1:8: \"unix\" must be a table"),
        (
            "[unix]\nusers = { a = \"boss\" }",
            "f.toml:2:15: \"unix.users.a\" must be one of viewer, toggler, editor, admin"
        ),
        ("[[token]]\nname = \"a\"", "f.toml:1:1: this [[token]] has no sha256"),
        ("[[token]]\nsha256 = \"12\"", "f.toml:2:10: \"token[0].sha256\" is no SHA-256 digest: 64 hexadecimal digits"),
        ("[tls]\nkey = \"k\"", "f.toml: [tls] needs both certificate and key"),
        ("[cluster]\nreplicas = 0", "f.toml:2:12: \"cluster.replicas\" must be from 1 to 5"),
        ("[cluster]\nname = \"a.b\"", "f.toml:2:8: \"cluster.name\" must be 1 to 64 of A-Z a-z 0-9 _ -"),
        ("[cluster]\nuser = \"u\"", "f.toml: [cluster] needs both user and password_file"),
        ("[cluster]\nkey = \"k\"", "f.toml: [cluster] needs both certificate and key"),
        ("[cluster]\npassword = \"p\"", "f.toml:2:12: \"cluster.password\" is no setting"),
        ("[other]", "f.toml:1:1: \"other\" is no setting"),
    ])
    func `a slip is told with its place`(_ text: String, _ expected: String) {
        #expect(fault(text) == expected)
    }

    @Test func `what is no TOML is told with its place, whatever it is`() {
        #expect(fault("node = [").hasPrefix("f.toml:1:"))
        #expect(fault("a = 1\na = 2").hasPrefix("f.toml:2:"))
        #expect(fault("node = \"\u{0}\"").hasPrefix("f.toml:1:"))
        #expect(fault(String(repeating: "[", count: 10_000)).hasPrefix("f.toml:1:"))
        #expect(fault("x = " + String(repeating: "[", count: 100_000)).hasPrefix("f.toml:1:"))
    }

    @Test func `no file stops the program, whatever is in it`() {
        var generator = SystemRandomNumberGenerator()
        let pieces = [
            "[", "]", "[[token]]", "=", "\"", "'", "\n", "name", ".", ",", "{", "}", "1", "-", "inf", "#", "\\u0000",
            "\u{0}",
            "\u{FEFF}", "\"\"\"", "1979-05-27", "0x", "é", "limits", "true", " ", "\t", "\r",
        ]
        var faults = 0
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }
            if fault(text.joined()) != "none" { faults += 1 }
        }
        #expect(faults > 10_000)
    }

    @Test func `the file that is shipped shows every setting with its default`() throws {
        let folder = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let text = String(decoding: try bytes(folder + "/Config/accordiond.toml"), as: UTF8.self)
        #expect(try read(text) == Configuration(), "all of it is comment")
        let settings = text.split(separator: "\n").filter { $0.hasPrefix("#") && !$0.hasPrefix("# ") }
            .map { String($0.dropFirst()) }
        // Entries that only show the form.
        let plain = settings.joined(separator: "\n")
        let shown = try read(plain)
        #expect(shown.tokens.count == 1 && shown.certificates.count == 1)
        #expect(
            shown.historyDays == Configuration().historyDays && shown.historyEntries == Configuration().historyEntries)
        #expect(Set(shown.limits.keys) == Set(Configuration.limitRanges.keys))
        #expect(shown.cluster.replicas == 1 && shown.cluster.name == "accordion" && shown.cluster.retentionDays == 7)
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        let file = try unsafe #require(unsafe fopen(path, "r"))
        defer { unsafe fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe fread(&buffer, 1, buffer.count, file)
        return Array(buffer.prefix(count))
    }
}
