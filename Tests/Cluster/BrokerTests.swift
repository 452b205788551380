// Why this file exists: what a broker really does – repeats, gaps, ends, refusals – is asked of a real one.

import Cluster
import Glibc
import Replication
import TestSupport
import Testing

@Suite(.serialized) struct BrokerTests {
    @Test func `a stream is made, and what is published comes back in order`() throws {
        let server = try TestBroker()
        let client = Client(server)
        let stream = try client.broker.connect()
        #expect(stream.first == 1 && stream.last == 0 && stream.replicas == 1)
        try client.broker.read(from: 1)
        try client.publish(1...200)
        try client.until("all is read") { client.messages.count == 200 }
        #expect(client.messages.map(\.sequence) == Array(1...200))
        #expect(client.messages[41].bytes == payload(42, 8))
        #expect(client.acknowledged.map(\.place) == Array(1...200))
        #expect(try client.broker.look() == BrokerStream(identity: stream.identity, first: 1, last: 200, replicas: 1))
    }

    @Test func `what is published twice is confirmed twice and stands in the stream once`() throws {
        let server = try TestBroker()
        let client = Client(server)
        _ = try client.broker.connect()
        try client.publish(1...3)
        try client.publish(1...3)
        #expect(try client.broker.look().last == 3)
        // The same counter of another document is another message.
        try client.publish(1...3, document: "other.document")
        #expect(try client.broker.look().last == 6)
    }

    @Test func `reading begins where it is told to, also again on the same connection`() throws {
        let server = try TestBroker()
        let client = Client(server)
        _ = try client.broker.connect()
        try client.publish(1...10)
        try client.broker.read(from: 8)
        try client.until("the end is read") { client.messages.count == 3 }
        #expect(client.messages.map(\.sequence) == [8, 9, 10])
        try client.broker.read(from: 2)
        try client.until("the rest is read") { client.messages.count == 12 }
        #expect(client.messages.dropFirst(3).map(\.sequence) == Array(2...10))
        #expect(client.skips.isEmpty)
        // Behind the end nothing comes but what is new.
        try client.broker.read(from: 11)
        try client.publish(11...11)
        try client.until("the new one is read") { client.messages.count == 13 }
        #expect(client.messages.last?.sequence == 11)
    }

    @Test func `messages that are gone are told as skipped, at the start and within`() throws {
        let server = try TestBroker()
        let client = Client(server)
        let stream = try client.broker.connect()
        try client.publish(1...10)
        try server.say(ask("STREAM.PURGE.accordion", #"{"seq":4}"#))
        try server.say(ask("STREAM.MSG.DELETE.accordion", #"{"seq":6}"#))
        try server.say(ask("STREAM.MSG.DELETE.accordion", #"{"seq":7}"#))
        try client.broker.read(from: 2)
        try client.until("the end is read") { client.messages.last?.sequence == 10 }
        #expect(client.messages.map(\.sequence) == [4, 5, 8, 9, 10])
        #expect(client.skips == [2..<4, 6..<8])
        try server.say(ask("STREAM.PURGE.accordion", "{}"))
        let empty = try client.broker.look()
        #expect(empty == BrokerStream(identity: stream.identity, first: 11, last: 10, replicas: 1))
    }

    @Test func `another stream of the same name is another one`() throws {
        let server = try TestBroker()
        let client = Client(server)
        let first = try client.broker.connect()
        try server.say(ask("STREAM.DELETE.accordion", ""))
        #expect(throws: BrokerFailure.self) { try client.broker.look() }
        let second = try client.broker.connect()
        #expect(first.identity != second.identity)
    }

    @Test func `daemons hear each other, each what is for it`() throws {
        let server = try TestBroker()
        let clients = ["one", "two.*", ">"].map { Client(server, instance: $0) }
        for client in clients { _ = try client.broker.connect() }
        let sender = clients[0].broker
        try sender.broadcast(Array("all".utf8))
        try sender.send(Array("you".utf8), to: "two.*", isPart: false)
        try sender.send(Array("part".utf8), to: ">", isPart: true)
        try clients[1].until("it hears") { clients[1].heard.count == 2 }
        try clients[2].until("it hears") { clients[2].heard.count == 1 && clients[2].parts.count == 1 }
        #expect(Set(clients[1].heard) == [Array("all".utf8), Array("you".utf8)])
        #expect(clients[1].parts.isEmpty)
        #expect(clients[2].parts == [Array("part".utf8)])
        // What is said beside the stream does not stand in it.
        #expect(try sender.look().last == 0)
    }

    @Test func `whoever takes nothing is waited for, and misses nothing`() throws {
        let server = try TestBroker()
        let client = Client(server)
        _ = try client.broker.connect()
        for start in stride(from: 1 as Int64, to: 121, by: 10) {
            try client.publish(start...(start + 9), bytes: 500_000)
        }
        let reader = Client(server, instance: "two")
        _ = try reader.broker.connect()
        try reader.broker.read(from: 1)
        try until("there is something") { !reader.broker.isQuiet }
        // 60 MB wait to be read; what lies here is bounded, and a look is answered meanwhile.
        _ = try reader.broker.look()
        reader.take()
        #expect(reader.messages.count < 40)
        try reader.until("all is read") { reader.messages.count == 120 }
        #expect(reader.messages.map(\.sequence) == Array(1...120))
        #expect(reader.skips.isEmpty && reader.losses.isEmpty)
    }

    @Test func `a broker that is killed is told as lost, and found again`() throws {
        let server = try TestBroker()
        let client = Client(server)
        let before = try client.broker.connect()
        try client.publish(1...5)
        try server.kill()
        try client.until("the loss is told") { !client.losses.isEmpty }
        #expect(throws: BrokerFailure.self) { try client.broker.connect() }
        try server.start()
        var after: BrokerStream?
        try until("it is found again") {
            after = try? client.broker.connect()
            return after != nil
        }
        #expect(after?.identity == before.identity)
        try client.publish(6...7)
    }

    @Test func `a broker that answers nothing is told within seconds`() throws {
        let server = try TestBroker()
        let client = Client(server)
        _ = try client.broker.connect()
        server.signal(SIGSTOP)
        // (It stops a moment later.)
        try until("it is told") { (try? client.broker.look()) == nil }
        #expect(throws: BrokerFailure.self) { try client.broker.connect() }
        server.signal(SIGCONT)
        _ = try client.broker.connect()
    }

    @Test func `servers are tried one after the other`() throws {
        let server = try TestBroker()
        let nobody = "nats://127.0.0.1:\(try freePort())"
        let client = Client(BrokerSettings(servers: [nobody, server.address], instance: "one"))
        let failure = #expect(throws: BrokerFailure.self) { try client.broker.connect() }
        #expect(failure?.description.hasPrefix(nobody) == true)
        _ = try client.broker.connect()
    }
}
