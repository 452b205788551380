// Why this file exists: in a terminal a paragraph is plain text. Marks of emphasis go, but no word does, and no address: a
// link is its text and where it leads.

/// Turns what is inside a paragraph, heading or cell into text.
struct MarkdownInline {
    enum Breaks {
        /// A title is one line.
        case spaces
        case lines
    }

    /// Tags that only say how their text looks; they go where both stand in the same text, and have no attributes.
    private static let marks: Set<String> = [
        "b", "strong", "i", "em", "u", "kbd", "code", "samp", "tt", "small", "mark", "center",
    ]

    /// Addresses and titles of the links that were seen.
    private(set) var links: Set<String> = []
    /// Comments that were left out since this was last set to 0.
    var commentCount = 0

    static func key(_ address: String, _ title: String) -> String { address + "\0" + title }

    mutating func text(of container: MarkdownNode, _ breaks: Breaks) -> String {
        var pieces: [String] = []
        var openMarks: [(name: String, piece: Int)] = []
        var links: [(node: MarkdownNode, piece: Int)] = []
        let comments = commentCount
        var current = container.firstChild
        while let node = current {
            switch node.kind {
            case .text:
                // A comment that is left out had a space on either side.
                let isDouble = pieces.last == "" && pieces.dropLast().last?.last == " " && node.literal.first == " "
                pieces.append(isDouble ? String(node.literal.dropFirst()) : node.literal)
            case .inlineCode: pieces.append(node.literal)
            case .softBreak: if pieces.last != "\n" { pieces.append(" ") }
            case .lineBreak: pieces.append(breaks == .lines ? "\n" : " ")
            case .inlineHTML: html(node.literal, breaks, &pieces, &openMarks)
            case .link, .image: links.append((node, pieces.count))
            default: if node.firstChild == nil { pieces.append(node.literal) }
            }
            if let child = node.firstChild {
                current = child
                continue
            }
            current = nil
            var ended = node
            while true {
                if let link = links.last, link.node == ended {
                    links.removeLast()
                    end(link.node, &pieces, from: link.piece)
                }
                if let next = ended.next {
                    current = next
                    break
                }
                guard let parent = ended.parent, !(parent == container) else { break }
                ended = parent
            }
        }
        let text = pieces.joined()
        // What stood before a comment at the end is no end of a text.
        return commentCount > comments ? text.trimmed : text
    }

    private mutating func end(_ link: MarkdownNode, _ pieces: inout [String], from piece: Int) {
        let (address, title) = (link.address, link.title)
        links.insert(Self.key(address, title))
        // Images nest as deep as a file likes, so their whole text is never put together here.
        let isEmpty = pieces[piece...].allSatisfy(\.isEmpty)
        let text = pieces.count == piece + 1 ? pieces[piece] : ""
        let isSame = !isEmpty && (address == text || address == "mailto:" + text)
        if address.isEmpty && title.isEmpty || isSame && title.isEmpty { return }
        if isEmpty, title.isEmpty { return pieces.append(address) }
        let quoted = title.isEmpty ? "" : (address.isEmpty ? "" : " ") + "\"\(title)\""
        pieces.append((isEmpty ? "" : " ") + "(\(address)\(quoted))")
    }

    private mutating func html(
        _ literal: String, _ breaks: Breaks, _ pieces: inout [String],
        _ openMarks: inout [(name: String, piece: Int)]
    ) {
        if literal.hasPrefix("<!--") {
            commentCount += 1
            return pieces.append("")
        }
        let name = literal.dropFirst().dropLast().lowercased()
        if ["br", "br/", "br /"].contains(name) { return pieces.append(breaks == .lines ? "\n" : " ") }
        if name.hasPrefix("/"), let open = openMarks.last, open.name == name.dropFirst() {
            openMarks.removeLast()
            pieces[open.piece] = ""
            return
        }
        if Self.marks.contains(name) { openMarks.append((name, pieces.count)) }
        pieces.append(literal)
    }
}
