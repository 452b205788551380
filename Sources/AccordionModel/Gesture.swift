// Why this file exists: what a person does to a document – a press on a header, a check mark, "open all" – is decided
// here: refused with a reason, found to change nothing, or turned into register writes.

import Causality

/// What can be done to the flags of a document. Paths name sections; `under` is the section whose inside is meant, the
/// top for the whole document.
package enum Gesture: Sendable, Equatable {
    /// `to`: that state; where `nil` the other one than stands.
    case toggle(SectionPath, to: Bool?)
    case set(SectionPath, Field, Bool)
    case openAll(under: SectionPath)
    case closeAll(under: SectionPath)
    /// Sections on levels above `depth`, counted from `under`, open; the others closed.
    case level(under: SectionPath, depth: Int)
    case reset(under: SectionPath)
}

/// Why a request was refused. Nothing has changed.
package struct Refusal: Error, Equatable, Sendable {
    package enum Reason: Sendable, Equatable {
        case unknownDocument, documentExists, unknownSection, notOpenable, notATask, headersHidden, singleMode
        case mustStayOpen, locked
        case tooLarge(String)
    }
    package let reason: Reason
    /// The section that it is about, where it is about one.
    package let section: SectionPath?
    /// Position in the flattened batch, where it was one.
    package internal(set) var at: Int?

    package init(_ reason: Reason, _ section: SectionPath? = nil, at: Int? = nil) {
        self.reason = reason
        self.section = section
        self.at = at
    }
}

extension SharedState {
    /// Decides one gesture. Returns nil where it changes nothing.
    package func decide(_ gesture: Gesture, _ writer: Writer) throws(Refusal) -> Operation? {
        guard let view else { throw Refusal(.unknownDocument) }
        var draft = Draft(writer, version, clock)
        try perform(gesture, view, &draft)
        return finish(draft, view)
    }

    /// Decides all of `gestures`, or none: each sees what those before it did.
    package func decide(batch gestures: [Gesture], limits: Limits, _ writer: Writer) throws(Refusal) -> Operation? {
        guard let view else { throw Refusal(.unknownDocument) }
        guard gestures.count <= limits.batchOperationsMax else {
            throw Refusal(.tooLarge("more than \(limits.batchOperationsMax) operations in a batch"))
        }
        var draft = Draft(writer, version, clock)
        var passedOver = 0
        for (position, gesture) in gestures.enumerated() {
            do throws(Refusal) {
                if let under = gesture.under {
                    passedOver += view.document.inside(try find(under, view)).count
                    guard passedOver <= limits.sectionsMax else {
                        throw Refusal(.tooLarge("bulk operations on more than \(limits.sectionsMax) sections"))
                    }
                }
                try perform(gesture, view, &draft)
            } catch {
                throw Refusal(error.reason, error.section, at: position)
            }
        }
        return finish(draft, view)
    }

    private func perform(_ gesture: Gesture, _ view: View, _ draft: inout Draft) throws(Refusal) {
        switch gesture {
        case .toggle(let path, let to):
            let section = try find(path, view)
            try turn(section, to: to ?? !isShown(section, view, draft), view, &draft)
        case .set(let path, .open, let value):
            try turn(find(path, view), to: value, view, &draft)
        case .set(let path, .done, let value):
            try check(find(path, view), value, view, &draft)
        case .openAll(let under): try openAll(find(under, view), under, view, &draft)
        case .closeAll(let under): try closeAll(find(under, view), view, &draft)
        case .level(let under, let depth): try level(find(under, view), depth, view, &draft)
        case .reset(let under): reset(try find(under, view), view, &draft)
        }
    }

    private func find(_ path: SectionPath, _ view: View) throws(Refusal) -> Int32 {
        if path.isTop { return -1 }
        guard let section = view.document.find(path) else { throw Refusal(.unknownSection, path) }
        return section
    }

    // MARK: - One section

    /// Opens or closes one section, after every check that a direct press is subject to.
    private func turn(
        _ section: Int32, to value: Bool, _ view: View, _ draft: inout Draft
    ) throws(Refusal) {
        guard section >= 0 else { throw Refusal(.unknownSection, .top) }
        let this = view.document[section]
        guard view.document.attributes.headers else { throw Refusal(.headersHidden) }
        guard !this.isRow else { throw Refusal(.notOpenable, this.path) }
        guard !this.attributes.locked else { throw Refusal(.locked, this.path) }
        if view.document.mode(inside: this.parent) == .single {
            try turnSingle(section, to: value, view, &draft)
        } else if isShown(section, view, draft) != value || !agrees(section, .open, view, draft) {
            draft.put(section, .open, Setting(value), self, view)
        }
    }

    /// In a single group opening writes `on` to the section and `off` to every other that claims to be open, as far as
    /// the writer has seen the claims; so does closing the open one, or another would appear in its place.
    private func turnSingle(
        _ section: Int32, to value: Bool, _ view: View, _ draft: inout Draft
    ) throws(Refusal) {
        let this = view.document[section]
        guard let group = draft.group(this.parent, view) else { return }
        let shown = group.shown
        if !value, !view.document.isCollapsible(inside: this.parent) {
            if shown == section { throw Refusal(.mustStayOpen, this.path) }
            return
        }
        if value, let shown, shown != section, view.document[shown].attributes.locked {
            throw Refusal(.locked, view.document[shown].path)
        }
        var others: [Int32] = []
        if value || shown == section {
            others = group.claims.keys.filter { $0 != section && hasSeenClaim(of: $0, view, draft) }.sorted()
        }
        if value == (shown == section), !value || others.isEmpty, agrees(section, .open, view, draft) { return }
        for other in others { draft.put(other, .open, .off, self, view) }
        draft.put(section, .open, Setting(value), self, view)
    }

