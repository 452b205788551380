// Why this file exists: what this daemon decided must reach all others, in order, whatever happens to the broker. The store
// keeps it until the broker has it; here is the window of it that is being published.

import AccordionModel
import Causality

/// One of our operations, as the store keeps it until the broker has it.
package struct OutgoingRow: Sendable, Equatable {
    /// Counted from 1 in the order of the commits, through all runs.
    package let place: Int64
    package let name: DocumentName
    package let dot: Dot
    /// The run of the daemon that made it.
    package let instance: String
    /// The operation as `ReplicaWriter` writes it.
    package let text: [UInt8]

    package init(place: Int64, name: DocumentName, dot: Dot, instance: String, text: [UInt8]) {
        self.place = place
        self.name = name
        self.dot = dot
        self.instance = instance
        self.text = text
    }
}

/// The rows that are being published, oldest first, and whether the store has more behind them.
struct Outgoing {
    struct Item {
        let row: OutgoingRow
        /// Parts that the broker has not confirmed; nil before they were given out.
        var unconfirmed: Set<Int>?
        var sentMilliseconds: Int64 = 0
    }

    private(set) var items: [Item] = []
    private(set) var bytes = 0
    /// The store has rows behind the last item that are not here.
    private(set) var hasMore: Bool
    /// They were asked for.
    private(set) var isReading = false
    /// The place of the last row that ever stood here.
    private(set) var lastPlace: Int64 = 0
    let itemsMax: Int
    let bytesMax: Int

    init(hasMore: Bool, itemsMax: Int, bytesMax: Int) {
        self.hasMore = hasMore
        self.itemsMax = itemsMax
        self.bytesMax = bytesMax
    }

    var isEmpty: Bool { items.isEmpty && !hasMore }
    private var hasRoom: Bool { items.count < itemsMax && bytes < bytesMax }

    /// Rows that were just stored, behind all others.
    mutating func append(stored rows: [OutgoingRow]) {
        for row in rows {
            if hasMore || !hasRoom { hasMore = true } else { push(row) }
        }
    }

    /// The store may have rows that were not told.
    mutating func lookAgain() { hasMore = true }

    private mutating func push(_ row: OutgoingRow) {
        guard row.place > lastPlace else { return }
        lastPlace = row.place
        bytes += row.text.count
        items.append(Item(row: row))
    }

    /// Whether the next rows must be read from the store, and after which place.
    mutating func wantsRows() -> Int64? {
        guard hasMore, !isReading, hasRoom else { return nil }
        isReading = true
        return lastPlace
    }

    mutating func take(rows: [OutgoingRow], isLast: Bool) {
        guard isReading else { return }
        isReading = false
        hasMore = !isLast
        for row in rows { push(row) }
    }

    /// Rows that were not given out, or so long ago that they are given out again; at most `most`.
    mutating func due(at milliseconds: Int64, againMilliseconds: Int64, most: Int) -> [OutgoingRow] {
        var rows: [OutgoingRow] = []
        for place in items.indices {
            if rows.count == most { break }
            if items[place].unconfirmed != nil, items[place].sentMilliseconds + againMilliseconds > milliseconds {
                continue
            }
            items[place].sentMilliseconds = milliseconds
            rows.append(items[place].row)
        }
        return rows
    }

    mutating func given(_ row: OutgoingRow, parts: Int) {
        guard let place = items.firstIndex(where: { $0.row.place == row.place }) else { return }
        if items[place].unconfirmed == nil { items[place].unconfirmed = Set(1...parts) }
    }

    /// The connection is another: all is given out again.
    mutating func forgetGiven() {
        for place in items.indices { items[place].unconfirmed = nil }
    }

    /// The broker has a part. Returns whether it has all of the row now, which is gone then.
    mutating func confirm(place: Int64, part: Int) -> OutgoingRow? {
        guard let index = items.firstIndex(where: { $0.row.place == place }) else { return nil }
        items[index].unconfirmed?.remove(part)
        guard items[index].unconfirmed?.isEmpty == true else { return nil }
        return remove(at: index)
    }

    /// The operation was read from the stream.
    mutating func confirm(_ name: DocumentName, _ dot: Dot) -> OutgoingRow? {
        guard let index = items.firstIndex(where: { $0.row.dot == dot && $0.row.name == name }) else { return nil }
        return remove(at: index)
    }

    private mutating func remove(at index: Int) -> OutgoingRow {
        let row = items.remove(at: index).row
        bytes -= row.text.count
        return row
    }
}
