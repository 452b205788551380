// Why this file exists: who did what and when, as a client reads it. A request may have turned a hundred thousand sections,
// so an entry is bounded, and so is the reply.

import AccordionModel
import Bytes
import Causality

extension JSONWriter {
    /// What one entry may take for its changes and conflicts; what does not fit is counted in `more`.
    private static var entryListBytesMax: Int { 64 << 10 }

    func history(_ entries: [HistoryEntry]) {
        raw(",\"entries\":[")
        let start = frame.count
        for (place, entry) in entries.enumerated() {
            let before = frame.count
            if place > 0 { raw(",") }
            self.entry(entry)
            if place > 0, frame.count - start > Request.History.bytesMax - 1_024 {
                frame.truncate(to: before)
                break
            }
        }
        raw("]")
    }

    private func entry(_ entry: HistoryEntry) {
        raw("{\"number\":")
        integer(Int(entry.number))
        raw(",\"at\":")
        integer(Int(entry.stamp.milliseconds))
        raw(",\"by\":")
        string(entry.by)
        raw(",\"node\":")
        string(entry.dot.node.description)
        raw(",\"counter\":")
        integer(Int(entry.dot.counter))
        switch entry.kind {
        case .write: break
        case .undo: raw(",\"undo\":")
        case .redo: raw(",\"redo\":")
        }
        if entry.kind != .write { integer(Int(entry.target)) }
        if let content = entry.content { effect(content) }
        if !entry.flags.isEmpty { flags(entry.flags) }
        if !entry.conflicts.isEmpty {
            raw(",\"conflicts\":")
            bounded(entry.conflicts) { conflicts($0) }
        }
        if !entry.lostContents.isEmpty {
            raw(",\"lost\":")
            array(entry.lostContents) { lost in
                raw("{\"by\":")
                string(lost.by)
                if let write = lost.write { measure(write) } else { raw(",\"deleted\":true") }
                raw("}")
            }
        }
        raw("}")
    }

    private func effect(_ effect: HistoryEntry.ContentEffect) {
        raw(",\"content\":{\"effect\":")
        switch effect {
        case .created(let write):
            raw("\"created\"")
            measure(write)
        case .replaced(let write):
            raw("\"replaced\"")
            measure(write)
        case .deleted: raw("\"deleted\"")
        }
        raw("}")
    }

    private func measure(_ write: HistoryEntry.ContentWrite) {
        raw(",\"title\":")
        string(write.title)
        raw(",\"sections\":")
        integer(write.sections)
        raw(",\"bytes\":")
        integer(write.bytes)
        raw(",\"hash\":\"")
        let digits = String(write.hash, radix: 16)
        frame.append(utf8: String(repeating: "0", count: 16 - digits.utf8.count) + digits)
        raw("\"")
    }

    /// Each change as it was shown afterwards; `lost` where the write itself said otherwise.
    private func flags(_ flags: [HistoryEntry.Flag]) {
        raw(",\"changes\":[")
        let start = frame.count
        var told = 0
        for flag in flags {
            if frame.count - start > JSONWriter.entryListBytesMax { break }
            raw(told > 0 ? ",{\"section\":" : "{\"section\":")
            string(flag.section.text)
            raw(flag.field == .open ? ",\"open\":" : ",\"done\":")
            bool(flag.after)
            if flag.hasLost { raw(",\"lost\":true") }
            raw("}")
            told += 1
        }
        raw("]")
        if told < flags.count {
            raw(",\"more\":")
            integer(flags.count - told)
        }
    }

    /// Writes as many as fit.
    private func bounded(_ conflicts: [Conflict], _ write: ([Conflict]) -> Void) {
        var bytes = 0
        let fitting = conflicts.prefix { conflict in
            bytes += conflict.section.text.utf8.count * 2 + conflict.lost.count * 512 + 256
            return bytes <= JSONWriter.entryListBytesMax
        }
        write(Array(fitting))
    }
}
