// Why this file exists: `list` shows documents in the order of their names, from any place on, without touching those that
// it does not show.

import AccordionModel

/// The names of the documents that exist, sorted by their bytes.
struct Catalog {
    private(set) var names: [DocumentName] = []

    mutating func insert(_ name: DocumentName) {
        let place = place(of: name)
        if place < names.count, names[place] == name { return }
        names.insert(name, at: place)
    }

    mutating func remove(_ name: DocumentName) {
        let place = place(of: name)
        if place < names.count, names[place] == name { names.remove(at: place) }
    }

    /// The names that begin with `prefix` and come after `after`, in order.
    func names(prefix: String, after: String?) -> some Sequence<DocumentName> {
        var start = firstPlace { !$0.text.utf8.lexicographicallyPrecedes(prefix.utf8) }
        if let after { start = max(start, firstPlace { after.utf8.lexicographicallyPrecedes($0.text.utf8) }) }
        return names[start...].lazy.prefix { $0.text.utf8.starts(with: prefix.utf8) }
    }

    private func place(of name: DocumentName) -> Int { firstPlace { !($0 < name) } }

    /// The first place from which on `holds` is true.
    private func firstPlace(_ holds: (DocumentName) -> Bool) -> Int {
        var low = 0
        var high = names.count
        while low < high {
            let middle = (low + high) / 2
            if holds(names[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
