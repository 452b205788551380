// Why this file exists: a file that names no document still has a name of its own, which is nearly always what the document
// should be called.

import AccordionModel

package enum FileName {
    /// The file's name without directories and its last extension; `-`, which means standard input, has none.
    package static func stem(of path: String) -> String {
        guard path != "-" else { return "" }
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        guard let dot = last.lastIndex(of: "."), dot != last.startIndex else { return last }
        return String(last[..<dot])
    }

    /// A document's name made of the stem: what a name can't hold becomes `-`, several in a row one. Nil where nothing is
    /// left.
    package static func proposal(for path: String) -> DocumentName? {
        var name = ""
        for scalar in stem(of: path).unicodeScalars {
            // A mark alone is no name, but may follow a letter.
            if DocumentName("a\(scalar)") != nil {
                name.unicodeScalars.append(scalar)
            } else if name.last != "-" {
                name += "-"
            }
            if name.utf8.count > DocumentName.bytesMax * 2 { break }
        }
        while let first = name.first, first == "." || first == "-" { name.removeFirst() }
        while name.last == "-" { name.removeLast() }
        var characters = Array(name)
        while !characters.isEmpty {
            if let checked = DocumentName(String(characters)) { return checked }
            characters.removeLast()
        }
        return nil
    }
}
