// From the codes of ncurses to keys, without a terminal.
import Testing

@testable import Terminal

@Suite struct KeyTests {
    private func keys(_ codes: [Int]) -> [Key] {
        var decoder = KeyDecoder()
        return codes.compactMap { decoder.take($0) }
    }

    @Test func `every byte of ASCII is one key`() {
        for byte in 0..<128 {
            let key = keys([byte])
            switch byte {
            case 8, 127: #expect(key == [.backspace])
            case 9: #expect(key == [.tab])
            case 10, 13: #expect(key == [.enter])
            case 27: #expect(key == [.escape])
            case 32: #expect(key == [.space])
            case 0..<32:
                #expect(key == [.control(Unicode.Scalar(UInt8(byte < 27 && byte > 0 ? byte + 96 : byte + 64)))])
            default: #expect(key == [.character(Unicode.Scalar(UInt8(byte)))])
            }
        }
    }

    @Test func `every scalar comes back from its UTF-8, one byte a read`() {
        var decoder = KeyDecoder()
        for value in UInt32(0xA0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let keys = UTF8.encode(scalar).map { $0.compactMap { decoder.take(Int($0)) } }
            if keys != [.character(scalar)] {
                Issue.record("U+\(String(value, radix: 16)) became \(String(describing: keys))")
                return
            }
        }
    }

    @Test func `bytes that are no UTF-8 are dropped, and the next key is whole`() {
        let x = Int(UInt8(ascii: "x"))
        for broken in [
            [0x80], [0xFF], [0xE5, 0x8C], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xC2, 0x9B],
        ] {
            #expect(keys(broken + [x]) == [.character("x")], "\(broken)")
        }
        #expect(keys([0xE5, 0o402, 0x8C, x]) == [.down, .character("x")])
    }

    @Test func `the numbers of ncurses have their names`() {
        let named: [(Int, Key)] = [
            (0o402, .down), (0o403, .up), (0o404, .left), (0o405, .right), (0o406, .home), (0o550, .end),
            (0o523, .pageUp), (0o522, .pageDown), (0o407, .backspace), (0o512, .delete), (0o513, .insert),
            (0o527, .enter), (0o541, .backTab), (0o411, .function(1)), (0o424, .function(12)), (0o632, .resize),
        ]
        for (code, key) in named { #expect(keys([code]) == [key]) }
        #expect(keys([0o777]) == [])
    }

    @Test func `a mouse event is a button and a place; what is no press or wheel, or broken, is nothing`() {
        func sgr(_ text: String) -> [Key] { keys([KeyDecoder.mouseCode] + text.utf8.map { Int($0) }) }
        func old(_ bytes: [Int]) -> [Key] { keys([KeyDecoder.oldMouseCode] + bytes) }
        #expect(sgr("0;1;1M") == [.mouse(MouseEvent(.press, row: 0, column: 0))])
        #expect(sgr("0;300;200Mx") == [.mouse(MouseEvent(.press, row: 199, column: 299)), .character("x")])
        #expect(sgr("64;5;6M") == [.mouse(MouseEvent(.wheelUp, row: 5, column: 4))])
        #expect(sgr("81;5;6M") == [.mouse(MouseEvent(.wheelDown, row: 5, column: 4))])
        for nothing in ["0;1;1m", "1;1;1M", "2;1;1M", "32;1;1M", "35;1;1M", "0;0;1M", "0;1M", ";;M", "0;1;99999M", "M"]
        {
            #expect(sgr(nothing + "x") == [.character("x")], "\(nothing)")
        }
        #expect(sgr("99999999999999999999;1;1Mx") == [.character("x")])
        #expect(sgr("0;\u{1B}x") == [.character("x")])
        #expect(old([32, 33 + 10, 33 + 4, 120]) == [.mouse(MouseEvent(.press, row: 4, column: 10)), .character("x")])
        #expect(old([97, 255, 200]) == [.mouse(MouseEvent(.wheelDown, row: 167, column: 222))])
        #expect(old([35, 33, 33]) == [] && old([0, 0, 0]) == [])
        #expect(keys([KeyDecoder.mouseCode, 0x30, 0o402]) == [.down])
    }

    @Test func `base64 is RFC 4648's`() {
        let vectors = [
            "": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE=",
            "foobar": "Zm9vYmFy",
        ]
        for (text, encoded) in vectors { #expect(String(decoding: base64(text.utf8), as: UTF8.self) == encoded) }
        #expect(String(decoding: base64([0xFB, 0xFF, 0xFE]), as: UTF8.self) == "+//+")
    }
}
