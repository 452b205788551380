// Why this file exists: what another daemon says is looked at as closely as what a client says. A number that can't be
// right, a register without a section, a write from beyond its own version: all of it is refused whole.

import AccordionModel
import Bytes
import Causality

/// Reads what `ReplicaWriter` writes; one reader serves one loop.
package final class ReplicaReader {
    private let parser = JSONParser()

    package init() {}

    package func operation(_ text: Span<UInt8>) throws(Failure) -> (DocumentName, Operation) {
        try parser.parse(text, refuse: { Failure($0) }) { object throws(Failure) in
            let members = Members(object)
            return (try members.document(), try members.operation())
        }
    }

    /// The member `version` of an object.
    package static func version(in object: borrowing JSONObject) throws(Failure) -> VersionVector {
        guard let version = try Members(copy object).wholeVersion("version") else {
            throw Failure(.badRequest, "\"version\" is missing")
        }
        return version
    }

    package func state(_ text: Span<UInt8>) throws(Failure) -> (DocumentName, SharedState) {
        try parser.parse(text, refuse: { Failure($0) }) { object throws(Failure) in
            let members = Members(object)
            return (try members.document(), try members.sharedState())
        }
    }
}

extension Members {
    fileprivate func operation() throws(Failure) -> Operation {
        var operation = Operation(dot: try dot(), stamp: try stamp("at"), by: try author())
        for (name, kind) in [("undo", HistoryEntry.Kind.undo), ("redo", .redo)] as [(StaticString, HistoryEntry.Kind)] {
            guard let value = object[name] else { continue }
            guard let target = value.integer, target > 0 else { throw wrongType(name, "a counter") }
            (operation.kind, operation.target) = (kind, Int64(target))
        }
        if let value = object["content"] {
            guard let content = value.object else { throw wrongType("content", "an object") }
            operation.content = try Members(content).contentWrite()
        }
        if let value = object["flags"] {
            guard let flags = value.array else { throw wrongType("flags", "a list") }
            operation.flags.reserveCapacity(flags.count)
            var elements = flags.elements
            while let element = elements.next() {
                guard let write = element.object else { throw wrongType("flags", "a list of objects") }
                let members = Members(write)
                operation.flags.append(
                    Operation.FlagWrite(
                        register: try members.register(), value: try members.setting(),
                        replaced: try members.dots("replaces")))
            }
        }
        if let value = object["erases"] {
            guard let erases = value.array else { throw wrongType("erases", "a list") }
            var elements = erases.elements
            while let element = elements.next() {
                guard let erasure = element.object else { throw wrongType("erases", "a list of objects") }
                let members = Members(erasure)
                operation.erasures.append(
                    Operation.Erasure(register: try members.register(), dots: try members.dots("dots")))
            }
        }
        operation.erasesSeen = try wholeVersion("erases_seen")
        guard operation.content != nil || !operation.flags.isEmpty else {
            throw Failure(.badRequest, "an operation that writes nothing")
        }
        return operation
    }

    fileprivate func sharedState() throws(Failure) -> SharedState {
        guard let version = try wholeVersion("version") else { throw missing("version") }
        var content = CausalRegister<Content>()
        guard let contents = object["content"]?.array else { throw wrongType("content", "a list") }
        var elements = contents.elements
        while let element = elements.next() {
            guard let sibling = element.object else { throw wrongType("content", "a list of objects") }
            let members = Members(sibling)
            try members.add(
                Content(born: try members.born(), document: try members.documentOrNull()), to: &content, within: version
            )
        }
        guard let registers = object["flags"]?.array else { throw wrongType("flags", "a list") }
        var flags: [FlagRegister: CausalRegister<Setting>] = [:]
        flags.reserveCapacity(registers.count)
        var places = registers.elements
        while let element = places.next() {
            guard let place = element.object, let siblings = place["siblings"]?.array else {
                throw wrongType("flags", "a list of registers")
            }
            let register = try Members(place).register()
            guard flags[register] == nil else { throw Failure(.badRequest, "a register twice") }
            var held = CausalRegister<Setting>()
            var elements = siblings.elements
            while let element = elements.next() {
                guard let sibling = element.object else { throw wrongType("siblings", "a list of objects") }
                let members = Members(sibling)
                try members.add(try members.setting(), to: &held, within: version)
            }
            flags[register] = held
        }
        return SharedState(
            version: version, clock: HybridClock(latest: try stamp("clock")), content: content, flags: flags)
    }

