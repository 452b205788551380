// Why this file exists: the client's `status` must be readable for whatever a daemon counts, and can't be steered by it.

import Testing

@Suite struct StatusTests {
    static let answer =
        #"{"id":1,"ok":true,"status":{"server":"accordiond/9.9","uptime_ms":123,"is_read_only":false,"future":[1,{"a":2}],"#
        + #""counters":{"lines":5,"evil\u001b[31m\tname\n":7},"gauges":{"clients":-1},"limits":{},"other":{"x":{"y":1},"z":"w"}}}"#

    @Test func `in a pipe it is heading, name and value, what is not known included, and controls are drawn`() throws {
        let outcome = try FakeDaemon().accordion(["status"], answers: [Self.answer])
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 7, "\(outcome.output)")
        #expect(
            lines.prefix(3) == ["status\tserver\taccordiond/9.9", "status\tuptime_ms\t123", "status\tis_read_only\tno"])
        #expect(lines.contains("counters\tlines\t5") && lines.contains("gauges\tclients\t-1"))
        #expect(lines.last == "other\tz\tw")
        #expect(!outcome.output.contains("\u{1B}"))
        #expect(lines.allSatisfy { $0.split(separator: "\t").count == 3 }, "\(outcome.output)")
    }

    @Test func `with --json it is one object that holds the same`() throws {
        let outcome = try FakeDaemon().accordion(["status", "--json"], answers: [Self.answer])
        #expect(
            outcome.output
                == #"{"server":"accordiond/9.9","uptime_ms":123,"is_read_only":false,"counters":{"lines":5,"#
                + #""evil\u001b[31m\tname\n":7},"gauges":{"clients":-1},"limits":{},"other":{"z":"w"}}"# + "\n")
    }

    @Test func `a daemon that does not know it is told of in words, with 1`() throws {
        let refusal = #"{"id":1,"ok":false,"error":{"code":"unknown_op","message":"no operation \"status\""}}"#
        let outcome = try FakeDaemon().accordion(["status"], answers: [refusal])
        #expect(outcome.status == 1)
        #expect(outcome.errors == "accordion: this daemon does not tell its status yet (unknown_op)\n")
    }

    @Test func `who may not know it gets 4, an answer without it 5`() throws {
        let refusal = #"{"id":1,"ok":false,"error":{"code":"forbidden","message":"status needs the role admin"}}"#
        #expect(try FakeDaemon().accordion(["status"], answers: [refusal]).status == 4)
        #expect(try FakeDaemon().accordion(["status"], answers: [#"{"id":1,"ok":true}"#]).status == 5)
        #expect(try FakeDaemon().accordion(["status"], answers: []).status == 5)
    }

    /// The samples of a text in Prometheus' format, by their series; a fault of the format is recorded.
    private func samples(_ text: String) -> [String: String] {
        var (result, types): ([String: String], [String: String]) = ([:], [:])
        var (current, helped) = ("", Set<String>())
        func isName(_ name: Substring) -> Bool {
            !name.isEmpty
                && name.utf8.allSatisfy { $0 == 0x5F || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
        }
        #expect(text.hasSuffix("\n"))
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            if line.hasPrefix("# HELP ") {
                current = String(words[2])
                #expect(isName(words[2]) && helped.insert(current).inserted, "\(line)")
            } else if line.hasPrefix("# TYPE ") {
                #expect(words[2] == current && ["counter", "gauge"].contains(words[3]), "\(line)")
                types[current] = String(words[3])
            } else {
                let value = line.split(separator: " ").last ?? ""
                let series = line.dropLast(value.count + 1)
                #expect(Double(value) != nil && series.prefix { $0 != "{" } == current, "\(line)")
                #expect((types[current] == "counter") == current.hasSuffix("_total"), "\(line)")
                #expect(!line.unicodeScalars.contains { $0.value < 0x20 }, "\(line)")
                #expect(result.updateValue(String(value), forKey: String(series)) == nil, "\(line)")
            }
        }
        return result
    }

    @Test func `for Prometheus each number is one sample under its heading, whatever its name holds`() throws {
        let outcome = try FakeDaemon().accordion(["status", "--prometheus"], answers: [Self.answer])
        #expect(outcome.status == 0)
        let told = samples(outcome.output)
        #expect(told["accordion_lines_total"] == "5" && told["accordion_clients"] == "-1", "\(outcome.output)")
        #expect(told["accordion_uptime_seconds"] == "0.123")
        #expect(told[#"accordion_info{server="accordiond/9.9"}"#] == "1")
    }

    @Test func `the real daemon's status is what Prometheus reads`() throws {
        let daemon = try TestDaemon()
        let socket = try TestSocket(unix: daemon.socketPath)
        for line in [#"{"op":"create","doc":"p"}"#, #"{"op":"get","doc":"none"}"#] { _ = try socket.ask(line) }
        let outcome = try daemon.accordion(["status", "--prometheus"])
        let told = samples(outcome.output)
        #expect(told["accordion_documents"] == "1" && told["accordion_writes_total"] == "1", "\(outcome.output)")
        #expect(told[#"accordion_refused_total{code="unknown_document"}"#] == "1", "\(outcome.output)")
        #expect(told[#"accordion_limit{name="max_line_bytes"}"#] == "1048576", "\(outcome.output)")
    }

    @Test func `on a terminal sizes and times have units`() throws {
        let daemon = try TestDaemon()
        let shown = try TerminalRun(
            productsDirectory + "/accordion", ["--address", daemon.address, "status"]
        ).output
        #expect(shown.contains("max_document_bytes") && shown.contains("16 MiB"), "\(shown)")
        #expect(shown.contains("uptime_ms") && shown.contains(" s\n"), "\(shown)")
    }
}
