// Why this file exists: what comes from a broker is not trusted: anything at all must be refused without stopping the daemon,
// and must not keep what comes behind it from being read.

import AccordionModel
import Causality
import Replication
import TestSupport
import Testing
import Wire

@Suite struct HostileTests {
    private func replicator() throws -> Replicator {
        let peer = Peer(node: try #require(NodeName("n1")), instance: "n1.1", run: 1)
        let replicator = Replicator(ReplicationSettings(peer: peer), ReplicationStart(), milliseconds: 0)
        replicator.connected(stream: "s", first: 1, last: 1_000_000)
        _ = replicator.takeActions()
        return replicator
    }

    private static let good =
        #"{"doc":"d","node":"n2","counter":1,"instance":"i","part":1,"parts":1}"# + "\n"
        + #"{"doc":"d","node":"n2","counter":1,"at":[5,0],"by":"x","flags":[{"born":1,"section":"a","field":"open","value":"on","replaces":[["n3",4]]}]}"#

    private static let bad: [String] = [
        "", "\n", "{}", "{}\n{}", "null\nnull", "[1]\n", #"{"doc":"d"}"# + "\n{}",
        good.replacing(#""counter":1"#, with: #""counter":0"#), good.replacing(#""counter":1"#, with: #""counter":-1"#),
        good.replacing(#""counter":1"#, with: #""counter":9223372036854775807"#),
        good.replacing(#""counter":1"#, with: #""counter":1e300"#), good.replacing(#""part":1"#, with: #""part":2"#),
        good.replacing(#""parts":1"#, with: #""parts":1000000000"#), good.replacing(#""parts":1"#, with: #""parts":0"#),
        good.replacing("n2", with: "N2"), good.replacing(#""doc":"d""#, with: #""doc":"../x""#),
        good.replacing(#""instance":"i""#, with: #""instance":7"#), good.replacing("[5,0]", with: "[5]"),
        good.replacing("[5,0]", with: "[5,-1]"), good.replacing(#""born":1"#, with: #""born":0"#),
        good.replacing(#""field":"open""#, with: #""field":"x""#),
        good.replacing(#""value":"on""#, with: #""value":true"#),
        good.replacing(#"[["n3",4]]"#, with: #"[["n3"]]"#), good.replacing(#"[["n3",4]]"#, with: #"["n3",4]"#),
        good.replacing(#"[["n3",4]]"#, with: #"[["n3",-4]]"#),
        good.replacing(#""section":"a""#, with: #""section":"""#),
        String(good.dropLast()), good + "}", String(repeating: "[", count: 100_000),
    ]

    @Test func `a message that nobody understands is set aside, and those behind it are read`() throws {
        for text in Self.bad {
            let replicator = try replicator()
            replicator.arrived(Array(text.utf8), sequence: 1)
            replicator.arrived(Array(Self.good.utf8), sequence: 2)
            let merged = replicator.takeActions().contains { if case .merge = $0 { true } else { false } }
            #expect(merged, "\(text.prefix(100))")
            #expect(replicator.nextSequence == 3)
            #expect(replicator.record([], settled: [2]).cursor?.sequence == 2, "\(text.prefix(100))")
        }
    }

    @Test func `random bytes and broken messages never stop it, in any of its doors`() throws {
        let seed = freshSeed()
        var random = SplitMix(seed: seed)
        let replicator = try replicator()
        let here =
            #"{"node":"n2","instance":"i","run":1,"here":[\#(Array(repeating: "7", count: 256).joined(separator: ","))]}"#
        let seeds = [
            Self.good, here, #"{"node":"n2","instance":"i","run":1,"list":3}"#,
            #"{"node":"n2","instance":"i","run":1,"want":{"doc":"d","version":{"n1":3}}}"#,
            #"{"node":"n2","instance":"i","run":1,"versions":[{"doc":"d","version":{"n1":3}}]}"#,
            #"{"doc":"d","node":"n2","counter":1,"instance":"i","part":1,"parts":1}"# + "\n"
                + #"{"doc":"d","version":{"n1":3},"clock":[1,0],"content":[],"flags":[]}"#,
        ].map { Array($0.utf8) }
        for round in 0..<20_000 {
            var bytes = random.pick(seeds)
            for _ in 0..<random.below(4) {
                let place = random.below(max(1, bytes.count))
                switch random.below(4) {
                case 0 where place < bytes.count: bytes[place] = UInt8(random.below(256))
                case 1 where place < bytes.count:
                    bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(20)))
                case 2:
                    bytes.insert(contentsOf: random.pick(seeds).prefix(random.below(60)), at: min(place, bytes.count))
                default: bytes = Array(bytes.prefix(place))
                }
            }
            switch random.below(3) {
            case 0: replicator.arrived(bytes, sequence: replicator.nextSequence)
            case 1: replicator.heard(bytes)
            default: replicator.heardPart(bytes)
            }
            if round % 100 == 0 { _ = replicator.takeActions() }
        }
        #expect(replicator.nextSequence > 1_000, "seed \(seed)")
    }

    @Test func `parts that never become whole are bounded, and give way to those that come later`() throws {
        let peer = Peer(node: try #require(NodeName("n1")), instance: "n1.1", run: 1)
        var settings = ReplicationSettings(peer: peer)
        settings.fragmentBytesMax = 10_000
        let replicator = Replicator(settings, ReplicationStart(), milliseconds: 0)
        replicator.connected(stream: "s", first: 1, last: 1_000)
        let body = String(repeating: "x", count: 1_000)
        for counter in 1...100 {
            let header = #"{"doc":"d","node":"n2","counter":\#(counter),"instance":"i","part":1,"parts":2}"#
            replicator.arrived(Array((header + "\n" + body).utf8), sequence: UInt64(counter))
        }
        let cursor = replicator.record([], settled: []).cursor
        #expect(cursor?.sequence ?? 0 >= 89, "the first ones were given up: \(String(describing: cursor))")
        let asks = replicator.takeActions().filter { if case .broadcast = $0 { true } else { false } }
        #expect(asks.count >= 89, "and what they were is asked for")
    }
}
