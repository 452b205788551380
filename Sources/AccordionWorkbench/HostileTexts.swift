// Why this file exists: inputs that are wrong as text: another protocol, no object, no UTF-8, or cut where it hurts.

extension HostileInput {
    static var otherProtocols: [HostileInput] {
        let requests = [
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "get /x HTTP/1.0\r\n\r\n", "HEAD / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 14\r\n\r\n{\"op\":\"ping\"}\n",
            "OPTIONS * HTTP/1.1\r\nOrigin: https://a.example\r\n\r\n", "CONNECT a.example:443 HTTP/1.1\r\n\r\n",
            "Host: localhost\r\n{\"op\":\"ping\"}\r\n",
        ]
        let web = requests.map { text in
            HostileInput("HTTP \(text.prefix { $0 != " " })", parts: [Array(text.utf8)], [], .closed)
        }
        let longLine = "GET /" + String(repeating: "a", count: 2 << 20) + " HTTP/1.1\r\n"
        return web + [
            HostileInput("HTTP with a line of 2 MiB", parts: [Array(longLine.utf8)], [], .closed),
            HostileInput(
                "HTTP/2", parts: [Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)],
                [.refusal("bad_json"), .refusal("bad_json")]),
            HostileInput("a TLS ClientHello", parts: [clientHello], [], .unfinished),
            HostileInput("a TLS ClientHello that holds an LF", line: clientHello, .refusal("bad_utf8")),
            HostileInput("SSH", "SSH-2.0-OpenSSH_9.2p1", .refusal("bad_json")),
        ]
    }

    /// A record of a handshake of TLS 1.2 with a random of rising bytes, without the byte of LF.
    private static var clientHello: [UInt8] {
        let random = (0..<32).map { UInt8(0x80 + $0) }
        let body: [UInt8] = [3, 3] + random + [0, 0, 4, 0xC0, 0x2F, 0xC0, 0x30, 1, 0, 0, 0]
        let length = UInt8(body.count)
        return [0x16, 3, 1, 0, length + 4, 1, 0, 0, length] + body
    }

    static var noObjects: [HostileInput] {
        let texts = [
            "null", "true", "false", "0", "-1", "1e300", "\"\"", "\"op\"", "[]", "[[]]", "[{\"op\":\"ping\"}]", "{",
            "}",
            "{]", "[}", "{}{}", "{\"op\":\"ping\"}{", "{\"op\":\"ping\"},", "{\"op\":\"ping\",}", "{\"op\":'ping'}",
            "{op:\"ping\"}", "{\"op\":\"ping\"}//", "NaN", "{\"op\":NaN}", "{\"op\":\"ping\"", "{\"op\":\"ping}",
            "{\"op\":\"pi\tng\"}", "{\"op\":\"\\x\"}", "{\"op\":\"\\u12\"}", "{\"a\":01,\"op\":\"ping\"}",
            "{\"a\":+1,\"op\":\"ping\"}", "{\"a\":1.,\"op\":\"ping\"}", "{\"a\":.5,\"op\":\"ping\"}",
            "{\"a\":1e,\"op\":\"ping\"}", "{\"a\":--1,\"op\":\"ping\"}", "\u{1B}[2J\u{1B}]0;x\u{07}",
        ]
        let objects = ["{}", "{\"op\":null}", "{\"op\":1}", "{\"op\":[\"ping\"]}", "{\"op\":{\"op\":\"ping\"}}"]
        return texts.map { HostileInput("no object: \($0.debugDescription)", $0, .refusal("bad_json")) }
            + objects.map { HostileInput("no operation: \($0)", $0, .refusal("bad_request")) } + [
                HostileInput("an operation nobody knows", "{\"op\":\"\\u0050ing\"}", .refusal("unknown_op")),
                HostileInput("a comma is read as a line", parts: [Array(",\n".utf8)], [.refusal("bad_json")]),
                HostileInput(
                    "a million empty lines", parts: [[UInt8](repeating: 0x0A, count: 1 << 20)], []),
                HostileInput(
                    "a line of a million spaces", parts: [[UInt8](repeating: 0x20, count: 1 << 20) + [0x0A]], []),
                HostileInput(
                    "a million times CR", parts: [[UInt8](repeating: 0x0D, count: 1 << 20) + [0x0A]], []),
            ]
    }

    /// `bytes` inside a string of a request that is fine otherwise.
    private static func inString(_ name: String, _ bytes: [UInt8], _ answer: Answer) -> HostileInput {
        HostileInput(name, line: Array(#"{"op":"ping","x":""#.utf8) + bytes + Array(#""}"#.utf8), answer)
    }

    static var encodings: [HostileInput] {
        let ping = #"{"op":"ping"}"#
        func wide(_ isBig: Bool) -> [UInt8] {
            ("\u{FEFF}" + ping + "\n").utf16.flatMap { unit -> [UInt8] in
                let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
                return isBig ? [high, low] : [low, high]
            }
        }
        let badUTF8: [(String, [UInt8])] = [
            ("an overlong NUL", [0xC0, 0x80]), ("an overlong slash", [0xC0, 0xAF]), ("overlong in C1", [0xC1, 0xBF]),
            ("overlong in three", [0xE0, 0x80, 0xAF]), ("overlong in four", [0xF0, 0x80, 0x80, 0xAF]),
            ("beyond Unicode", [0xF4, 0x90, 0x80, 0x80]), ("five bytes", [0xF8, 0x88, 0x80, 0x80, 0x80]),
            ("six bytes", [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80]), ("FE and FF", [0xFE, 0xFF]),
            ("a surrogate", [0xED, 0xA0, 0x80]), ("a pair of surrogates", [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80]),
            ("a character cut short", [0xE5, 0xB9]), ("a lone continuation", [0x80]), ("Latin-1", [0xE9]),
        ]
        let escapes = [
            "\\u0000", "\\ud800", "\\udc00", "\\ud800\\ud800", "\\udc00\\ud800", "\\ud800x", "\\uD800\\n", "a\\uDFFFz",
        ]
        let fine = [
            "\u{2028}", "\u{2029}", "\\u2028", "\u{85}", "\u{202E}", "\u{FEFF}", "\u{10FFFF}", "\\ud83d\\ude00",
        ]
        return badUTF8.map { inString("in a string: \($0.0)", $0.1, .refusal("bad_utf8")) }
            + badUTF8.map { HostileInput("bare: \($0.0)", line: $0.1, .refusal("bad_utf8")) }
            + badUTF8.map { name, bytes in
                HostileInput(
                    "in a name: \(name)", line: Array("{\"".utf8) + bytes + Array("\":1}".utf8), .refusal("bad_utf8"))
            } + escapes.map { inString("the escape \($0)", Array($0.utf8), .refusal("bad_json")) }
            + fine.map { inString("the character \($0.debugDescription)", Array($0.utf8), .success) } + [
                inString("a NUL", [0], .refusal("bad_json")),
                HostileInput("a NUL before", line: [0] + Array(ping.utf8), .refusal("bad_json")),
                HostileInput("a NUL behind", line: Array(ping.utf8) + [0], .refusal("bad_json")),
                HostileInput("a BOM", "\u{FEFF}" + ping, .refusal("bad_json")),
                HostileInput(
                    "UTF-16, low byte first", parts: [wide(false) + [0x0A]],
                    [.refusal("bad_utf8"), .refusal("bad_json")]),
                HostileInput("UTF-16, high byte first", parts: [wide(true)], [.refusal("bad_utf8")]),
                HostileInput(
                    "the line separator in an id", "{\"id\":\"a\u{2028}\u{202E}\u{9B}\",\"op\":\"ping\"}", .success),
                HostileInput(
                    "a name that forges a line", "{\"op\":\"hello\",\"name\":\"a\\nb\"}", .refusal("bad_request")),
                HostileInput(
                    "a name that turns text", "{\"op\":\"hello\",\"name\":\"a\u{202E}b\"}", .refusal("bad_request")),
            ]
    }

    /// One request, cut at each of its bytes.
    static var splits: [HostileInput] {
        let line = Array("{\"id\":\"广东省é😀\u{2028}\",\"op\":\"ping\"}\r\n".utf8)
        return (1..<line.count).map { place in
            HostileInput(
                "a request cut at byte \(place)", parts: [Array(line[..<place]), Array(line[place...])], [.success])
        }
    }
}
