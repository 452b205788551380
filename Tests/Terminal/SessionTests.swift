// A whole session on a pseudo-terminal: what it takes, draws, reads and gives back.
import Glibc
import Testing

@testable import Terminal

// ncurses serves one terminal a process at a time, so these come one after the other.
@Suite(.serialized) struct SessionTests {
    static let xterm = TerminalEnvironment(type: "xterm-256color")

    private func read(_ session: inout TerminalSession, from descriptor: Int32, count: Int) -> [Key] {
        var keys: [Key] = []
        while keys.count < count, isReadable(descriptor, milliseconds: 10_000) { keys += session.readKeys() }
        return keys
    }

    @Test func `a session takes the terminal and gives it back as it was`() throws {
        let terminal = try #require(PseudoTerminal())
        let end = terminal.open()
        defer { close(end) }
        let before = terminal.settings
        let flags = fcntl(end, F_GETFL)
        var session = try TerminalSession(input: end, output: end, environment: Self.xterm, guardsSignals: false)
        #expect(terminal.settings != before)
        #expect(session.size == TerminalSize(rows: 24, columns: 80))
        #expect(fcntl(end, F_SETFL, flags | O_NONBLOCK) == 0)
        try session.draw([.move(row: 2, column: 3), .write("北京"), .showCursor(row: 0, column: 0)])
        let drawn = try #require(terminal.output { $0.contains("北京") })
        #expect(drawn.contains("\u{1B}[?1049h") && drawn.contains("\u{1B}[3;4H北京") && drawn.contains("\u{1B}[?1000h"))
        session.close()
        let closing = try #require(terminal.output { $0.contains("\u{1B}[?1049l") })
        #expect(closing.contains("\u{1B}[?1000l") && closing.contains("\u{1B}[?7h"))
        #expect(terminal.settings == before)
        #expect(fcntl(end, F_GETFL) == flags)
        session.close()
        try session.draw([.write("never")])
        terminal.type(Array("!".utf8))
        let rest = try #require(terminal.output { $0.contains("!") })
        #expect(!rest.contains("1049") && !rest.contains("never"))
    }

    @Test func `the end of a session's life closes it`() throws {
        let terminal = try #require(PseudoTerminal())
        let end = terminal.open()
        defer { close(end) }
        let before = terminal.settings
        func live() throws {
            let session = try TerminalSession(input: end, output: end, environment: Self.xterm, guardsSignals: false)
            #expect(session.colours == ColourSupport(indices: 256, isDirect: false))
        }
        try live()
        #expect(terminal.output { $0.contains("\u{1B}[?1049l") } != nil)
        #expect(terminal.settings == before)
    }

    @Test func `keys and clicks arrive, characters whole though they come in pieces`() throws {
        let terminal = try #require(PseudoTerminal())
        let end = terminal.open()
        defer { close(end) }
        var session = try TerminalSession(input: end, output: end, environment: Self.xterm, guardsSignals: false)
        #expect(session.readKeys() == [])
        terminal.type(Array("j\u{1B}OA\u{1B}OB\u{1B}[5~\u{1B}[Z\u{1B}OP\r\u{3} \u{7F}".utf8))
        let wanted: [Key] = [
            .character("j"), .up, .down, .pageUp, .backTab, .function(1), .enter, .control("c"), .space, .backspace,
        ]
        #expect(read(&session, from: end, count: wanted.count) == wanted)
        terminal.type([0xE5, 0x8C])
        #expect(isReadable(end, milliseconds: 10_000) && session.readKeys() == [])
        terminal.type([0x97] + Array("é😀".utf8))
        #expect(read(&session, from: end, count: 3) == [.character("北"), .character("é"), .character("😀")])
        terminal.type(Array("\u{1B}[<0;11;5M\u{1B}[<0;11;5m\u{1B}[<64;1;1M\u{1B}[<65;2;3M".utf8))
        let clicks: [Key] = [
            .mouse(MouseEvent(.press, row: 4, column: 10)), .mouse(MouseEvent(.wheelUp, row: 0, column: 0)),
            .mouse(MouseEvent(.wheelDown, row: 2, column: 1)),
        ]
        #expect(read(&session, from: end, count: 3) == clicks)
        // Two clicks at once and one the old way, then one whose release comes later.
        let click = "\u{1B}[<0;3;4M\u{1B}[<0;3;4m"
        terminal.type(Array((click + click + "\u{1B}[M !!").utf8))
        let press = Key.mouse(MouseEvent(.press, row: 3, column: 2))
        #expect(read(&session, from: end, count: 3) == [press, press, .mouse(MouseEvent(.press, row: 0, column: 0))])
        terminal.type(Array("\u{1B}[<0;3;4M".utf8))
        #expect(read(&session, from: end, count: 1) == [press])
        terminal.type(Array("\u{1B}[<0;3;4mq".utf8))
        #expect(read(&session, from: end, count: 1) == [.character("q")])
        terminal.type([0x1B])
        #expect(read(&session, from: end, count: 1) == [.escape])
        session.close()
    }

