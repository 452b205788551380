// Why this file exists: our own client asks through the values that the daemon reads, so whatever is written must be read
// as the same.
import AccordionModel
import Bytes
import Causality
import Testing
import Wire

struct RequestRoundTripTests {
    /// Writing what was read of what was written gives the same line; and the line is one.
    private func goesRound(_ action: Request.Action, id: RequestID? = nil) -> Bool {
        let line = text(Request(id: id, action))
        guard line.last == "\n", line.dropLast().allSatisfy({ $0 != "\n" }),
            case .success(let read) = request(String(line.dropLast()))
        else { return false }
        return text(read) == line && read.id == id
    }

    private static func version(_ counters: [String: Int64]) -> VersionVector {
        VersionVector(counters.compactMap { name, counter in NodeName(name).map { .init(node: $0, counter: counter) } })
    }

    private static let names = ["provinces", "广东省", "a.b_c-9", String(repeating: "x", count: 128)].compactMap {
        DocumentName($0)
    }
    private static let paths = ["a", "广东省/深圳市", "a \"b\"/c\\d", "~", "é"].map { SectionPath($0) }
    private static let options = [
        Request.WriteOptions(), Request.WriteOptions(seen: VersionVector()),
        Request.WriteOptions(
            seen: version(["n1": 3, "n1~ab": 9_007_199_254_740_991]), isSilent: true, replicated: true),
    ]
    private static let gestures: [Gesture] =
        paths.flatMap { path in
            [
                .toggle(path, to: nil), .toggle(path, to: true), .toggle(path, to: false), .set(path, .open, true),
                .set(path, .open, false), .set(path, .done, true), .set(path, .done, false), .openAll(under: path),
                .closeAll(under: path), .level(under: path, depth: 3), .reset(under: path),
            ]
        } + [.openAll(under: .top), .closeAll(under: .top), .level(under: .top, depth: 0), .reset(under: .top)]

