// Why this file exists: the content of a document is made once, by `create`, `replace` or an import, and then read by
// every gesture, snapshot and screen. So it is an immutable value, flat and in document order, with an index by path.

package enum Mode: String, Sendable {
    /// Any number of the sections directly inside may be open.
    case multiple
    /// At most one of them.
    case single
}

/// Who wins when two clients disagree without having seen each other.
package enum ConflictPolicy: String, Sendable {
    case last, open, closed
}

/// What stands inside a document or a section, in order. Sections are told by their index in `Document.sections`.
package enum Block: Sendable, Equatable {
    case section(Int32)
    case text(String)
    case code(String, language: String?)
}

package struct Section: Sendable, Equatable {
    package let path: SectionPath
    package let title: String
    /// Index of the section around this one; -1 at the top.
    package let parent: Int32
    /// Index behind the last section inside this one; of a section's sections the first is at its own index + 1, the next
    /// at the `end` of the one before.
    package var end: Int32
    /// 1 at the top.
    package let depth: Int
    /// `nil` for a row, which can be selected and checked but not opened.
    package var content: [Block]?
    package let attributes: SectionAttributes

    package var isRow: Bool { content == nil }
}

/// What a section says of itself besides its title and content.
package struct SectionAttributes: Sendable, Equatable {
    /// For the sections directly inside; the document's where `nil`.
    package var mode: Mode?
    /// How it stands initially, where that differs from the document's `initially`.
    package var open: Bool?
    /// `false` on a single group: the open one can't be closed, only replaced.
    package var collapsible = true
    package var locked = false
    /// `nil` where it is no task, else the initial check mark.
    package var task: Bool?
    /// A name of `Tint.names` or `#rrggbb`.
    package var tint: String?

    package init() {}
}

/// What a document says of itself besides its content.
package struct DocumentAttributes: Sendable, Equatable {
    package var title = ""
    package var mode = Mode.multiple
    /// How a section stands that nobody has touched.
    package var initiallyOpen = false
    package var headers = true
    package var conflicts = ConflictPolicy.last
    package var collapsible = true

    package init() {}
}

package enum Tint {
    package static let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]

    /// The eight names, the same with `bright-` before them, or `#` and six hexadecimal digits.
    package static func isValid(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        if text.utf8.first == UInt8(ascii: "#") {
            return digits.count == 6
                && digits.allSatisfy { byte in
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
                }
        }
        return names.contains(text.hasPrefix("bright-") ? String(text.dropFirst(7)) : text)
    }
}

/// The immutable content of a document. Made by `DocumentBuilder`, which keeps the limits.
package final class Document: Sendable {
    package let attributes: DocumentAttributes
    package let sections: [Section]
    /// What stands at the top.
    package let content: [Block]
    /// Bytes of all text in it.
    package let textBytes: Int
    package let taskCount: Int
    let index: [SectionPath: Int32]

    init(
        attributes: DocumentAttributes, sections: [Section], content: [Block], textBytes: Int,
        index: [SectionPath: Int32]
    ) {
        self.attributes = attributes
        self.sections = sections
        self.content = content
        self.textBytes = textBytes
        self.taskCount = sections.reduce(0) { $0 + ($1.attributes.task == nil ? 0 : 1) }
        self.index = index
    }

    /// The index of the section at `path`.
    package func find(_ path: SectionPath) -> Int32? { index[path] }

    package subscript(section: Int32) -> Section { sections[Int(section)] }

    /// The mode of the group of sections directly inside `parent` (-1: at the top).
    package func mode(inside parent: Int32) -> Mode {
        parent < 0 ? attributes.mode : self[parent].attributes.mode ?? attributes.mode
    }

    /// Whether the open section of the single group inside `parent` can be closed.
    package func isCollapsible(inside parent: Int32) -> Bool {
        parent < 0 ? attributes.collapsible : self[parent].attributes.collapsible
    }

    /// How the section stands where nobody has touched it. In a single group only the first that says so is open.
    package func opensInitially(_ section: Int32) -> Bool {
        let this = self[section]
        return !this.isRow && (this.attributes.open ?? attributes.initiallyOpen)
    }

    /// The sections directly inside `parent` (-1: at the top), in order.
    package func children(of parent: Int32) -> Children { Children(document: self, parent: parent) }

    package struct Children: Sequence, IteratorProtocol {
        let document: Document
        var place: Int32
        let end: Int32

        init(document: Document, parent: Int32) {
            self.document = document
            place = parent + 1
            end = parent < 0 ? Int32(document.sections.count) : document[parent].end
        }

        package mutating func next() -> Int32? {
            guard place < end else { return nil }
            defer { place = document[place].end }
            return place
        }
    }

    /// The indices of all sections inside `parent` (-1: of all).
    package func inside(_ parent: Int32) -> Range<Int32> {
        parent < 0 ? 0..<Int32(sections.count) : (parent + 1)..<self[parent].end
    }

    package func isSame(as other: Document) -> Bool {
        self === other
            || (attributes == other.attributes && content == other.content && sections == other.sections)
    }
}
