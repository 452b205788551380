// Why this file exists: a framer is right when it does not matter how the bytes were cut. Every sequence is fed in every
// split and compared with the naive answer, which sees all bytes at once.
import Bytes
import TestSupport
import Testing

private enum Outcome: Equatable {
    case line([UInt8])
    case overlong(Int)
    case truncated(Int)
}

/// What the owner answers when a line is too long: up to this many bytes are granted to a line that begins with `g`.
private struct Policy {
    var limit: Int
    var granted: Int
    func allows(_ firstBytes: [UInt8]) -> Bool { firstBytes.first == UInt8(ascii: "g") }
}

private func naive(_ bytes: [UInt8], _ policy: Policy) -> [Outcome] {
    var outcomes: [Outcome] = []
    var line: [UInt8] = []
    for byte in bytes {
        guard byte == 0x0a else {
            line.append(byte)
            continue
        }
        let content = line.last == 0x0d ? Array(line.dropLast()) : line
        let limit = policy.allows(content) ? max(policy.limit, policy.granted) : policy.limit
        outcomes.append(content.count <= limit ? .line(content) : .overlong(line.count))
        line = []
    }
    if !line.isEmpty { outcomes.append(.truncated(line.count)) }
    return outcomes
}

private func framed(_ chunks: [[UInt8]], _ policy: Policy, _ framer: inout LineFramer) -> [Outcome] {
    framer.lineBytesMax = policy.limit
    var outcomes: [Outcome] = []
    for chunk in chunks {
        var position = 0
        reading: while true {
            switch framer.step(chunk.span, &position) {
            case .line(let range): outcomes.append(.line(Array(chunk[range])))
            case .gathered(let line): outcomes.append(.line(line))
            case .overlong(let bytes): outcomes.append(.overlong(bytes))
            case .needsPermission(let firstBytes):
                #expect(firstBytes.count == min(256, policy.limit + 1))
                #expect(framer.gatheredBytes <= policy.limit + 2)
                if policy.allows(firstBytes) { framer.grant(bytesMax: policy.granted) } else { framer.refuse() }
            case .exhausted: break reading
            }
            #expect(framer.gatheredBytes <= max(policy.limit, policy.granted) + 2)
        }
        #expect(position == chunk.count)
    }
    if let bytes = framer.finish() { outcomes.append(.truncated(bytes)) }
    #expect(framer.gatheredBytes == 0)
    return outcomes
}

private func framed(_ chunks: [[UInt8]], _ policy: Policy) -> [Outcome] {
    var framer = LineFramer()
    return framed(chunks, policy, &framer)
}

private let trickyTexts = [
    "", "\n", "\r\n", "\n\n\r\n\n", "\r\r\n", "\r\r\r\n\r", "a\rb\n", "a\r\rb\r\n", "abc", "abc\r",
    "toggle 广东省\n深圳市\r\n👩‍👩‍👧‍👦\n", "\u{85}\u{2028}é\n", "1234\n12345\n123456\n1234567\n",
    "1234\r\n12345\r\n123456\r\n1234567\r\n", "12345\r", "123456\r", "12345\r\r\n1\n", "12345\rx\n1\n", "1234\r\r\n",
    "g234\ng2345\ng23456\ng234567\ng2345678\ng23456789\ng234567890\n",
    "g2345\r\ng23456\r\ng2345678\r\ng23456789\r\ng2345678\r\r\ng234567\r\r\n", "g2345678\r", "g23456789\r",
    "g2345678901",
]

@Test(arguments: trickyTexts) func `every split in three, and byte by byte, gives the same lines`(text: String) {
    let bytes = Array(text.utf8)
    for policy in [Policy(limit: 5, granted: 9), Policy(limit: 0, granted: 0), Policy(limit: 100, granted: 0)] {
        let expected = naive(bytes, policy)
        #expect(framed(bytes.map { [$0] }, policy) == expected)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let chunks = [bytes[..<first], bytes[first..<second], bytes[second...]].map { Array($0) }
                #expect(framed(chunks, policy) == expected, "cut at \(first) and \(second)")
            }
        }
    }
}

@Test func `a limit is exact to the byte, with and without a carriage return, however it is cut`() {
    for limit in [0, 1, 2, 7, 8, 9, 255, 256, 257] {
        for length in max(0, limit - 1)...(limit + 1) {
            for ending in ["\n", "\r\n"] {
                let content = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                let bytes = content + Array(ending.utf8)
                let expected: [Outcome] =
                    length <= limit ? [.line(content)] : [.overlong(bytes.count - 1)]
                let policy = Policy(limit: limit, granted: 0)
                #expect(naive(bytes, policy) == expected)
                for cut in 0...bytes.count {
                    #expect(framed([Array(bytes[..<cut]), Array(bytes[cut...])], policy) == expected)
                }
            }
        }
    }
}

