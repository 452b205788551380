// The only file that talks to ncurses. ncurses knows the terminal (terminfo), its modes, its keys and its mouse; what is
// drawn goes to the terminal as bytes of our own, because the mirror has already compared its frames, counts widths by
// cluster, and uses colours that ncurses' colour pairs have no room for. ncurses' own screen stays blank and unused.

internal import CNcurses
import Glibc

package enum TerminalError: Error, Hashable, Sendable {
    case notATerminal
    /// No terminal of the type in TERM is known.
    case unknownType(String)
    /// A terminal that can't move its cursor, clear, or both.
    case unusableType(String)
    /// ncurses serves one terminal a process at a time.
    case alreadyOpen
    /// The terminal took nothing for `writeTimeoutMilliseconds`; a part may be drawn.
    case outputStalled
    /// errno of a write.
    case output(Int32)
}

/// An open terminal. On one thread; `close` is idempotent and also happens at the end of its life.
@safe final class Curses {
    static let writeTimeoutMilliseconds: Int32 = 5000

    let environment: TerminalEnvironment
    let capabilities: Capabilities
    let colours: ColourSupport
    private let input: Int32
    private let output: Int32
    private let inputFlags: Int32
    private let outputFlags: Int32
    private let attributes: termios
    private let files: (writing: UnsafeMutablePointer<FILE>, reading: UnsafeMutablePointer<FILE>)
    private let screen: OpaquePointer
    /// Input is read through a pad: a window would be drawn whenever a key is read.
    private let pad: UnsafeMutablePointer<WINDOW>?
    private let addressing: UnsafePointer<CChar>?
    private let foreground: UnsafePointer<CChar>?
    private let background: UnsafePointer<CChar>?
    private var isOpen = true

    /// Takes the terminal: alternate screen, raw, no echo, keypad, mouse, cursor hidden.
    init(input: Int32, output: Int32, environment: TerminalEnvironment) throws(TerminalError) {
        var attributes = termios()
        guard isatty(input) == 1, isatty(output) == 1, unsafe tcgetattr(input, &attributes) == 0 else {
            throw .notATerminal
        }
        guard cn_is_open() == 0 else { throw .alreadyOpen }
        guard let files = unsafe Self.openFiles(input: input, output: output) else { throw .notATerminal }
        Self.chooseLocale()
        if unsafe getenv("ESCDELAY") == nil { _ = set_escdelay(25) }
        // The size is asked of the terminal, whatever LINES and COLUMNS say.
        use_env(false)
        use_tioctl(true)
        let handlers = Self.savedHandlers()
        guard let screen = unsafe newterm(environment.type, files.writing, files.reading) else {
            unsafe Self.closeFiles(files)
            throw .unknownType(environment.type)
        }
        // ncurses would handle these itself; who ends, stops or resizes the program is not its business.
        Self.restoreHandlers(handlers)
        let capabilities = Self.readCapabilities()
        let addressing = unsafe cn_string("cup")
        guard unsafe addressing != nil, !capabilities.clear.isEmpty, !capabilities.clearToEndOfLine.isEmpty else {
            endwin()
            unsafe delscreen(screen)
            unsafe Self.closeFiles(files)
            throw .unusableType(environment.type)
        }
        self.environment = environment
        self.capabilities = capabilities
        self.input = input
        self.output = output
        self.attributes = attributes
        unsafe self.files = files
        unsafe self.screen = screen
        unsafe self.addressing = addressing
        inputFlags = fcntl(input, F_GETFL)
        outputFlags = fcntl(output, F_GETFL)
        unsafe foreground = cn_string("setaf")
        unsafe background = cn_string("setab")
        colours = ColourSupport(
            terminfoColours: unsafe Int(tigetnum("colors")),
            hasDirectFlag: unsafe tigetflag("RGB") > 0 || tigetflag("Tc") > 0, environment: environment)
        raw()
        noecho()
        nonl()
        curs_set(0)
        unsafe pad = newpad(1, 1)
        unsafe keypad(pad, true)
        unsafe nodelay(pad, true)
        Self.defineMouse()
        // Enters the alternate screen and makes ncurses' idea of it, a blank one, true.
        refresh()
        unsafe untouchwin(cn_standard())
    }

    deinit { close() }

    /// Gives the terminal back as it was found.
    func close() {
        guard isOpen else { return }
        isOpen = false
        leave()
        unsafe delwin(pad)
        unsafe delscreen(screen)
        unsafe Self.closeFiles(files)
    }

