// Why this file exists: what is open and done is asked for by every toggle, snapshot and list. It follows from the
// registers, and is kept beside them so that one toggle costs the same in a document of ten sections and of a hundred
// thousand.

import Causality

/// What everyone sees of a document: derived from its registers, never stored.
package struct View: Sendable {
    package let document: Document
    /// Which life of the document this is.
    package let born: Int64
    private var openFlags: [Bool]
    private var doneFlags: [Bool]
    /// For the children of single groups, whether their own flag says closed; empty where there is no such group.
    private var closedFlags: [Bool] = []
    package private(set) var openCount = 0
    package private(set) var doneCount = 0
    /// The single groups, by the section around them (-1: at the top).
    private(set) var groups: [Int32: Group] = [:]

    /// The view of `document` when none of its registers has been written.
    init(document: Document, born: Int64) {
        self.document = document
        self.born = born
        openFlags = Array(repeating: false, count: document.sections.count)
        doneFlags = openFlags
        addGroup(inside: -1)
        for (number, section) in document.sections.enumerated() {
            let index = Int32(number)
            if !section.isRow { addGroup(inside: index) }
            if document.mode(inside: section.parent) == .multiple, document.opensInitially(index) {
                set(index, .open, true)
            }
            if section.attributes.task == true { set(index, .done, true) }
        }
        if !groups.isEmpty { closedFlags = Array(repeating: false, count: document.sections.count) }
        for group in groups.values { if let shown = group.shown { set(shown, .open, true) } }
    }

    private mutating func addGroup(inside parent: Int32) {
        guard document.mode(inside: parent) == .single else { return }
        var initial: Int32?
        var openable: Int32?
        for child in document.children(of: parent) {
            if openable == nil, !document[child].isRow { openable = child }
            if document.opensInitially(child) {
                initial = child
                break
            }
        }
        groups[parent] = Group(
            initial: initial, fallback: document.isCollapsible(inside: parent) ? nil : openable)
    }

    package func isOpen(_ section: Int32) -> Bool { openFlags[Int(section)] }
    package func isDone(_ section: Int32) -> Bool { doneFlags[Int(section)] }

    package func value(_ section: Int32, _ field: Field) -> Bool {
        field == .open ? openFlags[Int(section)] : doneFlags[Int(section)]
    }

    /// Returns whether that was a change.
    @discardableResult
    mutating func set(_ section: Int32, _ field: Field, _ value: Bool) -> Bool {
        switch field {
        case .open:
            guard openFlags[Int(section)] != value else { return false }
            openFlags[Int(section)] = value
            openCount += value ? 1 : -1
        case .done:
            guard doneFlags[Int(section)] != value else { return false }
            doneFlags[Int(section)] = value
            doneCount += value ? 1 : -1
        }
        return true
    }

    mutating func updateGroup(_ parent: Int32, child: Int32, claim: Group.Claim?, isClosed: Bool) {
        let wasClosed = saysClosed(child)
        groups[parent]?.update(child, claim: claim, wasClosed: wasClosed, isClosed: isClosed)
        if closedFlags.indices.contains(Int(child)) { closedFlags[Int(child)] = isClosed }
    }

    /// Whether a child of a single group says of itself that it is closed.
    func saysClosed(_ child: Int32) -> Bool { closedFlags.indices.contains(Int(child)) && closedFlags[Int(child)] }

    /// Whether the section has that flag at all.
    func has(_ section: Int32, _ field: Field) -> Bool {
        let this = document[section]
        return field == .open ? !this.isRow : this.attributes.task != nil
    }

    /// What a setting comes to: as the document says, where it says no more.
    func meaning(of setting: Setting, _ section: Int32, _ field: Field) -> Bool {
        switch setting {
        case .on: true
        case .off: false
        case .initial:
            field == .open ? document.opensInitially(section) : document[section].attributes.task == true
        }
    }

    /// The write of a register that is shown: by the document's policy, else the latest.
    func shown(of register: CausalRegister<Setting>, _ section: Int32, _ field: Field) -> Sibling<Setting>? {
        let policy = document.attributes.conflicts
        if policy != .last, register.count > 1 {
            let wanted = policy == .open
            if let sibling = register.latest(where: { $0.value == Setting(wanted) }) { return sibling }
            if let sibling = register.latest(where: { meaning(of: $0.value, section, field) == wanted }) {
                return sibling
            }
        }
        return register.latest()
    }

    /// What a register of a child tells its single group.
    func claim(of register: CausalRegister<Setting>, child: Int32) -> (claim: Group.Claim?, isClosed: Bool) {
        switch shown(of: register, child, .open)?.value {
        case .on:
            let latest = register.latest { $0.value == .on }
            return (latest.map { Group.Claim(stamp: $0.stamp, dot: $0.dot, path: document[child].path) }, false)
        case .off: return (nil, true)
        case .initial, nil: return (nil, false)
        }
    }

    /// Whether the writes of a register come to different values.
    func disagrees(_ register: CausalRegister<Setting>, _ section: Int32, _ field: Field) -> Bool {
        guard register.count > 1, !register.agrees else { return false }
        var values: (on: Bool, off: Bool) = (false, false)
        register.forEach {
            if meaning(of: $0.value, section, field) { values.on = true } else { values.off = true }
        }
        return values.on && values.off
    }
}
