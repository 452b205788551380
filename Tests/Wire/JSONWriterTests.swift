// Why this file exists: what is written is read back as it was, and no character of it can steer a terminal.
import Bytes
import Testing
import Wire

struct JSONWriterTests {
    /// What Unicode itself calls a control or a turner of direction, and three more of our own.
    static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
            || [0x2028, 0x2029, 0xFEFF].contains(scalar.value)
    }

    static func written(_ text: String) -> String {
        let frame = Frame()
        JSONWriter(frame).string(text)
        return frame.text
    }

    static let allScalars = (UInt32(0)...0x10FFFF).compactMap { Unicode.Scalar($0) }

    @Test func `every character is written raw unless it is dangerous or JSON's own`() {
        for scalar in Self.allScalars {
            let text = Self.written(String(Character(scalar)))
            let isEscaped = text.utf8.dropFirst().first == UInt8(ascii: "\\")
            #expect(isEscaped == (Self.isDangerous(scalar) || scalar == "\"" || scalar == "\\"), "\(scalar.value)")
            if !isEscaped { #expect(text == "\"\(Character(scalar))\"") }
            #expect(!text.unicodeScalars.contains(where: Self.isDangerous), "\(scalar.value)")
        }
    }

    @Test func `a dangerous character is found at every place of a longer text`() {
        let escaped = Self.allScalars.filter { Self.isDangerous($0) || $0 == "\"" || $0 == "\\" }
        for scalar in escaped {
            let alone = Self.written(String(Character(scalar))).dropFirst().dropLast()
            for unit in ["a", "省", "~", "é"] {
                for count in 0...17 {
                    let around = String(repeating: unit, count: count)
                    var text = around.unicodeScalars
                    text.append(scalar)
                    text.append(contentsOf: around.unicodeScalars)
                    #expect(
                        Self.written(String(text)) == "\"\(around)\(alone)\(around)\"", "\(scalar.value) at \(count)")
                }
            }
        }
    }

    @Test func `every character but NUL comes back from the reader`() throws {
        let scalars = Array(Self.allScalars.dropFirst())
        for start in stride(from: 0, to: scalars.count, by: 1_000) {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars[start..<min(start + 1_000, scalars.count)])
            let frame = Frame()
            let writer = JSONWriter(frame)
            writer.raw("{\"text\":")
            writer.string(String(text))
            writer.raw(",")
            writer.name(String(text))
            writer.raw("null}")
            try frame.withSpan { line throws(JSONFault) in
                try JSONParser().parse(line, refuse: { $0 }) { root throws(JSONFault) in
                    #expect(root["text"]?.string?.unicodeScalars.elementsEqual(text) == true)
                    var members = root.members
                    _ = members.next()
                    #expect(members.next()?.name.string.unicodeScalars.elementsEqual(text) == true)
                }
            }
        }
    }

    @Test func `short escapes are used where JSON has them`() {
        #expect(Self.written("\"\\\n\t\r\u{8}\u{C}/") == #""\"\\\n\t\r\b\f/""#)
        #expect(Self.written("\0\u{1B}\u{7F}\u{9B}\u{61C}") == #""\u0000\u001b\u007f\u009b\u061c""#)
        #expect(Self.written("a\u{202E}b\u{2066}\u{FEFF}") == #""a\u202eb\u2066\ufeff""#)
        #expect(Self.written("") == "\"\"")
    }

    @Test func `bytes that break off in a character are copied, not read beyond`() {
        for bytes in [[0xC2], [0xD8], [0xE2], [0xE2, 0x80], [0xEF, 0xBB]] as [[UInt8]] {
            let frame = Frame()
            JSONWriter(frame).string(bytes.span)
            #expect(frame.count == bytes.count + 2)
        }
    }

    @Test func `a text is copied from the reader to the writer`() throws {
        let frame = Frame()
        try read(#"{"id":"a\u001b\"é"}"#) { root in
            if let text = root["id"]?.text { JSONWriter(frame).string(text) }
        }
        #expect(frame.text == #""a\u001b\"é""#)
    }

    @Test func `numbers, words, lists and objects are written as they are read`() {
        let frame = Frame()
        let writer = JSONWriter(frame)
        writer.object([("n1", 13), ("x\"y", -Int.max)]) { member in
            writer.name(member.0)
            writer.integer(member.1)
        }
        writer.array([true, false]) { writer.bool($0) }
        writer.array([Int]()) { writer.integer($0) }
        writer.null()
        writer.integer(UInt64.max)
        writer.newline()
        #expect(
            frame.text == "{\"n1\":13,\"x\\\"y\":-9223372036854775807}[true,false][]null18446744073709551615\n")
    }

    @Test func `a quoted text has at most 128 bytes between its quotes, whole characters and whole escapes`() {
        for (unit, escaped) in [("a", "a"), ("é", "é"), ("省", "省"), ("😀", "😀"), ("\n", "\\n"), ("\u{1B}", "\\u001b")] {
            for lead in 0...6 {
                for count in [0, 1, 20, 21, 22, 31, 32, 33, 62, 63, 64, 65, 126, 127, 128, 129, 1_000] {
                    let prefix = String(repeating: "a", count: lead)
                    let fitting = min(count, (128 - lead) / escaped.utf8.count)
                    let expected = "\"" + prefix + String(repeating: escaped, count: fitting) + "\""
                    #expect(JSONEscape.quoted(prefix + String(repeating: unit, count: count)) == expected)
                }
            }
        }
    }

    @Test func `a quoted text holds no dangerous character`() {
        for scalar in Self.allScalars where Self.isDangerous(scalar) {
            let quoted = JSONEscape.quoted("x\(Character(scalar))y")
            #expect(!quoted.unicodeScalars.contains(where: Self.isDangerous), "\(scalar.value)")
        }
        let broken: [UInt8] = [0x61, 0x80, 0xFF, 0xE2, 0x80]
        #expect(JSONEscape.quoted(broken.span) == "\"a\u{FFFD}\u{FFFD}\u{FFFD}\"")
    }
}
