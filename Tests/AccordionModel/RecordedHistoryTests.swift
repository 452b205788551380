// Why this file exists: the rules of the shared state were written twice, here and in Vectors/make, by which random
// histories were recorded. Both have to agree about every step: what is shown, version, clock, siblings and conflicts.

import AccordionModel
import Causality
import Testing

private struct Difference: Error, CustomStringConvertible {
    let description: String
}

extension Document {
    /// The document that `xyz:single:no:x` stands for: identifiers, mode, collapsible, initially open.
    fileprivate static func recorded(_ text: Substring, _ policy: ConflictPolicy) throws -> Document {
        let parts = text.split(separator: ":").map { $0 == "-" ? "" : String($0) }
        guard parts.count == 4 else { throw Difference(description: "no document: \(text)") }
        let outlines = parts[0].map { letter in
            Outline(String(letter)) {
                $0.open = parts[3].contains(letter) ? true : nil
                $0.task = false
            }
        }
        return try made(outlines) {
            $0.mode = parts[1] == "single" ? .single : .multiple
            $0.collapsible = parts[2] == "yes"
            $0.conflicts = policy
        }
    }

    fileprivate var recorded: String {
        let names = sections.map(\.path.text).joined()
        let open = sections.filter { $0.attributes.open == true }.map(\.path.text).joined()
        return [
            names.isEmpty ? "-" : names, attributes.mode.rawValue, attributes.collapsible ? "yes" : "no",
            open.isEmpty ? "-" : open,
        ].joined(separator: ":")
    }
}

/// The state of a replica in the words of the record.
private struct Recorded {
    let state: SharedState

    var fields: [String] { [view, version, clock, registers, conflicts].map { $0.isEmpty ? "-" : $0 } }

    private var view: String {
        guard let view = state.view else { return "none" }
        let (open, done) = (state.openPaths.joined(), state.donePaths.joined())
        return "\(view.born) \(open.isEmpty ? "-" : open) \(done.isEmpty ? "-" : done)"
    }

    private var version: String {
        state.version.entries.map { "\($0.node).\($0.counter)" }.joined(separator: " ")
    }

    private var clock: String { "\(state.clock.latest.milliseconds).\(state.clock.latest.count)" }

    private var registers: String {
        var told: [String] = []
        if !state.content.isEmpty {
            let dots = state.content.latestFirst.map(\.dot).sorted()
            told.append("c=" + dots.map { "\($0.node).\($0.counter)" }.joined(separator: ","))
        }
        for (register, held) in state.flags {
            let siblings = held.latestFirst.sorted { $0.dot < $1.dot }
            let texts = siblings.map { "\($0.dot.node).\($0.dot.counter)\($0.value == .on ? "+" : "-")" }
            let letter = register.field == .open ? "o" : "d"
            told.append("\(letter)\(register.born)\(register.path)=\(texts.joined(separator: ","))")
        }
        return told.sorted().joined(separator: " ")
    }

    private var conflicts: String {
        state.conflicts.map { conflict in
            let section = conflict.section.isTop ? "-" : conflict.section.text
            let claims = ([conflict.kept] + conflict.lost).map { "\(text(of: $0.value))*\($0.by)" }
            return "\(conflict.field.rawValue) \(section) \(claims.joined(separator: " "))"
        }.joined(separator: "; ")
    }

    private func text(of value: Conflict.Value) -> String {
        switch value {
        case .flag(let flag): flag ? "yes" : "no"
        case .child(let path): path.text
        case .document(let document): document?.recorded ?? "nothing"
        }
    }
}

/// Three replicas that do what a record says.
private struct Replay {
    var seed: Substring = ""
    var policy = ConflictPolicy.last
    var states = [SharedState(), SharedState(), SharedState()]
    var disks = [SharedState(), SharedState(), SharedState()]
    var names: [NodeName]
    var expected = Array(repeating: Array(repeating: "", count: 5), count: 3)
    var log: [Operation] = []
    /// Grows with every restart, so that no connection is taken for one of before.
    var connections: UInt64 = 0
    var sessions: [[String: UInt64]] = [[:], [:], [:]]
    /// Where a restart keeps the name, each own write is on disk at once.
    var savesAlways = false

    init(_ line: Substring) throws {
        let words = line.split(separator: "\t")
        seed = words[1]
        policy = try #require(ConflictPolicy(rawValue: String(words[2])))
        names = try ["n1", "n2", "n3"].map(nodeName)
    }

