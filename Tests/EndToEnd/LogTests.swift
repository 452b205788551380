// Why this file exists: a log is read in a terminal and by programs. No name from outside may stand in it raw, forge a
// line of it, or fill the disk.

import Glibc
import TestSupport
import Testing

@Suite struct LogTests {
    private static let forgeries = [
        "a\n2030-01-01T00:00:00Z error the daemon is on fire", "\u{1B}[2J\u{1B}]0;owned\u{07}", "a\r\nb", "a\u{202E}b",
        "\u{2028}b", "\u{9B}2J", "\u{85}x", "\u{0}", "\u{FEFF}x", String(repeating: "n", count: 65_536), "<3>forged",
    ]

    /// Escapes what JSON must have escaped, and nothing else.
    private func json(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            guard scalar.value < 0x20 || scalar == "\"" || scalar == "\\" else { return String(scalar) }
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }.joined()
    }

    /// Whether the line is one that the daemon writes: a time, a level, a text that does nothing to a terminal.
    private func isOurs(_ line: Substring) -> Bool {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count == 3, String(words[0]).isLike("20*-*-*T*:*:*Z"), words[0].utf8.count == 20 else {
            return false
        }
        guard ["error", "warning", "notice", "info"].contains(words[1]) else { return false }
        let begins = [
            "accordiond 0", "listening at ", "anybody on this machine", "stopp", "foreign_protocol: ",
            "truncated_line: ",
            "made the directory ",
        ]
        return line.utf8.count < 2_200 && begins.contains { words[2].hasPrefix($0) }
            && !line.unicodeScalars.contains { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: true
                default: false
                }
            }
    }

    @Test func `no text of a client forges a line of the log or steers a terminal`() throws {
        let daemon = try TestDaemon()
        for forgery in Self.forgeries {
            let text = json(forgery)
            for line in [
                "{\"op\":\"hello\",\"name\":\"\(text)\",\"token\":\"\(text)\"}", "{\"op\":\"\(text)\"}",
                "{\"op\":\"get\",\"doc\":\"\(text)\"}", "{\"op\":\"create\",\"doc\":\"\(text)\",\"content\":[]}",
                "{\"op\":\"open\",\"doc\":\"d\",\"section\":\"\(text)\"}",
                "{\"op\":\"create\",\"doc\":\"d\",\"title\":\"\(text)\",\"content\":[{\"title\":\"\(text)\"}]}",
                "{\"op\":\"delete\",\"doc\":\"d\",\"seen\":{\"\(text)\":1}}", "{\"\(text)\":1}", forgery,
                "GET /\(forgery) HTTP/1.1", "Host: \(forgery)",
            ] {
                for door in Door.allCases {
                    let client = try daemon.connect(door)
                    try client.send(line + "\n" + line)
                    client.endSending()
                    while try client.line() != nil {}
                }
            }
        }
        daemon.process.signal(SIGTERM)
        #expect(try daemon.process.waitForEnd() == 0)
        let lines = daemon.log.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count > 5 && lines.count < 40)
        for line in lines { #expect(isOurs(line), "\(line.debugDescription)") }
    }

    @Test func `a path with control characters makes one line`() throws {
        let scratch = try Scratch()
        let log = scratch.path + "/log"
        let daemon = try Process(
            productsDirectory + "/accordiond",
            [
                "--listen", "unix:\(scratch.path)/a\n\u{1B}[2J\u{202E}", "--state", scratch.path + "/state",
            ], output: log)
        try until("it listens") { daemon.hasEnded || contents(log).contains("listening") }
        daemon.signal(SIGTERM)
        #expect(try daemon.waitForEnd() == 0, "\(contents(log))")
        for line in contents(log).split(separator: "\n") { #expect(isOurs(line), "\(line.debugDescription)") }
        #expect(contents(log).contains("\\u{A}\\u{1B}[2J\\u{202E}"))
    }

    @Test func `a thousand connections that speak HTTP are counted and make a few lines`() throws {
        let daemon = try TestDaemon()
        let count = 1_000
        for number in 0..<count {
            let client = try daemon.connect(number.isMultiple(of: 2) ? .unix : .tcp)
            try client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.line() == nil)
        }
        daemon.process.signal(SIGTERM)
        #expect(try daemon.process.waitForEnd() == 0)
        let told = daemon.log.split(separator: "\n").filter { $0.contains("foreign_protocol") }
        #expect((1...10).contains(told.count), "\(daemon.log)")
        let counted = told.map { line -> Int in
            guard let open = line.lastIndex(of: "("), line.hasSuffix(" times since it was last told)") else { return 1 }
            return Int(line[line.index(after: open)...].prefix { $0.isNumber }) ?? 0
        }
        #expect(counted.reduce(0, +) == count, "\(told)")
    }

    @Test func `nobody waits for a log that nobody reads, and what was lost is told`() throws {
        let scratch = try Scratch()
        let (pipe, path) = (scratch.path + "/log", scratch.path + "/s")
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let reader = unsafe open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        var filling = [UInt8](repeating: UInt8(ascii: "-"), count: 4_096)
        while unsafe Glibc.write(reader, filling, filling.count) > 0 {}
        let daemon = try Process(
            productsDirectory + "/accordiond", ["--listen", "unix:\(path)", "--state", scratch.path + "/state"],
            output: nil, errors: pipe)
        var client: TestSocket?
        try until("somebody listens") {
            client = try? TestSocket(unix: path)
            return client != nil
        }
        #expect(try client?.isServed() == true)
        try client?.send("GET / HTTP/1.1\n")
        #expect(try client?.line() == nil)
        #expect(try TestSocket(unix: path).isServed())
        while unsafe read(reader, &filling, filling.count) > 0 {}
        daemon.signal(SIGTERM)
        #expect(try daemon.waitForEnd() == 0)
        let count = unsafe read(reader, &filling, filling.count)
        let told = String(decoding: filling.prefix(max(0, count)), as: UTF8.self)
        #expect(told.contains("lines of this log were lost"), "\(told)")
        #expect(told.hasSuffix("stopped\n"), "\(told)")
        for line in told.split(separator: "\n") { #expect(isOurs(line) || line.contains("were lost"), "\(line)") }
    }
}
