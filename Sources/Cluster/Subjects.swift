// Why this file exists: names of documents hold any character, and the broker's subjects give a meaning to some. No name
// reaches them as it is.

import AccordionModel
import Replication

/// Subjects under one first word. The stream takes those of two words, and daemons speak to each other under those of
/// four, so that one permission, `NAME.>`, is enough for all.
struct Subjects {
    let name: String

    /// What the stream takes.
    var all: String { "\(name).*" }

    func document(_ document: DocumentName) -> String { "\(name).\(Subjects.encoded(document.text))" }

    /// To every daemon.
    var everybody: String { "\(name).peers.all" }

    /// To one run of one daemon.
    func one(_ instance: String) -> String { "\(name).peers.\(Subjects.encoded(instance)).text" }

    /// The same for parts of states.
    func part(_ instance: String) -> String { "\(name).peers.\(Subjects.encoded(instance)).part" }

    /// What the broker tells messages apart by.
    static func id(_ id: PublishID) -> String {
        "\(encoded(id.name.text)).\(encoded(id.dot.node.description)).\(id.dot.counter).\(encoded(id.instance)).\(id.part)"
    }

    /// Letters, digits, `_` and `-` as they are, any other byte of UTF-8 as `=` and two hexadecimal digits.
    static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
