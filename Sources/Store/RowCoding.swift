// Why this file exists: how versions and the writes of a register stand in a column, and what a row's checksum is made of.

import AccordionModel
import Causality

extension Packer {
    /// The first byte of everything packed says in which form it is.
    static let form: UInt8 = 1

    mutating func version(_ version: VersionVector) {
        byte(Packer.form)
        number(UInt64(version.entries.count))
        for entry in version.entries {
            node(entry.node)
            signed(entry.counter)
        }
    }

    mutating func siblings(_ register: CausalRegister<Setting>) {
        byte(Packer.form)
        number(UInt64(register.count))
        register.forEach { sibling in
            byte(sibling.value.rawValue)
            dot(sibling.dot)
            stamp(sibling.stamp)
            text(sibling.by)
            number(sibling.session)
        }
    }

    mutating func node(_ node: NodeName) {
        var count: UInt64 = 0
        node.forEachByte { _ in count += 1 }
        number(count)
        node.forEachByte { byte($0) }
    }

    mutating func dot(_ dot: Dot) {
        node(dot.node)
        signed(dot.counter)
    }

    mutating func stamp(_ stamp: Stamp) {
        signed(stamp.milliseconds)
        signed(stamp.count)
    }
}

extension Unpacker {
    mutating func form() throws(Unreadable) { guard try byte() == Packer.form else { throw Unreadable() } }

    mutating func version() throws(Unreadable) -> VersionVector {
        try form()
        var version = VersionVector()
        for _ in 0..<(try count()) {
            let node = try self.node()
            version.raise(node, to: try signed())
        }
        return version
    }

    mutating func siblings() throws(Unreadable) -> CausalRegister<Setting> {
        try form()
        var register = CausalRegister<Setting>()
        for _ in 0..<(try count()) {
            guard let value = Setting(rawValue: try byte()) else { throw Unreadable() }
            let dot = try self.dot()
            let stamp = try self.stamp()
            let by = try text()
            let session = try number()
            register.write(
                Sibling(dot: dot, value: value, stamp: stamp, by: by, session: session), replacing: DotSet())
        }
        guard isAtEnd else { throw Unreadable() }
        return register
    }

    mutating func node() throws(Unreadable) -> NodeName {
        guard let node = NodeName(try text()) else { throw Unreadable() }
        return node
    }

    mutating func dot() throws(Unreadable) -> Dot {
        let node = try self.node()
        return Dot(node: node, counter: try signed())
    }

    mutating func stamp() throws(Unreadable) -> Stamp {
        let milliseconds = try signed()
        return Stamp(milliseconds: milliseconds, count: try signed())
    }
}

/// One row of a document as it is stored, whole or damaged.
struct DocumentRow {
    var id: Int64
    var outline: DocumentOutline
    var versionBytes: [UInt8]
    var clock: Stamp
    var nextHistoryNumber: Int64
    /// How many rows of flags and contents belong to it, and all their checksums, one exclusive-ored with the other.
    var rows: Int64
    var digest: Int64

    var checksum: Int64 {
        var sum = Checksum()
        sum.add(id)
        sum.add(outline.name.text)
        sum.add(versionBytes)
        sum.add(clock.milliseconds)
        sum.add(clock.count)
        sum.add(outline.exists ? 1 : 0)
        sum.add(outline.title)
        for number in [outline.sections, outline.open, outline.tasks, outline.done] { sum.add(Int64(number)) }
        sum.add(nextHistoryNumber)
        sum.add(rows)
        sum.add(digest)
        return sum.sum
    }

    static let columns =
        "id, name, version, clock_milliseconds, clock_count, is_present, title, sections, open, tasks, done, "
        + "next_history, rows, digest, checksum"

    /// Reads the row that `statement` stands at, selected by `columns`; nil where it is damaged.
    init?(_ statement: Statement) {
        guard let name = DocumentName(statement.text(1)) else { return nil }
        versionBytes = statement.blob(2)
        var unpacker = Unpacker(versionBytes)
        let version: VersionVector
        do throws(Unreadable) { version = try unpacker.version() } catch { return nil }
        id = statement.integer(0)
        clock = Stamp(milliseconds: statement.integer(3), count: statement.integer(4))
        outline = DocumentOutline(
            name: name, exists: statement.integer(5) != 0, title: statement.text(6),
            sections: Int(statement.integer(7)), open: Int(statement.integer(8)), tasks: Int(statement.integer(9)),
            done: Int(statement.integer(10)), version: version)
        nextHistoryNumber = statement.integer(11)
        rows = statement.integer(12)
        digest = statement.integer(13)
        guard statement.integer(14) == checksum else { return nil }
    }

    /// A document that is not stored yet.
    init(new id: Int64, _ outline: DocumentOutline) {
        self.id = id
        self.outline = outline
        versionBytes = []
        clock = .zero
        nextHistoryNumber = 1
        rows = 0
        digest = 0
    }
}

enum RowChecksum {
    static func flag(document: Int64, _ register: FlagRegister, _ siblings: [UInt8]) -> Int64 {
        var sum = Checksum()
        sum.add(document)
        sum.add(register.born)
        sum.add(Int64(register.field.rawValue))
        sum.add(register.path.text)
        sum.add(siblings)
        return sum.sum
    }

    static func content(
        document: Int64, _ dot: Dot, born: Int64, _ stamp: Stamp, by: String, session: Int64, _ body: [UInt8]?
    ) -> Int64 {
        var sum = Checksum()
        sum.add(document)
        sum.add(dot.node.description)
        sum.add(dot.counter)
        sum.add(born)
        sum.add(stamp.milliseconds)
        sum.add(stamp.count)
        sum.add(by)
        sum.add(session)
        sum.add(optional: body)
        return sum.sum
    }

    static func lost(history: Int64, node: String, counter: Int64, by: String, _ body: [UInt8]) -> Int64 {
        var sum = Checksum()
        sum.add(history)
        sum.add(node)
        sum.add(counter)
        sum.add(by)
        sum.add(body)
        return sum.sum
    }

    static func outgoing(
        place: Int64, document: String, node: String, counter: Int64, instance: String, _ text: [UInt8]
    ) -> Int64 {
        var sum = Checksum()
        sum.add(place)
        sum.add(document)
        sum.add(node)
        sum.add(counter)
        sum.add(instance)
        sum.add(text)
        return sum.sum
    }

    static func history(_ row: HistoryRow) -> Int64 {
        var sum = Checksum()
        for number in [row.document, row.first, row.count, row.total, row.milliseconds] { sum.add(number) }
        sum.add(row.entries)
        return sum.sum
    }
}

/// One turn's history of one document.
struct HistoryRow {
    var document: Int64
    var first: Int64
    var count: Int64
    /// How many entries were ever written, this row's included.
    var total: Int64
    var milliseconds: Int64
    var entries: [UInt8]
}
