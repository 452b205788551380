// Why this file exists: the framing table of the protocol, each row through both real doors, all on one connection of one
// process wherever the row leaves it open.

import Testing

@Suite struct FramingTests {
    let daemon: TestDaemon

    init() throws { daemon = try TestDaemon() }

    private func connect(_ door: Door) throws -> TestSocket { try daemon.connect(door) }

    private func expectError(_ socket: TestSocket, _ code: String, _ message: String = "*") throws {
        let line = try socket.line() ?? "the connection ended"
        #expect(line.isLike(#"{"ok":false,"error":{"code":"\#(code)","message":"\#(message)"}}"#), "\(code): \(line)")
    }

    private func expectPong(_ socket: TestSocket) throws {
        let line = try socket.ask(#"{"id":1,"op":"ping"}"#) ?? "the connection ended"
        #expect(line.isLike(#"{"id":1,"ok":true,"time":*}"#), "\(line)")
    }

    @Test(arguments: Door.allCases)
    func `an end of line is LF, with or without a CR, wherever the reads are cut`(_ door: Door) throws {
        let socket = try connect(door)
        try socket.send("{\"op\":\"ping\"}\r")
        try expectNothingYet(socket)
        try socket.send("\n")
        #expect(try socket.line()?.isLike(#"{"ok":true,"time":*}"#) == true)
        try socket.send("\n\r\n   \n\t\n")
        try expectPong(socket)
    }

    /// Another connection's answer shows that the daemon has read what came before it.
    private func expectNothingYet(_ socket: TestSocket) throws {
        let other = try TestSocket(unix: daemon.socketPath)
        try expectPong(other)
    }

    @Test(arguments: Door.allCases)
    func `each broken line has its code, and the connection stays`(_ door: Door) throws {
        let socket = try connect(door)
        try socket.send([UInt8(ascii: "{"), 0xFF, 0xFE, 0x0A])
        try expectError(socket, "bad_utf8")
        try socket.send(Array("{\"op\":\"ping\"".utf8) + [0] + Array("}\n".utf8))
        try expectError(socket, "bad_json")
        try socket.send("{\"op\":\"pi\\u0000ng\"}\n")
        try expectError(socket, "bad_json")
        try socket.send([0xEF, 0xBB, 0xBF] + Array("{\"op\":\"ping\"}\n".utf8))
        try expectError(socket, "bad_json", "at byte 0:*")
        try socket.send("{\"op\":\"\\ud800\"}\n")
        try expectError(socket, "bad_json", "at byte 7:*")
        try socket.send("[1,2]\n")
        try expectError(socket, "bad_json")
        try expectPong(socket)
        let second = try connect(door)
        try second.send("{\"op\":\"ping\",\"x\":" + String(repeating: "[", count: 40) + "\n")
        try expectError(second, "too_deep")
        let deep = String(repeating: "[", count: 39) + String(repeating: "]", count: 39)
        try second.send("{\"op\":\"ping\",\"x\":\(deep)}\n")
        #expect(try second.line()?.isLike(#"{"ok":true,"time":*}"#) == true)
        try second.send("{\"op\":\"ping\",\"a\":{\"b\":1,\"\\u0062\":2}}\n")
        try expectError(second, "bad_request")
        for number in ["1.0", "1e3", "9007199254740992", "9223372036854775807", "1e300", "1e400"] {
            try second.send("{\"op\":\"level\",\"doc\":\"p\",\"depth\":\(number)}\n")
            try expectError(second, "bad_request")
        }
        try second.send("{\"op\":\"ping\",\"unknown\":1e400}\n")
        #expect(try second.line()?.isLike(#"{"ok":true,"time":*}"#) == true)
    }

    @Test(arguments: Door.allCases)
    func `a line may have exactly the limit, and one byte more is refused to its end`(_ door: Door) throws {
        let socket = try connect(door)
        let limit = 1 << 20
        let head = #"{"op":"ping","x":""#
        let fits = head + String(repeating: "a", count: limit - head.utf8.count - 2) + "\"}"
        for end in ["\n", "\r\n"] {
            try socket.send(fits + end)
            #expect(try socket.line()?.isLike(#"{"ok":true,"time":*}"#) == true)
        }
        try socket.send(fits + " \n")
        try expectError(socket, "line_too_long")
        try expectPong(socket)
    }

    @Test(arguments: Door.allCases)
    func `a web page's request ends the connection without a word`(_ door: Door) throws {
        for line in ["GET / HTTP/1.1", "POST /x HTTP/1.0", "Host: localhost", "OPTIONS * HTTP/1.1"] {
            let socket = try connect(door)
            try socket.send(line + "\r\n{\"op\":\"ping\"}\n")
            #expect(try socket.line() == nil)
        }
    }

    @Test(arguments: Door.allCases)
    func `the tenth broken line ends that connection alone`(_ door: Door) throws {
        let (socket, neighbour) = (try connect(door), try connect(door))
        for _ in 1...9 {
            try socket.send("nonsense\n")
            try expectError(socket, "bad_json", "at byte 1:*")
        }
        try socket.send("nonsense\n{\"op\":\"ping\"}\n")
        try expectError(socket, "too_many_errors")
        #expect(try socket.line() == nil)
        try expectPong(neighbour)
    }

    @Test(arguments: Door.allCases)
    func `a last line without its end is never applied, and the replies before it are sent`(_ door: Door) throws {
        let name = door == .unix ? "cut-unix" : "cut-tcp"
        let socket = try connect(door)
        try socket.send(
            #"{"id":1,"op":"create","doc":"\#(name)","content":[]}"# + "\n"
                + #"{"id":2,"op":"delete","doc":"\#(name)"}"#)
        socket.endSending()
        #expect(try socket.line()?.isLike(#"{"id":1,"ok":true,*"#) == true)
        #expect(try socket.line() == nil)
        let other = try connect(door)
        #expect(try other.ask(#"{"op":"get","doc":"\#(name)"}"#)?.isLike(#"{"ok":true,*"#) == true)
    }
}
