// Why this file exists: daemons tell each other operations and whole states. Both are one JSON object, as everything on the
// wire is, so that whoever looks at the broker can read them.

import AccordionModel
import Bytes
import Causality

/// Writes what daemons tell each other into a frame, without a line end.
package struct ReplicaWriter {
    private let writer: JSONWriter

    package init(_ frame: Frame) { writer = JSONWriter(frame) }

    /// `{"doc","node","counter","at":[milliseconds,count],"by"}` and what it does: `undo` or `redo` (a counter), `content`
    /// (`born`, `replaces`, `document` or null), `flags` (each a register, `value`, `replaces`), `erases` (each a register
    /// and `dots`), `erases_seen` (a version). A dot is `[node,counter]`; a register `born`, `section` and `field`.
    package func operation(_ operation: Operation, of name: DocumentName) {
        writer.raw("{\"doc\":")
        writer.string(name.text)
        write(operation.dot, operation.stamp, by: operation.by)
        switch operation.kind {
        case .write: break
        case .undo: writer.raw(",\"undo\":")
        case .redo: writer.raw(",\"redo\":")
        }
        if operation.kind != .write { writer.integer(Int(operation.target)) }
        if let content = operation.content {
            writer.raw(",\"content\":{\"born\":")
            writer.integer(Int(content.value.born))
            dots(",\"replaces\":", content.replaced)
            document(content.value.document, name)
            writer.raw("}")
        }
        if !operation.flags.isEmpty {
            writer.raw(",\"flags\":")
            writer.array(operation.flags) { write in
                register(write.register)
                value(write.value)
                dots(",\"replaces\":", write.replaced)
                writer.raw("}")
            }
        }
        if !operation.erasures.isEmpty {
            writer.raw(",\"erases\":")
            writer.array(operation.erasures) { erasure in
                register(erasure.register)
                dots(",\"dots\":", erasure.dots)
                writer.raw("}")
            }
        }
        if let seen = operation.erasesSeen {
            writer.raw(",\"erases_seen\":")
            writer.version(seen)
        }
        writer.raw("}")
    }

    /// `{"doc","version","clock":[milliseconds,count],"content","flags"}`: each content with its dot, stamp, `by`, `born` and
    /// `document`, each flag a register with its `siblings`.
    package func state(_ state: SharedState, of name: DocumentName) {
        writer.raw("{\"doc\":")
        writer.string(name.text)
        writer.version(member: state.version)
        writer.raw(",\"clock\":")
        stamp(state.clock.latest)
        writer.raw(",\"content\":")
        writer.array(state.content.latestFirst) { sibling in
            writer.raw("{\"born\":")
            writer.integer(Int(sibling.value.born))
            write(sibling.dot, sibling.stamp, by: sibling.by)
            document(sibling.value.document, name)
            writer.raw("}")
        }
        writer.raw(",\"flags\":")
        writer.array(state.flags) { register, siblings in
            self.register(register)
            writer.raw(",\"siblings\":")
            writer.array(siblings.latestFirst) { sibling in
                switch sibling.value {
                case .off: writer.raw("{\"value\":\"off\"")
                case .on: writer.raw("{\"value\":\"on\"")
                case .initial: writer.raw("{\"value\":\"initial\"")
                }
                write(sibling.dot, sibling.stamp, by: sibling.by)
                writer.raw("}")
            }
            writer.raw("}")
        }
        writer.raw("}")
    }

    private func write(_ dot: Dot, _ stamp: Stamp, by: String) {
        writer.raw(",\"node\":")
        node(dot.node)
        writer.raw(",\"counter\":")
        writer.integer(Int(dot.counter))
        writer.raw(",\"at\":")
        self.stamp(stamp)
        writer.raw(",\"by\":")
        writer.string(by)
    }

    private func node(_ node: NodeName) {
        writer.raw("\"")
        node.forEachByte { writer.frame.append($0) }
        writer.raw("\"")
    }

    private func stamp(_ stamp: Stamp) {
        writer.raw("[")
        writer.integer(Int(stamp.milliseconds))
        writer.raw(",")
        writer.integer(Int(stamp.count))
        writer.raw("]")
    }

    /// Without its closing brace.
    private func register(_ register: FlagRegister) {
        writer.raw("{\"born\":")
        writer.integer(Int(register.born))
        writer.raw(",\"section\":")
        writer.string(register.path.text)
        writer.raw(register.field == .open ? ",\"field\":\"open\"" : ",\"field\":\"done\"")
    }

    private func value(_ setting: Setting) {
        switch setting {
        case .off: writer.raw(",\"value\":\"off\"")
        case .on: writer.raw(",\"value\":\"on\"")
        case .initial: writer.raw(",\"value\":\"initial\"")
        }
    }

    private func dots(_ name: StaticString, _ dots: DotSet) {
        if dots.isEmpty { return }
        writer.raw(name)
        writer.raw("[")
        var isFirst = true
        dots.forEach { dot in
            if !isFirst { writer.raw(",") }
            isFirst = false
            writer.raw("[")
            node(dot.node)
            writer.raw(",")
            writer.integer(Int(dot.counter))
            writer.raw("]")
        }
        writer.raw("]")
    }

    private func document(_ document: Document?, _ name: DocumentName) {
        writer.raw(",\"document\":")
        if let document { writer.document(document, name: name) } else { writer.null() }
    }
}
