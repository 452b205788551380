// A difference is right if a terminal that follows it shows the new screen; so a small one is built here, and one that lies.
import Testing

@testable import Mirror

/// A terminal that does what the operations say and nothing else. `lie` is the width that it believes a cluster of
/// uncertain width to have.
private struct Emulator {
    var cells: [[Screen.Cell]]
    var style: Screen.Style?
    var place: Screen.Position?
    var isCursorShown: Bool
    let lie: Int?
    var fault: String?

    init(_ screen: Screen, lie: Int? = nil) {
        cells = (0..<screen.rows).map { row in (0..<screen.columns).map { screen[row, $0] } }
        place = screen.cursor
        isCursorShown = screen.cursor != nil
        self.lie = lie
    }

    mutating func apply(_ operations: [Screen.Operation], _ size: Screen) {
        for operation in operations {
            switch operation {
            case .clear:
                cells = [[Screen.Cell]](
                    repeating: [Screen.Cell](repeating: .blank, count: size.columns), count: size.rows)
                (style, place, isCursorShown) = (nil, nil, false)
            case .move(let row, let column): place = Screen.Position(row: row, column: column)
            case .style(let wanted): style = wanted
            case .write(let text): write(text)
            case .clearToEndOfLine:
                guard let place, style == .plain else { return fault = "cleared in the dark" }
                overwrite(place.row, place.column..<cells[place.row].count)
                for column in place.column..<cells[place.row].count { cells[place.row][column] = .blank }
            case .cursor(let wanted):
                isCursorShown = wanted != nil
                place = wanted ?? place
            }
        }
    }

    /// Other halves of what is overwritten become spaces.
    private mutating func overwrite(_ row: Int, _ range: Range<Int>) {
        for column in cells[row].indices where cells[row][column].columns > 1 {
            let wide = column..<min(cells[row].count, column + cells[row][column].columns)
            guard wide.overlaps(range) else { continue }
            for index in wide { cells[row][index] = .space(cells[row][column].style) }
        }
    }

    private mutating func write(_ text: String) {
        guard let start = place, let style else { return fault = "wrote in the dark" }
        var column = start.column
        DisplayText.eachCluster(of: text) { cluster in
            let columns = cluster.isUncertain ? lie ?? cluster.columns : cluster.columns
            guard column < cells[start.row].count else {
                // A liar's cluster may have run over the edge; nothing else may.
                if lie == nil { fault = "wrote past the edge" }
                return true
            }
            let end = min(cells[start.row].count, column + columns)
            overwrite(start.row, column..<end)
            if cluster.isUncertain && lie != nil {
                // Drawn as pieces that know nothing of each other.
                for piece in column..<end { cells[start.row][piece] = Self.piece(style) }
            } else {
                cells[start.row][column] = Screen.Cell(
                    text: DisplayText.slice(text, cluster.utf8Range), columns: columns, style: style,
                    isUncertain: cluster.isUncertain)
                for rest in (column + 1)..<max(column + 1, end) {
                    cells[start.row][rest] = Screen.Cell(text: "", columns: 0, style: style, isUncertain: false)
                }
            }
            column = end
            return true
        }
        place = column < cells[start.row].count ? Screen.Position(row: start.row, column: column) : nil
    }

    static func piece(_ style: Screen.Style) -> Screen.Cell {
        Screen.Cell(text: "?", columns: 1, style: style, isUncertain: true)
    }

    func shows(_ screen: Screen) -> Bool {
        fault == nil && (isCursorShown ? place : nil) == screen.cursor
            && (0..<screen.rows).allSatisfy { row in
                (0..<screen.columns).allSatisfy { cells[row][$0] == screen[row, $0] }
            }
    }
}

@Suite struct ScreenTests {
    static let pieces = [
        "a", "bc", " ", "   ", "北", "京市", "e\u{301}", "longer text", "▸", "\u{1B}", "한",
    ]
    static let uncertain = ["👨‍👩‍👧", "❤\u{FE0F}", "नि", "👍🏽"]

