// Why this file exists: what daemons tell each other beside the stream makes good what the stream has lost.

import AccordionModel
import Causality
import Replication
import Testing
import Wire

@Suite struct ExchangeTests {
    private let name: DocumentName
    private var one: Replicator
    private var two: Replicator
    private let state: SharedState

    init() throws {
        name = try #require(DocumentName("d"))
        func make(_ node: String) throws -> Replicator {
            var settings = ReplicationSettings(
                peer: Peer(node: try #require(NodeName(node)), instance: "\(node).1", run: 1))
            settings.messageBytesMax = 100
            return Replicator(settings, ReplicationStart(), milliseconds: 0)
        }
        one = try make("n1")
        two = try make("n2")
        var state = SharedState()
        let text = #"{"title":"T","content":[{"title":"a","content":[]}]}"#
        let document = try DocumentFile(reading: Array(text.utf8).span).document
        let node = try #require(NodeName("n1"))
        let writer = Writer(node: node, milliseconds: 1, by: "x", session: 1, seen: nil)
        _ = state.applyOwn(try state.create(document, writer))
        self.state = state
    }

    /// Carries what both say to the other until neither says more; states are read from `state` and joined states returned.
    private func talk(loses: (ReplicationAction) -> Bool = { _ in false }) -> [(at: String, VersionVector)] {
        var joined: [(at: String, VersionVector)] = []
        for _ in 0..<20 {
            var isQuiet = true
            for (speaker, listener) in [(one, two), (two, one)] {
                for action in speaker.takeActions() where !loses(action) {
                    switch action {
                    case .broadcast(let text), .send(let text, _): listener.heard(text)
                    case .sendPart(let text, _): listener.heardPart(text)
                    case .readState(let name, let peer, let version):
                        speaker.tell(name, state, to: peer, since: version)
                    case .join(_, let state): joined.append(("\(speaker.settings.peer.node)", state.version))
                    default: continue
                    }
                    isQuiet = false
                }
            }
            if isQuiet { break }
        }
        return joined
    }

    private func pass(_ milliseconds: Int64) {
        for replicator in [one, two] {
            replicator.milliseconds = milliseconds
            replicator.tick(waiting: [])
        }
    }

    @Test func `one that lacks what another has asks for its whole state, in parts`() {
        one.learn(name, state.version)
        one.connected(stream: "s", first: 1, last: 0)
        two.connected(stream: "s", first: 1, last: 0)
        #expect(talk().isEmpty, "the stream may bring it yet")
        pass(6_000)
        let joined = talk()
        #expect(joined.count == 1 && joined[0].at == "n2" && joined[0].1 == state.version)
    }

    @Test func `one that comes later need not wait for the next word of the others`() {
        one.learn(name, state.version)
        one.connected(stream: "s", first: 1, last: 0)
        // Said before the other was there.
        _ = one.takeActions()
        two.connected(stream: "s", first: 1, last: 0)
        #expect(talk().isEmpty)
        pass(3_000)
        #expect(talk().map(\.at) == ["n2"])
    }

    @Test func `two that differ tell each other what they have now and then, not without end`() {
        one.learn(name, state.version)
        for replicator in [one, two] { replicator.connected(stream: "s", first: 1, last: 0) }
        var told = 0
        _ = talk { action in
            if case .send(let text, _) = action, String(decoding: text, as: UTF8.self).contains("here") { told += 1 }
            return false
        }
        #expect((1...2).contains(told))
    }

    @Test func `two that have the same ask for nothing`() {
        for replicator in [one, two] {
            replicator.learn(name, state.version)
            replicator.connected(stream: "s", first: 1, last: 0)
        }
        _ = talk()
        pass(31_000)
        var asked = 0
        let joined = talk { action in
            if case .send = action { asked += 1 }
            return false
        }
        #expect(joined.isEmpty && asked == 0)
    }

    @Test func `what was lost on its way is asked for again`() {
        one.learn(name, state.version)
        one.connected(stream: "s", first: 1, last: 0)
        two.connected(stream: "s", first: 1, last: 0)
        _ = talk()
        pass(6_000)
        var lost = 0
        let first = talk { action in
            guard case .sendPart = action, lost == 0 else { return false }
            lost += 1
            return true
        }
        #expect(first.isEmpty && lost == 1)
        pass(17_000)
        #expect(talk().count == 1)
    }

    @Test func `for a document of which operations wait everybody is asked who has more`() {
        two.connected(stream: "s", first: 1, last: 0)
        one.learn(name, state.version)
        _ = two.takeActions()
        two.tick(waiting: [name])
        two.milliseconds = 11_000
        two.tick(waiting: [name])
        _ = talk { action in
            // Its half-minute's word would find it too.
            if case .broadcast(let text) = action { return String(decoding: text, as: UTF8.self).contains("here") }
            return false
        }
        two.milliseconds = 17_000
        two.tick(waiting: [name])
        #expect(talk().map(\.at) == ["n2"])
    }
}
