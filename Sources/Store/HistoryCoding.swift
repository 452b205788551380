// Why this file exists: a row an entry is what history costs most; so a turn's entries of a document stand in one row,
// packed, each as far as it differs from the one before it.

import AccordionModel
import Causality

/// What an entry leaves out where it is as in the one before.
private struct Previous {
    var node: NodeName?
    var by: String?
    var counter: Int64 = 0
    var milliseconds: Int64 = 0
    var born: Int64 = 0
}

/// The parts that an entry has, in its first byte.
private struct Parts {
    var bits: UInt8

    static let kindMask: UInt8 = 0b11
    static let hasFlags: UInt8 = 1 << 2
    static let hasContent: UInt8 = 1 << 3
    static let hasConflicts: UInt8 = 1 << 4
    static let hasLost: UInt8 = 1 << 5
    static let isSameAuthor: UInt8 = 1 << 6
    static let isSameNode: UInt8 = 1 << 7

    func has(_ bit: UInt8) -> Bool { bits & bit != 0 }
}

extension Packer {
    /// Entries whose numbers follow each other, up to the one that reaches a limit; returns how many.
    mutating func history(
        _ entries: ArraySlice<HistoryEntry>, entriesMax: Int = .max, bytesMax: Int = .max
    ) -> Int {
        byte(Packer.form)
        var previous = Previous()
        var count = 0
        for entry in entries {
            self.entry(entry, &previous)
            count += 1
            if count >= entriesMax || bytes.count >= bytesMax { break }
        }
        return count
    }

    /// Conflicts of contents are left out: of these the measures are kept, as `lostContents`.
    private mutating func entry(_ entry: HistoryEntry, _ previous: inout Previous) {
        let conflicts = entry.conflicts.isEmpty ? [] : entry.conflicts.filter { $0.field != .content }
        var bits = entry.kind.rawValue
        if !entry.flags.isEmpty { bits |= Parts.hasFlags }
        if entry.content != nil { bits |= Parts.hasContent }
        if !conflicts.isEmpty { bits |= Parts.hasConflicts }
        if !entry.lostContents.isEmpty { bits |= Parts.hasLost }
        if previous.by == entry.by { bits |= Parts.isSameAuthor }
        if previous.node == entry.dot.node { bits |= Parts.isSameNode }
        byte(bits)
        if bits & Parts.isSameNode == 0 { node(entry.dot.node) }
        if bits & Parts.isSameAuthor == 0 { text(entry.by) }
        signed(entry.dot.counter &- previous.counter)
        signed(entry.stamp.milliseconds &- previous.milliseconds)
        signed(entry.stamp.count)
        signed(entry.born &- previous.born)
        if entry.kind != .write { signed(entry.target) }
        if !entry.flags.isEmpty { flags(entry.flags) }
        if let content = entry.content { effect(content) }
        if !conflicts.isEmpty { self.conflicts(conflicts) }
        if !entry.lostContents.isEmpty { lost(entry.lostContents) }
        previous = Previous(
            node: entry.dot.node, by: entry.by, counter: entry.dot.counter, milliseconds: entry.stamp.milliseconds,
            born: entry.born)
    }

    private mutating func flags(_ flags: [HistoryEntry.Flag]) {
        number(UInt64(flags.count))
        for flag in flags {
            byte(
                flag.field.rawValue | flag.value.rawValue << 1 | (flag.before ? 1 << 3 : 0)
                    | (flag.after ? 1 << 4 : 0))
            text(flag.section.text)
        }
    }

    private mutating func measure(_ write: HistoryEntry.ContentWrite) {
        text(write.title)
        number(UInt64(write.sections))
        number(UInt64(write.bytes))
        number(write.hash)
    }

    private mutating func effect(_ effect: HistoryEntry.ContentEffect) {
        switch effect {
        case .created(let write):
            byte(0)
            measure(write)
        case .replaced(let write):
            byte(1)
            measure(write)
        case .deleted: byte(2)
        }
    }

    private mutating func conflicts(_ conflicts: [Conflict]) {
        number(UInt64(conflicts.count))
        for conflict in conflicts {
            text(conflict.section.text)
            byte(conflict.field == .open ? 0 : conflict.field == .done ? 1 : 2)
            number(UInt64(conflict.lost.count))
            for claim in [conflict.kept] + conflict.lost {
                switch (conflict.field, claim.value) {
                case (.single, .child(let path)): text(path.text)
                case (.single, _): text("")
                case (_, let value): byte(value == .flag(true) ? 1 : 0)
                }
                text(claim.by)
            }
        }
    }

