// Why this file exists: no line can stop the daemon or harm a neighbour. Lines that were valid are damaged at random, and
// bytes that never were valid are sent; a neighbour is served all the while, and nothing is applied that is not whole.
import AccordionModel
import Bytes
import Hub
import TestSupport
import Testing
import Wire

private let valid = [
    Lines.tour, Lines.rows, #"{"op":"hello","name":"x","protocol":1,"token":"t"}"#, #"{"op":"ping","id":12}"#,
    #"{"op":"list","prefix":"t","after":"a","limit":5}"#, #"{"op":"get","doc":"tour","section":"a/a1"}"#,
    #"{"op":"subscribe","doc":"tour","since":{"n1":1},"epoch":"e1","presence":true}"#,
    #"{"op":"unsubscribe","doc":"tour"}"#,
    #"{"op":"watch_list","on":true}"#,
    #"{"op":"toggle","doc":"tour","section":"a","to":true,"seen":{"n1":3},"ack":"none"}"#,
    #"{"op":"level","doc":"tour","under":"a","depth":2}"#, #"{"op":"open","doc":"rows","section":"x","seen":{}}"#,
    #"{"op":"batch","doc":"tour","ops":[{"op":"open","section":"a"},{"op":"batch","ops":[{"op":"reset","under":""}]}]}"#,
    #"{"op":"select","doc":"tour","section":null}"#, #"{"op":"present","doc":"tour","on":true}"#,
    #"{"op":"replace","doc":"rows","content":["é",{"code":"x","language":"sh"},{"title":"\u4e2d","tint":"red"}]}"#,
    #"{"op":"delete","doc":"rows"}"#, #"{"op":"check","doc":"tour","section":"t"}"#,
    #"{"op":"close_all","doc":"tour"}"#,
]

private let snippets = [
    "null", "1e300", "-1", "9223372036854775807", "\"\"", "{}", "[]", "[[[[", "}}}}", "\\u0000", "\\ud800", "\"op\":",
    "\0", "\n", "\r\n",
    "\u{FEFF}", "\"doc\":\"tour\",", "1.5", "true", String(repeating: "[", count: 60),
    String(repeating: "9", count: 400),
]

private func damaged(_ random: inout SplitMix) -> [UInt8] {
    var bytes = Array(random.pick(valid).utf8)
    for _ in 0...random.below(4) {
        let place = random.below(bytes.count + 1)
        switch random.below(7) {
        case 0 where place < bytes.count: bytes.remove(at: place)
        case 1 where place < bytes.count: bytes[place] = UInt8(random.below(256))
        case 2: bytes.insert(contentsOf: random.pick(snippets).utf8, at: place)
        case 3: bytes.removeSubrange(place..<min(bytes.count, place + random.below(20)))
        case 4:
            bytes.insert(
                contentsOf: bytes[place..<min(bytes.count, place + random.below(30))], at: random.below(bytes.count + 1)
            )
        case 5:
            let other = Array(random.pick(valid).utf8)
            bytes = Array(bytes[..<place]) + other[random.below(other.count)...]
        default:
            // Where a value was, another.
            guard let colon = bytes.indices.filter({ bytes[$0] == UInt8(ascii: ":") }).randomElement(using: &random)
            else { break }
            let end =
                bytes[(colon + 1)...].firstIndex { [UInt8(ascii: ","), UInt8(ascii: "}")].contains($0) } ?? bytes.count
            bytes.replaceSubrange((colon + 1)..<end, with: random.pick(snippets).utf8)
        }
        if bytes.isEmpty { break }
    }
    return bytes + [0x0A]
}

struct HostileTests {
    @Test(arguments: (0..<20).map { _ in freshSeed() })
    func `damaged lines and noise neither stop the daemon nor harm a neighbour`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let test = TestHub {
            $0.lineBytesMax = 500
            $0.documentBytesMax = 2_000
            $0.documentLinesBytesMax = 3_000
            $0.queuedReplyBytesMax = 2_000
            $0.queuedEventBytesMax = 2_000
            $0.turnBytesMax = 5_000
        }
        let neighbour = test.connect("neighbour")
        neighbour.ask(#"{"op":"create","doc":"own","content":[{"id":"s","title":"S","content":[]}]}"#)
        neighbour.ask(#"{"op":"subscribe","doc":"own"}"#)
        var hostile = (0..<4).map { _ in test.connect("h", random.pick([.viewer, .toggler, .editor])) }
        _ = neighbour.take()
        for round in 0..<500 {
            let place = random.below(hostile.count)
            if hostile[place].session.isEnding || random.once(in: 50) {
                if random.once(in: 2) { hostile[place].end() }
                test.disconnect(hostile[place])
                hostile[place] = test.connect("h", random.pick([.viewer, .toggler, .editor]))
            }
            hostile[place].readBytesMax = random.pick([0, 10, .max])
            let bytes =
                random.once(in: 5) ? (0..<random.below(900)).map { _ in UInt8(random.below(256)) } : damaged(&random)
            var start = 0
            while start < bytes.count {
                let end = random.once(in: 2) ? bytes.count : min(bytes.count, start + 1 + random.below(60))
                hostile[place].send(Array(bytes[start..<end]))
                start = end
            }
            if random.once(in: 3) { test.hub.tellPresence() }
            if random.once(in: 3) { test.settle() }
            test.milliseconds += 400
            if round % 50 == 0 {
                let lines = neighbour.ask(#"{"op":"toggle","doc":"own","section":"s"}"#)
                #expect(kinds(lines) == ["changed", "ok"], "seed \(seed), round \(round)")
            }
        }
        for client in hostile {
            client.drain()
            // Whatever was sent, what is answered can be read.
            #expect(
                kinds(client.take()).allSatisfy { !$0.hasPrefix("unreadable") && !$0.hasPrefix("other") },
                "seed \(seed)")
        }
    }

    @Test func `the worst numbers, lengths and depths are refused or ignored`() {
        let client = TestHub().connect()
        client.ask(Lines.tour)
        let huge = String(repeating: "9", count: 100_000)
        for line in [
            #"{"op":"level","doc":"tour","depth":\#(huge)}"#, #"{"op":"list","limit":\#(huge)}"#,
            #"{"op":"ping","id":\#(huge)}"#,
            #"{"op":"open","doc":"tour","section":"a","seen":{"n1":\#(huge)}}"#, #"{"op":"ping","id":1e\#(huge)}"#,
        ] { #expect(kinds(client.ask(line)) == ["bad_request"]) }
        let batches = "[" + Array(repeating: #"{"op":"batch","ops":[]}"#, count: 40_000).joined(separator: ",") + "]"
        #expect(kinds(client.ask(#"{"op":"batch","doc":"tour","ops":\#(batches)}"#)) == ["too_large"])
        let members = (0..<50_000).map { #""m\#($0)":0"# }.joined(separator: ",")
        #expect(kinds(client.ask(#"{\#(members),"op":"ping"}"#)) == ["ok"])
        #expect(kinds(client.ask(#"{"op":"open","doc":"tour","section":"a","seen":{\#(members)}}"#)) == ["bad_request"])
        let blocks = Array(repeating: #""""#, count: 200_000).joined(separator: ",")
        #expect(kinds(client.ask(#"{"op":"create","doc":"blocks","content":[\#(blocks)]}"#)) == ["ok"])
        let sections = Array(repeating: #"{"title":""}"#, count: 50_000).joined(separator: ",")
        #expect(kinds(client.ask(#"{"op":"create","doc":"same","content":[\#(sections)]}"#)) == ["ok"])
    }
}