    mutating func step(_ line: Substring) throws {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 9, let replica = Int(fields[0]), let milliseconds = Int64(fields[1]) else {
            throw Difference(description: "no step: \(line)")
        }
        let outcome = try perform(fields[2].split(separator: " "), replica, milliseconds)
        for (place, field) in fields[4...].enumerated() where field != "=" {
            expected[replica][place] = String(field)
        }
        let told = [outcome] + Recorded(state: states[replica]).fields
        let wanted = [String(fields[3])] + expected[replica]
        guard told == wanted else {
            throw Difference(description: "\(fields[2]) on replica \(replica)\n  wanted \(wanted)\n  got    \(told)")
        }
    }

    private mutating func perform(_ words: [Substring], _ replica: Int, _ milliseconds: Int64) throws -> String {
        switch words[0] {
        case "receive":
            for word in words.dropFirst() {
                _ = states[replica].receive(log[try #require(Int(word))], at: milliseconds)
            }
        case "join": states[replica].join(states[try #require(Int(words[1]))], at: milliseconds)
        case "save": disks[replica] = states[replica]
        case "restart":
            let disk = disks[replica]
            states[replica] = SharedState(
                version: disk.version, clock: disk.clock, content: disk.content, flags: disk.flags)
            sessions[replica] = [:]
            names[replica] = try nodeName(String(words[1]))
        default: return try write(words, replica, milliseconds)
        }
        return "-"
    }

    private mutating func write(_ words: [Substring], _ replica: Int, _ milliseconds: Int64) throws -> String {
        let name = String(words[words.count - 2])
        if sessions[replica][name] == nil {
            connections += 1
            sessions[replica][name] = connections
        }
        let writer = Writer(
            node: names[replica], milliseconds: milliseconds, by: name, session: sessions[replica][name] ?? 0,
            seen: try seen(words[words.count - 1]))
        let operation: Operation?
        do throws(Refusal) {
            operation = try decide(words, states[replica], writer)
        } catch { return "refused" }
        guard let operation else { return "none" }
        _ = states[replica].applyOwn(operation)
        log.append(operation)
        if savesAlways { disks[replica] = states[replica] }
        return "\(operation.dot.node).\(operation.dot.counter)"
    }

    private func decide(_ words: [Substring], _ state: SharedState, _ writer: Writer) throws(Refusal) -> Operation? {
        switch words[0] {
        case "create": return try state.create(document(words[1]), writer)
        case "replace": return try state.replace(with: document(words[1]), writer).operation
        case "delete": return try state.delete(writer)
        case "open", "close":
            return try state.decide(.set(SectionPath(String(words[1])), .open, words[0] == "open"), writer)
        default: return try state.decide(.set(SectionPath(String(words[1])), .done, words[0] == "check"), writer)
        }
    }

    private func document(_ text: Substring) throws(Refusal) -> Document {
        guard let document = try? Document.recorded(text, policy) else { throw Refusal(.tooLarge("\(text)")) }
        return document
    }

    private func seen(_ text: Substring) throws -> VersionVector? {
        if text == "all" { return nil }
        if text == "nothing" { return VersionVector() }
        return VersionVector(
            try text.split(separator: ",").map { entry in
                let parts = entry.split(separator: ".")
                return VersionVector.Entry(
                    node: try nodeName(String(parts[0])), counter: try #require(Int64(parts[1])))
            })
    }
}

@Suite struct RecordedHistoryTests {
    @Test func `every step of the recorded histories comes to the recorded state`() throws {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        let other = Environment.value("ACCORDION_HISTORIES")
        let text = try #require(Environment.text(ofFile: other ?? "/\(folder)/Vectors/histories.txt"))
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }
        var (histories, steps, differing) = (0, 0, 0)
        var place = 0
        while place < lines.count {
            var replay = try Replay(lines[place])
            var end = place + 1
            while end < lines.count, !lines[end].hasPrefix("history") { end += 1 }
            replay.savesAlways = !lines[place..<end].contains { $0.contains("\trestart") && $0.contains("~") }
            do {
                for number in (place + 1)..<end {
                    steps += 1
                    do { try replay.step(lines[number]) } catch {
                        throw Difference(description: "seed \(replay.seed), step \(number - place): \(error)")
                    }
                }
            } catch {
                differing += 1
                if differing <= 5 { Issue.record("\(error)") }
            }
            histories += 1
            place = end
        }
        #expect(other != nil || (histories == 2000 && steps > 40_000))
        #expect(differing == 0, "histories that differ")
    }
}
