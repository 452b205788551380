// Why this file exists: inputs that are well-formed and wrong in what they say: too deep, said twice, numbers beyond all
// bounds, more than anybody needs.

extension HostileInput {
    private static let deepCount = 100_000

    static var deep: [HostileInput] {
        func repeated(_ text: String) -> String { String(repeating: text, count: deepCount) }
        let heads = [
            ("an unknown member", "{\"op\":\"ping\",\"x\":"), ("a known member", "{\"op\":"),
            ("content", "{\"op\":\"create\",\"doc\":\"deep\",\"content\":"),
            ("seen", "{\"op\":\"delete\",\"doc\":\"d\",\"seen\":"),
            ("an id", "{\"op\":\"ping\",\"id\":"), ("operations", "{\"op\":\"batch\",\"doc\":\"d\",\"ops\":"),
            ("nothing", ""),
        ]
        return heads.flatMap { name, head in
            [
                HostileInput("lists too deep in \(name)", head + repeated("["), .refusal("too_deep")),
                HostileInput("objects too deep in \(name)", head + repeated("{\"a\":"), .refusal("too_deep")),
                HostileInput(
                    "closed lists too deep in \(name)",
                    head + repeated("[") + repeated("]") + (head.isEmpty ? "" : "}"),
                    .refusal("too_deep")),
            ]
        } + [
            HostileInput(
                "sections too deep",
                "{\"op\":\"create\",\"doc\":\"deep\",\"content\":"
                    + String(repeating: "[{\"title\":\"a\",\"content\":", count: 17)
                    + "[]" + String(repeating: "}]", count: 17) + "}", .refusal("too_large")),
            HostileInput(
                "batches too deep",
                "{\"op\":\"batch\",\"doc\":\"hostile\",\"ops\":"
                    + String(repeating: "[{\"op\":\"batch\",\"ops\":", count: 30) + "[]"
                    + String(repeating: "}]", count: 30) + "}", .refusal("too_deep")),
            HostileInput(
                "brackets closed that were not open", "{\"op\":\"ping\"" + repeated("}"), .refusal("bad_json")),
        ]
    }

    static var repeatedNames: [HostileInput] {
        let nested = (0...37).map { depth in
            HostileInput(
                "a name twice at depth \(depth + 2)",
                "{\"op\":\"ping\",\"x\":" + String(repeating: "{\"a\":", count: depth) + "{\"b\":1,\"b\":2}"
                    + String(repeating: "}", count: depth) + "}", .refusal("bad_request"))
        }
        let known = [
            #"{"op":"ping","op":"ping"}"#, #"{"op":"ping","\u006fp":"delete"}"#, #"{"id":1,"op":"ping","id":2}"#,
            #"{"op":"delete","doc":"a","doc":"b"}"#, #"{"op":"delete","doc":"hostile","seen":{"n1":1,"n1":2}}"#,
            #"{"op":"create","doc":"x","content":[{"title":"a","title":"b"}]}"#,
            #"{"op":"create","doc":"x","content":[{"title":"a","content":[{"title":"b","open":true,"op\u0065n":false}]}]}"#,
            #"{"op":"batch","doc":"hostile","ops":[{"op":"open","section":"a","section":"b"}]}"#,
            #"{"op":"batch","doc":"hostile","ops":[{"op":"batch","ops":[],"ops":[]}]}"#, #"{"op":"ping","":1,"":2}"#,
            #"{"op":"ping","x":[1,[{"é":1,"\u00e9":2}]]}"#, #"{"op":"ping","x":{"😀":1,"\ud83d\ude00":2}}"#,
        ]
        return nested + known.map { HostileInput("a name twice: \($0)", $0, .refusal("bad_request")) }
    }

    // MARK: - Numbers

    /// Requests with a whole number at `@` that counts, from 0 or from 1.
    private static let countedRequests: [String] =
        [
            #"{"op":"list","limit":@}"#, #"{"op":"history","doc":"hostile","limit":@}"#,
            #"{"op":"history","doc":"hostile","before":@}"#, #"{"op":"level","doc":"hostile","depth":@}"#,
            #"{"op":"hello","protocol":@}"#, #"{"op":"subscribe","doc":"hostile","since":{"n1":@}}"#,
            #"{"op":"batch","doc":"hostile","ops":[{"op":"level","depth":@}]}"#,
            #"{"op":"batch","doc":"hostile","ops":[{"op":"open","section":"a"}],"seen":{"n1":@}}"#,
            #"{"op":"replace","doc":"hostile","content":[],"seen":{"n1":@}}"#,
            #"{"op":"create","doc":"never","content":[],"seen":{"n1":@}}"#,
            #"{"op":"delete","doc":"hostile","seen":{"n1":@}}"#,
        ] + gestures.map { "{\"op\":\"\($0)\",\"doc\":\"hostile\",\"section\":\"a\",\"depth\":1,\"seen\":{\"n1\":@}}" }

    private static let gestures = [
        "toggle", "open", "close", "check", "uncheck", "open_all", "close_all", "level", "reset",
    ]

