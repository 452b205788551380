// Why this file exists: a frame is the one place where bytes are written through raw addresses; each way of writing is
// compared with what an array would hold.
import Bytes
import Testing

@Test func `a frame holds what each kind of append gave it, in order`() {
    let frame = Frame(capacityBytes: 1)
    var expected: [UInt8] = []
    let long = String(repeating: "广东省/深圳市 ", count: 20)
    for round in 0..<50 {
        frame.append(UInt8(round))
        expected.append(UInt8(round))
        frame.append("{\"event\":")
        expected += Array("{\"event\":".utf8)
        frame.append(utf8: round % 2 == 0 ? "small" : long)
        expected += Array((round % 2 == 0 ? "small" : long).utf8)
        frame.append(utf8: long.dropFirst(round))
        expected += Array(long.dropFirst(round).utf8)
        let bytes = [UInt8](0..<UInt8(round))
        frame.append(bytes)
        frame.append(bytes.span)
        expected += bytes + bytes
        frame.append(bytesMax: 8) { output in
            output.append(1)
            output.append(2)
        }
        expected += [1, 2]
        frame.append("é")
        expected += Array("é".utf8)
    }
    let held = frame.withSpan { span in span.indices.map { span[$0] } }
    #expect(held == expected)
    #expect(frame.count == expected.count)
}

@Test(arguments: [0, 1, -1, 9, 10, 99, 100, 12345, -12345, Int.max, Int.min, Int.max - 1])
func `a number is appended in the digits that Swift prints`(number: Int) {
    let frame = Frame()
    frame.append(decimal: number)
    #expect(frame.text == String(number))
}

@Test func `the greatest unsigned number is appended whole`() {
    let frame = Frame()
    for power in 0..<64 {
        frame.truncate(to: 0)
        frame.append(decimal: UInt64.max >> UInt64(power))
        #expect(frame.text == String(UInt64.max >> UInt64(power)))
    }
}

@Test func `truncating takes back only the end`() {
    let frame = Frame()
    frame.append("kept")
    let mark = frame.count
    frame.append(" and too long")
    frame.truncate(to: mark)
    frame.append("!")
    #expect(frame.text == "kept!")
}

@Test func `an error inside an append leaves nothing behind`() {
    struct Refused: Error {}
    let frame = Frame()
    frame.append("a")
    #expect(throws: Refused.self) {
        try frame.append(bytesMax: 4) { output throws(Refused) in
            output.append(0x62)
            throw Refused()
        }
    }
    #expect(frame.text == "a")
}

@Test func `the ledger counts frames while they live, growth included`() {
    let ledger = FrameLedger()
    do {
        let small = Frame(capacityBytes: 100, ledger: ledger)
        #expect(ledger.liveBytes == 100)
        let other = Frame(capacityBytes: 50, ledger: ledger)
        #expect(ledger.liveBytes == 150)
        for _ in 0..<1000 { small.append(0) }
        #expect(ledger.liveBytes >= 1050)
        withExtendedLifetime((small, other)) {}
    }
    #expect(ledger.liveBytes == 0)
}

@Test func `writing to a sealed frame stops the process`() async {
    await #expect(processExitsWith: .failure) {
        let frame = Frame()
        frame.append("a")
        frame.seal()
        frame.append("b")
    }
}

@Test func `taking the address of a frame that is still written stops the process`() async {
    await #expect(processExitsWith: .failure) {
        let frame = Frame()
        frame.append("a")
        _ = unsafe frame.address
    }
}
