// Why this file exists: tests of the broker's edge take its news as the daemon does, and sometimes speak with the broker past
// it, as an administrator would.

import AccordionModel
import Causality
import Cluster
import Glibc
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
    try say(["SUB answer 1"] + ask(subject, "", answer: "answer"), to: server, until: "\"type\"")
}

/// Says something to the broker in its own protocol, and waits until it has answered.
@discardableResult
func say(_ lines: [String], to server: TestBroker, until end: String = "PONG") throws -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = server.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, size) }
    }
    guard result == 0 else { throw TookTooLong(description: "no connection") }
    let text = Array((["CONNECT {\"verbose\":false}"] + lines + ["PING", ""]).joined(separator: "\r\n").utf8)
    let sent = unsafe text.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, 0) }
    guard sent == text.count else { throw TookTooLong(description: "not all was sent") }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !String(decoding: answer, as: UTF8.self).contains(end) {
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw TookTooLong(description: "the broker closed: \(answer)") }
        answer += buffer.prefix(count)
    }
    return String(decoding: answer, as: UTF8.self)
}

/// A request to JetStream.
func ask(_ subject: String, _ text: String, answer: String = "nobody") -> [String] {
    ["PUB $JS.API.\(subject) \(answer) \(text.utf8.count)", text]
}
