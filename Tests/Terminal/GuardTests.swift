// However a process ends, its user gets a working terminal back.
import Glibc
import Testing

@testable import Terminal

#if arch(arm64)
    private let trapSignal = SIGTRAP
#else
    private let trapSignal = SIGILL
#endif

// Each of these runs a process of its own, which ends as the name says while it has the terminal.
@Suite(.serialized) struct GuardTests {
    /// Takes the terminal at `path` in a process that is about to end.
    static func take(_ path: String) -> TerminalSession? {
        let end = unsafe open(path, O_RDWR | O_NOCTTY)
        let environment = TerminalEnvironment(type: "xterm-256color")
        return try? TerminalSession(input: end, output: end, environment: environment)
    }

    /// Whether the terminal has been given back with everything that was taken.
    private func expectRestored(_ terminal: PseudoTerminal, _ before: String) throws {
        let output = try #require(terminal.output { $0.contains("\u{1B}[?1049l") })
        #expect(output.contains("\u{1B}[?1049h") && output.contains("\u{1B}[?7l"))
        for sequence in ["\u{1B}[?7h", "\u{1B}[?1000l", "\u{1B}[?12l\u{1B}[?25h", "\u{1B}[?1l"] {
            #expect(output.contains(sequence), "\(sequence.dropFirst())")
        }
        // An orderly close goes to the last line first: this was none.
        #expect(!output.contains("\u{1B}[24;1H"))
        #expect(terminal.settings == before)
    }

    @Test func `a trap gives the terminal back and is still a trap`() async throws {
        let terminal = try #require(PseudoTerminal())
        let (before, path) = (terminal.settings, terminal.path)
        await #expect(processExitsWith: .signal(trapSignal)) { [path = path as String] in
            guard let session = GuardTests.take(path) else { return }
            let digits = [1]
            print(session.size, digits[session.size.rows])
        }
        try expectRestored(terminal, before)
    }

    @Test func `a bad address gives the terminal back and is still a segmentation fault`() async throws {
        let terminal = try #require(PseudoTerminal())
        let (before, path) = (terminal.settings, terminal.path)
        await #expect(processExitsWith: .signal(SIGSEGV)) { [path = path as String] in
            guard let session = GuardTests.take(path) else { return }
            let address = unsafe UnsafeMutablePointer<Int>(bitPattern: session.size.rows)
            unsafe address?.pointee = 1
        }
        try expectRestored(terminal, before)
    }

    @Test func `abort gives the terminal back`() async throws {
        let terminal = try #require(PseudoTerminal())
        let (before, path) = (terminal.settings, terminal.path)
        await #expect(processExitsWith: .signal(SIGABRT)) { [path = path as String] in
            guard let session = GuardTests.take(path) else { return }
            if session.size.rows > 0 { abort() }
            print(session.size)
        }
        try expectRestored(terminal, before)
    }

    @Test func `SIGTERM that nobody handles gives the terminal back and ends the process`() async throws {
        let terminal = try #require(PseudoTerminal())
        let (before, path) = (terminal.settings, terminal.path)
        await #expect(processExitsWith: .signal(SIGTERM)) { [path = path as String] in
            guard let session = GuardTests.take(path) else { return }
            kill(getpid(), SIGTERM)
            while session.size.rows > 0 { pause() }
        }
        try expectRestored(terminal, before)
    }

    @Test func `exit from anywhere gives the terminal back`() async throws {
        let terminal = try #require(PseudoTerminal())
        let (before, path) = (terminal.settings, terminal.path)
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            guard let session = GuardTests.take(path) else { return }
            if session.size.rows > 0 { exit(7) }
            print(session.size)
        }
        try expectRestored(terminal, before)
    }

    @Test func `after the session a signal finds what handled it before`() async throws {
        let terminal = try #require(PseudoTerminal())
        let path = terminal.path
        await #expect(processExitsWith: .exitCode(9)) { [path = path as String] in
            _ = signal(SIGTERM) { _ in _exit(9) }
            _ = signal(SIGSEGV) { _ in _exit(8) }
            guard var session = GuardTests.take(path) else { return }
            session.close()
            kill(getpid(), SIGTERM)
            while true { pause() }
        }
    }
}
