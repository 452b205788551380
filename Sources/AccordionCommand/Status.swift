// Why this file exists: what a daemon counts of itself, as it was sent: to be shown to people, handed to a script, or to a
// monitor. Names are the daemon's, and none of them has to be known here.

import Mirror
import Wire

/// The members of a status, in the order in which they were sent. Lists, and objects inside groups, are left out.
struct Status {
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

        var number: Int? { if case .number(let number) = self { number } else { nil } }

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
    private(set) var top = Group(name: "status")
    private(set) var groups: [Group] = []

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
                let words = value.number.flatMap { Status.forPeople(name, $0) } ?? value.words
                output.line("  \(DisplayText.pad(name, toColumns: columns))  \(DisplayText.visible(words))")
            }
        }
    }

    /// A size or a time in units that people read; nil where the name speaks of neither.
    static func forPeople(_ name: String, _ value: Int) -> String? {
        if name.hasSuffix("_ms"), value >= 0 { return duration(value / 1_000) }
        guard name.contains("bytes"), value >= 1_024 else { return nil }
        let units = ["KiB", "MiB", "GiB", "TiB"]
        var (size, unit) = (Double(value) / 1_024, 0)
        while size >= 1_024, unit < units.count - 1 { (size, unit) = (size / 1_024, unit + 1) }
        let tenths = Int((size * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// `3 d 4 h`, `4 h 5 min`, `5 min 6 s`, `6 s`
    private static func duration(_ seconds: Int) -> String {
        let (days, hours) = (seconds / 86_400, seconds / 3_600 % 24)
        let (minutes, rest) = (seconds / 60 % 60, seconds % 60)
        if days > 0 { return "\(days) d \(hours) h" }
        if hours > 0 { return "\(hours) h \(minutes) min" }
        return minutes > 0 ? "\(minutes) min \(rest) s" : "\(rest) s"
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
