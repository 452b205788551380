// That a document comes back from every format as it went out.

import AccordionModel
import Bytes
import Formats
import TestSupport
import Testing
import Wire

func exported(_ document: Document, as format: Format) throws -> String {
    let frame = Frame()
    switch format {
    case .markdown: MarkdownWriter.write(document, into: frame)
    case .opml: OPMLWriter.write(document, into: frame)
    default: DocumentFile.write(document, name: try #require(DocumentName("d")), into: frame)
    }
    return frame.text
}

func imported(_ text: String, as format: Format, title: String = "file") throws -> Imported {
    let bytes = Array(text.utf8)
    return try Imported(reading: bytes.span, as: format, title: title)
}

/// The first thing in which two documents differ.
func difference(_ left: Document, _ right: Document) -> String? {
    if left.attributes != right.attributes { return "\(left.attributes) and \(right.attributes)" }
    if left.content != right.content { return "at the top \(left.content) and \(right.content)" }
    for (one, other) in zip(left.sections, right.sections) where one != other { return "\(one) and \(other)" }
    return left.sections.count == right.sections.count ? nil : "counts"
}

@Suite struct RoundTripTests {
    @Test(arguments: Format.exported) func `what is exported is imported as the same document`(format: Format) throws {
        let first = freshSeed()
        for number in 0..<3_000 {
            let seed = first &+ UInt64(number)
            var random = RandomDocuments(seed: seed)
            let document = try random.document()
            let text = try exported(document, as: format)
            do {
                let read = try imported(text, as: format)
                let found = difference(document, read.document)
                #expect(
                    found == nil && read.notes.isEmpty,
                    "seed \(seed): \(found ?? "\(read.notes)")\n\(text.debugDescription)")
                if found != nil { return }
            } catch {
                Issue.record("seed \(seed): \(error)\n\(text.debugDescription)")
                return
            }
        }
    }

    @Test(arguments: Format.exported) func `an export holds no character that steers`(format: Format) throws {
        let seed = freshSeed()
        var random = RandomDocuments(seed: seed)
        for _ in 0..<500 {
            let text = try exported(try random.document(), as: format)
            let isCode = format == .markdown
            let found = text.unicodeScalars.first { scalar in
                scalar.properties.generalCategory == .control && scalar != "\n" && !(isCode && scalar == "\t")
                    || ["\u{202E}", "\u{2028}", "\u{FEFF}", "\u{61C}"].contains(scalar)
            }
            #expect(found == nil, "seed \(seed)")
        }
    }
}
