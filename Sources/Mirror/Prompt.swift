// Why this file exists: a word to search for, a filter and a command are typed into the bar, and can be mended before they
// are meant.

/// A line that is being typed.
struct Prompt: Equatable {
    enum Kind: Equatable {
        case search(isBackward: Bool)
        case filter, command

        var mark: String {
            switch self {
            case .search(let isBackward): isBackward ? "?" : "/"
            case .filter: "\\"
            case .command: ":"
            }
        }
    }

    enum Outcome: Equatable {
        case going
        case entered(String)
        case left
    }

    static let bytesMax = 512

    let kind: Kind
    private(set) var text = ""

    init(_ kind: Kind) { self.kind = kind }

    mutating func take(_ key: MirrorKey) -> Outcome {
        switch key {
        case .enter: return .entered(text)
        case .escape, .control("c"): return .left
        case .backspace:
            if text.isEmpty { return .left }
            text.removeLast()
        case .control("u"): text = ""
        case .control("w"):
            while text.last == " " { text.removeLast() }
            while let last = text.last, last != " " { text.removeLast() }
        case .space: add(" ")
        case .character(let scalar): add(scalar)
        default: break
        }
        return .going
    }

    private mutating func add(_ scalar: Unicode.Scalar) {
        if text.utf8.count < Prompt.bytesMax { text.unicodeScalars.append(scalar) }
    }
}
