// Why this file exists: texts are searched and trimmed here by their bytes. The library's own searching takes patterns, and
// brings three megabytes of them into a program.

extension String {
    /// Without spaces and tabs at either end.
    var trimmed: String { trimmed { $0 == 0x20 || $0 == 0x09 } }

    /// Without white space at either end.
    var trimmedOfSpace: String { trimmed(FileText.isSpace) }

    private func trimmed(_ isSpace: (UInt8) -> Bool) -> String {
        guard let start = utf8.firstIndex(where: { !isSpace($0) }), let end = utf8.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(self[start...end])
    }

    /// With `new` in place of each `old`, from the first on; `old` is not empty.
    func withEach(_ old: String, as new: String) -> String {
        var result = ""
        var rest = self[...]
        while let place = rest.firstPlace(of: old) {
            result += rest[..<place.lowerBound] + new
            rest = rest[place.upperBound...]
        }
        return result + rest
    }
}

extension Substring {
    /// Where a word stands first, compared by its bytes.
    func firstPlace(of word: String) -> Range<String.Index>? {
        guard let first = word.utf8.first else { return nil }
        var start = startIndex
        while let place = self[start...].utf8.firstIndex(of: first) {
            if self[place...].utf8.starts(with: word.utf8) {
                return place..<utf8.index(place, offsetBy: word.utf8.count)
            }
            start = utf8.index(after: place)
        }
        return nil
    }
}
