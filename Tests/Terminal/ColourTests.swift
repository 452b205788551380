// Which colours a terminal gets, without a terminal.
import Testing

@testable import Terminal

@Suite struct ColourTests {
    private func support(_ colours: Int, _ environment: TerminalEnvironment, flag: Bool = false) -> ColourSupport {
        ColourSupport(terminfoColours: colours, hasDirectFlag: flag, environment: environment)
    }

    @Test func `terminfo, COLORTERM and NO_COLOR decide together`() {
        let xterm = TerminalEnvironment(type: "xterm")
        let named = TerminalEnvironment(type: "xterm", colours: "truecolor")
        let without = TerminalEnvironment(type: "xterm", colours: "truecolor", isWithoutColour: true)
        #expect(support(-1, named) == ColourSupport(indices: 0, isDirect: false))
        #expect(support(8, xterm) == ColourSupport(indices: 8, isDirect: false))
        #expect(support(16, xterm) == ColourSupport(indices: 16, isDirect: false))
        #expect(support(256, xterm) == ColourSupport(indices: 256, isDirect: false))
        #expect(support(256, named) == ColourSupport(indices: 256, isDirect: true))
        #expect(support(256, xterm, flag: true) == ColourSupport(indices: 256, isDirect: true))
        #expect(support(1 << 24, xterm) == ColourSupport(indices: 8, isDirect: true))
        #expect(support(256, without, flag: true) == ColourSupport(indices: 0, isDirect: false))
        #expect(support(8, TerminalEnvironment(type: "dumb", colours: "24bit")).indices == 0)
    }

    @Test func `every palette colour of 256 is its own nearest`() {
        let support = ColourSupport(indices: 256, isDirect: false)
        let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
        for r in 0..<6 {
            for g in 0..<6 {
                for b in 0..<6 {
                    #expect(support.reduce(.rgb(steps[r], steps[g], steps[b])) == .index(16 + 36 * r + 6 * g + b))
                }
            }
        }
        for grey in 0..<24 {
            let value = UInt8(8 + 10 * grey)
            #expect(support.reduce(.rgb(value, value, value)) == .index(232 + grey))
        }
    }

    @Test func `colours fall to what there is`() {
        let eight = ColourSupport(indices: 8, isDirect: false)
        let sixteen = ColourSupport(indices: 16, isDirect: false)
        #expect(eight.reduce(.ansi(9)) == .index(1))
        #expect(sixteen.reduce(.ansi(9)) == .index(9))
        #expect(eight.reduce(.rgb(250, 10, 10)) == .index(1))
        #expect(sixteen.reduce(.rgb(250, 10, 10)) == .index(9))
        #expect(ColourSupport(indices: 8, isDirect: true).reduce(.ansi(9)) == .direct(255, 0, 0))
        #expect(ColourSupport(indices: 0, isDirect: false).reduce(.rgb(1, 2, 3)) == .none)
        #expect(sixteen.reduce(.standard) == .none)
    }
}
