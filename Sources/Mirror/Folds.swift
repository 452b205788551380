// Why this file exists: one may want to look at something that others have closed, and leave theirs as it is. Folds of one's
// own lie over the shared ones, and go no further.

import AccordionModel

/// Sections that stand otherwise for me alone.
struct Folds: Equatable {
    /// Whether they count, and what I fold is mine alone.
    var isPrivate = false
    private(set) var own: [SectionPath: Bool] = [:]
    /// The same by index in the document that is shown.
    private var places: [Int32: Bool] = [:]

    static let ownMax = 100_000

    /// How a section stands for me; nil: as for all.
    subscript(section: Int32) -> Bool? { isPrivate ? places[section] : nil }

    var isEmpty: Bool { own.isEmpty }

    mutating func set(_ section: Int32, _ value: Bool?, _ document: Document) {
        let path = document[section].path
        if own.count >= Folds.ownMax, own[path] == nil, value != nil { return }
        own[path] = value
        places[section] = value
    }

    mutating func removeAll() {
        own = [:]
        places = [:]
    }

    /// The content is another.
    mutating func place(in document: Document) {
        places = [:]
        for (path, value) in own {
            if let section = document.find(path), !document[section].isRow { places[section] = value }
        }
    }

    // MARK: - Kept between runs

    /// A line for each: `+` or `-` and the path.
    var text: String {
        (isPrivate ? "private\n" : "shared\n")
            + own.sorted { $0.key.text < $1.key.text }.map { "\($0.value ? "+" : "-")\($0.key.text)\n" }.joined()
    }

    /// What can't be understood is passed over.
    init(text: String) {
        for line in text.split(separator: "\n").prefix(Folds.ownMax + 1) {
            if line == "private" { isPrivate = true }
            let path = SectionPath(String(line.dropFirst()))
            guard !path.isTop else { continue }
            if line.hasPrefix("+") { own[path] = true }
            if line.hasPrefix("-") { own[path] = false }
        }
    }

    init() {}
}
