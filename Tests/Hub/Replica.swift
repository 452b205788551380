// Why this file exists: what a client knows is what it was sent. This is that knowledge, put together from the daemon's
// lines by the rules of PROTOCOL alone, to be held against the daemon's own.
import AccordionModel
import Causality
import Testing
import Wire

struct Replica {
    struct Shown {
        var version: VersionVector
        var document: Document
        var open: Set<SectionPath>
        var done: Set<SectionPath>
        var conflicts: [String: ServerConflict]

        init(_ version: VersionVector, _ document: Document, _ state: ServerState) {
            self.version = version
            self.document = document
            open = Set(state.open)
            done = Set(state.done)
            conflicts = Replica.keyed(state.conflicts)
        }
    }

    /// Of each document that a snapshot told of: what is shown; nil where it was deleted.
    private(set) var documents: [DocumentName: Shown?] = [:]
    private(set) var listed: [DocumentName: String] = [:]
    private(set) var replies: [ServerReply] = []
    /// How many events of each document came: for the tests that count.
    private(set) var events: [DocumentName: Int] = [:]
    var epoch = ""

    static func keyed(_ conflicts: [ServerConflict]) -> [String: ServerConflict] {
        Dictionary(conflicts.map { ("\($0.field) \($0.section.text)", $0) }, uniquingKeysWith: { _, last in last })
    }

    mutating func apply(_ lines: [ServerLine]) {
        for line in lines {
            switch line {
            case .reply(let reply): replies.append(reply)
            case .event(.snapshot(let snapshot)):
                events[snapshot.name, default: 0] += 1
                epoch = snapshot.epoch
                documents[snapshot.name] = .some(Shown(snapshot.version, snapshot.document, snapshot.state))
            case .event(.changed(let changed)): apply(changed)
            case .event(.deleted(let name, _)):
                events[name, default: 0] += 1
                documents[name] = .some(nil)
            case .event(.listed(let name, let title)): listed[name] = title
            case .event(.unlisted(let name)): listed[name] = nil
            case .event: break
            }
        }
    }

    private mutating func apply(_ changed: ServerEvent.Changed) {
        events[changed.name, default: 0] += 1
        guard var shown = documents[changed.name] ?? nil else {
            Issue.record("a change of a document that was not told: \(changed.name)")
            return
        }
        if !changed.version.covers(shown.version) { Issue.record("\(changed.name) goes back to \(changed.version)") }
        if let state = changed.state {
            shown = Shown(changed.version, shown.document, state)
        } else {
            shown.version = changed.version
            for change in changed.changes {
                if shown.document.find(change.section) == nil { Issue.record("no section \(change.section)") }
                if change.field == .open {
                    if change.value { shown.open.insert(change.section) } else { shown.open.remove(change.section) }
                } else {
                    if change.value { shown.done.insert(change.section) } else { shown.done.remove(change.section) }
                }
                settle(change, &shown)
            }
            shown.conflicts.merge(Replica.keyed(changed.conflicts)) { _, new in new }
        }
        documents[changed.name] = .some(shown)
    }

    /// A change of a register ends its conflict, unless the event tells of it again.
    private func settle(_ change: ServerChange, _ shown: inout Shown) {
        shown.conflicts["\(change.field) \(change.section.text)"] = nil
        guard change.field == .open, let section = shown.document.find(change.section) else { return }
        let parent = shown.document[section].parent
        shown.conflicts["single \(parent < 0 ? "" : shown.document[parent].path.text)"] = nil
    }
}

/// Holds a client's knowledge of a document against what the daemon says of it.
func expectSame(_ replica: Replica, _ name: String, _ asked: TestClient, _ comment: String) {
    guard let document = DocumentName(name) else { return }
    let told = reply(asked.ask(#"{"op":"get","doc":"\#(name)"}"#).last)
    guard let state = told?.state, let version = told?.version, let content = told?.document?.document else {
        #expect((replica.documents[document] ?? nil) == nil, "\(comment): \(name) is deleted")
        return
    }
    guard let shown = replica.documents[document] ?? nil else {
        Issue.record("\(comment): \(name) was never told")
        return
    }
    #expect(shown.version == version, "\(comment): version of \(name)")
    #expect(shown.document.isSame(as: content), "\(comment): content of \(name)")
    #expect(shown.open == Set(state.open), "\(comment): open in \(name)")
    #expect(shown.done == Set(state.done), "\(comment): done in \(name)")
    #expect(shown.conflicts == Replica.keyed(state.conflicts), "\(comment): conflicts of \(name)")
}