    /// Gives the terminal back for a while. Idempotent.
    func leave() {
        if isendwin() { return }
        makeBlocking()
        try? write(capabilities.ending)
        endwin()
        var attributes = attributes
        _ = unsafe tcsetattr(input, TCSANOW, &attributes)
    }

    /// Takes it again after `leave`, or after something else wrote to it; the screen is blank then.
    func enter() {
        // First, or ncurses would see a new size itself and make a key of it.
        _ = readSize()
        refresh()
        unsafe untouchwin(cn_standard())
    }

    /// What a handler that can't call ncurses writes instead of `leave`.
    var restoration: TerminalRestoration {
        var bytes = capabilities.ending
        bytes += capabilities.showCursor + Self.capability("rmkx")
        let mainScreen = Self.capability("rmcup")
        bytes += mainScreen.isEmpty ? Array("\r\n".utf8) : mainScreen
        return TerminalRestoration(
            input: input, output: output, inputFlags: inputFlags, outputFlags: outputFlags, attributes: attributes,
            bytes: bytes)
    }
}

// MARK: - Input and size

extension Curses {
    /// The next byte or key number; nil where nothing is there now.
    func nextCode() -> Int? {
        let code = unsafe wgetch(pad)
        return code < 0 ? nil : Int(code)
    }

    /// Whether the other side of the terminal is gone.
    var isHungUp: Bool {
        var descriptor = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        let gone = Int16(POLLHUP) | Int16(POLLERR) | Int16(POLLNVAL)
        return unsafe poll(&descriptor, 1, 0) > 0 && descriptor.revents & gone != 0
    }

    /// Rows and columns, 24 × 80 where the terminal does not know. Tells ncurses, or it would make a key of a change.
    func readSize() -> (rows: Int, columns: Int) {
        var size = winsize()
        let isKnown = unsafe ioctl(output, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 && size.ws_col > 0
        let rows = isKnown ? Int(size.ws_row) : 24
        let columns = isKnown ? Int(size.ws_col) : 80
        // Not resizeterm: it would put a key of its own before the next one.
        resize_term(Int32(rows), Int32(columns))
        unsafe untouchwin(cn_standard())
        return (rows, columns)
    }
}

// MARK: - Output

extension Curses {
    func moveSequence(row: Int, column: Int) -> [UInt8] {
        guard let addressing = unsafe addressing else { return [] }
        let limit = Int(UInt16.max)
        let (row, column) = (min(max(0, row), limit), min(max(0, column), limit))
        return unsafe Self.bytes(cn_with(addressing, Int32(row), Int32(column)))
    }

    func colourSequence(_ index: Int, isForeground: Bool) -> [UInt8] {
        guard let format = unsafe isForeground ? foreground : background else { return [] }
        return unsafe Self.bytes(cn_with(format, Int32(index), 0))
    }

    /// Writes all of it, waiting where the terminal is slow (libuv makes the descriptor non-blocking).
    func write(_ bytes: [UInt8]) throws(TerminalError) {
        var start = 0
        while start < bytes.count {
            let written = unsafe bytes[start...].withUnsafeBytes {
                unsafe Glibc.write(output, $0.baseAddress, $0.count)
            }
            if written > 0 {
                start += written
            } else if written == 0 || errno == EAGAIN {
                var descriptor = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                let ready = unsafe poll(&descriptor, 1, Self.writeTimeoutMilliseconds)
                if ready == 0 { throw .outputStalled }
                if ready < 0 && errno != EINTR { throw .output(errno) }
            } else if errno != EINTR {
                throw .output(errno)
            }
        }
    }

    /// ncurses does not wait: before it writes itself, the descriptors are as they were found, or blocking.
    private func makeBlocking() {
        _ = fcntl(input, F_SETFL, inputFlags)
        _ = fcntl(output, F_SETFL, outputFlags)
    }
}

// MARK: - Setting up

extension Curses {
    private static func openFiles(
        input: Int32, output: Int32
    ) -> (writing: UnsafeMutablePointer<FILE>, reading: UnsafeMutablePointer<FILE>)? {
        let (writingEnd, readingEnd) = (dup(output), dup(input))
        let writing = unsafe writingEnd < 0 ? nil : fdopen(writingEnd, "w")
        let reading = unsafe readingEnd < 0 ? nil : fdopen(readingEnd, "r")
        if let writing = unsafe writing, let reading = unsafe reading { return unsafe (writing, reading) }
        if let writing = unsafe writing { unsafe fclose(writing) } else if writingEnd >= 0 { Glibc.close(writingEnd) }
        if let reading = unsafe reading { unsafe fclose(reading) } else if readingEnd >= 0 { Glibc.close(readingEnd) }
        return nil
    }