    private func hasSeenClaim(of section: Int32, _ view: View, _ draft: Draft) -> Bool {
        if draft.pending(section, .open) != nil { return true }
        var all = true
        register(section, .open, in: view).forEach { sibling in
            guard sibling.value == .on else { return }
            let own = draft.writer.session != 0 && sibling.session == draft.writer.session
            if !own, draft.writer.seen?.covers(sibling.dot) == false { all = false }
        }
        return all
    }

    /// Puts a flag back as it stood; where a press would be refused, it stays.
    func restore(_ section: Int32, _ field: Field, _ value: Bool, _ view: View, _ draft: inout Draft) {
        do throws(Refusal) {
            switch field {
            case .open: if isShown(section, view, draft) != value { try turn(section, to: value, view, &draft) }
            case .done: try check(section, value, view, &draft)
            }
        } catch {
            return
        }
    }

    private func check(
        _ section: Int32, _ value: Bool, _ view: View, _ draft: inout Draft
    ) throws(Refusal) {
        guard section >= 0 else { throw Refusal(.unknownSection, .top) }
        guard view.has(section, .done) else { throw Refusal(.notATask, view.document[section].path) }
        if draft.value(section, .done, self, view) != value || !agrees(section, .done, view, draft) {
            draft.put(section, .done, Setting(value), self, view)
        }
    }

    private func isShown(_ section: Int32, _ view: View, _ draft: Draft) -> Bool {
        guard section >= 0 else { return false }
        let parent = view.document[section].parent
        guard view.document.mode(inside: parent) == .single else { return draft.value(section, .open, self, view) }
        return draft.group(parent, view)?.shown == section
    }

    private func agrees(_ section: Int32, _ field: Field, _ view: View, _ draft: Draft) -> Bool {
        !view.disagrees(draft.outcome(section, field, self, view), section, field)
    }

    // MARK: - Many sections

    private func canTurn(_ section: Int32, _ view: View) -> Bool {
        !view.document[section].isRow && !view.document[section].attributes.locked
    }

    private func openAll(
        _ under: Int32, _ path: SectionPath, _ view: View, _ draft: inout Draft
    ) throws(Refusal) {
        guard view.document.attributes.headers else { throw Refusal(.headersHidden) }
        guard view.document.mode(inside: under) == .multiple else { throw Refusal(.singleMode, path) }
        for section in view.document.inside(under)
        where canTurn(section, view) && view.document.mode(inside: view.document[section].parent) == .multiple {
            try turn(section, to: true, view, &draft)
        }
    }

    private func closeAll(_ under: Int32, _ view: View, _ draft: inout Draft) throws(Refusal) {
        guard view.document.attributes.headers else { throw Refusal(.headersHidden) }
        try turnAll(inside: under, view, &draft) { _ in false }
    }

    private func level(
        _ under: Int32, _ depth: Int, _ view: View, _ draft: inout Draft
    ) throws(Refusal) {
        guard view.document.attributes.headers else { throw Refusal(.headersHidden) }
        let base = under < 0 ? 0 : view.document[under].depth
        try turnAll(inside: under, view, &draft) { view.document[$0].depth - base < depth }
    }

    /// Turns every section that can be turned. A single group is looked at once, as a whole: its open child stays open
    /// where its children should be, else the first that can opens; it closes where they should be closed and none must
    /// stay.
    private func turnAll(
        inside under: Int32, _ view: View, _ draft: inout Draft, _ opens: (Int32) -> Bool
    ) throws(Refusal) {
        var groups: Set<Int32> = []
        for section in view.document.inside(under) where canTurn(section, view) {
            let parent = view.document[section].parent
            if view.document.mode(inside: parent) == .multiple {
                try turn(section, to: opens(section), view, &draft)
                continue
            }
            guard groups.insert(parent).inserted else { continue }
            let shown = draft.group(parent, view)?.shown
            if opens(section) {
                if shown == nil { try turn(section, to: true, view, &draft) }
            } else if let shown, canTurn(shown, view), view.document.isCollapsible(inside: parent) {
                try turn(shown, to: false, view, &draft)
            }
        }
    }

    /// Writes "as the document says" wherever something else was written, check marks of rows included; a locked section
    /// stays as open as it is.
    private func reset(_ under: Int32, _ view: View, _ draft: inout Draft) {
        for section in view.document.inside(under) {
            for field in [Field.open, .done] where view.has(section, field) {
                if field == .open, view.document[section].attributes.locked { continue }
                if isUntouched(draft.outcome(section, field, self, view)) { continue }
                draft.put(section, field, .initial, self, view)
            }
        }
    }
}

extension Gesture {
    /// The section whose inside is meant, of a bulk gesture.
    package var under: SectionPath? {
        switch self {
        case .toggle, .set: nil
        case .openAll(let under), .closeAll(let under), .level(let under, _), .reset(let under): under
        }
    }
}
