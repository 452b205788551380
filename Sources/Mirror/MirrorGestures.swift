// Why this file exists: what each key does to the view, and what is asked of the daemon for it.

import AccordionModel
import Wire

extension MirrorView {
    /// Rows that the wheel scrolls.
    private static let wheelRows = 3

    /// Takes a key. What follows for the daemon is in the effects, and in `takeUnsent`.
    package mutating func press(_ key: MirrorKey) -> [MirrorEffect] {
        cutShort()
        if prompt != nil { return type(key) }
        guard let gesture = bindings.take(key) else { return [] }
        return perform(gesture)
    }

    package mutating func perform(_ gesture: MirrorGesture) -> [MirrorEffect] {
        message = nil
        messageEnds = nil
        if move(gesture) {
            if case .scroll = gesture { return [] }
            people.isFollowing = false
            return []
        }
        switch gesture {
        case .toggle: toggle()
        case .open: open()
        case .close: close()
        case .unfold: if let section { turn(section, to: true) }
        case .fold: if let section { turn(section, to: false) }
        case .check: check()
        case .press(let row, let column): press(row: row, column: column)
        case .openAll, .closeAll, .deeper, .flatter, .level, .openSiblings, .closeSiblings: return turnMany(gesture)
        case .undo: return [.ask(.undo(replica.name))]
        case .redo: return [.ask(.redo(replica.name))]
        case .copyText, .copyPath: return copy(isPath: gesture == .copyPath)
        case .redraw: return [.redraw]
        case .suspend: return [.suspend]
        case .quit: return [.quit]
        default: return look(gesture)
        }
        return []
    }

    /// Whether the gesture only moves.
    private mutating func move(_ gesture: MirrorGesture) -> Bool {
        switch gesture {
        case .down: layout.down()
        case .up: layout.up()
        case .home: layout.home()
        case .end: layout.end()
        case .pageDown: layout.page(1)
        case .pageUp: layout.page(-1)
        case .halfPageDown: layout.page(1, isHalf: true)
        case .halfPageUp: layout.page(-1, isHalf: true)
        case .nextSibling: moveToSibling(1)
        case .previousSibling: moveToSibling(-1)
        case .scroll(let direction): layout.scroll(by: direction * Self.wheelRows)
        default: return false
        }
        return true
    }

    /// What concerns only what is seen and who sees it.
    private mutating func look(_ gesture: MirrorGesture) -> [MirrorEffect] {
        switch gesture {
        case .help: show(panel == .help ? .none : .help)
        case .people: show(panel == .people ? .none : .people)
        case .escape: escape()
        case .privately: turnPrivate()
        case .present:
            guard connection == .connected else { return refuse("not now: there is no connection to the daemon") }
            people.isPresenting.toggle()
            if people.isPresenting { people.isFollowing = false }
            return [.ask(.present(replica.name, people.isPresenting))]
        case .follow:
            guard let leader = people.leader else { return refuse("nobody presents") }
            people.isFollowing.toggle()
            if people.isFollowing { tell("following \(leader.name): any movement ends it") }
            follow()
        case .search(let isBackward): prompt = Prompt(.search(isBackward: isBackward))
        case .filter: prompt = Prompt(.filter)
        case .command: prompt = Prompt(.command)
        case .nextHit: find(isBackward: false)
        case .previousHit: find(isBackward: true)
        default: break
        }
        return []
    }

    private mutating func refuse(_ reason: String) -> [MirrorEffect] {
        tell(reason)
        return []
    }

    mutating func show(_ panel: Panel) {
        self.panel = panel
        fit()
    }

    private mutating func escape() {
        if filter != nil {
            filter = nil
            relayout(nil)
        } else if panel != .none {
            show(.none)
        } else {
            people.isFollowing = false
        }
    }

    // MARK: - One section

    private mutating func toggle() {
        guard let section, let document = replica.document else { return }
        if document[section].isRow {
            // A row is named and released.
            return tell("nothing to open: \(document[section].path.text)")
        }
        turn(section, to: !isOpen(section))
    }

    /// Opens or closes: for all, or for me alone.
    mutating func turn(_ section: Int32, to value: Bool) {
        guard folds.isPrivate, let document = replica.document else {
            return intend(SectionFlag(section, .open), to: value)
        }
        guard !document[section].isRow, document.attributes.headers, isOpen(section) != value else { return }
        change(animated: true) { view in
            view.folds.set(section, value == view.replica.isOpen(section) ? nil : value, document)
            view.turned([section])
            view.revealOpened([section])
        }
    }

    private mutating func check() {
        guard let section else { return }
        intend(SectionFlag(section, .done), to: !replica.isDone(section))
    }

    private mutating func open() {
        guard let line = layout.current, line.isSection, let document = replica.document else { return }
        guard !document[line.owner].isRow, document.attributes.headers else { return }
        guard isOpen(line.owner) else { return turn(line.owner, to: true) }
        let next = layout.cursor + 1
        guard next < layout.lines.count else { return }
        if (line.owner..<document[line.owner].end).contains(layout.lines[next].owner) {
            layout.down()
            people.isFollowing = false
        }
    }

    private mutating func close() {
        guard let line = layout.current, let document = replica.document, document.attributes.headers else { return }
        let around: Int32
        if line.isSection {
            if !document[line.owner].isRow, isOpen(line.owner) { return turn(line.owner, to: false) }
            around = document[line.owner].parent
        } else {
            around = line.owner
        }
        if around >= 0, let place = layout.place(ofSection: around) {
            layout.select(place)
            people.isFollowing = false
        }
    }

