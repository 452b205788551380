// Why this file exists: versions, states, changes and conflicts stand in several replies and events and look the same in
// all of them.

import AccordionModel
import Bytes
import Causality

extension JSONWriter {
    func version(_ version: VersionVector) {
        object(version.entries) { entry in
            raw("\"")
            entry.node.forEachByte { frame.append($0) }
            raw("\":")
            integer(Int(entry.counter))
        }
    }

    /// Every open section and done task inside `section` (-1: all), in document order, and the conflicts.
    func state(_ state: SharedState, _ view: View, inside section: Int32 = -1) {
        let sections = view.document.inside(section)
        raw("{\"open\":")
        array(sections.lazy.filter { view.isOpen($0) }) { string(view.document[$0].path.text) }
        raw(",\"done\":")
        array(sections.lazy.filter { view.isDone($0) }) { string(view.document[$0].path.text) }
        raw(",\"conflicts\":")
        let conflicts = state.conflicts
        if section < 0 {
            self.conflicts(conflicts)
        } else {
            self.conflicts(
                conflicts.filter { conflict in
                    view.document.find(conflict.section).map { sections.contains($0) || $0 == section } ?? false
                })
        }
        raw("}")
    }

    func changes(_ changes: [Change], in document: Document) {
        array(changes) { change in
            raw("{\"section\":")
            string(document[change.section].path.text)
            raw(change.field == .open ? ",\"open\":" : ",\"done\":")
            bool(change.value)
            raw("}")
        }
    }

    func conflicts(_ conflicts: [Conflict]) {
        array(conflicts) { conflict in
            raw("{\"section\":")
            string(conflict.section.text)
            raw(",\"field\":")
            string(conflict.field.rawValue)
            raw(",\"kept\":")
            claim(conflict.kept)
            raw(",\"lost\":")
            array(conflict.lost) { claim($0) }
            raw("}")
        }
    }

    private func claim(_ claim: Conflict.Claim) {
        raw("{\"value\":")
        switch claim.value {
        case .flag(let value): bool(value)
        case .child(let path): string(path.text)
        case .document(let document?):
            raw("{\"title\":")
            string(document.attributes.title)
            raw(",\"sections\":")
            integer(document.sections.count)
            raw(",\"bytes\":")
            integer(document.textBytes)
            raw("}")
        case .document(nil): null()
        }
        raw(",\"by\":")
        string(claim.by)
        raw("}")
    }
}
