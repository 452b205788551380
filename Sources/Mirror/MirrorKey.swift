// Why this file exists: keys as the mirror means them, so that what a key does can be tried without a terminal.

/// A key, or what the mouse did.
package enum MirrorKey: Hashable, Sendable {
    case character(Unicode.Scalar)
    case space, enter, tab, backspace, escape
    case up, down, left, right, home, end, pageUp, pageDown
    /// A lower-case letter held with Ctrl.
    case control(Unicode.Scalar)
    case function(Int)
    case click(row: Int, column: Int)
    /// Rows, downwards.
    case wheel(Int)
}

/// What a key means.
package enum MirrorGesture: Sendable, Equatable {
    case down, up, home, end, pageDown, pageUp, halfPageDown, halfPageUp
    /// To the next section, or the one before, inside the same.
    case nextSibling, previousSibling
    /// Turns the section under the cursor, or the one around the text under it.
    case toggle
    /// Opens, then goes into.
    case open
    /// Closes, then goes out.
    case close
    /// Opens or closes without going anywhere.
    case unfold, fold
    case openAll, closeAll
    /// One level more, or less, is open than was asked for last.
    case deeper, flatter
    case level(Int)
    case openSiblings, closeSiblings
    case check
    /// Folds are mine alone from now on, or everybody's again.
    case privately
    case present, follow, people
    case undo, redo
    case copyText, copyPath
    case search(isBackward: Bool), nextHit, previousHit
    case filter, command
    case help
    /// Ends what is in the way: a filter, a panel.
    case escape
    /// The mouse: the arrow toggles, the title selects.
    case press(row: Int, column: Int)
    case scroll(Int)
    case redraw, suspend, quit
}

/// From keys to gestures; of those that are two keys long the first is kept.
package struct KeyBindings {
    private(set) var prefix: Unicode.Scalar?

    /// Keys and what they do, in the order in which they are shown.
    package static let help = [
        "j k move", "l h open and into, close and out", "Space toggle", "x check", "J K siblings", "g G first, last",
        "PgDn PgUp Ctrl-d Ctrl-u page", "1-9 open to a level", "zo zc za zR zM zr zm folds", "e c * siblings",
        "/ ? n N search", "\\ filter", "p private folds", "P present", "F follow", "W who is here",
        "u Ctrl-r undo, redo",
        "yy yp copy text, path", ": command", "R redraw", "Ctrl-z suspend", "F1 this help", "q quit",
    ]

    /// Nil for a key that means nothing, or the first of two.
    mutating func take(_ key: MirrorKey) -> MirrorGesture? {
        if let first = prefix {
            prefix = nil
            guard case .character(let second) = key else { return nil }
            return KeyBindings.pair(first, second)
        }
        switch key {
        case .character("z"), .character("y"):
            if case .character(let scalar) = key { prefix = scalar }
            return nil
        case .character(let scalar): return KeyBindings.character(scalar)
        case .control(let scalar): return KeyBindings.control(scalar)
        default: return KeyBindings.named(key)
        }
    }

    private static func pair(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> MirrorGesture? {
        switch (first, second) {
        case ("z", "o"): .unfold
        case ("z", "c"): .fold
        case ("z", "a"): .toggle
        case ("z", "R"): .openAll
        case ("z", "M"): .closeAll
        case ("z", "r"): .deeper
        case ("z", "m"): .flatter
        case ("y", "y"): .copyText
        case ("y", "p"): .copyPath
        default: nil
        }
    }

    private static func character(_ scalar: Unicode.Scalar) -> MirrorGesture? {
        switch scalar {
        case "j": .down
        case "k": .up
        case "l": .open
        case "h": .close
        case "g": .home
        case "G": .end
        case "J": .nextSibling
        case "K": .previousSibling
        case "x": .check
        case "e", "*": .openSiblings
        case "c": .closeSiblings
        case "p": .privately
        case "P": .present
        case "F": .follow
        case "W": .people
        case "u": .undo
        case "/": .search(isBackward: false)
        case "?": .search(isBackward: true)
        case "n": .nextHit
        case "N": .previousHit
        case "\\": .filter
        case ":": .command
        case "R": .redraw
        case "q": .quit
        case "1"..."9": .level(Int(scalar.value - 48))
        default: nil
        }
    }

    private static func control(_ scalar: Unicode.Scalar) -> MirrorGesture? {
        switch scalar {
        case "f": .pageDown
        case "b": .pageUp
        case "d": .halfPageDown
        case "u": .halfPageUp
        case "r": .redo
        case "l": .redraw
        case "z": .suspend
        case "c": .quit
        default: nil
        }
    }

    private static func named(_ key: MirrorKey) -> MirrorGesture? {
        switch key {
        case .down: .down
        case .up: .up
        case .right: .open
        case .left: .close
        case .home: .home
        case .end: .end
        case .pageDown: .pageDown
        case .pageUp: .pageUp
        case .space, .enter: .toggle
        case .escape: .escape
        case .function(1): .help
        case .click(let row, let column): .press(row: row, column: column)
        case .wheel(let rows): .scroll(rows)
        default: nil
        }
    }
}
