// Why this file exists: each kind of member is checked in one place, so that every operation refuses a wrong one in the
// same words.

import AccordionModel
import Causality

extension Members {
    func missing(_ name: StaticString) -> Failure { Failure(.badRequest, "\"\(name)\" is missing") }

    func wrongType(_ name: StaticString, _ type: String) -> Failure {
        Failure(.badRequest, "\"\(name)\" must be \(type)")
    }

    func string(_ name: StaticString) throws(Failure) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.text else { throw wrongType(name, "a string") }
        return text.string
    }

    func bool(_ name: StaticString) throws(Failure) -> Bool? {
        guard let value = object[name] else { return nil }
        guard let bool = value.bool else { throw wrongType(name, "true or false") }
        return bool
    }

    func requiredBool(_ name: StaticString) throws(Failure) -> Bool {
        guard let value = try bool(name) else { throw missing(name) }
        return value
    }

    func document() throws(Failure) -> DocumentName {
        guard let text = try string("doc") else { throw missing("doc") }
        guard let name = DocumentName(text) else {
            throw Failure(
                .badRequest,
                "\(JSONEscape.quoted(text)) is no document's name: 1 to \(DocumentName.bytesMax) bytes of letters, "
                    + "digits, \".\", \"_\" and \"-\", not beginning with \".\" or \"-\"")
        }
        return name
    }

    func section() throws(Failure) -> SectionPath {
        guard let text = try string("section") else { throw missing("section") }
        return SectionPath(ofAnyLength: text)
    }

    func selection() throws(Failure) -> SectionPath? {
        guard let value = object["section"] else { throw missing("section") }
        if value.isNull { return nil }
        return try section()
    }

    func under() throws(Failure) -> SectionPath { SectionPath(ofAnyLength: try string("under") ?? "") }

    /// At least 1; a higher number than `most` asks for as many as there can be.
    func limit(of most: Int, default usual: Int? = nil) throws(Failure) -> Int {
        guard let value = object["limit"] else { return usual ?? most }
        guard let number = value.integer, number > 0 else { throw wrongType("limit", "a whole number from 1") }
        return min(number, most)
    }

    func history() throws(Failure) -> Request.History {
        var before: Int64?
        if let value = object["before"] {
            guard let number = value.integer, number >= 0 else { throw wrongType("before", "a whole number from 0") }
            before = Int64(number)
        }
        return Request.History(
            try document(), section: object["section"] == nil ? nil : try section(), before: before,
            limit: try limit(of: Request.History.entriesMax, default: 100))
    }

    func options() throws(Failure) -> Request.WriteOptions {
        var isSilent = false
        if let value = object["ack"] {
            guard let ack = value.text else { throw wrongType("ack", "\"durable\" or \"none\"") }
            switch ack {
            case "durable": isSilent = false
            case "none": isSilent = true
            default: throw wrongType("ack", "\"durable\" or \"none\"")
            }
        }
        return Request.WriteOptions(
            seen: try version("seen"), isSilent: isSilent, replicated: try bool("replicated") ?? false)
    }

    static var versionNodesMax: Int { 256 }

    func version(_ name: StaticString) throws(Failure) -> VersionVector? {
        guard let value = object[name] else { return nil }
        guard let vector = value.object else { throw wrongType(name, "an object of numbers by daemon") }
        guard vector.count <= Self.versionNodesMax else {
            throw Failure(.badRequest, "\"\(name)\" names more than \(Self.versionNodesMax) daemons")
        }
        var version = VersionVector()
        var members = vector.members
        while let member = members.next() {
            guard member.name.utf8Count <= NodeName.bytesMax, let node = NodeName(member.name.string),
                let counter = member.value.integer, counter >= 0
            else { throw wrongType(name, "an object of whole numbers from 0 by daemon") }
            version.raise(node, to: Int64(counter))
        }
        return version
    }

    func hello() throws(Failure) -> Request.Hello {
        if let value = object["protocol"] {
            guard let number = value.integer else { throw wrongType("protocol", "a whole number") }
            guard number == 1 else {
                throw Failure(.unsupportedProtocol, "this daemon speaks version 1 of the protocol")
            }
        }
        var name: String?
        if let text = try string("name") {
            guard let checked = Segment.checked(text, bytesMax: Self.nameBytesMax) else {
                throw wrongType("name", "1 to \(Self.nameBytesMax) bytes without \"/\" and control characters")
            }
            name = checked
        }
        return Request.Hello(name: name, token: try string("token"))
    }

    static var nameBytesMax: Int { 64 }
}

extension SectionPath {
    /// A path that may be as long as its line. It is cut where a segment has more bytes than any that NFC could bring to
    /// 128 (four times as many), since it names nothing then: the time to put combining marks in order grows with the
    /// square of their number.
    init(ofAnyLength text: String) {
        guard text.utf8.count > Self.segmentBytesMax else {
            self.init(text)
            return
        }
        var cut = String.UnicodeScalarView()
        var segmentBytes = 0
        for scalar in text.unicodeScalars {
            segmentBytes = scalar == "/" ? 0 : segmentBytes + UTF8.width(scalar)
            if segmentBytes > Self.segmentBytesMax { break }
            cut.append(scalar)
        }
        self.init(String(cut))
    }

    private static var segmentBytesMax: Int { 4 * 128 }
}
