// What the terminal is asked to draw, as plain data: small enough that any frame-building code maps its own operations
// to it line by line.

package enum TerminalColour: Hashable, Sendable {
    case standard
    /// 0 to 7 are the ANSI colours from black to white, 8 to 15 the same bright.
    case ansi(UInt8)
    case rgb(UInt8, UInt8, UInt8)
}

package struct TerminalStyle: Hashable, Sendable {
    package var isBold: Bool
    package var isDim: Bool
    package var isReverse: Bool
    package var isUnderlined: Bool
    package var foreground: TerminalColour
    package var background: TerminalColour
    package init(
        isBold: Bool = false, isDim: Bool = false, isReverse: Bool = false, isUnderlined: Bool = false,
        foreground: TerminalColour = .standard, background: TerminalColour = .standard
    ) {
        self.isBold = isBold
        self.isDim = isDim
        self.isReverse = isReverse
        self.isUnderlined = isUnderlined
        self.foreground = foreground
        self.background = background
    }
    package static let plain = TerminalStyle()
}

package enum DrawingOperation: Hashable, Sendable {
    /// Clears the screen, hides the cursor, and makes the style plain.
    case clear
    /// From 0, at the top left.
    case move(row: Int, column: Int)
    case style(TerminalStyle)
    /// Control characters among it are drawn as `?`: none reaches the terminal. Text never wraps at the right edge where
    /// the terminal can be told so (all in use can).
    case write(String)
    /// To be sent in the plain style: some terminals fill with the background.
    case clearToEndOfLine
    /// Shows the cursor there.
    case showCursor(row: Int, column: Int)
    case hideCursor
}

/// The sequences of one terminal, as bytes ready to be written; absent ones empty.
struct Capabilities: Equatable, Sendable {
    var clear: [UInt8] = []
    var clearToEndOfLine: [UInt8] = []
    var plain: [UInt8] = []
    var bold: [UInt8] = []
    var dim: [UInt8] = []
    var reverse: [UInt8] = []
    var underline: [UInt8] = []
    var showCursor: [UInt8] = []
    var hideCursor: [UInt8] = []
    var wrapOff: [UInt8] = []
    var wrapOn: [UInt8] = []
    var mouseOn: [UInt8] = []
    var mouseOff: [UInt8] = []

    /// What ncurses does not do itself when it takes the terminal and gives it back.
    var beginning: [UInt8] { plain + clear + wrapOff + mouseOn }
    var ending: [UInt8] { plain + mouseOff + wrapOn }
}

/// The bytes of operations, for one terminal. `move` and `index` give parametrised sequences.
struct DrawingEncoder {
    let capabilities: Capabilities
    let colours: ColourSupport
    let move: (_ row: Int, _ column: Int) -> [UInt8]
    let index: (_ colour: Int, _ isForeground: Bool) -> [UInt8]

    func encode(_ operations: [DrawingOperation]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(operations.count * 16)
        for operation in operations {
            switch operation {
            case .clear: bytes += capabilities.hideCursor + capabilities.plain + capabilities.clear
            case .move(let row, let column): bytes += move(row, column)
            case .style(let style): append(style, to: &bytes)
            case .write(let text): append(text, to: &bytes)
            case .clearToEndOfLine: bytes += capabilities.clearToEndOfLine
            case .showCursor(let row, let column): bytes += move(row, column) + capabilities.showCursor
            case .hideCursor: bytes += capabilities.hideCursor
            }
        }
        return bytes
    }

    private func append(_ style: TerminalStyle, to bytes: inout [UInt8]) {
        bytes += capabilities.plain
        if style.isBold { bytes += capabilities.bold }
        if style.isDim { bytes += capabilities.dim }
        if style.isReverse { bytes += capabilities.reverse }
        if style.isUnderlined { bytes += capabilities.underline }
        for (colour, isForeground) in [(style.foreground, true), (style.background, false)] {
            switch colours.reduce(colour) {
            case .none: break
            case .index(let number): bytes += index(number, isForeground)
            // ISO 8613-6 direct colour, in the form that terminals took up: terminfo has no capability for it.
            case .direct(let red, let green, let blue):
                bytes += "\u{1B}[\(isForeground ? 38 : 48);2;\(red);\(green);\(blue)m".utf8
            }
        }
    }

    private func append(_ text: String, to bytes: inout [UInt8]) {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            // C1 controls are 0xC2 0x80 to 0xC2 0x9F.
            if previous == 0xC2 && byte < 0xA0 {
                bytes[bytes.count - 1] = UInt8(ascii: "?")
            } else {
                bytes.append(byte < 0x20 || byte == 0x7F ? UInt8(ascii: "?") : byte)
            }
            previous = byte
        }
    }
}