    private static func closeFiles(
        _ files: (writing: UnsafeMutablePointer<FILE>, reading: UnsafeMutablePointer<FILE>)
    ) {
        unsafe fclose(files.writing)
        unsafe fclose(files.reading)
    }

    /// ncurses reads bytes by LC_CTYPE; ours are always UTF-8.
    private static func chooseLocale() {
        let isChosen = unsafe setlocale(LC_CTYPE, "") != nil
        let codes = unsafe nl_langinfo(Int32(CODESET)).map { unsafe String(cString: $0) } ?? ""
        if !isChosen || codes != "UTF-8" { _ = unsafe setlocale(LC_CTYPE, "C.UTF-8") }
    }

    private static let signals: [Int32] = [SIGINT, SIGTERM, SIGTSTP, SIGWINCH]

    private static func savedHandlers() -> [sigaction] {
        signals.map { signal in
            var action = sigaction()
            _ = unsafe sigaction(signal, nil, &action)
            return action
        }
    }

    private static func restoreHandlers(_ handlers: [sigaction]) {
        for index in signals.indices {
            var action = handlers[index]
            _ = unsafe sigaction(signals[index], &action, nil)
        }
    }

    /// ncurses merges presses and releases that are read at once and hands events out last first, so it only tells where
    /// one begins, and the decoder reads the rest.
    private static func defineMouse() {
        _ = define_key(nil, KEY_MOUSE)
        _ = unsafe define_key("\u{1B}[<", Int32(KeyDecoder.mouseCode))
        _ = unsafe define_key("\u{1B}[M", Int32(KeyDecoder.oldMouseCode))
    }

    private static func readCapabilities() -> Capabilities {
        // Clicks and the wheel, with places written as numbers; there is no terminfo name that all entries have.
        let hasMouse = !capability("kmous").isEmpty
        return Capabilities(
            clear: capability("clear"), clearToEndOfLine: capability("el"), plain: capability("sgr0"),
            bold: capability("bold"), dim: capability("dim"), reverse: capability("rev"),
            underline: capability("smul"), showCursor: capability("cnorm"), hideCursor: capability("civis"),
            wrapOff: capability("rmam"), wrapOn: capability("smam"),
            mouseOn: hasMouse ? Array("\u{1B}[?1000h\u{1B}[?1006h".utf8) : [],
            mouseOff: hasMouse ? Array("\u{1B}[?1006l\u{1B}[?1000l".utf8) : [])
    }

    private static func capability(_ name: String) -> [UInt8] { unsafe bytes(cn_string(name)) }

    /// Without the padding, `$<5/>`, that terminals with a speed needed.
    private static func bytes(_ sequence: UnsafePointer<CChar>?) -> [UInt8] {
        guard let sequence = unsafe sequence else { return [] }
        let all = unsafe Array(String(cString: sequence).utf8)
        return withoutPadding(all)
    }
}

/// A terminfo sequence without its `$<…>`.
func withoutPadding(_ sequence: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    var index = 0
    while index < sequence.count {
        let isStart = sequence[index] == UInt8(ascii: "$") && index + 1 < sequence.count
        if isStart, sequence[index + 1] == UInt8(ascii: "<"),
            let end = sequence[index...].firstIndex(of: UInt8(ascii: ">"))
        {
            index = end + 1
            continue
        }
        kept.append(sequence[index])
        index += 1
    }
    return kept
}

extension TerminalEnvironment {
    /// This process's TERM, COLORTERM and NO_COLOR.
    package static func current() -> TerminalEnvironment {
        func variable(_ name: String) -> String { unsafe getenv(name).map { unsafe String(cString: $0) } ?? "" }
        return TerminalEnvironment(
            type: variable("TERM"), colours: variable("COLORTERM"), isWithoutColour: !variable("NO_COLOR").isEmpty)
    }
}

/// Stops the whole foreground group, as the terminal's own Ctrl-Z does, so that a script around the program stops with
/// it; returns when it is continued.
func stopProcessGroup() {
    var before = sigaction()
    _ = unsafe sigaction(SIGTSTP, nil, &before)
    _ = signal(SIGTSTP, SIG_DFL)
    kill(0, SIGTSTP)
    _ = unsafe sigaction(SIGTSTP, &before, nil)
}
