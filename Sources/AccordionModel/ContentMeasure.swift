// Why this file exists: the history says of a content how large it was and whether two were the same, not the content
// itself.

extension HistoryEntry.ContentWrite {
    /// Measures a document: every member, title, id and text of it goes into the hash (FNV-1a over 64 bits, by Fowler, Noll
    /// and Vo), lengths included, so that equal hashes mean equal documents but for chance.
    package init(_ document: Document) {
        self.init(
            title: document.attributes.title, sections: document.sections.count, bytes: document.textBytes,
            hash: ContentHash.of(document))
    }
}

private struct ContentHash {
    private var value: UInt64 = 0xcbf2_9ce4_8422_2325

    static func of(_ document: Document) -> UInt64 {
        var hash = ContentHash()
        let attributes = document.attributes
        hash.add(attributes.title)
        hash.add(attributes.mode == .single)
        hash.add(attributes.initiallyOpen)
        hash.add(attributes.headers)
        hash.add(attributes.collapsible)
        switch attributes.conflicts {
        case .last: hash.add(0)
        case .open: hash.add(1)
        case .closed: hash.add(2)
        }
        hash.add(document.content)
        for section in document.sections {
            hash.add(section.path.text)
            hash.add(section.title)
            hash.add(section.attributes)
            hash.add(section.isRow)
            hash.add(section.content ?? [])
        }
        return hash.value
    }

    private mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }

    private mutating func add(_ bool: Bool) { add(bool ? 1 : 0) }

    private mutating func add(_ text: String?) {
        guard let text else { return add(0xFF) }
        for byte in text.utf8 { add(byte) }
        add(0xFE)
    }

    private mutating func add(_ attributes: SectionAttributes) {
        add(attributes.mode.map { $0 == .single ? 2 : 1 } ?? 0)
        add(attributes.open.map { $0 ? 2 : 1 } ?? 0)
        add(attributes.task.map { $0 ? 2 : 1 } ?? 0)
        add(attributes.collapsible)
        add(attributes.locked)
        add(attributes.tint)
    }

    private mutating func add(_ blocks: [Block]) {
        for block in blocks {
            switch block {
            case .text(let text):
                add(1)
                add(text)
            case .code(let text, let language):
                add(2)
                add(text)
                add(language)
            case .section: add(3)
            }
        }
        add(0xFD)
    }
}
