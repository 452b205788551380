// A terminal without a user: the tests hold its other side, and read and type there.
import Glibc

/// The user's side of a pseudo-terminal; `open` gives the program's side.
final class PseudoTerminal {
    private var side: Int32 = -1
    /// The program's side, held open: while nobody has it open, its settings would be forgotten.
    private var kept: Int32 = -1
    let path: String

    init?(rows: UInt16 = 24, columns: UInt16 = 80) {
        var name = [CChar](repeating: 0, count: 128)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard unsafe openpty(&side, &kept, &name, nil, &size) == 0 else { return nil }
        // Processes that other tests start must not hold it open.
        for end in [side, kept] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        hangUp()
        if kept >= 0 { close(kept) }
    }

    func open() -> Int32 { unsafe Glibc.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) }

    func hangUp() {
        if side >= 0 { close(side) }
        side = -1
    }

    func setSize(rows: UInt16, columns: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(side, UInt(TIOCSWINSZ), &size)
    }

    /// Every setting of the terminal, as text that can be compared.
    var settings: String {
        var attributes = termios()
        guard unsafe tcgetattr(kept, &attributes) == 0 else { return "none" }
        let control = unsafe withUnsafeBytes(of: &attributes.c_cc) { unsafe Array($0) }
        return "\(attributes.c_iflag) \(attributes.c_oflag) \(attributes.c_cflag) \(attributes.c_lflag) \(control)"
    }

    func makeCanonical() {
        var attributes = termios()
        _ = unsafe tcgetattr(kept, &attributes)
        attributes.c_lflag |= tcflag_t(ICANON | ECHO)
        _ = unsafe tcsetattr(kept, TCSANOW, &attributes)
    }

    func type(_ bytes: [UInt8]) { _ = unsafe write(side, bytes, bytes.count) }

    /// What was drawn until `isEnough` says so; nil if nothing more comes for ten seconds.
    func output(until isEnough: (String) -> Bool) -> String? {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let text = String(decoding: all, as: UTF8.self)
            if isEnough(text) { return text }
            guard isReadable(side, milliseconds: 10_000) else { return nil }
            let count = unsafe read(side, &buffer, buffer.count)
            if count <= 0 { return nil }
            all += buffer[..<count]
        }
    }
}

/// Waits until a descriptor has something to read or is gone.
func isReadable(_ descriptor: Int32, milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&waiting, 1, milliseconds) > 0
}
