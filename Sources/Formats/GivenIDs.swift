// Why this file exists: a section's id is made from its title where none is given. A file that people read should give only
// those that would come out otherwise.

import AccordionModel

enum GivenIDs {
    /// Times that what was found to be missing is added before all of a document's ids are given.
    private static let roundsMax = 4

    /// For each section its id, where reading the document without it would give it another one; in the document's order.
    static func find(in document: Document) -> [String?] {
        var isGiven = document.sections.map { !canBeMade($0) }
        for _ in 0..<roundsMax {
            guard let made = rebuilt(document, isGiven) else { break }
            var isRight = true
            for (index, section) in document.sections.enumerated()
            where !isGiven[index] && made.sections[index].path.segment != section.path.segment {
                isGiven[index] = true
                isRight = false
            }
            if isRight { return ids(document, isGiven) }
        }
        return ids(document, [Bool](repeating: true, count: document.sections.count))
    }

    /// Whether the id is the title's, or that with a number behind it, as later siblings of one name have it.
    private static func canBeMade(_ section: Section) -> Bool {
        let (segment, base) = (
            section.path.segment, Segment.made(from: section.title, bytesMax: Limits().segmentBytesMax)
        )
        if segment == base { return true }
        guard let mark = segment.utf8.lastIndex(of: UInt8(ascii: "~")) else { return false }
        return base.utf8.starts(with: segment.utf8[..<mark])
    }

    private static func ids(_ document: Document, _ isGiven: [Bool]) -> [String?] {
        document.sections.enumerated().map { isGiven[$0.offset] ? String($0.element.path.segment) : nil }
    }

    /// The document's titles in their nesting, with only these ids; nil where they can't stand together.
    private static func rebuilt(_ document: Document, _ isGiven: [Bool]) -> Document? {
        var limits = Limits()
        limits.textBytesMax = .max
        var builder = DocumentBuilder(limits: limits)
        do throws(InvalidDocument) {
            for (index, section) in document.sections.enumerated() {
                while builder.depth >= section.depth { builder.endSection() }
                let id = isGiven[index] ? String(section.path.segment) : nil
                try builder.beginSection(id: id, title: section.title, hasContent: false)
            }
            return try builder.finish(DocumentAttributes())
        } catch {
            return nil
        }
    }
}
