// Why this file exists: the same result is read by people and by programs: aligned on a terminal, tab-separated in a pipe,
// a JSON object a line where that was asked for. In all three a text can't do anything to a terminal.

import Bytes
import CommandLine
import Glibc
import Mirror
import Wire

final class Output {
    let isJSON: Bool
    let isTerminal: Bool
    private var buffer: [UInt8] = []

    init(isJSON: Bool) {
        self.isJSON = isJSON
        isTerminal = Standard.isTerminal(STDOUT_FILENO)
    }

    /// A line of plain text.
    func line(_ text: String) {
        append(Array(text.utf8))
        append([0x0A])
    }

    /// One object, as `write` writes its members.
    func object(_ write: (JSONWriter) -> Void) {
        let frame = Frame()
        let writer = JSONWriter(frame)
        writer.raw("{")
        write(writer)
        writer.raw("}\n")
        append(frame)
    }

    func append(_ frame: Frame) {
        frame.withSpan { span in
            buffer.reserveCapacity(buffer.count + span.count)
            for index in span.indices { buffer.append(span[index]) }
        }
    }

    func append(_ bytes: [UInt8]) { buffer += bytes }

    /// Fields of a line in a pipe.
    func fields(_ fields: [String]) { line(fields.map(DisplayText.visible).joined(separator: "\t")) }

    /// Columns aligned under `heading` on a terminal; in a pipe tab-separated, without it.
    func table(_ heading: [String], _ rows: [[String]]) {
        guard isTerminal else {
            for row in rows { fields(row) }
            return
        }
        guard !rows.isEmpty else { return }
        let all = [heading] + rows
        let widths = heading.indices.map { column in all.map { DisplayText.columns(of: $0[column]) }.max() ?? 0 }
        for row in all {
            var text = ""
            for (column, field) in row.enumerated() {
                let isLast = column == row.count - 1
                text += isLast ? DisplayText.visible(field) : DisplayText.pad(field, toColumns: widths[column]) + "  "
            }
            line(text)
        }
    }

    /// Writes what was gathered. Where that can't be the program ends: quietly where the reader has seen enough.
    func flush() {
        let bytes = buffer
        buffer = []
        Output.endUnless(Standard.output(bytes))
    }

    /// Writes `text` and nothing else.
    static func write(_ text: String) {
        endUnless(Standard.output(Array(text.utf8)))
        endUnless(Standard.endOutput())
    }

    /// Ends the program unless all was written.
    static func endUnless(_ delivery: Standard.Delivery) {
        switch delivery {
        case .written: return
        case .readerGone: exit(ExitCode.done.rawValue)
        case .failed(let reason):
            Standard.error("accordion: \(reason)\n")
            exit(ExitCode.unreadableFile.rawValue)
        }
    }

    enum Progress {
        case written, blocked, readerGone
        case failed(String)
    }

    /// Writes of what was gathered as much as is taken without waiting, but for the first of it at most so long.
    func writeSome(waitingMilliseconds: Int32) -> Progress {
        // A pipe that takes anything takes so much.
        let stepBytes = 4_096
        var written = 0
        defer { buffer.removeFirst(written) }
        while written < buffer.count {
            guard Standard.isWritable(STDOUT_FILENO, waitingMilliseconds: written == 0 ? waitingMilliseconds : 0) else {
                return .blocked
            }
            let step = buffer[written..<min(buffer.count, written + stepBytes)]
            switch Standard.output(Array(step)) {
            case .written: written += step.count
            case .readerGone: return .readerGone
            case .failed(let reason): return .failed(reason)
            }
        }
        return .written
    }

    /// Forgets what was gathered.
    func discard() { buffer = [] }
}
