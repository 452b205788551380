// Why this file exists: an outbox that loses, repeats or reorders a byte breaks a client's line for good, and one that
// miscounts breaks a limit. It is compared with a plain list of bytes.
import Bytes
import TestSupport
import Testing

private func frame(_ text: String) -> Frame {
    let frame = Frame()
    frame.append(utf8: text)
    return frame
}

private func texts(_ outbox: Outbox, _ piecesMax: Int = .max - 1) -> [String] {
    var all: [String] = []
    outbox.forEachUnsent(piecesMax: piecesMax) { all.append($0.text) }
    return all
}

@Test func `adjacent ranges of one frame and kind become one piece`() {
    let shared = frame("abcdef")
    var outbox = Outbox()
    outbox.append(Piece(shared, 0..<2, isDroppable: true))
    outbox.append(Piece(shared, 2..<3, isDroppable: true))
    outbox.append(Piece(shared, 3..<4, isDroppable: false))
    outbox.append(Piece(shared, 4..<5, isDroppable: false))
    outbox.append(Piece(frame("x"), 0..<1, isDroppable: false))
    outbox.append(Piece(shared, 0..<0, isDroppable: false))
    #expect(texts(outbox) == ["abc", "de", "x"])
    #expect(outbox.queuedEventBytes == 3)
    #expect(outbox.queuedReplyBytes == 3)
    #expect(outbox.pieceCount == 3)
}

@Test func `a piece that has begun to leave is not lengthened`() {
    let shared = frame("abcdef")
    var outbox = Outbox()
    outbox.append(Piece(shared, 0..<2, isDroppable: true))
    #expect(outbox.beginFirst()?.text == "ab")
    outbox.append(Piece(shared, 2..<4, isDroppable: true))
    outbox.append(Piece(shared, 4..<6, isDroppable: true))
    #expect(texts(outbox) == ["ab", "cdef"])
    #expect(outbox.dropEvents() == 4)
    #expect(texts(outbox) == ["ab"])
}

@Test func `dropping events spares replies and the event that has begun`() {
    var outbox = Outbox()
    for (text, droppable) in [("e1", true), ("r1", false), ("e2", true), ("r2", false), ("e3", true)] {
        outbox.append(Piece(frame(text), isDroppable: droppable))
    }
    outbox.consume(1)
    #expect(outbox.dropEvents() == 4)
    #expect(texts(outbox) == ["1", "r1", "r2"])
    #expect(outbox.queuedEventBytes == 1)
    #expect(outbox.dropEvents() == 0)
    outbox.consume(1)
    outbox.append(Piece(frame("e4"), isDroppable: true))
    #expect(outbox.dropEvents() == 2)
    outbox.consume(4)
    #expect(outbox.isEmpty)
    #expect(outbox.queuedBytes == 0)
}

@Test func `an event that has not begun is dropped even when it is first`() {
    var outbox = Outbox()
    outbox.append(Piece(frame("e1"), isDroppable: true))
    outbox.append(Piece(frame("e2"), isDroppable: true))
    #expect(outbox.dropEvents() == 4)
    #expect(outbox.isEmpty && outbox.pieceCount == 0)
}

@Test func `no more pieces are told than were asked for`() {
    var outbox = Outbox()
    for text in ["a", "b", "c"] { outbox.append(Piece(frame(text), isDroppable: true)) }
    for wanted in 0...4 { #expect(texts(outbox, wanted) == Array(["a", "b", "c"].prefix(wanted))) }
}

@Test func `a frame is let go with its last byte`() {
    let ledger = FrameLedger()
    var outbox = Outbox()
    for _ in 0..<300 {
        let event = Frame(capacityBytes: 16, ledger: ledger)
        event.append("0123456789abcdef")
        outbox.append(Piece(event, isDroppable: true))
    }
    for left in (0..<300).reversed() {
        outbox.consume(16)
        #expect(ledger.liveBytes == left * 16)
    }
}

@Test func `consuming more than is queued stops the process`() async {
    await #expect(processExitsWith: .failure) {
        var outbox = Outbox()
        outbox.consume(1)
    }
}

@Test func `any history of appends, writes and drops agrees with a list of bytes`() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix(seed: seed)
    for _ in 0..<300 {
        var outbox = Outbox()
        var model: [(bytes: [UInt8], droppable: Bool, begun: Bool)] = []
        var shared = Frame()
        for _ in 0..<random.below(400) {
            switch random.below(8) {
            case 0...3:
                if random.below(4) == 0 { shared = Frame() }
                let bytes = (0..<random.below(20)).map { _ in UInt8(random.below(256)) }
                let start = shared.count
                shared.append(bytes)
                let droppable = random.below(3) > 0
                outbox.append(Piece(shared, start..<shared.count, isDroppable: droppable))
                if !bytes.isEmpty { model.append((bytes, droppable, false)) }
            case 4...6:
                var taken = random.below(outbox.queuedBytes + 1)
                if random.below(2) == 0 { taken = min(taken, 3) }
                // What was merged begins together: a merged piece is as long as the outbox says.
                var pieces: [Int] = []
                outbox.forEachUnsent(piecesMax: 1 << 20) { pieces.append($0.count) }
                outbox.consume(taken)
                consume(&model, taken, pieces)
            default:
                let kept = model.filter { !$0.droppable || $0.begun }
                let bytes = { (list: [(bytes: [UInt8], droppable: Bool, begun: Bool)]) in
                    list.reduce(0) { $0 + $1.bytes.count }
                }
                #expect(outbox.dropEvents() == bytes(model) - bytes(kept), "seed \(seed)")
                model = kept
            }
            var held: [UInt8] = []
            outbox.forEachUnsent(piecesMax: 1 << 20) { piece in
                piece.frame.withSpan { span in for index in piece.lower..<piece.upper { held.append(span[index]) } }
            }
            #expect(held == model.flatMap(\.bytes), "seed \(seed)")
            let events = model.filter(\.droppable).reduce(0) { $0 + $1.bytes.count }
            #expect(outbox.queuedEventBytes == events, "seed \(seed)")
            #expect(outbox.queuedBytes == held.count, "seed \(seed)")
        }
    }
}

private func consume(
    _ model: inout [(bytes: [UInt8], droppable: Bool, begun: Bool)], _ taken: Int, _ pieces: [Int]
) {
    var begunBytes = 0
    var sum = 0
    for count in pieces {
        if sum < taken, sum + count > taken { begunBytes = sum + count - taken }
        sum += count
    }
    var left = taken
    while left > 0 {
        let count = min(left, model[0].bytes.count)
        model[0].bytes.removeFirst(count)
        left -= count
        if model[0].bytes.isEmpty { model.removeFirst() }
    }
    for index in model.indices where begunBytes > 0 {
        model[index].begun = true
        begunBytes -= model[index].bytes.count
    }
}
