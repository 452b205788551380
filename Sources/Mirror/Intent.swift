// Why this file exists: a key press must be seen at once, though the daemon decides. What was meant is kept as a value of
// its own, laid over what the daemon said, until it is confirmed or taken back.

import AccordionModel
import Causality
import Wire

/// A flag of a section of the document that is shown.
package struct SectionFlag: Hashable, Sendable {
    package let section: Int32
    package let field: Field

    package init(_ section: Int32, _ field: Field) {
        self.section = section
        self.field = field
    }
}

/// One press, waiting for its reply.
package struct Intent: Sendable, Equatable {
    /// How far it has come on its way to the daemon.
    package enum Stage: Sendable, Equatable {
        case made
        case sent
        /// It was sent, and the connection was lost before its reply came: whether it was heard is not known.
        case inDoubt
    }

    /// The request's `id`; another one where it is sent again.
    package internal(set) var id: Int
    /// By path, since indices end with the content.
    package let section: SectionPath
    package let field: Field
    package let value: Bool
    /// The version that the screen showed.
    package let seen: VersionVector
    package internal(set) var stage = Stage.made

    /// The request that asks for it: the state that was meant, not "the other one", whatever others do meanwhile.
    package func action(_ document: DocumentName) -> Request.Action {
        let options = Request.WriteOptions(seen: seen)
        return switch field {
        case .open: .gesture(document, .toggle(section, to: value), options)
        case .done: .gesture(document, .set(section, .done, value), options)
        }
    }
}

/// Why a press comes to nothing, as far as that is known here; the daemon has the last word.
package enum IntentRefusal: String, Error, Sendable {
    case notLive = "not now: the document is not there"
    case tooMany = "not now: too many presses wait for the daemon already"
    case row = "a row has nothing inside to open"
    case notATask = "no task: there is no check mark"
    case headersHidden = "headers are hidden: everything is shown"
    case locked = "locked"
    case otherLocked = "the open one is locked"
    case mustStayOpen = "one must stay open: open another instead"
}

extension Replica {
    /// What stands against setting a flag, by the document's rules as they are known here.
    func refusal(_ flag: SectionFlag, to value: Bool) -> IntentRefusal? {
        guard pending.count < Replica.pendingMax else { return .tooMany }
        guard case .live = life, let document else { return .notLive }
        let section = document[flag.section]
        if flag.field == .done { return section.attributes.task == nil ? .notATask : nil }
        guard !section.isRow else { return .row }
        guard document.attributes.headers else { return .headersHidden }
        guard !section.attributes.locked else { return .locked }
        guard document.mode(inside: section.parent) == .single else { return nil }
        if !value { return document.isCollapsible(inside: section.parent) ? nil : .mustStayOpen }
        if let open = openChild(of: section.parent), open != flag.section, document[open].attributes.locked {
            return .otherLocked
        }
        return nil
    }

    /// Whether a press still means something in the content as it is now.
    func isMeant(_ intent: Intent) -> Bool {
        guard let document, let index = document.find(intent.section) else { return false }
        let section = document[index]
        return intent.field == .open ? !section.isRow : section.attributes.task != nil
    }

    /// Pending intents as flags: what they come to, one after the other, over what the daemon said. In a single group
    /// opening one closes the other.
    func overlay() -> [SectionFlag: Bool] {
        guard !pending.isEmpty, let document else { return [:] }
        var overlay: [SectionFlag: Bool] = [:]
        var openChildren: [Int32: Int32?] = [:]
        for intent in pending {
            guard isMeant(intent), let index = document.find(intent.section) else { continue }
            let section = document[index]
            overlay[SectionFlag(index, intent.field)] = intent.value
            guard intent.field == .open, document.mode(inside: section.parent) == .single else { continue }
            let open = openChildren[section.parent] ?? toldOpenChildren[section.parent]
            if intent.value {
                if let open, open != index { overlay[SectionFlag(open, .open)] = false }
                openChildren[section.parent] = .some(index)
            } else if open == index {
                openChildren[section.parent] = .some(nil)
            }
        }
        return overlay
    }
}