    private mutating func moveToSibling(_ direction: Int) {
        guard let line = layout.current, line.owner >= 0, let document = replica.document else { return }
        guard line.isSection else {
            if direction < 0, let place = layout.place(ofSection: line.owner) { layout.select(place) }
            return
        }
        let parent = document[line.owner].parent
        var before: Int32?
        var found: Int32?
        for child in document.children(of: parent) {
            if direction < 0, child == line.owner { found = before }
            if direction > 0, before == line.owner { found = child }
            before = child
        }
        if let found, let place = layout.place(ofSection: found) { layout.select(place) }
    }

    private mutating func press(row: Int, column: Int) {
        guard let (place, inner) = layout.place(onRow: row) else { return }
        people.isFollowing = false
        layout.select(place)
        let line = layout.lines[place]
        guard line.isSection, inner == 0, let document = replica.document else { return }
        let section = document[line.owner]
        let start = layout.indent(of: line)
        if document.attributes.headers, (start..<start + Layout.arrowColumns).contains(column), !section.isRow {
            return toggle()
        }
        let markStart = start + (document.attributes.headers ? Layout.arrowColumns : 0)
        if section.attributes.task != nil, (markStart..<markStart + 3).contains(column) { return check() }
        if section.isRow { tell(section.path.text) }
    }

    // MARK: - Many sections

    private mutating func turnMany(_ gesture: MirrorGesture) -> [MirrorEffect] {
        guard let document = replica.document else { return [] }
        switch gesture {
        case .level(let wanted): level = wanted
        case .deeper: level = min(level + 1, 16)
        case .flatter: level = max(level - 1, 1)
        case .openAll: level = 16
        case .closeAll: level = 1
        default: break
        }
        if folds.isPrivate {
            turnManyPrivately(gesture, document)
            return []
        }
        guard connection == .connected else { return refuse("not now: there is no connection to the daemon") }
        let options = Request.WriteOptions(seen: replica.version)
        switch gesture {
        case .openAll: return [.ask(.gesture(replica.name, .openAll(under: .top), options))]
        case .closeAll: return [.ask(.gesture(replica.name, .closeAll(under: .top), options))]
        case .openSiblings, .closeSiblings:
            let value = gesture == .openSiblings
            let gestures = siblings(document).prefix(1_000).map { Gesture.toggle(document[$0].path, to: value) }
            return gestures.isEmpty ? [] : [.ask(.batch(replica.name, Array(gestures), options))]
        default: return [.ask(.gesture(replica.name, .level(under: .top, depth: level), options))]
        }
    }

    /// The sections beside the one under the cursor that can be turned, itself included.
    private func siblings(_ document: Document) -> [Int32] {
        let parent = section.map { document[$0].parent } ?? -1
        return document.children(of: parent).filter { !document[$0].isRow && !document[$0].attributes.locked }
    }

    private mutating func turnManyPrivately(_ gesture: MirrorGesture, _ document: Document) {
        func set(_ section: Int32, _ value: Bool) {
            if !document[section].isRow { folds.set(section, value == replica.isOpen(section) ? nil : value, document) }
        }
        switch gesture {
        case .openSiblings, .closeSiblings:
            for section in siblings(document) { set(section, gesture == .openSiblings) }
        default:
            for section in 0..<Int32(document.sections.count) { set(section, document[section].depth < level) }
        }
        relayout(layout.filter)
    }

    // MARK: - Layers

    private mutating func turnPrivate() {
        folds.isPrivate.toggle()
        relayout(layout.filter)
        tell(folds.isPrivate ? "folds are yours alone now; p shows everybody's again" : "folds are everybody's again")
    }

    /// Goes where the leader is, if it is followed.
    mutating func follow() {
        guard people.isFollowing, let leader = people.leader, let path = leader.section,
            let section = replica.document?.find(path)
        else { return }
        reveal(section, block: -1)
    }

    /// Moves the cursor to a section or a block of it, and shows it to me alone where it is folded away.
    mutating func reveal(_ section: Int32, block: Int32) {
        guard let document = replica.document else { return }
        var around = block < 0 && section >= 0 ? document[section].parent : section
        var opened = false
        while around >= 0 {
            if !isOpen(around), !document[around].isRow {
                folds.isPrivate = true
                folds.set(around, true, document)
                opened = true
            }
            around = document[around].parent
        }
        if opened || layout.filter != nil {
            filter = nil
            relayout(nil)
        }
        guard
            let place = layout.lines.indices.first(where: {
                layout.lines[$0].owner == section && layout.lines[$0].block == block
            }) ?? (section >= 0 ? layout.place(ofSection: section) : nil)
        else { return }
        layout.select(place)
    }

    private func text(_ line: Layout.Line, _ document: Document) -> String {
        if line.isSection { return document[line.owner].title }
        switch layout.block(of: line) {
        case .text(let text)?, .code(let text, _)?: return text
        default: return ""
        }
    }

    private mutating func copy(isPath: Bool) -> [MirrorEffect] {
        guard let line = layout.current, let document = replica.document else { return [] }
        let text = isPath ? (section.map { document[$0].path.text } ?? "") : text(line, document)
        if text.isEmpty { return [] }
        tell("copied: \(isPath ? text : String(text.prefix(40)))")
        return [.copy(text)]
    }
}
