// Why this file exists: a document can also be read without a screen: printed once, line by line, as it stands.

import AccordionModel

/// The lines of a document, for whoever prints them.
package struct Outline {
    package enum Item: Equatable {
        case section(Int32)
        case text(String)
        case code(String)
    }

    /// `depth` counts from 0, at what was asked for.
    package typealias Line = (item: Item, owner: Int32, depth: Int)

    package let lines: [Line]

    /// What is visible of the document, or of one section and what is inside it (which counts as open then); all of it
    /// with `showsAll`.
    package init(_ replica: Replica, section: Int32? = nil, showsAll: Bool) {
        guard let document = replica.document else {
            lines = []
            return
        }
        let visible = Layout.visible(inside: section ?? -1, of: document) { showsAll || replica.isOpen($0) }
        let base = section.map { document[$0].depth } ?? 0
        let hasHeaders = document.attributes.headers
        var lines: [Line] = section.map { [(.section($0), $0, 0)] } ?? []
        lines.reserveCapacity(visible.count + 1)
        let inner = section == nil ? 0 : 1
        for line in visible {
            let depth = line.owner < 0 ? 0 : document[line.owner].depth - base - (line.isSection ? 1 : 0)
            lines.append((Self.item(line, document), line.owner, hasHeaders ? depth + inner : inner))
        }
        self.lines = lines
    }

    private static func item(_ line: Layout.Line, _ document: Document) -> Item {
        if line.isSection { return .section(line.owner) }
        let content = line.owner < 0 ? document.content : document[line.owner].content ?? []
        switch content[Int(line.block)] {
        case .section(let section): return .section(section)
        case .text(let text): return .text(text)
        case .code(let text, _): return .code(text)
        }
    }
}
