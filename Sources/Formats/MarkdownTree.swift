// Why this file exists: cmark-gfm gives a tree of C structures. Here it becomes a value whose nodes keep the tree alive, and
// C stays out of every other file. Unsafe because the library's nodes are pointers.

internal import CMarkdown

/// The tree of one text.
@safe final class MarkdownTree {
    /// A link's name, address and title, as the text defines them apart from their use.
    struct Definition {
        let label: String
        let address: String
        let title: String
    }

    private let raw: UnsafeMutablePointer<cmark_node>
    let definitions: [Definition]

    /// Nil where there is no memory for it. The text is UTF-8.
    init?(_ text: Span<UInt8>) {
        let found = Found()
        let root = unsafe text.withUnsafeBufferPointer { buffer in
            unsafe UnsafeRawBufferPointer(buffer).withMemoryRebound(to: CChar.self) { characters in
                unsafe cm_parse(
                    characters.baseAddress, characters.count, tellDefinition, Unmanaged.passUnretained(found).toOpaque()
                )
            }
        }
        guard let root = unsafe root else { return nil }
        unsafe raw = root
        definitions = found.all.reversed()
    }

    deinit { unsafe cmark_node_free(raw) }

    var root: MarkdownNode { unsafe MarkdownNode(raw, of: self) }

    fileprivate final class Found {
        var all: [Definition] = []
    }
}

private func tellDefinition(
    _ context: UnsafeMutableRawPointer?, _ label: UnsafePointer<UInt8>?, _ address: UnsafePointer<UInt8>?,
    _ addressBytes: Int32, _ title: UnsafePointer<UInt8>?, _ titleBytes: Int32
) {
    guard let context = unsafe context else { return }
    func text(_ start: UnsafePointer<UInt8>?, _ count: Int32) -> String {
        unsafe String(decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(count)), as: UTF8.self)
    }
    let found = unsafe Unmanaged<MarkdownTree.Found>.fromOpaque(context).takeUnretainedValue()
    found.all.append(
        MarkdownTree.Definition(
            label: unsafe label.map { unsafe String(cString: $0) } ?? "", address: unsafe text(address, addressBytes),
            title: unsafe text(title, titleBytes)))
}

/// One node of a tree.
@safe struct MarkdownNode {
    enum Kind {
        case document, quote, list, item, code, html, paragraph, heading, rule, table, tableRow, tableCell
        case text, softBreak, lineBreak, inlineCode, inlineHTML, emphasis, link, image, other
    }

    private let tree: MarkdownTree
    private let raw: UnsafeMutablePointer<cmark_node>

    fileprivate init(_ raw: UnsafeMutablePointer<cmark_node>, of tree: MarkdownTree) {
        self.tree = tree
        unsafe self.raw = raw
    }

    private func node(_ raw: UnsafeMutablePointer<cmark_node>?) -> MarkdownNode? {
        unsafe raw.map { unsafe MarkdownNode($0, of: tree) }
    }

    var next: MarkdownNode? { unsafe node(cmark_node_next(raw)) }
    var firstChild: MarkdownNode? { unsafe node(cmark_node_first_child(raw)) }
    var parent: MarkdownNode? { unsafe node(cmark_node_parent(raw)) }

    static func == (left: MarkdownNode, right: MarkdownNode?) -> Bool {
        guard let right else { return false }
        return unsafe left.raw == right.raw
    }

    var kind: Kind {
        switch unsafe cmark_node_get_type(raw) {
        case CMARK_NODE_DOCUMENT: .document
        case CMARK_NODE_BLOCK_QUOTE: .quote
        case CMARK_NODE_LIST: .list
        case CMARK_NODE_ITEM: .item
        case CMARK_NODE_CODE_BLOCK: .code
        case CMARK_NODE_HTML_BLOCK: .html
        case CMARK_NODE_PARAGRAPH: .paragraph
        case CMARK_NODE_HEADING: .heading
        case CMARK_NODE_THEMATIC_BREAK: .rule
        case CMARK_NODE_TEXT: .text
        case CMARK_NODE_SOFTBREAK: .softBreak
        case CMARK_NODE_LINEBREAK: .lineBreak
        case CMARK_NODE_CODE: .inlineCode
        case CMARK_NODE_HTML_INLINE: .inlineHTML
        case CMARK_NODE_EMPH, CMARK_NODE_STRONG: .emphasis
        case CMARK_NODE_LINK: .link
        case CMARK_NODE_IMAGE: .image
        default: extensionKind
        }
    }

    /// Kinds of an extension have numbers of this run, but fixed names.
    private var extensionKind: Kind {
        switch unsafe string(cmark_node_get_type_string(raw)) {
        case "table": .table
        case "table_row", "table_header": .tableRow
        case "table_cell": .tableCell
        default: .other
        }
    }

    /// From 1; 0 where the library does not know.
    var line: Int { unsafe Int(cmark_node_get_start_line(raw)) }
    /// In bytes, from 1.
    var column: Int { unsafe Int(cmark_node_get_start_column(raw)) }

    var literal: String { unsafe string(cmark_node_get_literal(raw)) }
    var address: String { unsafe string(cmark_node_get_url(raw)) }
    var title: String { unsafe string(cmark_node_get_title(raw)) }
    /// What stands behind the fence of a code block.
    var fenceInfo: String { unsafe string(cmark_node_get_fence_info(raw)) }
    /// 1 to 6.
    var headingLevel: Int { unsafe Int(cmark_node_get_heading_level(raw)) }

    /// Of an ordered list the first item's number and what stands behind each number.
    var numbering: (start: Int, delimiter: String)? {
        guard unsafe cmark_node_get_list_type(raw) == CMARK_ORDERED_LIST else { return nil }
        let isParenthesis = unsafe cmark_node_get_list_delim(raw) == CMARK_PAREN_DELIM
        return (unsafe Int(cmark_node_get_list_start(raw)), isParenthesis ? ")" : ".")
    }

    private func string(_ text: UnsafePointer<CChar>?) -> String {
        unsafe text.map { unsafe String(cString: $0) } ?? ""
    }
}
