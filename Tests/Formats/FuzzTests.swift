// That no bytes stop a reader: it gives a document or a fault, and what it gives can be written and read again.

import AccordionModel
import Formats
import TestSupport
import Testing

private let samples = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Samples/"

private let marks = [
    "\n", "\n\n", "- ", "  ", "    ", "\t", "# ", "## ", "> ", "```\n", "~~~\n", "|", "|-|\n", "1. ", "[", "](", ")",
    "]: /u\n",
    "<!--", "-->", "<!-- accordion: {\"id\":\"a\"} -->\n", "<", ">", "&", "&#10;", "\\", "*", "_", "`", "---\n",
    "===\n",
    "[ ] ", "[x] ", "\r", "\u{0}", "\u{1B}", "é", "</outline>", "<outline text=\"", "\"/>", "<![CDATA[", "]]>", "<?",
    "?>",
    "_accordion='{}'",
]

/// A piece taken out, put in, doubled or replaced, several times.
private func mutated(_ bytes: [UInt8], _ random: inout SplitMix) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<(1 + random.below(12)) {
        let start = random.below(bytes.count + 1)
        let end = min(bytes.count, start + random.below(40))
        switch random.below(4) {
        case 0: bytes.removeSubrange(start..<end)
        case 1: bytes.insert(contentsOf: random.pick(marks).utf8, at: start)
        case 2: bytes.insert(contentsOf: Array(bytes[start..<end]), at: random.below(bytes.count + 1))
        default: if start < bytes.count { bytes[start] = UInt8(random.below(256)) }
        }
    }
    return bytes
}

@Suite struct FuzzTests {
    @Test(arguments: [Format.markdown, .opml]) func `mutated files give a document or a fault`(format: Format) throws {
        let names = format == .opml ? ["outliner.opml"] : Runbook.all.map(\.name)
        let files = try names.map { try #require(contents(of: samples + $0)) }
        let seed = freshSeed()
        var random = SplitMix(seed: seed)
        var documentCount = 0
        for number in 0..<1_500 {
            let bytes = mutated(random.pick(files), &random)
            guard let read = try? Imported(reading: bytes.span, as: format, title: "file") else { continue }
            documentCount += 1
            let again = try imported(exported(read.document, as: format), as: format)
            let found = difference(read.document, again.document)
            #expect(found == nil, "seed \(seed), number \(number): \(found ?? "")")
            if found != nil { return }
        }
        #expect(documentCount > 0)
    }

    @Test(arguments: Format.allCases) func `random bytes and random marks give a document or a fault`(format: Format) {
        let seed = freshSeed()
        var random = SplitMix(seed: seed)
        for _ in 0..<3_000 {
            let isText = random.once(in: 2)
            var bytes: [UInt8] = []
            for _ in 0..<random.below(60) {
                if isText { bytes += Array(random.pick(marks).utf8) } else { bytes.append(UInt8(random.below(256))) }
            }
            _ = Format.detect(bytes.span)
            guard let read = try? Imported(reading: bytes.span, as: format, title: "file") else { continue }
            #expect(read.document.sections.allSatisfy { $0.depth <= 16 }, "seed \(seed)")
        }
    }
}
