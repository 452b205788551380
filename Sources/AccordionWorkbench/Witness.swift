// Why this file exists: whoever says that nothing is lost must have written down what was told. The witness toggles, notes
// each acknowledgement with its counter, and holds the daemon's history against its notes after each start.

import Bytes
import Causality
import Wire

struct Witness {
    private struct Write: Equatable {
        var section: String
        var isOpen: Bool
    }

    private static let documents = ["a", "b", "c"]
    private static let sections = 20
    private static let batch = 50

    private var random: UInt64
    /// By document and counter, what was acknowledged and not yet found in the history.
    private var acknowledged: [String: [Int64: Write]] = [:]
    /// The highest number of the history that was looked at, and its counter.
    private var examined: [String: (number: Int64, counter: Int64)] = [:]
    /// The last counter that was told; 1 is the creation's.
    private var lastCounter: [String: Int64] = [:]
    private(set) var acknowledgedCount = 0
    private let reader = ServerLineReader()

    init(seed: UInt64) { random = seed }

    /// A step of SplitMix64 (Steele, Lea, Flood).
    private mutating func next(_ bound: UInt64) -> UInt64 {
        random = random &+ 0x9E37_79B9_7F4A_7C15
        var mixed = random
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return (mixed ^ (mixed >> 31)) % bound
    }

    // MARK: - The load

    private struct Client {
        let socket: BenchSocket
        let document: String
        var sent: [Write] = []
    }

    /// Toggles for a random number of rounds; in the last one kills the daemon at a random moment, and notes every
    /// acknowledgement that had left it.
    mutating func load(_ daemon: BenchDaemon) throws(BenchFailure) {
        var clients: [Client] = []
        for name in Witness.documents {
            let client = Client(socket: try BenchSocket(.unix, daemon.place), document: name)
            if examined[name] == nil { try create(name, client.socket) }
            clients.append(client)
        }
        for _ in 0..<next(12) {
            for place in clients.indices { try send(&clients[place]) }
            for client in clients {
                for _ in 0..<Witness.batch {
                    guard let line = try client.socket.line() else { throw BenchFailure("the daemon ended by itself") }
                    try note(line, client.document, client.sent)
                }
            }
        }
        for place in clients.indices { try send(&clients[place]) }
        let deadline = Bench.nowMicroseconds + Int(next(12_000))
        while Bench.nowMicroseconds < deadline {}
        daemon.kill()
        for client in clients {
            while let line = try client.socket.line() { try note(line, client.document, client.sent) }
        }
    }

    private func create(_ name: String, _ socket: BenchSocket) throws(BenchFailure) {
        let sections = (0..<Witness.sections).map { #"{"id":"s\#($0)","title":"S","content":[]}"# }
        let line = #"{"op":"create","doc":"\#(name)","content":[\#(sections.joined(separator: ","))]}"#
        guard let answer = try socket.ask(line), answer.contains(#""ok":true"#) else {
            throw BenchFailure("\(name) can't be made")
        }
    }

    /// Sends one batch; ids go on, so that each reply names its write.
    private mutating func send(_ client: inout Client) throws(BenchFailure) {
        var lines = ""
        for _ in 0..<Witness.batch {
            let write = Write(section: "s\(next(UInt64(Witness.sections)))", isOpen: next(2) == 0)
            lines +=
                #"{"id":\#(client.sent.count),"op":"toggle","doc":"\#(client.document)","section":"\#(write.section)","to":\#(write.isOpen)}"#
                + "\n"
            client.sent.append(write)
        }
        try client.socket.send(Array(lines.utf8))
    }

    private mutating func note(_ line: String, _ document: String, _ sent: [Write]) throws(BenchFailure) {
        let parsed: ServerLine
        do throws(Failure) {
            parsed = try reader.read(Array(line.utf8).span)
        } catch {
            throw BenchFailure("\(error.message): \(line)")
        }
        guard case .reply(let reply) = parsed, case .number(let number)? = reply.id, sent.indices.contains(number),
            reply.failure == nil, let counter = reply.version?.entries.first?.counter
        else { throw BenchFailure("no acknowledgement: \(line)") }
        acknowledgedCount += 1
        // A toggle that changed nothing is acknowledged with the version of the write before it.
        if (lastCounter[document] ?? 1) < counter {
            lastCounter[document] = counter
            acknowledged[document, default: [:]][counter] = sent[number]
        }
    }

    // MARK: - The history

    /// Holds what is new in the history against what was acknowledged.
    mutating func examine(_ place: DaemonPlace) throws(BenchFailure) {
        let socket = try BenchSocket(.unix, place)
        for name in Witness.documents { try examine(name, socket) }
    }

    private mutating func examine(_ name: String, _ socket: BenchSocket) throws(BenchFailure) {
        var expected = acknowledged[name] ?? [:]
        let known = examined[name]
        var before = Int64.max >> 11
        var newest: (number: Int64, counter: Int64)?
        var previous: Int64 = .max
        pages: while true {
            let line = #"{"op":"history","doc":"\#(name)","before":\#(before),"limit":1000}"#
            guard let answer = try socket.ask(line) else { throw BenchFailure("the daemon ended") }
            let entries = Entry.all(in: answer)
            if entries.isEmpty { break }
            for entry in entries {
                if newest == nil { newest = (entry.number, entry.counter) }
                guard entry.counter < previous else {
                    throw BenchFailure("\(name): the counter \(entry.counter) twice")
                }
                previous = entry.counter
                if let write = expected.removeValue(forKey: entry.counter),
                    entry.section != write.section || entry.isOpen != write.isOpen
                {
                    throw BenchFailure("\(name): the counter \(entry.counter) was told for another write: \(entry)")
                }
                if let known, entry.number <= known.number {
                    guard entry.counter == known.counter || entry.number < known.number else {
                        throw BenchFailure("\(name): entry \(entry.number) had the counter \(known.counter) before")
                    }
                    break pages
                }
                before = entry.number
            }
        }
        guard expected.isEmpty else {
            throw BenchFailure("\(name): acknowledged and lost: \(expected.keys.sorted().prefix(10))")
        }
        acknowledged[name] = nil
        if let newest {
            examined[name] = newest
            lastCounter[name] = newest.counter
        }
    }

    /// One entry of a history reply, as far as a toggle has one.
    private struct Entry {
        var number: Int64
        var counter: Int64
        var section: String
        var isOpen: Bool

        static func all(in reply: String) -> [Entry] {
            reply.split(separator: "{\"number\":").dropFirst().compactMap { text in
                guard let number = Int64(text.prefix { $0.isNumber }),
                    let counter = value("\"counter\":", text).flatMap({
                        Int64($0.prefix { $0.isNumber })
                    })
                else { return nil }
                let section = value("\"section\":\"", text).map { String($0.prefix { $0 != "\"" }) } ?? ""
                return Entry(
                    number: number, counter: counter, section: section,
                    isOpen: value("\"open\":", text)?.hasPrefix("true") ?? false)
            }
        }

        private static func value(_ key: String, _ text: Substring) -> Substring? {
            text.firstRange(of: key).map { text[$0.upperBound...] }
        }
    }
}
