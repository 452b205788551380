// Why this file exists: what a person sees is only seen on a terminal. These tests use one that can be looked at, typed at,
// and made larger and smaller: tmux, with a server of the test's own.

import Glibc
import TestSupport
import Testing

/// A terminal with a shell in it.
final class TestScreen {
    private let scratch: Scratch
    private let environment: [String]
    private var lastCommand = 0

    init(columns: Int = 64, rows: Int = 16, environment: [String] = []) throws {
        scratch = try Scratch()
        self.environment = ["TMUX_TMPDIR=\(scratch.path)", "TERM=xterm-256color", "SHELL=/bin/sh"] + environment
        try write("set -g status off\nset -g default-shell /bin/sh\nset -g exit-empty on\n", to: scratch.path + "/conf")
        try tmux(["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "-s", "t", "PS1='$ ' exec /bin/sh"])
        try until("the shell is there") { try lines().contains { $0.hasPrefix("$") } }
    }

    deinit { _ = try? tmux(["kill-server"]) }

    @discardableResult
    func tmux(_ words: [String]) throws -> String {
        let output = scratch.path + "/tmux.out"
        unsafe unlink(output)
        let process = try Process(
            "/usr/bin/tmux", ["-f", scratch.path + "/conf", "-S", scratch.path + "/socket"] + words,
            environment: environment, output: output)
        try process.waitForEnd()
        return contents(output)
    }

    /// What is seen, line by line, without spaces at the ends.
    func lines() throws -> [String] {
        try tmux(["capture-pane", "-p", "-t", "t"]).split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
    }

    /// Types keys by tmux's names for them.
    func press(_ keys: String...) throws { try tmux(["send-keys", "-t", "t"] + keys) }

    /// Types a line at the shell.
    func run(_ command: String) throws {
        try tmux(["send-keys", "-t", "t", "-l", command])
        try press("Enter")
    }

    func resize(columns: Int, rows: Int) throws {
        try tmux(["resize-window", "-t", "t", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// Waits until a line holds a text.
    func shows(_ text: String, seconds: Int = 20) throws {
        do {
            try until("\(text) is seen", seconds: seconds) { try lines().contains { $0.contains(text) } }
        } catch {
            throw TookTooLong(description: "\(text) is not seen, but:\n\(try lines().joined(separator: "\n"))")
        }
    }

    /// Waits until no line does.
    func hides(_ text: String) throws {
        try until("\(text) is gone") { try !lines().contains { $0.contains(text) } }
    }
}
