// Why this file exists: who else looks at the document, where, and who leads; and whether my view goes where theirs goes.

import AccordionModel
import Wire

struct People: Equatable {
    private(set) var clients: [PresentClient] = []
    private(set) var count = 0
    /// My own session's id.
    var own: String?
    /// I lead, and others may follow.
    var isPresenting = false
    var isFollowing = false

    mutating func take(_ clients: [PresentClient], _ count: Int) {
        self.clients = clients
        self.count = count
        if let me = clients.first(where: { $0.session == own }) { isPresenting = me.isPresenting }
        if leader == nil { isFollowing = false }
    }

    mutating func removeAll() {
        clients = []
        count = 0
        isFollowing = false
        isPresenting = false
    }

    var others: [PresentClient] { clients.filter { $0.session != own } }

    /// Whoever presents; the first of several.
    var leader: PresentClient? { others.first { $0.isPresenting } }

    /// The names of others at a section, short.
    func names(at path: SectionPath) -> String {
        let here = others.filter { $0.section == path }
        guard let first = here.first else { return "" }
        let name = first.isPresenting ? "»" + first.name : first.name
        return here.count == 1 ? name : "\(name) +\(here.count - 1)"
    }

    /// A line for each, for the panel.
    func lines(_ columns: Int) -> [String] {
        if clients.isEmpty { return ["nobody is known to be here"] }
        var lines = clients.map { client in
            var line = client.session == own ? "\(client.name) (you)" : client.name
            if client.isPresenting { line += ", presenting" }
            if let section = client.section { line += " – \(section.text)" }
            return line
        }
        if count > clients.count { lines.append("and \(count - clients.count) more") }
        return lines.map { DisplayText.cut(DisplayText.visible($0), toColumns: columns, ending: "…") }
    }
}
