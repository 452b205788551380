// The terminal while the mirror has it: taken at the beginning, drawn to, read from, lent to the shell in between, and
// given back exactly as it was on every way out.

package struct TerminalSize: Hashable, Sendable {
    package let rows: Int
    package let columns: Int
    package init(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
    }
}

/// An open terminal session, used on one thread; at most one in a process. Its end closes it.
package struct TerminalSession: ~Copyable {
    /// The bytes of text that may be copied: what terminals take in one sequence.
    package static let copiedBytesMax = 100_000

    private let curses: Curses
    private var decoder = KeyDecoder()
    private var isAway = false
    private var isClosed = false
    private let guardsSignals: Bool
    package private(set) var size: TerminalSize

    /// Takes the terminal of two descriptors: a blank alternate screen, raw input (Ctrl-C and Ctrl-Z are keys), the
    /// cursor hidden, clicks of button 1 and the wheel reported. With `guardsSignals`, whatever ends the process – a
    /// trap, a fault, SIGTERM and the like where nobody handles them – gives the terminal back first.
    package init(
        input: Int32 = 0, output: Int32 = 1, environment: TerminalEnvironment = .current(), guardsSignals: Bool = true
    ) throws(TerminalError) {
        curses = try Curses(input: input, output: output, environment: environment)
        self.guardsSignals = guardsSignals
        size = TerminalSize(rows: 0, columns: 0)
        begin()
        if guardsSignals { TerminalGuard.install() }
    }

    deinit {
        curses.close()
        TerminalGuard.disarm()
        if guardsSignals { TerminalGuard.uninstall() }
    }

    package var colours: ColourSupport { curses.colours }

    /// Draws operations in one write. After `outputStalled` the screen is unknown: begin the next drawing with `clear`.
    package func draw(_ operations: [DrawingOperation]) throws(TerminalError) {
        if isAway || operations.isEmpty { return }
        let curses = curses
        let encoder = DrawingEncoder(
            capabilities: curses.capabilities, colours: curses.colours,
            move: { curses.moveSequence(row: $0, column: $1) },
            index: { curses.colourSequence($0, isForeground: $1) })
        try curses.write(encoder.encode(operations))
    }

    /// All keys that are there now. To be called when the input can be read, and until it gives none: ncurses may hold
    /// some back. Never waits longer than the 25 ms in which an escape sequence has to be complete.
    package mutating func readKeys() -> [Key] {
        let keysMax = 4096
        var keys: [Key] = []
        var hasRead = false
        while !isAway, keys.count < keysMax, let code = curses.nextCode() {
            hasRead = true
            if let key = decoder.take(code) { keys.append(key) }
        }
        return !hasRead && !isAway && curses.isHungUp ? [.hangup] : keys
    }

    /// Reads the size again, after SIGWINCH. What the screen shows is unknown then: begin the next drawing with `clear`.
    package mutating func resize() -> TerminalSize {
        if isClosed { return size }
        let size = curses.readSize()
        self.size = TerminalSize(rows: size.rows, columns: size.columns)
        return self.size
    }

    /// Gives the terminal back, stops the process group, and takes the terminal again once it is continued: blank, and
    /// perhaps of another size.
    package mutating func suspend() { suspend(by: stopProcessGroup) }

    mutating func suspend(by stop: () -> Void) {
        leave()
        stop()
        resume()
    }

    /// Gives the terminal back until `resume`: for a program that runs in it meanwhile.
    package mutating func leave() {
        if isAway { return }
        isAway = true
        curses.leave()
        TerminalGuard.disarm()
    }

    /// Takes the terminal again, after `leave` or SIGCONT: blank, and perhaps of another size.
    package mutating func resume() {
        if isClosed { return }
        isAway = false
        curses.enter()
        begin()
    }

    /// Offers text to the clipboard of the user's own machine (OSC 52); whether the terminal takes it can't be known.
    /// False where it is longer than `copiedBytesMax`.
    package func copy(_ text: String) throws(TerminalError) -> Bool {
        guard !isAway, text.utf8.count <= Self.copiedBytesMax else { return false }
        try curses.write(Array("\u{1B}]52;c;".utf8) + base64(text.utf8) + [0x07])
        return true
    }

    /// Gives the terminal back for good. Idempotent.
    package mutating func close() {
        if isClosed { return }
        isClosed = true
        leave()
        curses.close()
        if guardsSignals { TerminalGuard.uninstall() }
    }

    private mutating func begin() {
        TerminalGuard.arm(curses.restoration)
        _ = resize()
        // What can't be written now will fail again, and be told, at the first drawing.
        try? curses.write(curses.capabilities.beginning)
    }
}

/// RFC 4648, with padding.
func base64(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var encoded: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for byte in bytes {
        bits = bits << 8 | UInt32(byte)
        count += 1
        guard count == 3 else { continue }
        for shift in [18, 12, 6, 0] { encoded.append(alphabet[Int(bits >> UInt32(shift) & 63)]) }
        bits = 0
        count = 0
    }
    guard count > 0 else { return encoded }
    bits <<= UInt32(8 * (3 - count))
    for index in 0..<4 {
        let isFilled = index <= count
        encoded.append(isFilled ? alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
    }
    return encoded
}