    @Test func `a new size is seen, and makes no key of its own`() throws {
        let terminal = try #require(PseudoTerminal())
        let end = terminal.open()
        defer { close(end) }
        var session = try TerminalSession(input: end, output: end, environment: Self.xterm, guardsSignals: false)
        terminal.setSize(rows: 50, columns: 200)
        #expect(session.resize() == TerminalSize(rows: 50, columns: 200))
        #expect(session.readKeys() == [])
        terminal.type(Array("\u{1B}[<0;191;50M".utf8))
        #expect(read(&session, from: end, count: 1) == [.mouse(MouseEvent(.press, row: 49, column: 190))])
        terminal.setSize(rows: 0, columns: 0)
        #expect(session.resize() == TerminalSize(rows: 24, columns: 80))
        session.close()
    }

    @Test func `a suspended session has given the terminal back, and takes it again`() throws {
        let terminal = try #require(PseudoTerminal())
        let end = terminal.open()
        defer { close(end) }
        let before = terminal.settings
        var session = try TerminalSession(input: end, output: end, environment: Self.xterm, guardsSignals: false)
        let ours = terminal.settings
        _ = try #require(terminal.output { $0.contains("\u{1B}[?7l") })
        session.suspend {
            #expect(terminal.settings == before)
            #expect(terminal.output { $0.contains("\u{1B}[?1049l") } != nil)
            terminal.setSize(rows: 30, columns: 90)
        }
        let again = try #require(terminal.output { $0.contains("\u{1B}[?7l") })
        #expect(again.contains("\u{1B}[?1049h") && again.contains("\u{1B}[?1000h"))
        #expect(terminal.settings == ours)
        #expect(session.size == TerminalSize(rows: 30, columns: 90))
        terminal.type(Array("\u{1B}OA".utf8))
        #expect(read(&session, from: end, count: 1) == [.up])
        // Stopped and continued by somebody else, whose shell has set its own modes meanwhile.
        terminal.makeCanonical()
        #expect(terminal.settings != ours)
        session.resume()
        #expect(terminal.settings == ours)
        session.close()
        #expect(terminal.settings == before)
    }

    @Test func `a terminal that is gone says so once and again`() throws {
        let terminal = try #require(PseudoTerminal())
        let end = terminal.open()
        defer { close(end) }
        var session = try TerminalSession(input: end, output: end, environment: Self.xterm, guardsSignals: false)
        terminal.hangUp()
        // A process that another test is just starting holds the other side until its exec: hung up a moment later.
        #expect(read(&session, from: end, count: 1) == [.hangup])
        #expect(session.readKeys() == [.hangup])
        #expect(throws: TerminalError.output(EIO)) { try session.draw([.write("x")]) }
        session.close()
    }

    @Test func `what can't be a session is told apart`() throws {
        let terminal = try #require(PseudoTerminal())
        let end = terminal.open()
        defer { close(end) }
        func failure(_ type: String, input: Int32, output: Int32) -> TerminalError? {
            do {
                let environment = TerminalEnvironment(type: type)
                var session = try TerminalSession(
                    input: input, output: output, environment: environment, guardsSignals: false)
                session.close()
                return nil
            } catch {
                return error
            }
        }
        let file = unsafe open("/dev/null", O_RDWR)
        defer { close(file) }
        #expect(failure("xterm", input: file, output: end) == .notATerminal)
        #expect(failure("xterm", input: end, output: file) == .notATerminal)
        #expect(failure("no-such-terminal", input: end, output: end) == .unknownType("no-such-terminal"))
        #expect(failure("dumb", input: end, output: end) == .unusableType("dumb"))
        var session = try TerminalSession(input: end, output: end, environment: Self.xterm, guardsSignals: false)
        #expect(failure("xterm", input: end, output: end) == .alreadyOpen)
        session.close()
        #expect(failure("xterm", input: end, output: end) == nil)
    }

    @Test func `copied text goes to the clipboard in one sequence, up to a limit`() throws {
        let terminal = try #require(PseudoTerminal())
        let end = terminal.open()
        defer { close(end) }
        var session = try TerminalSession(input: end, output: end, environment: Self.xterm, guardsSignals: false)
        #expect(try session.copy("foobar"))
        #expect(terminal.output { $0.hasSuffix("\u{1B}]52;c;Zm9vYmFy\u{7}") } != nil)
        #expect(try !session.copy(String(repeating: "x", count: TerminalSession.copiedBytesMax + 1)))
        session.close()
    }
}
