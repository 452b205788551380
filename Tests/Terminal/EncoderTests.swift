// The bytes of drawing operations, without a terminal.
import Testing

@testable import Terminal

@Suite struct EncoderTests {
    private func text(
        _ operations: [DrawingOperation], colours: ColourSupport = ColourSupport(indices: 8, isDirect: true)
    ) -> String {
        var capabilities = Capabilities()
        capabilities.plain = Array("<p>".utf8)
        capabilities.bold = Array("<b>".utf8)
        capabilities.dim = Array("<d>".utf8)
        capabilities.reverse = Array("<r>".utf8)
        capabilities.underline = Array("<u>".utf8)
        capabilities.clear = Array("<clear>".utf8)
        capabilities.clearToEndOfLine = Array("<el>".utf8)
        capabilities.showCursor = Array("<show>".utf8)
        capabilities.hideCursor = Array("<hide>".utf8)
        let encoder = DrawingEncoder(
            capabilities: capabilities, colours: colours, move: { Array("<\($0),\($1)>".utf8) },
            index: { Array("<\($1 ? "f" : "b")\($0)>".utf8) })
        return String(decoding: encoder.encode(operations), as: UTF8.self)
    }

    @Test func `operations become the terminal's own sequences`() {
        #expect(
            text([.clear, .move(row: 1, column: 2), .write("北京"), .clearToEndOfLine]) == "<hide><p><clear><1,2>北京<el>")
        #expect(text([.showCursor(row: 3, column: 4), .hideCursor]) == "<3,4><show><hide>")
        let all = TerminalStyle(
            isBold: true, isDim: true, isReverse: true, isUnderlined: true, foreground: .ansi(1),
            background: .rgb(1, 2, 3))
        #expect(text([.style(all), .style(.plain)]) == "<p><b><d><r><u><f1>\u{1B}[48;2;1;2;3m<p>")
        #expect(text([.style(all)], colours: ColourSupport(indices: 0, isDirect: false)) == "<p><b><d><r><u>")
    }

    @Test func `no control character of a text reaches the terminal`() {
        for value in UInt32(0)...0x10FFFF {
            guard value < 0x3000 || value % 97 == 0, let scalar = Unicode.Scalar(value) else { continue }
            let isControl = value < 0x20 || (0x7F...0x9F).contains(value)
            #expect(text([.write("a" + String(scalar) + "b")]) == (isControl ? "a?b" : "a" + String(scalar) + "b"))
        }
    }

    @Test func `padding of old terminals is left out`() {
        #expect(withoutPadding(Array("\u{1B}[H$<5/>x$<50>$".utf8)) == Array("\u{1B}[Hx$".utf8))
        #expect(withoutPadding(Array("$<unending".utf8)) == Array("$<unending".utf8))
    }
}
