// Keys as the mirror thinks of them, and the way there from what ncurses hands out: bytes of UTF-8, which may be cut
// between two reads, and numbers above 255 for what terminfo recognised.

package enum Key: Hashable, Sendable {
    /// Anything typed that none of the others is.
    case character(Unicode.Scalar)
    case space, enter, tab, backTab, backspace, delete, insert, escape
    case up, down, left, right, home, end, pageUp, pageDown
    /// A lower-case letter, or one of `@ \ ] ^ _`.
    case control(Unicode.Scalar)
    /// F1 is 1.
    case function(Int)
    case mouse(MouseEvent)
    /// The terminal has another size: ask for it.
    case resize
    /// The terminal is gone; nothing will be read from it any more.
    case hangup
}

package struct MouseEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case press, wheelUp, wheelDown }
    package let kind: Kind
    /// From 0, at the top left.
    package let row: Int
    package let column: Int
    package init(_ kind: Kind, row: Int, column: Int) {
        self.kind = kind
        self.row = row
        self.column = column
    }
}

/// Turns codes into keys. Pure but for what is left over of a character or of a mouse event.
struct KeyDecoder {
    /// The codes for what begins a mouse event: `ESC [ <` (its numbers follow) and, from terminals that know no other,
    /// `ESC [ M` (three bytes follow). Above all of ncurses' own.
    static let mouseCode = 0x4001
    static let oldMouseCode = 0x4002

    private var scalar: UInt32 = 0
    private var missing = 0
    private var least: UInt32 = 0
    private var mouse: MouseBytes?

    /// The key that `code` completes: a byte, or a number of ncurses. Nil within a character or a mouse event, for bytes
    /// that are no UTF-8, and for keys and buttons without a name here.
    mutating func take(_ code: Int) -> Key? {
        guard let byte = UInt8(exactly: code) else {
            missing = 0
            mouse = code == Self.mouseCode ? .numbers([]) : code == Self.oldMouseCode ? .three([]) : nil
            return mouse == nil ? Self.named(code) : nil
        }
        if var current = mouse {
            let event = current.take(byte)
            mouse = current.isOver ? nil : current
            return event.map { .mouse($0) }
        }
        if missing > 0 {
            if byte & 0xC0 == 0x80 { return proceed(byte) }
            missing = 0
        }
        switch byte {
        case 0x00...0x7F: return Self.ascii(byte)
        case 0xC2...0xDF: begin(byte & 0x1F, missing: 1, least: 0x80)
        case 0xE0...0xEF: begin(byte & 0x0F, missing: 2, least: 0x800)
        case 0xF0...0xF4: begin(byte & 0x07, missing: 3, least: 0x10000)
        default: break
        }
        return nil
    }

    private mutating func begin(_ bits: UInt8, missing: Int, least: UInt32) {
        scalar = UInt32(bits)
        self.missing = missing
        self.least = least
    }

    private mutating func proceed(_ byte: UInt8) -> Key? {
        scalar = scalar << 6 | UInt32(byte & 0x3F)
        missing -= 1
        guard missing == 0, scalar >= least, !(0x80..<0xA0).contains(scalar) else { return nil }
        return Unicode.Scalar(scalar).map { .character($0) }
    }

    private static func ascii(_ byte: UInt8) -> Key {
        switch byte {
        case 0x08, 0x7F: .backspace
        case 0x09: .tab
        case 0x0A, 0x0D: .enter
        case 0x1B: .escape
        case 0x20: .space
        case 0x01...0x1A: .control(Unicode.Scalar(byte + 0x60))
        case 0x00, 0x1C...0x1F: .control(Unicode.Scalar(byte + 0x40))
        default: .character(Unicode.Scalar(byte))
        }
    }

    /// By the numbers of curses.h, which are octal there and the same on every platform of ncurses.
    private static func named(_ code: Int) -> Key? {
        switch code {
        case 0o402: .down
        case 0o403: .up
        case 0o404: .left
        case 0o405: .right
        case 0o406: .home
        case 0o407: .backspace
        case 0o411...0o507: .function(code - 0o410)
        case 0o512: .delete
        case 0o513: .insert
        case 0o522: .pageDown
        case 0o523: .pageUp
        case 0o527: .enter
        case 0o541: .backTab
        case 0o550: .end
        case 0o632: .resize
        default: nil
        }
    }
}

/// A mouse event as far as it has come (xterm's ctlseqs, "Mouse Tracking").
private enum MouseBytes {
    case numbers([UInt8])
    case three([UInt8])
    case over

    var isOver: Bool { if case .over = self { true } else { false } }

    mutating func take(_ byte: UInt8) -> MouseEvent? {
        let numbersBytesMax = 24
        switch self {
        case .over: return nil
        case .numbers(let bytes):
            let isNumber = (0x30...0x39).contains(byte) || byte == UInt8(ascii: ";")
            self = isNumber && bytes.count < numbersBytesMax ? .numbers(bytes + [byte]) : .over
            guard byte == UInt8(ascii: "M") else { return nil }
            let numbers = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
                .map { Int(String(decoding: $0, as: UTF8.self)) }
            guard numbers.count == 3, let button = numbers[0], let column = numbers[1], let row = numbers[2] else {
                return nil
            }
            return Self.event(button, row: row, column: column)
        case .three(let bytes):
            guard bytes.count == 2 else {
                self = .three(bytes + [byte])
                return nil
            }
            self = .over
            return Self.event(Int(bytes[0]) - 32, row: Int(byte) - 32, column: Int(bytes[1]) - 32)
        }
    }

    /// Places from 1. Shift, meta and control held along don't count; a movement is no press.
    private static func event(_ button: Int, row: Int, column: Int) -> MouseEvent? {
        let (modifiers, screenMax) = (4 | 8 | 16, Int(UInt16.max))
        guard (1...screenMax).contains(row), (1...screenMax).contains(column) else { return nil }
        let kinds: [Int: MouseEvent.Kind] = [0: .press, 64: .wheelUp, 65: .wheelDown]
        return kinds[button & ~modifiers].map { MouseEvent($0, row: row - 1, column: column - 1) }
    }
}
