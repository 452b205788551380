// Why this file exists: `list` shows documents in the order of their names, from any place on, without touching those that
// it does not show; and a request for a document that never was must not go to the disk to find that out.

import AccordionModel

/// What the hub knows of all documents, in memory or not.
struct Catalog {
    /// One document, deleted or not.
    final class Entry {
        /// As it was when it was last in memory; a document in memory tells better of itself.
        var outline: DocumentOutline
        /// The last turn in which it came to the list, left it or changed its title.
        var listedTurn: UInt64 = 0
        /// It was created in a turn that fell, and the disk has nothing of it.
        var neverWas = false

        init(_ outline: DocumentOutline) { self.outline = outline }
    }

    /// False until the owner has told what is stored.
    var isKnown = true
    private var entries: [DocumentName: Entry] = [:]
    /// Those that were put before all were known; they are not among `names` until then.
    private var early: Set<DocumentName> = []
    /// Of the documents that exist, sorted by their bytes.
    private(set) var names: [DocumentName] = []

    subscript(name: DocumentName) -> Entry? { entries[name] }

    /// Whether there is something to load, as far as is known.
    func isStored(_ name: DocumentName) -> Bool { entries[name].map { !$0.neverWas } ?? !isKnown }

    var count: Int { names.count }

    /// Takes a part of what is stored, sorted by name and after the parts before. What has been put meanwhile is newer.
    mutating func learn(_ outlines: [DocumentOutline], isLast: Bool) {
        for outline in outlines where entries[outline.name] == nil {
            entries[outline.name] = Entry(outline)
            if outline.exists { names.append(outline.name) }
        }
        guard isLast else { return }
        isKnown = true
        for name in early where entries[name]?.outline.exists == true { insert(name) }
        early = []
    }

    /// Takes a document as it is now.
    @discardableResult
    mutating func put(_ outline: DocumentOutline) -> Entry {
        if !isKnown {
            early.insert(outline.name)
            if let entry = entries[outline.name], entry.outline.exists { remove(outline.name) }
        } else if outline.exists {
            insert(outline.name)
        } else {
            remove(outline.name)
        }
        if let entry = entries[outline.name] {
            entry.outline = outline
            entry.neverWas = false
            return entry
        }
        let entry = Entry(outline)
        entries[outline.name] = entry
        return entry
    }

    private mutating func insert(_ name: DocumentName) {
        let place = place(of: name)
        if place < names.count, names[place] == name { return }
        names.insert(name, at: place)
    }

    private mutating func remove(_ name: DocumentName) {
        let place = place(of: name)
        if place < names.count, names[place] == name { names.remove(at: place) }
    }

    /// The documents whose place in the list has changed in `turn` or since, after `name`, in the order of their names.
    func listed(since turn: UInt64, after name: DocumentName?) -> [Entry] {
        entries.values
            .filter { entry in entry.listedTurn >= turn && name.map { $0 < entry.outline.name } ?? true }
            .sorted { $0.outline.name < $1.outline.name }
    }

    var entryCount: Int { entries.count }

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
