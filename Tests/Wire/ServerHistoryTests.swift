// Why this file exists: what the daemon writes of its history our client reads whole.
import AccordionModel
import Causality
import Testing
import Wire

struct ServerHistoryTests {
    @Test func `an entry is read with all that it says`() {
        guard let node = NodeName("n1") else { return #expect(Bool(false)) }
        let write = HistoryEntry.ContentWrite(title: "T\u{1B}", sections: 3, bytes: 4, hash: 5)
        let flags = [
            HistoryEntry.Flag(field: .open, section: SectionPath("a/b"), value: .on, before: false, after: true),
            HistoryEntry.Flag(field: .done, section: SectionPath("c"), value: .off, before: true, after: true),
        ]
        let conflict = Conflict(
            section: SectionPath("c"), field: .done, kept: .init(value: .flag(true), by: "ann"),
            lost: [.init(value: .flag(false), by: "bo")])
        func entry(
            _ number: Int64, _ kind: HistoryEntry.Kind, _ target: Int64, _ effect: HistoryEntry.ContentEffect?
        ) -> HistoryEntry {
            HistoryEntry(
                number: number, dot: Dot(node: node, counter: number + 10),
                stamp: Stamp(milliseconds: 1_700_000_000_000, count: 0), by: "ann\"", kind: kind, born: 1,
                target: target, flags: effect == nil ? flags : [], content: effect, conflicts: [conflict],
                lostContents: [.init(by: "bo", write: write), .init(by: "cy", write: nil)])
        }
        let entries = [
            entry(4, .undo, 3, nil), entry(3, .redo, 2, nil), entry(2, .write, 0, .replaced(write)),
            entry(1, .write, 0, .deleted),
        ]
        guard let read = reply(.history(entries))?.history, read.count == 4 else { return #expect(Bool(false)) }
        let measure = ServerHistoryEntry.Measure(title: "T\u{1B}", sections: 3, bytes: 4, hash: "0000000000000005")
        for (one, other) in zip(read, entries) {
            #expect(one.number == other.number && one.counter == other.dot.counter && one.node == "n1")
            #expect(one.milliseconds == 1_700_000_000_000 && one.by == "ann\"" && one.more == 0)
            #expect(one.lost == [.init(by: "bo", measure: measure), .init(by: "cy", measure: nil)])
            #expect(one.conflicts.map(\.inShort) == ["c done done ann not done bo"])
        }
        #expect(read.map(\.undo) == [3, nil, nil, nil] && read.map(\.redo) == [nil, 2, nil, nil])
        #expect(read.map(\.effect) == ["", "", "replaced", "deleted"])
        #expect(read.map(\.measure) == [nil, nil, measure, nil])
        #expect(
            read[0].changes == [
                .init(section: SectionPath("a/b"), field: .open, value: true, isLost: false),
                .init(section: SectionPath("c"), field: .done, value: true, isLost: true),
            ])
    }

    @Test func `what did not fit is counted`() {
        guard let node = NodeName("n1") else { return #expect(Bool(false)) }
        let flags = (0..<5_000).map { index in
            HistoryEntry.Flag(field: .open, section: SectionPath("s\(index)"), value: .on, before: false, after: true)
        }
        let entry = HistoryEntry(
            number: 1, dot: Dot(node: node, counter: 1), stamp: Stamp(milliseconds: 1, count: 0), by: "a", born: 1,
            flags: flags)
        guard let read = reply(.history([entry]))?.history?.first else { return #expect(Bool(false)) }
        #expect(read.more > 0 && read.changes.count + read.more == flags.count)
    }

    @Test(arguments: [
        #"{"ok":true,"entries":[1]}"#, #"{"ok":true,"entries":[{}]}"#, #"{"ok":true,"entries":[{"number":1.5}]}"#,
        #"{"ok":true,"entries":[{"number":1,"changes":[1]}]}"#, #"{"ok":true,"entries":[{"number":1,"lost":[1]}]}"#,
        #"{"ok":true,"entries":[{"number":1,"changes":[{"open":true}]}]}"#,
        #"{"ok":true,"entries":[{"number":1,"by":2}]}"#,
    ])
    func `an entry that makes no sense is refused`(line: String) {
        #expect(throws: Failure.self) { try ServerLineReader().read(Array(line.utf8).span) }
    }
}

extension ServerConflict {
    fileprivate var inShort: String {
        "\(section.text) \(field) \(kept.value) \(kept.by) "
            + lost.map { "\($0.value) \($0.by)" }.joined(separator: ",")
    }
}
