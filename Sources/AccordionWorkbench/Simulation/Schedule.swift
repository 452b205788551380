// Why this file exists: in a simulation time passes only from one thing that happens to the next.

/// What is going to happen, in the order of its time, and within a moment in the order in which it was put there.
final class Schedule {
    private struct Entry {
        let milliseconds: Int64
        let number: UInt64
        let body: () -> Void

        func isBefore(_ other: Entry) -> Bool {
            milliseconds == other.milliseconds ? number < other.number : milliseconds < other.milliseconds
        }
    }

    private(set) var now: Int64 = 0
    private var heap: [Entry] = []
    private var number: UInt64 = 0

    func after(_ milliseconds: Int64, _ body: @escaping () -> Void) {
        number += 1
        heap.append(Entry(milliseconds: now + max(0, milliseconds), number: number, body: body))
        var place = heap.count - 1
        while place > 0, heap[place].isBefore(heap[(place - 1) / 2]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Lets everything happen up to a moment.
    func run(until end: Int64) {
        while let first = heap.first, first.milliseconds <= end {
            removeFirst()
            now = first.milliseconds
            first.body()
        }
        now = max(now, end)
    }

    private func removeFirst() {
        heap[0] = heap[heap.count - 1]
        heap.removeLast()
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if heap[child].isBefore(heap[least]) { least = child }
            }
            if least == place { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
