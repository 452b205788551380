// Why this file exists: what is typed into the bar: a word to look for, a filter, or a command.

import AccordionModel
import Wire

extension MirrorView {
    /// The commands behind `:`, for the help.
    static let commands = "open close toggle check level N expand collapse reset undo redo goto filter help quit"

    mutating func type(_ key: MirrorKey) -> [MirrorEffect] {
        guard var typed = prompt else { return [] }
        let outcome = typed.take(key)
        prompt = typed
        switch outcome {
        case .going: return []
        case .left: prompt = nil
        case .entered(let text):
            prompt = nil
            switch typed.kind {
            case .search(let isBackward):
                if let search = Search(text) { self.search = search }
                find(isBackward: isBackward)
            case .filter: setFilter(text)
            case .command: return command(text)
            }
        }
        return []
    }

    /// To the next hit of what was last searched for.
    mutating func find(isBackward: Bool) {
        people.isFollowing = false
        guard let search else { return tell("nothing was searched for yet: / begins") }
        guard let document = replica.document else { return }
        let line = layout.current
        let place: Search.Hit = (line?.owner ?? -1, line?.block ?? -1)
        guard let hit = search.next(in: document, after: place, isBackward: isBackward) else {
            return tell("not found: \(search.word)")
        }
        reveal(hit.section, block: hit.block)
    }

    mutating func setFilter(_ text: String) {
        guard let document = replica.document else { return }
        filter = Search(text)
        guard let filter else { return relayout(nil) }
        let sections = filter.sections(of: document)
        guard !sections.isEmpty else {
            self.filter = nil
            relayout(nil)
            return tell("not found: \(text)")
        }
        relayout(sections)
        tell("\(sections.count) sections; Esc shows all")
    }

    private mutating func command(_ text: String) -> [MirrorEffect] {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        guard let verb = words.first else { return [] }
        let rest = words.count > 1 ? words[1] : ""
        let options = Request.WriteOptions(seen: replica.version)
        let under = section.flatMap { replica.document?[$0].path } ?? .top
        switch verb {
        case "q", "quit": return [.quit]
        case "help": show(.help)
        case "undo": return [.ask(.undo(replica.name))]
        case "redo": return [.ask(.redo(replica.name))]
        case "expand": return [.ask(.gesture(replica.name, .openAll(under: rest == "all" ? .top : under), options))]
        case "collapse": return [.ask(.gesture(replica.name, .closeAll(under: rest == "all" ? .top : under), options))]
        case "reset": return [.ask(.gesture(replica.name, .reset(under: rest == "all" ? .top : under), options))]
        case "level":
            guard let wanted = Int(rest), (0...16).contains(wanted) else {
                tell("level takes a number from 0 to 16")
                return []
            }
            return perform(.level(wanted))
        case "filter": setFilter(rest)
        case "open", "close", "toggle", "check", "goto": act(verb, on: rest)
        default: tell("no command \(JSONEscape.quoted(verb)); there are: \(Self.commands)")
        }
        return []
    }

    /// A press on a section that is named, or on the one under the cursor.
    private mutating func act(_ verb: String, on text: String) {
        guard let document = replica.document else { return }
        var target = section
        if !text.isEmpty {
            switch SectionReference(text, in: document) {
            case .section(let section): target = section
            case .ambiguous: return tell("several sections are called \(JSONEscape.quoted(text)): give the path")
            case .unknown: return tell("no section \(JSONEscape.quoted(text))")
            }
        }
        guard let target else { return tell("no section is under the cursor") }
        switch verb {
        case "open": turn(target, to: true)
        case "close": turn(target, to: false)
        case "toggle": turn(target, to: !isOpen(target))
        case "check": intend(SectionFlag(target, .done), to: !replica.isDone(target))
        default: reveal(target, block: -1)
        }
    }
}
