// How many colours a terminal has is told in three places that disagree: terminfo, COLORTERM, and the user's NO_COLOR.
// Which one wins, and what becomes of a colour that there is no room for, is decided here without a terminal.

/// What the environment says of the terminal.
package struct TerminalEnvironment: Hashable, Sendable {
    /// TERM
    package var type: String
    /// COLORTERM
    package var colours: String
    /// NO_COLOR is there and not empty (no-color.org).
    package var isWithoutColour: Bool
    package init(type: String, colours: String = "", isWithoutColour: Bool = false) {
        self.type = type
        self.colours = colours
        self.isWithoutColour = isWithoutColour
    }
}

package struct ColourSupport: Hashable, Sendable {
    /// 0, 8, 16 or 256 colours by number.
    package let indices: Int
    /// Any colour by red, green and blue.
    package let isDirect: Bool

    package init(indices: Int, isDirect: Bool) {
        self.indices = indices
        self.isDirect = isDirect
    }

    /// `terminfoColours` is terminfo's `colors`, negative where absent; `hasDirectFlag` its extension `RGB` or `Tc`.
    package init(terminfoColours: Int, hasDirectFlag: Bool, environment: TerminalEnvironment) {
        guard !environment.isWithoutColour, environment.type != "dumb", terminfoColours >= 8 else {
            self.init(indices: 0, isDirect: false)
            return
        }
        let isDirectEntry = terminfoColours > 0x7FFF
        let isNamed = ["truecolor", "24bit"].contains(environment.colours.lowercased())
        // An entry with direct colours (xterm-direct) takes numbers above 7 for mixtures of red, green and blue.
        let indices = isDirectEntry ? 8 : terminfoColours >= 256 ? 256 : terminfoColours >= 16 ? 16 : 8
        self.init(indices: indices, isDirect: isDirectEntry || isNamed || hasDirectFlag)
    }

    enum Reduced: Hashable {
        case none
        case index(Int)
        case direct(UInt8, UInt8, UInt8)
    }

    /// The nearest that the terminal has.
    func reduce(_ colour: TerminalColour) -> Reduced {
        if indices == 0 { return .none }
        switch colour {
        case .standard: return .none
        case .ansi(let number):
            let number = Int(number & 15)
            if number < indices { return .index(number) }
            let mixed = ansiColours[number]
            return isDirect ? .direct(mixed.0, mixed.1, mixed.2) : .index(number - 8)
        case .rgb(let red, let green, let blue):
            if isDirect { return .direct(red, green, blue) }
            if indices == 256 { return .index(nearestOf256(red, green, blue)) }
            let distances = ansiColours.prefix(indices).map { distance($0, (red, green, blue)) }
            return .index(distances.indices.min { distances[$0] < distances[$1] } ?? 7)
        }
    }
}

private typealias Mixture = (UInt8, UInt8, UInt8)

/// xterm's own values of the sixteen.
private let ansiColours: [Mixture] = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
    (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255),
    (255, 255, 255),
]

private func distance(_ first: Mixture, _ second: Mixture) -> Int {
    let red = Int(first.0) - Int(second.0)
    let green = Int(first.1) - Int(second.1)
    let blue = Int(first.2) - Int(second.2)
    return red * red + green * green + blue * blue
}

/// Colours 16 to 231 are a cube with six steps a side, 232 to 255 a ramp of greys; the nearer of the two.
private func nearestOf256(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int {
    let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
    func step(_ value: UInt8) -> Int {
        steps.indices.min { abs(Int(steps[$0]) - Int(value)) < abs(Int(steps[$1]) - Int(value)) } ?? 0
    }
    let (r, g, b) = (step(red), step(green), step(blue))
    let grey = min(23, max(0, ((Int(red) + Int(green) + Int(blue)) / 3 - 3) / 10))
    let greyValue = UInt8(8 + 10 * grey)
    let wanted = (red, green, blue)
    let isGreyNearer =
        distance((greyValue, greyValue, greyValue), wanted) < distance((steps[r], steps[g], steps[b]), wanted)
    return isGreyNearer ? 232 + grey : 16 + 36 * r + 6 * g + b
}