    private func change(_ screen: inout Screen, _ pieces: [String], _ random: inout SeededRandom) {
        let styles: [Screen.Style] = [
            .plain, .plain, Screen.Style(.bold), Screen.Style([.reverse], foreground: .ansi(3)),
            Screen.Style(foreground: .rgb(1, 2, 3), background: .ansi(4)),
        ]
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            let text = (0..<Int.random(in: 1...6, using: &random)).map { _ in pieces.randomElement(using: &random) ?? ""
            }.joined()
            let style = styles.randomElement(using: &random) ?? .plain
            let row = Int.random(in: -1...screen.rows, using: &random)
            let column = Int.random(in: -4...screen.columns + 1, using: &random)
            switch Int.random(in: 0...5, using: &random) {
            case 0:
                screen.fill(row: row, columns: column..<(column + Int.random(in: 0...9, using: &random)), style: style)
            case 1:
                screen.put(
                    text, row: row, column: column, style: style, columnsMax: Int.random(in: 0...5, using: &random))
            default: screen.put(text, row: row, column: column, style: style)
            }
        }
        let at = Screen.Position(
            row: Int.random(in: 0..<screen.rows, using: &random),
            column: Int.random(in: 0..<screen.columns, using: &random))
        screen.cursor = Bool.random(using: &random) ? at : nil
    }

    @Test func `drawing the difference onto the old screen gives the new one`() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(state: seed)
        for round in 0..<3000 {
            let rows = Int.random(in: 1...4, using: &random)
            let columns = Int.random(in: 1...14, using: &random)
            var old = Screen(rows: rows, columns: columns)
            change(&old, Self.pieces + Self.uncertain, &random)
            var new = Bool.random(using: &random) ? old : Screen(rows: rows, columns: columns)
            change(&new, Self.pieces + Self.uncertain, &random)
            if round % 10 == 0 {
                new = Screen(
                    rows: Int.random(in: 1...4, using: &random), columns: Int.random(in: 1...14, using: &random))
                change(&new, Self.pieces, &random)
            }
            var emulator = Emulator(old)
            emulator.apply(Screen.difference(from: old, to: new), new)
            guard emulator.shows(new) else {
                Issue.record("seed \(seed), round \(round): \(emulator.fault ?? "another screen")")
                return
            }
            var fresh = Emulator(new)
            fresh.apply(Screen.drawing(new), new)
            #expect(fresh.shows(new), "seed \(seed), round \(round)")
        }
    }

    @Test func `a terminal that is wrong about emoji still shows everything else in its place`() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(state: seed)
        for round in 0..<2000 {
            let lie = Int.random(in: 1...6, using: &random)
            var shown = Screen(rows: 2, columns: 20)
            var emulator = Emulator(shown, lie: lie)
            for _ in 0..<4 {
                var new = Bool.random(using: &random) ? shown : Screen(rows: 2, columns: 20)
                change(&new, Self.pieces + Self.uncertain, &random)
                emulator.apply(Screen.difference(from: shown, to: new), new)
                shown = new
            }
            for row in 0..<2 {
                // In a row with such a cluster the blanks after it may hold what ran over; nothing else may be wrong.
                let isCertain = (0..<20).allSatisfy { !shown[row, $0].isUncertain }
                for column in 0..<20 where isCertain || shown[row, column].text != " " {
                    let cell = shown[row, column]
                    if cell.isUncertain || (cell.columns == 0 && !isCertain) { continue }
                    #expect(emulator.cells[row][column] == cell, "seed \(seed), round \(round), lie \(lie)")
                }
            }
        }
    }

    @Test func `equal screens need nothing, and a small change little`() {
        var old = Screen(rows: 24, columns: 80)
        for row in 0..<24 { old.put("row \(row) 广东省 – a line of text", row: row, column: 2) }
        #expect(Screen.difference(from: old, to: old) == [])
        var new = old
        // The second half of a wide character: its first half becomes a space.
        new.put("X", row: 5, column: 9, style: Screen.Style(.bold))
        #expect(
            Screen.difference(from: old, to: new) == [
                .move(row: 5, column: 8), .style(.plain), .write(" "), .style(Screen.Style(.bold)), .write("X"),
            ])
        new = old
        new.fill(row: 7, columns: 0..<80, style: .plain)
        #expect(Screen.difference(from: old, to: new) == [.move(row: 7, column: 0), .style(.plain), .clearToEndOfLine])
    }

    @Test func `a short unchanged gap is written through, a long one jumped over`() {
        var old = Screen(rows: 1, columns: 40)
        old.put("aXbcdXeeeeeeeeX", row: 0, column: 0)
        var new = Screen(rows: 1, columns: 40)
        new.put("aYbcdYeeeeeeeeY", row: 0, column: 0)
        #expect(
            Screen.difference(from: old, to: new) == [
                .move(row: 0, column: 1), .style(.plain), .write("YbcdY"), .move(row: 0, column: 14), .write("Y"),
            ])
    }

    @Test func `a wide character at an edge or cut in two becomes spaces`() {
        var screen = Screen(rows: 1, columns: 5)
        screen.put("北京市", row: 0, column: 0)
        #expect(screen.line(0) == "北京" && screen[0, 4] == .blank)
        screen.put("x", row: 0, column: 1)
        #expect(screen.line(0) == " x京")
        screen.put("y", row: 0, column: 2)
        #expect(screen.line(0) == " xy")
        #expect(screen.put("北京", row: 0, column: -1) == 3)
        #expect(screen.line(0) == " 京")
        screen.put("北京", row: 0, column: 0, columnsMax: 3)
        #expect(screen.line(0) == "北")
        #expect(screen.put("北京", row: 9, column: 2) == 6)
        #expect(screen.put("a\u{1B}[2J", row: 0, column: 0) == 5 && screen.line(0) == "a␛[2J")
    }

    @Test func `sizes out of bounds are held within`() {
        #expect(Screen(rows: -1, columns: 5).rows == 0)
        let large = Screen(rows: 100_000, columns: 100_000)
        #expect(large.rows == Screen.rowsMax && large.columns == Screen.columnsMax)
        var empty = Screen(rows: 0, columns: 0)
        #expect(empty.put("x", row: 0, column: 0) == 1)
        #expect(Screen.difference(from: empty, to: empty) == [] && Screen.drawing(empty) == [.clear])
        empty.cursor = Screen.Position(row: 0, column: 0)
        #expect(Screen.drawing(empty) == [.clear])
    }
}