    private mutating func lost(_ contents: [HistoryEntry.LostContent]) {
        number(UInt64(contents.count))
        for content in contents {
            text(content.by)
            byte(content.write == nil ? 0 : 1)
            if let write = content.write { measure(write) }
        }
    }
}

extension Unpacker {
    /// The entries of a row that begins with the number `first`.
    mutating func history(first: Int64, count: Int64) throws(Unreadable) -> [HistoryEntry] {
        try form()
        var previous = Previous()
        var entries: [HistoryEntry] = []
        while !isAtEnd {
            guard Int64(entries.count) < count else { throw Unreadable() }
            entries.append(try entry(first &+ Int64(entries.count), &previous))
        }
        guard Int64(entries.count) == count else { throw Unreadable() }
        return entries
    }

    private mutating func entry(_ number: Int64, _ previous: inout Previous) throws(Unreadable) -> HistoryEntry {
        let parts = Parts(bits: try byte())
        guard let kind = HistoryEntry.Kind(rawValue: parts.bits & Parts.kindMask) else { throw Unreadable() }
        if !parts.has(Parts.isSameNode) { previous.node = try node() }
        if !parts.has(Parts.isSameAuthor) { previous.by = try text() }
        guard let node = previous.node, let by = previous.by else { throw Unreadable() }
        previous.counter = previous.counter &+ (try signed())
        previous.milliseconds = previous.milliseconds &+ (try signed())
        let stamp = Stamp(milliseconds: previous.milliseconds, count: try signed())
        previous.born = previous.born &+ (try signed())
        let target = kind == .write ? 0 : try signed()
        let flags = parts.has(Parts.hasFlags) ? try self.flags() : []
        let content = parts.has(Parts.hasContent) ? try effect() : nil
        let conflicts = parts.has(Parts.hasConflicts) ? try self.conflicts() : []
        let lost = parts.has(Parts.hasLost) ? try self.lost() : []
        return HistoryEntry(
            number: number, dot: Dot(node: node, counter: previous.counter), stamp: stamp, by: by, kind: kind,
            born: previous.born, target: target, flags: flags, content: content, conflicts: conflicts,
            lostContents: lost)
    }

    private mutating func flags() throws(Unreadable) -> [HistoryEntry.Flag] {
        var flags: [HistoryEntry.Flag] = []
        for _ in 0..<(try count()) {
            let bits = try byte()
            guard bits < 1 << 5, let field = Field(rawValue: bits & 1), let value = Setting(rawValue: bits >> 1 & 0b11)
            else { throw Unreadable() }
            flags.append(
                HistoryEntry.Flag(
                    field: field, section: SectionPath(try text()), value: value, before: bits & 1 << 3 != 0,
                    after: bits & 1 << 4 != 0))
        }
        return flags
    }

    private mutating func measure() throws(Unreadable) -> HistoryEntry.ContentWrite {
        let title = try text()
        let (sections, bytes, hash) = (try number(), try number(), try number())
        guard let sections = Int(exactly: sections), let bytes = Int(exactly: bytes) else { throw Unreadable() }
        return HistoryEntry.ContentWrite(title: title, sections: sections, bytes: bytes, hash: hash)
    }

    private mutating func effect() throws(Unreadable) -> HistoryEntry.ContentEffect {
        switch try byte() {
        case 0: return .created(try measure())
        case 1: return .replaced(try measure())
        case 2: return .deleted
        default: throw Unreadable()
        }
    }

    private mutating func conflicts() throws(Unreadable) -> [Conflict] {
        var conflicts: [Conflict] = []
        for _ in 0..<(try count()) {
            let section = SectionPath(try text())
            let fields: [Conflict.Kind] = [.open, .done, .single]
            let kind = Int(try byte())
            guard kind < fields.count else { throw Unreadable() }
            var claims: [Conflict.Claim] = []
            for _ in 0...(try count()) {
                let value: Conflict.Value =
                    fields[kind] == .single ? .child(SectionPath(try text())) : .flag(try byte() == 1)
                claims.append(Conflict.Claim(value: value, by: try text()))
            }
            guard let kept = claims.first else { throw Unreadable() }
            conflicts.append(
                Conflict(section: section, field: fields[kind], kept: kept, lost: Array(claims.dropFirst())))
        }
        return conflicts
    }

    private mutating func lost() throws(Unreadable) -> [HistoryEntry.LostContent] {
        var contents: [HistoryEntry.LostContent] = []
        for _ in 0..<(try count()) {
            let by = try text()
            contents.append(HistoryEntry.LostContent(by: by, write: try byte() == 0 ? nil : try measure()))
        }
        return contents
    }
}
