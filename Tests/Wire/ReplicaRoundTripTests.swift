// Why this file exists: what daemons tell each other must come out as it went in: an operation that loses a dot on its way
// makes replicas differ for ever.

import AccordionModel
import Bytes
import Causality
import Testing
import Wire

@Suite struct ReplicaRoundTripTests {
    /// Two daemons that act on one document, each operation taken down, then some exchanged.
    private struct Pair {
        var states = [SharedState(), SharedState()]
        var operations: [Operation] = []
        private var random = SystemRandomNumberGenerator()
        private var milliseconds: Int64 = 1_000
        private let nodes: [NodeName]

        init() throws { nodes = [try #require(NodeName("n1")), try #require(NodeName("n2~abc"))] }

        private mutating func writer(_ side: Int) -> Writer {
            milliseconds += 1
            let seen = Bool.random() ? nil : states[1 - side].version.clamped(to: states[side].version)
            return Writer(
                node: nodes[side], milliseconds: milliseconds, by: side == 0 ? "ann \"é\u{1F986}" : "鲍勃", session: 1,
                seen: seen)
        }

        private mutating func apply(_ operation: Operation?, _ side: Int) {
            guard var operation else { return }
            if operation.content == nil, Bool.random() { (operation.kind, operation.target) = (.undo, 3) }
            operations.append(operation)
            _ = states[side].applyOwn(operation)
        }

        mutating func step() throws {
            let side = Int.random(in: 0...1)
            let writer = writer(side)
            let text =
                #"{"title":"T\#(Int.random(in: 0..<9))","mode":"\#(Bool.random() ? "single" : "multiple")","content":["p",{"title":"a/\u0007","content":[{"title":"x","task":true}]},{"title":"b","content":[]},{"code":"c"}]}"#
            let document = try DocumentFile(reading: Array(text.utf8).span).document
            switch Int.random(in: 0..<12) {
            case 0:
                if states[side].view == nil { apply(try states[side].create(document, writer), side) }
            case 1:
                if states[side].view != nil { apply(try states[side].replace(with: document, writer).operation, side) }
            case 2: if states[side].view != nil, Bool.random() { apply(try states[side].delete(writer), side) }
            case 3: for operation in operations { _ = states[1 - side].receive(operation, at: milliseconds) }
            case 4: if states[side].view != nil { apply(try states[side].decide(.reset(under: .top), writer), side) }
            default:
                guard let document = states[side].view?.document, let section = document.sections.randomElement() else {
                    return
                }
                let gesture: Gesture =
                    section.isRow ? .set(section.path, .done, .random()) : .toggle(section.path, to: .random())
                apply(try states[side].decide(gesture, writer), side)
            }
        }
    }

    private func text(_ write: (ReplicaWriter) -> Void) -> [UInt8] {
        let frame = Frame()
        write(ReplicaWriter(frame))
        return Array(frame.text.utf8)
    }

    @Test func `an operation is read as it was written, and does the same`() throws {
        let name = try #require(DocumentName("doc"))
        let reader = ReplicaReader()
        var count = 0
        for _ in 0..<60 {
            var pair = try Pair()
            for _ in 0..<40 { try pair.step() }
            var (one, other) = (SharedState(), SharedState())
            for operation in pair.operations {
                let written = text { $0.operation(operation, of: name) }
                let (read, again) = try reader.operation(written.span)
                #expect(read == name && text { $0.operation(again, of: name) } == written)
                #expect(again.kind == operation.kind && again.target == operation.target && again.session == 0)
                _ = one.receive(operation, at: 5_000)
                _ = other.receive(again, at: 5_000)
                count += 1
            }
            #expect(text { $0.state(one, of: name) }.count == text { $0.state(other, of: name) }.count)
            #expect(one.version == other.version && one.view?.openCount == other.view?.openCount)
        }
        #expect(count > 300)
    }

    @Test func `a whole state is read as it was written`() throws {
        let name = try #require(DocumentName("doc"))
        let reader = ReplicaReader()
        for _ in 0..<60 {
            var pair = try Pair()
            for _ in 0..<40 { try pair.step() }
            for operation in pair.operations { _ = pair.states[0].receive(operation, at: 5_000) }
            let state = pair.states[0]
            let written = text { $0.state(state, of: name) }
            let (read, again) = try reader.state(written.span)
            #expect(read == name && again.version == state.version && again.clock == state.clock)
            #expect(again.flags.count == state.flags.count && again.content.count == state.content.count)
            for (register, held) in state.flags {
                let other = again.register(register)
                #expect(held.latestFirst.map(\.dot) == other.latestFirst.map(\.dot))
                #expect(held.latestFirst.map(\.value) == other.latestFirst.map(\.value))
                #expect(held.latestFirst.map(\.stamp) == other.latestFirst.map(\.stamp))
                #expect(held.latestFirst.map(\.by) == other.latestFirst.map(\.by))
            }
            for (one, other) in zip(state.content.latestFirst, again.content.latestFirst) {
                #expect(one.dot == other.dot && one.value == other.value && one.by == other.by)
            }
        }
    }

    @Test func `a state with a write from beyond its version, or a register twice, is refused`() throws {
        let reader = ReplicaReader()
        let flag =
            #"{"born":1,"section":"a","field":"open","siblings":[{"value":"on","node":"n1","counter":2,"at":[1,0],"by":"x"}]}"#
        func state(_ flags: String, _ version: String) -> [UInt8] {
            Array(#"{"doc":"d","version":\#(version),"clock":[1,0],"content":[],"flags":[\#(flags)]}"#.utf8)
        }
        #expect(try reader.state(state(flag, #"{"n1":2}"#).span).1.flags.count == 1)
        #expect(throws: Failure.self) { try reader.state(state(flag, #"{"n1":1}"#).span) }
        #expect(throws: Failure.self) { try reader.state(state(flag + "," + flag, #"{"n1":2}"#).span) }
    }
}
