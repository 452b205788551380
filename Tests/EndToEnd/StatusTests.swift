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
}
