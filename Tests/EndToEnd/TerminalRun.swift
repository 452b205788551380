// Why this file exists: a program draws otherwise on a terminal than in a pipe, so some tests look at what it draws on one.

import Glibc
import TestSupport

/// A terminal of the test's own, for one run of a program.
struct TerminalRun {
    let status: Int32
    /// All that was drawn, lines ended by LF.
    let output: String

    /// `meanwhile` is given what was drawn so far, time and again.
    init(
        _ path: String, _ arguments: [String], environment: [String] = [], meanwhile: (String) -> Void = { _ in }
    ) throws {
        var (side, kept): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        guard unsafe openpty(&side, &kept, &name, nil, &size) == 0 else {
            throw TookTooLong(description: "no terminal")
        }
        defer {
            close(side)
            close(kept)
        }
        for end in [side, kept] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(side, F_SETFL, O_NONBLOCK)
        let terminal = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let process = try Process(
            path, arguments,
            environment: (environment.contains { $0.hasPrefix("TERM=") } ? [] : ["TERM=xterm"]) + environment,
            output: terminal)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        func drain() {
            while true {
                let count = unsafe read(side, &buffer, buffer.count)
                guard count > 0 else { return }
                bytes += buffer.prefix(count)
            }
        }
        try until("\(arguments) ends", seconds: 60) {
            drain()
            meanwhile(String(decoding: bytes, as: UTF8.self))
            return process.hasEnded
        }
        drain()
        status = try process.waitForEnd()
        // The terminal itself puts a CR before each LF.
        var lines: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if byte == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A { continue }
            lines.append(byte)
        }
        output = String(decoding: lines, as: UTF8.self)
    }
}
