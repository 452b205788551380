// Why this file exists: a section that opens should be seen to open. Between two frames the rows that are new grow out of
// their header, and those that go shrink into it, one after the other; what stays moves along.

/// What a row of the screen shows: the line, and the row within it.
struct RowName: Hashable {
    let line: Layout.Line
    let row: Int
}

/// The way from one frame to another. Rows below `rows` (bars) are the new frame's at once.
struct Transition {
    /// How long it takes.
    static let milliseconds: Int64 = 300
    static let stepMilliseconds: Int64 = 16

    private enum Piece {
        case kept(old: Int, new: Int)
        case added(Range<Int>)
        case removed(Range<Int>)
    }

    let startMilliseconds: Int64
    private let old: Screen
    private var pieces: [Piece] = []
    private let rows: Int

    /// Nil where nothing grows or shrinks. The names are of the rows from the first on, both in document order.
    init?(
        from old: Screen, _ oldNames: [RowName], to new: Screen, _ newNames: [RowName], rows: Int,
        at milliseconds: Int64
    ) {
        guard old.rows == new.rows, old.columns == new.columns else { return nil }
        self.old = old
        self.rows = rows
        startMilliseconds = milliseconds
        let (oldPlaces, newPlaces) = (Self.places(oldNames), Self.places(newNames))
        var (left, right) = (0, 0)
        while left < oldNames.count || right < newNames.count {
            let leftStart = left
            while left < oldNames.count, newPlaces[oldNames[left]] == nil { left += 1 }
            if left > leftStart { pieces.append(.removed(leftStart..<left)) }
            let rightStart = right
            while right < newNames.count, oldPlaces[newNames[right]] == nil { right += 1 }
            if right > rightStart { pieces.append(.added(rightStart..<right)) }
            guard left < oldNames.count, right < newNames.count else { continue }
            // Rows that both have stand in the same order; were they ever not, there is nothing to see.
            guard oldNames[left] == newNames[right] else { return nil }
            pieces.append(.kept(old: left, new: right))
            left += 1
            right += 1
        }
        let moves = pieces.contains { if case .kept = $0 { false } else { true } }
        let stays = pieces.contains { if case .kept = $0 { true } else { false } }
        if !moves || !stays { return nil }
    }

    private static func places(_ names: [RowName]) -> [RowName: Int] {
        var places: [RowName: Int] = [:]
        for (place, name) in names.enumerated() { places[name] = place }
        return places
    }

    func isOver(at milliseconds: Int64) -> Bool { milliseconds >= startMilliseconds + Transition.milliseconds }

    /// Slow, fast, slow: from 0 to 1.
    static func ease(_ part: Double) -> Double { part < 0.5 ? 2 * part * part : 1 - 2 * (1 - part) * (1 - part) }

    /// The frame at a moment; `new` is what it ends as.
    func frame(_ new: Screen, at milliseconds: Int64) -> Screen {
        let passed = Double(max(0, milliseconds - startMilliseconds)) / Double(Transition.milliseconds)
        let part = Transition.ease(min(1, passed))
        var frame = Screen(rows: new.rows, columns: new.columns)
        frame.cursor = new.cursor
        var row = 0
        func put(_ source: Screen, _ from: Int) {
            if row < rows { frame.copy(row: from, of: source, to: row) }
            row += 1
        }
        for piece in pieces {
            switch piece {
            case .kept(_, let place): put(new, place)
            case .added(let range):
                for place in range.prefix(Int((Double(range.count) * part).rounded())) { put(new, place) }
            case .removed(let range):
                for place in range.prefix(range.count - Int((Double(range.count) * part).rounded())) { put(old, place) }
            }
        }
        for place in rows..<max(rows, new.rows) { frame.copy(row: place, of: new, to: place) }
        return frame
    }
}