@Test func `random bytes in random chunks give the naive lines`() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix(seed: seed)
    let alphabet = Array("\n\n\r\rgxé".utf8)
    for round in 0..<3000 {
        let bytes = (0..<random.below(200)).map { _ in
            random.below(3) == 0 ? alphabet[random.below(alphabet.count)] : UInt8(ascii: "g")
        }
        let policy = Policy(limit: random.below(12), granted: random.below(30))
        var chunks: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 1 + random.below(random.below(2) == 0 ? 3 : 60))
            chunks.append(Array(bytes[start..<end]))
            start = end
        }
        #expect(framed(chunks, policy) == naive(bytes, policy), "seed \(seed), round \(round)")
    }
}

@Test func `the limit can be changed between and within lines`() {
    var framer = LineFramer(lineBytesMax: 4)
    var position = 0
    let first = Array("abcd\nabc".utf8)
    #expect(framer.step(first.span, &position) == .line(0..<4))
    #expect(framer.step(first.span, &position) == .exhausted)
    framer.lineBytesMax = 2
    position = 0
    let second = Array("def\nok\n".utf8)
    #expect(framer.step(second.span, &position) == .needsPermission(firstBytes: Array("abc".utf8)))
    framer.refuse()
    #expect(framer.step(second.span, &position) == .overlong(bytes: 6))
    #expect(framer.step(second.span, &position) == .line(4..<6))
    framer.lineBytesMax = .max
    position = 0
    #expect(framer.step(first.span, &position) == .line(0..<4))
}

@Test func `a line of a mebibyte that comes byte by byte is scanned once`() {
    let bytes = 1 << 20
    var framer = LineFramer(lineBytesMax: bytes)
    let byte: [UInt8] = [0x78]
    for _ in 0..<bytes {
        var position = 0
        _ = framer.step(byte.span, &position)
    }
    var position = 0
    guard case .gathered(let line) = framer.step([0x0a].span, &position) else {
        Issue.record("the line was not given")
        return
    }
    #expect(line.count == bytes)
    #expect(framer.scannedBytes == bytes + 1)
    #expect(framer.gatheredBytes == 0)
}

@Test func `asking, granting and refusing look at no byte twice`() {
    let text = String(repeating: "g", count: 500) + "\n" + String(repeating: "x", count: 500) + "\nshort\n"
    let bytes = Array(text.utf8)
    for chunkBytes in [1, 7, 64, 1000, 2000] {
        let chunks = stride(from: 0, to: bytes.count, by: chunkBytes).map {
            Array(bytes[$0..<min(bytes.count, $0 + chunkBytes)])
        }
        var framer = LineFramer()
        _ = framed(chunks, Policy(limit: 64, granted: 400), &framer)
        #expect(framer.scannedBytes == bytes.count)
    }
}

@Test func `a line within the input is not copied, and an idle framer is small`() {
    let bytes = Array("one\r\ntwo\n".utf8)
    var framer = LineFramer()
    var position = 0
    #expect(framer.step(bytes.span, &position) == .line(0..<3))
    #expect(framer.step(bytes.span, &position) == .line(5..<8))
    #expect(framer.step(bytes.span, &position) == .exhausted)
    #expect(framer.gatheredBytes == 0)
    #expect(MemoryLayout<LineFramer>.size <= 48)
}

@Test func `a refused line is not held in memory`() {
    var framer = LineFramer(lineBytesMax: 10)
    let chunk = [UInt8](repeating: 0x78, count: 1000)
    var position = 0
    guard case .needsPermission = framer.step(chunk.span, &position) else {
        Issue.record("no permission was asked")
        return
    }
    framer.refuse()
    #expect(framer.gatheredBytes == 0)
    #expect(framer.step(chunk.span, &position) == .exhausted)
    #expect(framer.gatheredBytes == 0)
    #expect(framer.finish() == 1000)
    #expect(framer.finish() == nil)
}

@Test func `no other byte is taken for a line feed, wherever it stands`() {
    for byte in UInt8.min...UInt8.max where byte != 0x0a && byte != 0x0d {
        for length in 1...20 {
            let line = [UInt8](repeating: byte, count: length)
            for filling in [[], [0x0b], [0x09, 0x8a]] as [[UInt8]] {
                let bytes = filling + line + [0x0a] + line + [0x0a]
                let lines = [Outcome.line(filling + line), .line(line)]
                #expect(framed([bytes], Policy(limit: 100, granted: 0)) == lines)
            }
        }
    }
}
