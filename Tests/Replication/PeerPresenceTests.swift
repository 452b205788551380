// Why this file exists: presence between daemons costs nothing where nobody wants to know, and nobody stays who is gone.

import AccordionModel
import Causality
import Replication
import Testing
import Wire

@Suite struct PeerPresenceTests {
    private let name: DocumentName
    private let one: Replicator
    private let two: Replicator

    init() throws {
        name = try #require(DocumentName("d"))
        func make(_ node: String) throws -> Replicator {
            Replicator(
                ReplicationSettings(peer: Peer(node: try #require(NodeName(node)), instance: "\(node).1", run: 1)),
                ReplicationStart(), milliseconds: 0)
        }
        one = try make("n1")
        two = try make("n2")
        for replicator in [one, two] { replicator.connected(stream: "s", first: 1, last: 0) }
        _ = said(by: one)
        _ = said(by: two)
    }

    private func said(by replicator: Replicator) -> (texts: [[UInt8]], others: [String]) {
        var (texts, others) = ([[UInt8]](), [String]())
        for action in replicator.takeActions() {
            switch action {
            case .broadcast(let text): texts.append(text)
            case .presenceWanted(let name, let isWanted): others.append("\(name) wanted \(isWanted)")
            case .presence(let report, let peer): others.append("\(report.name) \(peer.node) \(report.count)")
            default: continue
            }
        }
        return (texts, others)
    }

    private func carry(from speaker: Replicator, to listener: Replicator) -> [String] {
        for text in said(by: speaker).texts { listener.heard(text) }
        return said(by: listener).others
    }

    private func report(_ count: Int) -> PresenceReport {
        PresenceReport(
            name: name,
            clients: (0..<min(count, 64)).map {
                PresentClient(session: "s\($0)", name: "eve", section: SectionPath("a"), isPresenting: false)
            }, count: count)
    }

    private func pass(_ milliseconds: Int64) {
        for replicator in [one, two] {
            replicator.milliseconds = milliseconds
            replicator.tick(waiting: [])
        }
    }

    @Test func `who is there is told to those who ask, and to nobody else`() {
        two.tellPresence(report(3))
        #expect(said(by: two).texts.isEmpty, "nobody has asked")
        one.wantPresence([name])
        #expect(carry(from: one, to: two) == ["d wanted true"])
        two.tellPresence(report(3))
        #expect(carry(from: two, to: one) == ["d n2 3"])
        two.tellPresence(report(0))
        #expect(carry(from: two, to: one) == ["d n2 0"])
        one.wantPresence([])
        two.tellPresence(report(3))
        #expect(carry(from: two, to: one).isEmpty, "it wants to know no more")
    }

    @Test func `who is not heard of again is gone, and who does not ask again is told no more`() {
        one.wantPresence([name])
        _ = carry(from: one, to: two)
        two.tellPresence(report(3))
        _ = carry(from: two, to: one)
        pass(20_000)
        #expect(carry(from: one, to: two) == ["d wanted true"], "asked again")
        pass(49_000)
        #expect(said(by: one).others.isEmpty)
        pass(50_000)
        #expect(said(by: one).others == ["d n2 0"])
        pass(90_000)
        #expect(said(by: two).others == ["d wanted false"])
        two.tellPresence(report(3))
        #expect(said(by: two).texts.allSatisfy { !String(decoding: $0, as: UTF8.self).contains("presence") })
    }

    @Test func `a new connection asks at once`() {
        one.wantPresence([name])
        _ = said(by: one)
        one.disconnected()
        one.connected(stream: "s", first: 1, last: 0)
        #expect(carry(from: one, to: two) == ["d wanted true"])
    }

    @Test func `what is told is bounded, whoever tells it`() {
        one.wantPresence([name])
        _ = carry(from: one, to: two)
        two.tellPresence(report(1_000))
        let texts = said(by: two).texts
        #expect(texts.count == 1 && texts[0].count < 32 << 10)
        for text in ["{\"doc\":\"d\",\"clients\":5,\"count\":1}", "{\"doc\":\"\",\"count\":1}", "[]"] {
            one.heard(Array("{\"node\":\"n3\",\"instance\":\"x\",\"run\":1,\"presence\":\(text)}".utf8))
        }
        for run in 0..<1_000 {
            one.heard(
                Array(
                    "{\"node\":\"n3\",\"instance\":\"r\(run)\",\"run\":1,\"presence\":{\"doc\":\"d\",\"count\":1}}".utf8
                ))
        }
        #expect(said(by: one).others.filter { $0 == "d n3 1" }.count <= 65)
    }
}
