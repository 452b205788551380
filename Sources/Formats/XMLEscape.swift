// Why this file exists: text goes into XML with marks of its own, and XML can't hold every character that a document can.

import Bytes

/// Text between XML's marks.
enum XMLEscape {
    /// Whether XML can hold it, be it as references: no C0 control but tab and line ends, and no U+FFFE or U+FFFF.
    static func holds(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20
                ? scalar.value & 0xFFFE != 0xFFFE || scalar.value > 0xFFFF : "\t\n\r".unicodeScalars.contains(scalar)
        }
    }

    /// As the value of an attribute in double quotes, or inside an element. Line ends, and what could steer a terminal, are
    /// references; what XML can't hold is U+FFFD.
    static func write(_ text: String, into frame: Frame) {
        let bytes = text.utf8.span
        var index = 0
        while index < bytes.count {
            if let (value, count) = Steering.scalar(in: bytes, at: index) {
                if value >= 0x20 || value == 0x09 || value == 0x0A || value == 0x0D {
                    frame.append("&#")
                    frame.append(decimal: UInt64(value))
                    frame.append(";")
                } else {
                    frame.append(utf8: "\u{FFFD}")
                }
                index += count
                continue
            }
            switch bytes[index] {
            case UInt8(ascii: "&"): frame.append("&amp;")
            case UInt8(ascii: "<"): frame.append("&lt;")
            case UInt8(ascii: ">"): frame.append("&gt;")
            case UInt8(ascii: "\""): frame.append("&quot;")
            case UInt8(ascii: "'"): frame.append("&apos;")
            case 0xEF where isNoncharacter(bytes, index):
                frame.append(utf8: "\u{FFFD}")
                index += 2
            case let byte: frame.append(byte)
            }
            index += 1
        }
    }

    /// JSON in single quotes, or inside an element.
    static func write(json: [UInt8], into frame: Frame) {
        let bytes = json.span
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "&"): frame.append("&amp;")
            case UInt8(ascii: "<"): frame.append("&lt;")
            case UInt8(ascii: ">"): frame.append("&gt;")
            case UInt8(ascii: "'"): frame.append("&apos;")
            case 0xEF where isNoncharacter(bytes, index):
                frame.append(bytes[index + 2] == 0xBE ? "\\ufffe" : "\\uffff")
                index += 2
            case let byte: frame.append(byte)
            }
            index += 1
        }
    }

    private static func isNoncharacter(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
        index + 2 < bytes.count && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE
    }
}
