// Why this file exists: tests of the broker's edge take its news as the daemon does, and sometimes speak with the broker past
// it, as an administrator would.

import AccordionModel
import Causality
import Cluster
import Replication
import TestSupport

/// A broker's edge, and what it has told so far.
final class Client {
    let broker: Broker
    private(set) var messages: [(sequence: UInt64, bytes: [UInt8])] = []
    private(set) var acknowledged: [PublishID] = []
    private(set) var refusals: [String] = []
    private(set) var skips: [Range<UInt64>] = []
    private(set) var heard: [[UInt8]] = []
    private(set) var parts: [[UInt8]] = []
    private(set) var losses: [String] = []

    init(_ settings: BrokerSettings) { broker = Broker(settings) {} }

    convenience init(_ server: TestBroker, instance: String = "one") {
        self.init(BrokerSettings(servers: [server.address], instance: instance))
    }

    deinit {
        broker.willEnd()
        broker.disconnect()
    }

    func take(bytesMax: Int = .max) {
        for news in broker.take(bytesMax: bytesMax) {
            switch news {
            case .acknowledged(let id): acknowledged.append(id)
            case .refused(let reason): refusals.append(reason)
            case .message(let bytes, let sequence): messages.append((sequence, bytes))
            case .skipped(let from, let to): skips.append(from..<to)
            case .heard(let bytes): heard.append(bytes)
            case .heardPart(let bytes): parts.append(bytes)
            case .lost(let reason): losses.append(reason)
            }
        }
    }

    func until(_ what: String, _ isSo: () -> Bool) throws {
        try TestSupport.until(what) {
            take()
            return isSo()
        }
    }

    /// Publishes so many messages and waits until the stream has them.
    func publish(_ counters: ClosedRange<Int64>, bytes: Int = 8, document: String = "provinces") throws {
        let before = acknowledged.count
        for counter in counters {
            try broker.publish([(try id(counter, document), payload(counter, bytes))])
        }
        try until("all is confirmed") { acknowledged.count - before == counters.count }
    }
}

func id(_ counter: Int64, _ document: String = "provinces") throws -> PublishID {
    guard let name = DocumentName(document), let node = NodeName("n1") else {
        throw TookTooLong(description: "no name")
    }
    return PublishID(name: name, dot: Dot(node: node, counter: counter), instance: "run", part: 1, place: counter)
}

func payload(_ counter: Int64, _ bytes: Int) -> [UInt8] {
    Array((String(counter) + String(repeating: ".", count: bytes)).utf8.prefix(max(bytes, 1)))
}

/// What JetStream answers to a request.
func reply(_ subject: String, _ server: TestBroker) throws -> String {
    try server.say(["SUB answer 1"] + ask(subject, "", answer: "answer"), until: "\"type\"")
}

/// A request to JetStream.
func ask(_ subject: String, _ text: String, answer: String = "nobody") -> [String] {
    ["PUB $JS.API.\(subject) \(answer) \(text.utf8.count)", text]
}
