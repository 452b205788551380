// Why this file exists: subscribers that sleep beside one that is awake, on a thread of their own, and what must be so in
// the end: the one awake had every event, and the others, when they wake, have the same state.

import AccordionModel
import Causality
import Mirror
import Wire

/// A subscriber that keeps what it was told.
private struct Subscriber {
    let socket: BenchSocket
    private let reader = ServerLineReader()
    private(set) var replica: Replica
    private(set) var eventCount = 0

    init(_ door: Door, _ place: DaemonPlace, _ document: DocumentName) throws(BenchFailure) {
        socket = try BenchSocket(door, place)
        replica = Replica(document)
        replica.connected()
        try socket.send("{\"op\":\"subscribe\",\"doc\":\"\(document)\"}")
    }

    /// Reads until it is told of that version.
    mutating func read(upTo version: VersionVector) throws(BenchFailure) {
        while replica.version != version || replica.document == nil {
            guard let text = try socket.line() else { throw BenchFailure("a subscriber was let go") }
            do throws(Failure) {
                guard case .event(let event) = try reader.read(Array(text.utf8).span) else { continue }
                _ = replica.receive(event)
                eventCount += 1
            } catch {
                throw BenchFailure("\(text.prefix(200)): \(error.message)")
            }
        }
    }

    var open: [Bool] { (0..<(replica.document?.sections.count ?? 0)).map { replica.isOpen(Int32($0)) } }
}

struct Dormitory {
    private static let sectionCount = 40
    private static let pipelinedCount = 200

    private let place: DaemonPlace
    private let sleepers: Int

    init(_ place: DaemonPlace, sleepers: Int) {
        self.place = place
        self.sleepers = sleepers
    }

    /// Prints figures; fails where somebody did not get what is due.
    func run(_ toggles: Int) throws(BenchFailure) {
        guard let name = DocumentName("dormitory") else { throw BenchFailure("no document can be named so") }
        let writer = try BenchSocket(.unix, place)
        let sections = (0..<Self.sectionCount).map { "{\"title\":\"s\($0)\",\"content\":[\"text\"]}" }
        _ = try version(
            writer.ask("{\"op\":\"create\",\"doc\":\"\(name)\",\"content\":[\(sections.joined(separator: ","))]}"))
        var asleep: [Subscriber] = []
        for number in 0..<sleepers {
            asleep.append(try Subscriber(number.isMultiple(of: 2) ? .unix : .tcp, place, name))
        }
        var awake = try Subscriber(.tcp, place, name)
        try awake.read(upTo: try version(writer.ask("{\"op\":\"get\",\"doc\":\"\(name)\"}")))
        let first = awake.eventCount
        place.forgetPeak()
        Bench.figure("memory before", "\(place.residentKiB) KiB")
        let began = Bench.nowMicroseconds
        try turn(toggles / 2, writer, &awake)
        Bench.figure("memory after half", "\(place.residentKiB) KiB")
        try turn(toggles - toggles / 2, writer, &awake)
        let microseconds = max(1, Bench.nowMicroseconds - began)
        Bench.figure("toggles", "\(toggles), \(toggles * 1_000_000 / microseconds) a second")
        Bench.figure("memory at most", "\(place.peakKiB) KiB")
        guard awake.eventCount - first == toggles else {
            throw BenchFailure("the one awake was told of \(awake.eventCount - first) of \(toggles) toggles")
        }
        for index in asleep.indices {
            try asleep[index].read(upTo: awake.replica.version)
            guard asleep[index].open == awake.open else { throw BenchFailure("a sleeper woke to another state") }
        }
        Bench.figure("events for one awake", "\(awake.eventCount - first)")
        Bench.figure("events for a sleeper, at most", "\(asleep.map(\.eventCount).max() ?? 0)")
        Bench.figure("memory when all are awake", "\(place.residentKiB) KiB")
    }

    private func turn(_ count: Int, _ writer: BenchSocket, _ awake: inout Subscriber) throws(BenchFailure) {
        var done = 0
        while done < count {
            let some = min(Self.pipelinedCount, count - done)
            let lines = (done..<(done + some)).map { number in
                "{\"op\":\"toggle\",\"doc\":\"dormitory\",\"section\":\"s\(number * 7 % Self.sectionCount)\"}\n"
            }
            try writer.send(Array(lines.joined().utf8))
            var last = VersionVector()
            for _ in 0..<some { last = try version(writer.line()) }
            try awake.read(upTo: last)
            done += some
        }
    }

    /// The version that a reply names.
    private func version(_ line: String?) throws(BenchFailure) -> VersionVector {
        guard let line else { throw BenchFailure("the writer was let go") }
        do throws(Failure) {
            if case .reply(let reply) = try ServerLineReader().read(Array(line.utf8).span), let version = reply.version
            {
                return version
            }
        } catch {
            throw BenchFailure("\(line.prefix(200)): \(error.message)")
        }
        throw BenchFailure("no version in \(line.prefix(200))")
    }
}
