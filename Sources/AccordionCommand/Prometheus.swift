// Why this file exists: a monitor reads the daemon's numbers in its own text format, in which a name that is said twice or a
// quote in the wrong place makes it drop everything. The format: https://prometheus.io/docs/instrumenting/exposition_formats/

import Mirror
import Wire

enum Prometheus {
    /// Counters are `accordion_NAME_total`, gauges `accordion_NAME`; refusals have their code, and limits their name, as a
    /// label. What is no number is left out, but for the names of the daemon.
    static func tell(_ status: Status, _ output: Output) {
        var text = Text()
        var labels: [(String, String)] = []
        for (name, value) in status.top.values {
            if case .text(let text) = value { labels.append((name, text)) }
        }
        text.add("info", .gauge, "Who the daemon is.", labels, "1")
        for (name, value) in status.top.values where name == "uptime_ms" {
            guard let number = value.number else { continue }
            text.add("uptime_seconds", .gauge, "How long it has been up.", [], seconds(number))
        }
        for group in status.groups {
            for (name, value) in group.values {
                guard let number = value.number else { continue }
                add(name, number, of: group.name, &text)
            }
        }
        output.append(Array(text.text.utf8))
    }

    private static func add(_ name: String, _ number: Int, of group: String, _ text: inout Text) {
        switch group {
        case "counters":
            let prefix = "refused_"
            if name.hasPrefix(prefix), name != "refused_requests" {
                let code = String(name.dropFirst(prefix.count))
                text.add("refused_total", .counter, "Refusals with this code.", [("code", code)], "\(number)")
            } else {
                text.add(name + "_total", .counter, "As the daemon has counted since its start.", [], "\(number)")
            }
        case "limits":
            text.add("limit", .gauge, "How far the daemon may go, by the limit's name.", [("name", name)], "\(number)")
        default: text.add(name, .gauge, "As it is now.", [], "\(number)")
        }
    }

    private static func seconds(_ milliseconds: Int) -> String {
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let digits = String(rest.magnitude)
        return "\(whole)." + String(repeating: "0", count: 3 - digits.utf8.count) + digits
    }

    private enum Kind: String {
        case counter, gauge
    }

    /// The samples of one name stand together, under one heading, and no sample is said twice.
    private struct Text {
        private var order: [String] = []
        private var headings: [String: String] = [:]
        private var samples: [String: [String]] = [:]
        private var said: Set<String> = []

        mutating func add(_ name: String, _ kind: Kind, _ help: String, _ labels: [(String, String)], _ value: String) {
            let name = "accordion_" + Text.clean(name)
            let pairs = labels.map { "\(Text.clean($0.0))=\"\(Text.escaped($0.1))\"" }
            let series = pairs.isEmpty ? name : "\(name){\(pairs.joined(separator: ","))}"
            guard said.insert(series).inserted else { return }
            if headings[name] == nil {
                order.append(name)
                headings[name] = "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
            }
            samples[name, default: []].append("\(series) \(value)\n")
        }

        var text: String { order.map { (headings[$0] ?? "") + (samples[$0] ?? []).joined() }.joined() }

        /// Of letters, digits and `_`.
        private static func clean(_ name: String) -> String {
            String(
                String.UnicodeScalarView(
                    name.unicodeScalars.map { scalar in
                        let isPlain =
                            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                        return isPlain ? scalar : "_"
                    }))
        }

        private static func escaped(_ text: String) -> String {
            var result = ""
            for scalar in DisplayText.visible(text).unicodeScalars {
                switch scalar {
                case "\\": result += "\\\\"
                case "\"": result += "\\\""
                default: result.unicodeScalars.append(scalar)
                }
            }
            return result
        }
    }
}