    /// Every operation with a number for its `id`.
    private static let numberedRequests: [String] =
        gestures.map { "{\"id\":@,\"op\":\"\($0)\",\"doc\":\"hostile\",\"section\":\"a\",\"depth\":1}" }
        + [
            "hello", "ping", "list", "get", "subscribe", "unsubscribe", "watch_list", "batch", "select", "present",
            "create",
            "replace", "delete", "history", "undo", "redo", "status", "nonsense",
        ].map {
            "{\"id\":@,\"op\":\"\($0)\",\"doc\":\"hostile\",\"section\":\"a\",\"on\":true,\"ops\":[],\"content\":[]}"
        }

    private static let impossible = [
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
        "18446744073709551615", "18446744073709551616", "9007199254740992", "-9007199254740992", "1e300", "-1e300",
        "1e400", "1E2", "1.0", "0.5", "1e-400", String(repeating: "9", count: 4_000), "[1]", "{}", "true",
    ]

    static var numbers: [HostileInput] {
        func inputs(_ requests: [String], _ values: [String]) -> [HostileInput] {
            requests.flatMap { request in
                values.map { value in
                    let parts = request.split(separator: "@", omittingEmptySubsequences: false)
                    return HostileInput(
                        "\(value.prefix(24)) in \(request)", parts.joined(separator: value), .refusal("bad_request"))
                }
            }
        }
        let unknown = impossible.filter { $0.utf8.count < 40 }.map {
            HostileInput("\($0) in a member nobody knows", "{\"op\":\"ping\",\"x\":\($0)}", .success)
        }
        let smallIds = ["-1", "0", "9007199254740991", "-9007199254740991"].map {
            HostileInput("\($0) as an id", "{\"id\":\($0),\"op\":\"ping\"}", .success)
        }
        // `hello` says which versions it speaks: a whole number that is none of them has a code of its own.
        let counted = countedRequests.filter { !$0.contains("hello") }
        let versions = ["-1", "0", "2", "9007199254740991"].map {
            HostileInput(
                "\($0) as a version", "{\"op\":\"hello\",\"protocol\":\($0)}", .refusal("unsupported_protocol"))
        }
        return inputs(countedRequests, impossible) + inputs(counted, ["-1", "-9007199254740991"])
            + inputs(numberedRequests, impossible) + unknown + smallIds + versions
    }

    // MARK: - Size

    static var large: [HostileInput] {
        func joined(_ count: Int, _ item: (Int) -> String) -> String { (0..<count).map(item).joined(separator: ",") }
        func filled(_ head: String, bytes: Int) -> [UInt8] {
            Array(head.utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: max(0, bytes - head.utf8.count - 2))
                + Array("\"}".utf8)
        }
        let create = "{\"op\":\"create\",\"doc\":\"large\",\"x\":\""
        return [
            HostileInput(
                "60,000 names", "{\"op\":\"ping\",\(joined(60_000) { "\"n\($0)\":1" })}", .success),
            HostileInput("500,000 numbers", "{\"op\":\"ping\",\"x\":[\(joined(500_000) { _ in "1" })]}", .success),
            HostileInput(
                "250,000 lists", "{\"op\":\"ping\",\"x\":[\(joined(250_000) { _ in "[]" })]}", .success),
            HostileInput(
                "170,000 escapes", "{\"op\":\"ping\",\"x\":\"" + String(repeating: "\\u0041", count: 170_000) + "\"}",
                .success),
            HostileInput(
                "a number of a million digits",
                "{\"op\":\"ping\",\"x\":" + String(repeating: "7", count: 1_000_000) + "}",
                .success),
            HostileInput(
                "257 daemons", "{\"op\":\"delete\",\"doc\":\"hostile\",\"seen\":{\(joined(257) { "\"n\($0)\":1" })}}",
                .refusal("bad_request")),
            HostileInput(
                "1,001 operations",
                "{\"op\":\"batch\",\"doc\":\"hostile\",\"ops\":[\(joined(1_001) { _ in "{\"op\":\"open\",\"section\":\"a\"}" })]}",
                .refusal("too_large")),
            HostileInput(
                "a path of a million bytes",
                "{\"op\":\"open\",\"doc\":\"hostile\",\"section\":\"" + String(repeating: "a/", count: 500_000) + "\"}",
                .refusal("unknown_section")),
            HostileInput(
                "300,000 combining marks",
                "{\"op\":\"open\",\"doc\":\"hostile\",\"section\":\"a"
                    + String(repeating: "\u{301}\u{323}", count: 150_000)
                    + "\"}", .refusal("unknown_section")),
            HostileInput(
                "a document's name of a million bytes",
                "{\"op\":\"get\",\"doc\":\"" + String(repeating: "d", count: 1_000_000) + "\"}", .refusal("bad_request")
            ),
            HostileInput("a line of 1 MiB", line: filled("{\"op\":\"ping\",\"x\":\"", bytes: 1 << 20), .success),
            HostileInput(
                "a line of 1 MiB and a byte", line: filled("{\"op\":\"ping\",\"x\":\"", bytes: (1 << 20) + 1),
                .refusal("line_too_long")),
            HostileInput("a document of 17 MiB", line: filled(create, bytes: 17 << 20), .refusal("line_too_long")),
        ]
    }
}
