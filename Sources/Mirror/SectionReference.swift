// Why this file exists: a person names a section as they see it: by its path, by its place, or by its title alone.

import AccordionModel

/// Which section a word of a command line means.
package enum SectionReference: Equatable, Sendable {
    case section(Int32)
    /// Several sections have that title; their paths, in document order.
    case ambiguous([SectionPath])
    case unknown

    /// A path wins over a title that reads the same; `#3.2` is the second section inside the third, unless a path or a
    /// title says otherwise.
    package init(_ text: String, in document: Document) {
        if let section = document.find(SectionPath(text)) {
            self = .section(section)
            return
        }
        var titled: [SectionPath] = []
        var last: Int32 = -1
        for (index, section) in document.sections.enumerated() where section.title == text {
            titled.append(section.path)
            last = Int32(index)
        }
        switch titled.count {
        case 0: self = Self.position(text, in: document).map { .section($0) } ?? .unknown
        case 1: self = .section(last)
        default: self = .ambiguous(titled)
        }
    }

    private static func position(_ text: String, in document: Document) -> Int32? {
        guard text.utf8.first == UInt8(ascii: "#") else { return nil }
        var parent: Int32 = -1
        for word in text.dropFirst().split(separator: ".", omittingEmptySubsequences: false) {
            guard word.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(word), number > 0 else {
                return nil
            }
            var children = document.children(of: parent)
            var left = number
            var found: Int32?
            while left > 0, let child = children.next() {
                left -= 1
                if left == 0 { found = child }
            }
            guard let found else { return nil }
            parent = found
        }
        return parent < 0 ? nil : parent
    }
}