    @Test func `every gesture goes round, alone and in a batch`() {
        for options in Self.options {
            for name in Self.names {
                for gesture in Self.gestures { #expect(goesRound(.gesture(name, gesture, options))) }
                #expect(goesRound(.batch(name, Self.gestures, options)))
                #expect(goesRound(.batch(name, [], options)))
                #expect(goesRound(.delete(name, options)))
            }
        }
        guard
            case .success(let read) = request(
                text(Request(.batch(Self.names[0], Self.gestures, Request.WriteOptions())))),
            case .batch(_, let gestures, _) = read.action
        else { return #expect(Bool(false)) }
        #expect(gestures == Self.gestures)
    }

    @Test func `every other request goes round`() {
        for name in Self.names {
            #expect(goesRound(.get(name, section: .top)))
            #expect(goesRound(.unsubscribe(name)))
            #expect(goesRound(.present(name, true)))
            #expect(goesRound(.present(name, false)))
            #expect(goesRound(.select(name, section: nil)))
            for path in Self.paths {
                #expect(goesRound(.get(name, section: path)))
                #expect(goesRound(.select(name, section: path)))
            }
            #expect(goesRound(.subscribe(Request.Subscribe(name))))
            #expect(goesRound(.subscribe(Request.Subscribe(name, since: VersionVector(), epoch: "", presence: true))))
            #expect(
                goesRound(.subscribe(Request.Subscribe(name, since: Self.version(["a": 1, "b": 2]), epoch: "e \"x\""))))
        }
        for isOn in [true, false] { #expect(goesRound(.watchList(isOn))) }
        #expect(goesRound(.status))
        #expect(goesRound(.ping))
        #expect(goesRound(.hello(Request.Hello(name: nil))))
        #expect(goesRound(.hello(Request.Hello(name: "Zoë \"z\"", token: "t\\"))))
        #expect(goesRound(.list(prefix: "", after: nil, limit: 1_000)))
        #expect(goesRound(.list(prefix: "é", after: "\u{1F600}", limit: 1)))
    }

    @Test func `ids go round`() {
        for id: RequestID in [
            .number(0), .number(-1), .number(9_007_199_254_740_991), .number(-9_007_199_254_740_991), .text(""),
            .text("\"\\\n\u{202E}é"), .text(String(repeating: "x", count: 128)),
        ] { #expect(goesRound(.ping, id: id)) }
    }

    @Test(arguments: (0..<50).map { _ in UInt64.random(in: 0 ... .max) })
    func `documents go round in requests, ids kept`(seed: UInt64) {
        var random = SeededRandom(state: seed)
        let document = Made.document(&random)
        for isCreation in [true, false] {
            let options = Self.options.randomElement(using: &random) ?? Request.WriteOptions()
            let action: Request.Action =
                isCreation ? .create(Self.names[1], document, options) : .replace(Self.names[1], document, options)
            guard case .success(let read) = request(text(Request(action))) else {
                Issue.record("seed \(seed): \(text(Request(action)))")
                return
            }
            switch read.action {
            case .create(let name, let other, let read) where isCreation:
                #expect(name == Self.names[1] && other.isSame(as: document), "seed \(seed)")
                #expect(
                    read.seen == options.seen && read.isSilent == options.isSilent
                        && read.replicated == options.replicated)
            case .replace(let name, let other, _) where !isCreation:
                #expect(name == Self.names[1] && other.isSame(as: document), "seed \(seed)")
            default: Issue.record("seed \(seed): \(read)")
            }
        }
    }

    @Test func `names come into NFC, wherever they stand`() {
        guard case .success(let read) = request(#"{"op":"open","doc":"e\u0301","section":"e\u0301/x"}"#) else {
            return #expect(Bool(false))
        }
        #expect(text(read) == #"{"op":"open","doc":"é","section":"é/x"}"# + "\n")
    }

    @Test func `a path of more characters than any section's is no section's, and takes no time`() {
        let long = String(repeating: "\u{301}", count: 100_000) + String(repeating: "\u{323}", count: 100_000)
        guard case .success(let read) = request(#"{"op":"get","doc":"d","section":"\#(long)"}"#),
            case .get(_, let section) = read.action
        else { return #expect(Bool(false)) }
        #expect(section.text.utf8.count <= 512)
        let longest = Array(repeating: String(repeating: "é", count: 64), count: 16).joined(separator: "/")
        guard case .success(let other) = request(#"{"op":"get","doc":"d","section":"\#(longest)"}"#),
            case .get(_, let section) = other.action
        else { return #expect(Bool(false)) }
        #expect(section == SectionPath(longest))
    }
}

struct BatchTests {
    private let open = #"{"op":"open","section":"a"}"#

    private func batch(_ ops: String) -> String { #"{"op":"batch","doc":"d","ops":\#(ops)}"# }

    private func count(_ ops: String) -> Int? {
        guard case .success(let read) = request(batch(ops)), case .batch(_, let gestures, _) = read.action else {
            return nil
        }
        return gestures.count
    }

    @Test func `a thousand operations are taken and not one more`() {
        for (number, expected) in [(999, 999), (1_000, 1_000), (1_001, nil)] as [(Int, Int?)] {
            #expect(count("[" + Array(repeating: open, count: number).joined(separator: ",") + "]") == expected)
        }
        #expect(code(batch("[" + Array(repeating: open, count: 1_001).joined(separator: ",") + "]")) == .tooLarge)
    }

    @Test func `a batch within counts as one, so that empty ones are bounded too`() {
        func nested(_ number: Int) -> String {
            #"{"op":"batch","ops":["# + Array(repeating: open, count: number).joined(separator: ",") + "]}"
        }
        #expect(count("[\(nested(400)),\(nested(400)),\(nested(197))]") == 997)
        #expect(count("[\(nested(400)),\(nested(400)),\(nested(198))]") == nil)
        let empty = Array(repeating: #"{"op":"batch","ops":[]}"#, count: 43_000).joined(separator: ",")
        #expect(batch("[\(empty)]").utf8.count > 1_000_000)
        #expect(code(batch("[\(empty)]")) == .tooLarge)
    }

    @Test func `batches nest as deep as a line may`() {
        func deep(_ levels: Int) -> String {
            String(repeating: #"[{"op":"batch","ops":"#, count: levels) + "[\(open)]"
                + String(repeating: "}]", count: levels)
        }
        // The line is one level, each batch two, the last list and its operation two.
        #expect(count(deep(18)) == 1)
        #expect(code(batch(deep(19))) == .tooDeep)
    }

    @Test func `operations keep their order through nesting`() {
        func set(_ name: String) -> String { #"{"op":"open","section":"\#(name)"}"# }
        let ops =
            #"[\#(set("1")),{"op":"batch","ops":[\#(set("2")),{"op":"batch","ops":[\#(set("3"))]},\#(set("4"))]},\#(set("5"))]"#
        guard case .success(let read) = request(batch(ops)), case .batch(_, let gestures, _) = read.action else {
            return #expect(Bool(false))
        }
        #expect(gestures == ["1", "2", "3", "4", "5"].map { .set(SectionPath($0), .open, true) })
    }
}
