// Why this file exists: what is folded away is looked through too, and a hit is shown without opening anything for others.

import AccordionModel

/// Looks for a word in titles and texts, small and capital letters alike where the word has no capital.
struct Search: Equatable {
    let word: String
    private let needle: [UInt8]
    private let isExact: Bool

    /// Nil for an empty word.
    init?(_ word: String) {
        guard !word.isEmpty else { return nil }
        self.word = word
        let lowered = word.lowercased()
        isExact = lowered != word
        needle = Array((isExact ? word : lowered).utf8)
    }

    func matches(_ text: String) -> Bool {
        let bytes = Array((isExact ? text : text.lowercased()).utf8)
        guard bytes.count >= needle.count else { return false }
        for start in 0...(bytes.count - needle.count) where bytes[start] == needle[0] {
            if bytes[start..<(start + needle.count)].elementsEqual(needle) { return true }
        }
        return false
    }

    private func matches(_ block: Block) -> Bool {
        switch block {
        case .text(let text), .code(let text, _): matches(text)
        case .section: false
        }
    }

    /// Where a hit is: a section, and which of its blocks (-1: its title).
    typealias Hit = (section: Int32, block: Int32)

    /// The nearest hit after (or before) a place, in document order, around the end; nil where there is none.
    func next(in document: Document, after place: Hit, isBackward: Bool) -> Hit? {
        let count = Int32(document.sections.count)
        let all = count + 1
        // Section -1 is the document's own text.
        for step in 0...all {
            let offset = isBackward ? -step : step
            let section = (place.section + 1 + offset % all + all) % all - 1
            var hits = hits(of: section, document)
            if isBackward { hits.reverse() }
            for block in hits {
                if step == 0, isBackward ? block >= place.block : block <= place.block { continue }
                if step == all, isBackward ? block < place.block : block > place.block { continue }
                return (section, block)
            }
        }
        return nil
    }

    private func hits(of section: Int32, _ document: Document) -> [Int32] {
        var hits: [Int32] = []
        if section >= 0, matches(document[section].title) { hits.append(-1) }
        let content = section < 0 ? document.content : document[section].content ?? []
        for (place, block) in content.enumerated() where matches(block) { hits.append(Int32(place)) }
        return hits
    }

    /// The sections that have a hit, with those around them.
    func sections(of document: Document) -> Set<Int32> {
        var found: Set<Int32> = []
        for section in 0..<Int32(document.sections.count) where !hits(of: section, document).isEmpty {
            var around = section
            while around >= 0, found.insert(around).inserted { around = document[around].parent }
        }
        return found
    }
}
