// Why this file exists: a person hands over a file and expects it to be understood. What it is, is told by its name and
// seen from its beginning.

/// What a document can be made of.
package enum Format: String, CaseIterable, Sendable {
    /// `[{"name":…,"city":[{"name":…}]}]`
    case provinceList = "provinces"
    /// A document as `export` writes it and as `create` takes it.
    case documentJSON = "json"
    case markdown
    case opml

    /// What can be written, the default first.
    package static let exported: [Format] = [.documentJSON, .markdown, .opml]

    /// By the end of the file's name where that says it, else by what stands first; nil where it is no text, a web page, or
    /// nothing at all.
    package static func detect(_ bytes: Span<UInt8>, path: String = "") -> Format? {
        let beginning = FileBeginning(bytes)
        switch suffix(of: path) {
        case "md", "markdown", "mdown", "mkd", "mkdn": return .markdown
        case "opml": return .opml
        case "json": return beginning.first == UInt8(ascii: "[") ? .provinceList : .documentJSON
        default: return beginning.format
        }
    }

    private static func suffix(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }
}

/// The first bytes of a file that are no white space.
private struct FileBeginning {
    private static let lookedAtBytes = 512
    private let bytes: [UInt8]
    private let holdsNUL: Bool

    init(_ file: Span<UInt8>) {
        var start = FileText.start(of: file)
        while start < file.count, FileText.isSpace(file[start]) { start += 1 }
        let part = file.extracting(start..<min(file.count, start + Self.lookedAtBytes))
        bytes = part.indices.map { part[$0] }
        holdsNUL = bytes.contains(0)
    }

    var first: UInt8? { bytes.first }

    /// A bracket begins a link in Markdown as well as a list in JSON; what follows it tells them apart.
    var format: Format? {
        guard let first, !holdsNUL else { return nil }
        let second = bytes.dropFirst().first { !FileText.isSpace($0) }
        switch first {
        case UInt8(ascii: "["):
            let begins = "\"{[]-0123456789".utf8
            return second.map(begins.contains) ?? true ? .provinceList : .markdown
        case UInt8(ascii: "{"):
            return second == UInt8(ascii: "\"") || second == UInt8(ascii: "}") || second == nil
                ? .documentJSON : .markdown
        case UInt8(ascii: "<"):
            if begins("<?xml") || begins("<opml") || begins("<!doctype opml") { return .opml }
            return begins("<!doctype") || begins("<html") ? nil : .markdown
        default: return .markdown
        }
    }

    private func begins(_ word: String) -> Bool {
        String(decoding: bytes.prefix(word.utf8.count), as: UTF8.self).lowercased() == word
    }
}
