// Why this file exists: a broker that does what brokers do on a bad day: it is away, forgets what it confirmed, is made
// anew, keeps less than was hoped; and a network around it that loses, delays, repeats and reorders.

import Replication

final class SimulatedBroker {
    private struct Message {
        let id: String
        let bytes: [UInt8]
    }

    /// What this simulation does to messages, in percent.
    struct Weather {
        var lossPercent = 0
        var repeatPercent = 0
        var delayMilliseconds: Int64 = 20
    }

    let world: World
    var weather = Weather()
    private(set) var isUp = true
    private(set) var name = "stream-1"
    private var generation = 1
    private var messages: [Message] = []
    private var firstSequence: UInt64 = 1
    private var known: [String: UInt64] = [:]

    init(_ world: World) { self.world = world }

    var lastSequence: UInt64 { firstSequence + UInt64(messages.count) - 1 }

    /// Whether a node and the broker can speak.
    func reaches(_ process: SimulatedProcess) -> Bool { isUp && !process.node.isCutOff && !process.isDead }

    // MARK: - Faults

    func goDown() {
        isUp = false
        for node in world.nodes { node.process?.brokerLost() }
    }

    func comeUp() {
        guard !isUp else { return }
        isUp = true
        for node in world.nodes { node.process?.lookForBroker() }
    }

    /// It was killed before what it had confirmed was on its disk.
    func loseTail(_ count: Int) {
        goDown()
        let lost = messages.suffix(min(count, messages.count))
        for message in lost { known[message.id] = nil }
        messages.removeLast(lost.count)
    }

    func makeAnew() {
        goDown()
        generation += 1
        name = "stream-\(generation)"
        messages = []
        firstSequence = 1
        known = [:]
    }

    /// Retention has taken the oldest messages away.
    func forget(_ count: Int) {
        let gone = min(count, messages.count)
        messages.removeFirst(gone)
        firstSequence += UInt64(gone)
    }

    /// What told repetitions from new messages has grown too old.
    func forgetRepetitions() { known = [:] }

    // MARK: - The network

    private func travel(_ process: SimulatedProcess, isReliable: Bool = false, _ arrive: @escaping () -> Void) {
        guard reaches(process) else { return }
        if !isReliable, world.random.chance(weather.lossPercent) { return }
        let copies = world.random.chance(weather.repeatPercent) ? 2 : 1
        for _ in 0..<copies {
            world.schedule.after(world.random.between(1, weather.delayMilliseconds)) { [self] in
                if reaches(process) { arrive() }
            }
        }
    }

    // MARK: - The stream

    func publish(_ id: PublishID, _ bytes: [UInt8], from process: SimulatedProcess) {
        let connection = process.connection
        guard reaches(process) else { return }
        // What is sent comes in order; where something is lost, so is the connection, and all that is behind it.
        if world.random.chance(weather.lossPercent / 2) { return process.brokerLost() }
        process.publishAt = max(
            process.publishAt, world.schedule.now + world.random.between(1, weather.delayMilliseconds))
        world.schedule.after(process.publishAt - world.schedule.now) { [self] in
            guard reaches(process), process.connection == connection else { return }
            let key = "\(id.name)/\(id.dot)/\(id.instance)/\(id.part)"
            if known[key] == nil {
                messages.append(Message(id: key, bytes: bytes))
                known[key] = lastSequence
                push(lastSequence, bytes)
            }
            travel(process) {
                guard process.connection == connection else { return }
                process.acknowledged(id)
            }
        }
    }

    private func push(_ sequence: UInt64, _ bytes: [UInt8]) {
        for node in world.nodes {
            guard let process = node.process, process.isReading else { continue }
            deliver(sequence, bytes, to: process)
        }
    }

    private func deliver(_ sequence: UInt64, _ bytes: [UInt8], to process: SimulatedProcess) {
        let connection = process.connection
        guard reaches(process), !world.random.chance(weather.lossPercent) else { return }
        let copies = world.random.chance(weather.repeatPercent) ? 2 : 1
        for _ in 0..<copies {
            let now = world.schedule.now
            process.streamAt = max(process.streamAt, now + world.random.between(1, weather.delayMilliseconds))
            // Now and then one comes late all the same.
            let late: Int64 = world.random.chance(weather.repeatPercent) ? weather.delayMilliseconds : 0
            world.schedule.after(process.streamAt - now + late) { [self] in
                if reaches(process), process.connection == connection { process.arrived(bytes, sequence) }
            }
        }
    }

    func read(from sequence: UInt64, _ process: SimulatedProcess) {
        guard reaches(process) else { return }
        let connection = process.connection
        if sequence < firstSequence {
            let first = firstSequence
            travel(process, isReliable: true) {
                if process.connection == connection { process.skipped(to: first) }
            }
        }
        let start = max(sequence, firstSequence)
        guard start <= lastSequence else { return }
        for place in start...lastSequence { deliver(place, messages[Int(place - firstSequence)].bytes, to: process) }
    }

    /// Tells readers where the stream ends, as a heartbeat does.
    func beat(_ process: SimulatedProcess) {
        let connection = process.connection
        let last = lastSequence
        travel(process) {
            if process.connection == connection { process.streamEnds(at: last) }
        }
    }

    func firstAndLast() -> (first: UInt64, last: UInt64) { (firstSequence, lastSequence) }

    // MARK: - Beside the stream

    func broadcast(_ text: [UInt8], from sender: SimulatedProcess) {
        for node in world.nodes {
            guard let process = node.process, process !== sender else { continue }
            relay(sender, process) { process.heard(text) }
        }
    }

    func send(_ text: [UInt8], isPart: Bool, to instance: String, from sender: SimulatedProcess) {
        for node in world.nodes {
            guard let process = node.process, process.instance == instance else { continue }
            relay(sender, process) { if isPart { process.heardPart(text) } else { process.heard(text) } }
        }
    }

    private func relay(_ sender: SimulatedProcess, _ receiver: SimulatedProcess, _ arrive: @escaping () -> Void) {
        if world.plan.isStreamAlone { return }
        travel(sender) { [self] in travel(receiver, arrive) }
    }
}
