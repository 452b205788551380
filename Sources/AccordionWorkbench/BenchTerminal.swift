// Why this file exists: how long a key takes is how long it takes on a terminal: from the byte that is typed to the last byte
// that is drawn for it. Unsafe for openpty and posix_spawn, which take addresses.

import Glibc

/// A terminal with one program in it.
final class BenchTerminal {
    private let identifier: pid_t
    private let side: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    init(_ program: String, _ arguments: [String], rows: Int, columns: Int) throws(BenchFailure) {
        var (side, kept): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard unsafe openpty(&side, &kept, &name, nil, &size) == 0 else { throw BenchFailure("no terminal") }
        for end in [side, kept] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(side, F_SETFL, O_NONBLOCK)
        defer { close(kept) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 as ClosedRange<Int32> {
            unsafe posix_spawn_file_actions_adddup2(&actions, kept, descriptor)
        }
        let environment = ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TERM=xterm-256color"]
        let words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let code = unsafe posix_spawn(&identifier, program, &actions, nil, words, variables)
        guard code == 0 else { throw BenchFailure("\(program): \(Bench.reason(code))") }
        self.identifier = identifier
        self.side = side
    }

    deinit {
        kill(identifier, SIGTERM)
        waitpid(identifier, nil, 0)
        close(side)
    }

    func type(_ text: String) { Bench.write(text, to: side) }

    /// Takes what is drawn until nothing more comes for a while: how many bytes, and when the last of them came.
    func drain(quietMicroseconds: Int) -> (bytes: Int, text: String, lastMicroseconds: Int) {
        var (bytes, last) = (0, Bench.nowMicroseconds)
        var drawn: [UInt8] = []
        while Bench.nowMicroseconds - last < quietMicroseconds {
            var ready = pollfd(fd: side, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&ready, 1, 1)
            let count = unsafe read(side, &buffer, buffer.count)
            guard count > 0 else { continue }
            last = Bench.nowMicroseconds
            bytes += count
            if drawn.count < 1 << 20 { drawn += buffer.prefix(count) }
        }
        return (bytes, String(decoding: drawn, as: UTF8.self), last)
    }
}