    private func add<Value>(
        _ value: Value, to register: inout CausalRegister<Value>, within version: VersionVector
    ) throws(Failure) {
        let sibling = Sibling(dot: try dot(), value: value, stamp: try stamp("at"), by: try author())
        guard version.covers(sibling.dot), !register.contains(sibling.dot) else {
            throw Failure(.badRequest, "a write that its version does not cover, or twice")
        }
        register.write(sibling, replacing: DotSet())
    }

    private func contentWrite() throws(Failure) -> Operation.ContentWrite {
        Operation.ContentWrite(
            value: Content(born: try born(), document: try documentOrNull()), replaced: try dots("replaces"))
    }

    private func documentOrNull() throws(Failure) -> Document? {
        guard let value = object["document"] else { throw missing("document") }
        if value.isNull { return nil }
        guard let document = value.object else { throw wrongType("document", "an object or null") }
        return try Members(document).content(.accepted)
    }

    private func dot() throws(Failure) -> Dot {
        guard let text = object["node"]?.text, text.utf8Count <= NodeName.bytesMax, let node = NodeName(text.string)
        else { throw wrongType("node", "a daemon's name") }
        guard let counter = object["counter"]?.integer, counter > 0 else { throw wrongType("counter", "from 1") }
        return Dot(node: node, counter: Int64(counter))
    }

    private func stamp(_ name: StaticString) throws(Failure) -> Stamp {
        guard let pair = object[name]?.array, pair.count == 2 else { throw wrongType(name, "two numbers") }
        var elements = pair.elements
        guard let milliseconds = elements.next()?.integer, let count = elements.next()?.integer, count >= 0 else {
            throw wrongType(name, "two whole numbers")
        }
        return Stamp(milliseconds: Int64(milliseconds), count: Int64(count))
    }

    private func author() throws(Failure) -> String {
        guard let text = object["by"]?.text, text.utf8Count <= 1_024 else { throw wrongType("by", "a short text") }
        return text.string
    }

    private func born() throws(Failure) -> Int64 {
        guard let born = object["born"]?.integer, born > 0 else { throw wrongType("born", "from 1") }
        return Int64(born)
    }

    private func register() throws(Failure) -> FlagRegister {
        let field: Field
        switch object["field"]?.string {
        case "open": field = .open
        case "done": field = .done
        default: throw wrongType("field", "\"open\" or \"done\"")
        }
        let path = try section()
        guard !path.isTop else { throw Failure(.badRequest, "a register without a section") }
        return FlagRegister(field, born: try born(), path: path)
    }

    private func setting() throws(Failure) -> Setting {
        switch object["value"]?.string {
        case "off": return .off
        case "on": return .on
        case "initial": return .initial
        default: throw wrongType("value", "\"off\", \"on\" or \"initial\"")
        }
    }

    private func dots(_ name: StaticString) throws(Failure) -> DotSet {
        guard let value = object[name] else { return DotSet() }
        guard let list = value.array else { throw wrongType(name, "a list of dots") }
        var dots: [Dot] = []
        dots.reserveCapacity(list.count)
        var elements = list.elements
        while let element = elements.next() {
            guard let pair = element.array, pair.count == 2 else { throw wrongType(name, "a list of dots") }
            var parts = pair.elements
            guard let text = parts.next()?.text, text.utf8Count <= NodeName.bytesMax,
                let node = NodeName(text.string), let counter = parts.next()?.integer, counter > 0
            else { throw wrongType(name, "a list of dots") }
            dots.append(Dot(node: node, counter: Int64(counter)))
        }
        // More than a register may hold: nothing sends so many, and telling them apart would take long.
        guard dots.count <= 1_024 else { throw Failure(.tooLarge, "more than 1,024 dots in \"\(name)\"") }
        return DotSet(dots)
    }

    /// A version that may name more daemons than a client's may.
    func wholeVersion(_ name: StaticString) throws(Failure) -> VersionVector? {
        guard let value = object[name] else { return nil }
        guard let vector = value.object else { throw wrongType(name, "an object of numbers by daemon") }
        guard vector.count <= 1 << 16 else { throw Failure(.tooLarge, "\"\(name)\" names too many daemons") }
        var entries: [VersionVector.Entry] = []
        var members = vector.members
        while let member = members.next() {
            guard member.name.utf8Count <= NodeName.bytesMax, let node = NodeName(member.name.string),
                let counter = member.value.integer, counter >= 0
            else { throw wrongType(name, "an object of whole numbers from 0 by daemon") }
            entries.append(VersionVector.Entry(node: node, counter: Int64(counter)))
        }
        return VersionVector(entries)
    }
}
