// Why this file exists: documents that are small and differ in everything that matters to their shared state.

import AccordionModel

enum Shape {
    /// One of 64 documents: the bits of `number` choose its mode, its policy and which sections it has.
    static func document(_ number: Int) -> Document? {
        do throws(InvalidDocument) {
            var attributes = DocumentAttributes()
            attributes.title = "Shape \(number)"
            attributes.mode = number & 1 == 0 ? .multiple : .single
            attributes.initiallyOpen = number & 2 != 0
            attributes.conflicts = [.last, .open, .closed, .last][number >> 2 & 3]
            attributes.collapsible = number & 16 == 0
            var builder = DocumentBuilder(limits: Limits())
            let ids = number & 32 == 0 ? ["a", "b", "c", "e"] : ["b", "c", "d"]
            for (place, id) in ids.enumerated() {
                var section = SectionAttributes()
                if place == 1 { section.open = true }
                if place < 3 { section.task = place == 2 }
                if place == 0 { section.mode = number & 1 == 0 ? .single : .multiple }
                try builder.beginSection(id: id, title: id, attributes: section, hasContent: true)
                for inner in place == 0 ? ["x", "y", "z"] : [] {
                    try builder.beginSection(id: inner, title: inner, attributes: SectionAttributes(), hasContent: true)
                    builder.endSection()
                }
                builder.endSection()
            }
            return try builder.finish(attributes)
        } catch {
            return nil
        }
    }
}
