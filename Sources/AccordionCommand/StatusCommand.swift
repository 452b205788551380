// Why this file exists: `accordion status`: what a daemon counts of itself. Daemons count different things from version to
// version, so whatever is sent is shown under the name it has.

import CommandLine
import Mirror
import Wire

enum StatusCommand {
    static let table = Command(
        "status", summary: "the daemon's own numbers: what it has done, what it holds, how far it may go",
        details: [
            "On a terminal a line has a name and a value, under headings. In a pipe it has three fields with tabs between: "
                + "the heading (\"status\" for what stands under none), the name and the value. The daemon tells this to "
                + "those whose role is admin."
        ],
        example: Example("accordion status | grep ^counters", "what it has done since it started"))

    static func run(_ client: Client) throws(CommandFailure) {
        var status: Status?
        let reply = try client.call { connection, handler in
            connection.request(operation: "status") { reply, line in
                if reply.failure == nil { status = Status(reading: line) }
                handler(reply)
            }
        }
        if let failure = reply.failure {
            if failure.code == ErrorCode.unknownOp.rawValue {
                throw CommandFailure(.refused, "this daemon does not tell its status yet (\(failure.code))")
            }
            throw CommandFailure(failure)
        }
        guard let status else { throw CommandFailure(.noDaemon, "the daemon's answer lacks the status") }
        if client.output.isJSON { return client.output.object(status.write) }
        status.tell(client.output)
    }
}

/// The members of a status, in the order in which they were sent. Lists, and objects inside groups, are left out.
private struct Status {
    enum Value {
        case text(String)
        case number(Int)
        case flag(Bool)

        init?(_ value: borrowing JSONValue) {
            if let flag = value.bool {
                self = .flag(flag)
            } else if let number = value.integer {
                self = .number(number)
            } else if let text = value.string {
                self = .text(text)
            } else {
                return nil
            }
        }

        var words: String {
            switch self {
            case .text(let text): text
            case .number(let number): "\(number)"
            case .flag(let flag): flag ? "yes" : "no"
            }
        }
    }
    struct Group {
        var name: String
        var values: [(name: String, value: Value)] = []
    }

    /// What stands under no heading.
    private var top = Group(name: "status")
    private var groups: [Group] = []

    /// Nil where the line is no reply with a status.
    init?(reading line: Span<UInt8>) {
        let parser = JSONParser()
        do throws(Failure) {
            let read = try parser.parse(line, refuse: { Failure($0) }) { object throws(Failure) -> Status? in
                guard let status = object["status"]?.object else { return nil }
                return Status(status)
            }
            guard let read else { return nil }
            self = read
        } catch {
            return nil
        }
    }

    private init(_ object: borrowing JSONObject) {
        var members = object.members
        while let member = members.next() {
            if let value = Value(member.value) {
                top.values.append((member.name.string, value))
            } else if let inner = member.value.object {
                var group = Group(name: member.name.string)
                var members = inner.members
                while let member = members.next() {
                    if let value = Value(member.value) { group.values.append((member.name.string, value)) }
                }
                groups.append(group)
            }
        }
    }

    func tell(_ output: Output) {
        guard output.isTerminal else {
            for group in [top] + groups {
                for (name, value) in group.values { output.fields([group.name, name, value.words]) }
            }
            return
        }
        let names = ([top] + groups).flatMap { $0.values.map(\.name) }
        let columns = names.map { DisplayText.columns(of: $0) }.max() ?? 0
        for group in [top] + groups where !group.values.isEmpty {
            if group.name != top.name { output.line("\n" + DisplayText.visible(group.name)) }
            for (name, value) in group.values {
                output.line("  \(DisplayText.pad(name, toColumns: columns))  \(DisplayText.visible(value.words))")
            }
        }
    }

    /// The members as they were sent.
    func write(to writer: JSONWriter) {
        var isFirst = true
        func name(_ name: String) {
            if !isFirst { writer.raw(",") }
            isFirst = false
            writer.name(name)
        }
        func write(_ values: [(name: String, value: Value)]) {
            for (text, value) in values {
                name(text)
                switch value {
                case .text(let text): writer.string(text)
                case .number(let number): writer.integer(number)
                case .flag(let flag): writer.bool(flag)
                }
            }
        }
        write(top.values)
        for group in groups {
            name(group.name)
            writer.raw("{")
            isFirst = true
            write(group.values)
            writer.raw("}")
            isFirst = false
        }
    }
}
