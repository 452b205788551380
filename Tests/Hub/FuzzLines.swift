// Why this file exists: lines for clients that nobody can vouch for: right ones, nearly right ones, and damaged ones. What a
// right one means is known, so that its reply can be held against it.
import TestSupport

enum FuzzLine {
    static let documents = ["one", "two", "new"]

    private static func path(_ random: inout SplitMix) -> String {
        random.pick(["a", "a/a1", "b", "r", "t", "d", "none", ""])
    }

    private static func content(_ random: inout SplitMix) -> String {
        let sections = [
            #"{"id":"a","title":"A","mode":"single","content":[{"id":"a1","title":"A1","content":["text"]}]}"#,
            #"{"id":"b","title":"B","content":[],"open":true}"#, #"{"id":"r","title":"R"}"#,
            #"{"id":"t","title":"T","task":false}"#, #"{"id":"d","title":"D","content":[],"locked":true}"#,
            #"{"code":"x","language":"sh"}"#, #""é""#,
        ]
        let chosen = sections.filter { _ in !random.once(in: 4) }
        return
            #""title":"T\#(random.below(3))","mode":"\#(random.pick(["multiple", "single"]))","content":[\#(chosen.joined(separator: ","))]"#
    }

    /// Members of a right request, without braces and id. None subscribes with `since`.
    static func right(_ random: inout SplitMix) -> String {
        let start = #""doc":"\#(random.pick(documents))""#
        switch random.below(24) {
        case 0...7:
            let op = random.pick(["toggle", "open", "close", "check", "uncheck"])
            return #""op":"\#(op)",\#(start),"section":"\#(path(&random))","seen":{"n1":\#(random.below(50))}"#
        case 8:
            return #""op":"\#(random.pick(["open_all", "close_all", "reset"]))",\#(start),"under":"\#(path(&random))""#
        case 9: return #""op":"level",\#(start),"depth":\#(random.below(4))"#
        case 10:
            let inner =
                #"{"op":"check","section":"t"},{"op":"batch","ops":[{"op":"toggle","section":"\#(path(&random))"}]}"#
            return #""op":"batch",\#(start),"ops":[\#(inner)]"#
        case 11, 12: return #""op":"create",\#(start),\#(content(&random))"#
        case 13: return #""op":"replace",\#(start),\#(content(&random))"#
        case 14: return random.once(in: 3) ? #""op":"delete",\#(start)"# : #""op":"ping""#
        case 15: return #""op":"get",\#(start),"section":"\#(path(&random))""#
        case 16, 17: return #""op":"subscribe",\#(start),"presence":\#(random.once(in: 2))"#
        case 18: return #""op":"unsubscribe",\#(start)"#
        case 19: return #""op":"watch_list","on":\#(random.once(in: 2))"#
        case 20: return #""op":"select",\#(start),"section":\#(random.once(in: 2) ? "null" : #""\#(path(&random))""#)"#
        case 21: return #""op":"present",\#(start),"on":\#(random.once(in: 2))"#
        case 22:
            return random.pick([#""op":"status""#, #""op":"list","limit":2,"after":"a""#, #""op":"hello","name":"z""#])
        default: return #""op":"\#(random.pick(["undo", "redo", "history"]))",\#(start)"#
        }
    }

    private static let snippets = [
        "null", "1e300", "-1", "9223372036854775808", "\"\"", "{}", "[]", "[[[[", "}}", "\\u0000", "\\ud800", "\"op\":",
        "\0", "\n", "\r\n", "\u{FEFF}", "\"doc\":\"one\",", "1.5", "true", "\"ack\":\"none\",", "\"id\":[],",
        "\"id\":7,",
        "\u{202E}", String(repeating: "[", count: 60), String(repeating: "9", count: 400),
        String(repeating: "x", count: 700),
    ]

    /// The line with something taken out, put in, turned or doubled.
    static func damaged(_ line: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        var bytes = line
        for _ in 0...random.below(3) where !bytes.isEmpty {
            let place = random.below(bytes.count)
            switch random.below(6) {
            case 0: bytes.remove(at: place)
            case 1: bytes[place] = UInt8(random.below(256))
            case 2: bytes.insert(contentsOf: random.pick(snippets).utf8, at: place)
            case 3: bytes.removeSubrange(place..<min(bytes.count, place + random.below(20)))
            case 4:
                let copied = bytes[place..<min(bytes.count, place + random.below(30))]
                bytes.insert(contentsOf: copied, at: random.below(bytes.count + 1))
            default:
                let end = bytes[place...].firstIndex { ",}]".utf8.contains($0) } ?? bytes.count
                bytes.replaceSubrange(place..<end, with: random.pick(snippets).utf8)
            }
        }
        return bytes
    }

    /// Something that is no request at all.
    static func noise(_ random: inout SplitMix) -> [UInt8] {
        switch random.below(5) {
        case 0: return []
        case 1: return Array("  \t".utf8)
        case 2: return Array(random.pick(["GET / HTTP/1.1", "Host: x", "[]", "{", "x"]).utf8)
        case 3: return (0..<random.below(900)).map { _ in UInt8(random.below(256)) }
        default: return Array(repeating: UInt8(ascii: "{"), count: random.below(100))
        }
    }
}
