// Why this file exists: our own client, the benchmarks and the tests ask through the same values that the daemon reads.

import AccordionModel
import Bytes
import Causality

extension Request {
    /// Writes the request as one line.
    package func write(into frame: Frame) {
        let writer = JSONWriter(frame)
        writer.begin(id: id)
        writer.raw("\"op\":\"")
        frame.append(utf8: action.op)
        writer.raw("\"")
        action.write(to: writer)
        writer.raw("}\n")
    }
}

extension Gesture {
    fileprivate var op: String {
        switch self {
        case .toggle: "toggle"
        case .set(_, .open, let value): value ? "open" : "close"
        case .set(_, .done, let value): value ? "check" : "uncheck"
        case .openAll: "open_all"
        case .closeAll: "close_all"
        case .level: "level"
        case .reset: "reset"
        }
    }

    fileprivate func write(to writer: JSONWriter) {
        switch self {
        case .toggle(let path, let to):
            writer.member(",\"section\":", path.text)
            if let to {
                writer.raw(",\"to\":")
                writer.bool(to)
            }
        case .set(let path, _, _): writer.member(",\"section\":", path.text)
        case .openAll(let under), .closeAll(let under), .reset(let under): writer.under(under)
        case .level(let under, let depth):
            writer.under(under)
            writer.raw(",\"depth\":")
            writer.integer(depth)
        }
    }
}

extension Request.Action {
    fileprivate var op: String {
        switch self {
        case .hello: "hello"
        case .ping: "ping"
        case .list: "list"
        case .get: "get"
        case .subscribe: "subscribe"
        case .unsubscribe: "unsubscribe"
        case .watchList: "watch_list"
        case .gesture(_, let gesture, _): gesture.op
        case .batch: "batch"
        case .select: "select"
        case .present: "present"
        case .create: "create"
        case .replace: "replace"
        case .delete: "delete"
        case .history: "history"
        case .undo: "undo"
        case .redo: "redo"
        case .status: "status"
        }
    }

    fileprivate func write(to writer: JSONWriter) {
        switch self {
        case .create(let name, let document, _), .replace(let name, let document, _):
            writer.raw(",")
            writer.documentMembers(document, name: name)
        default:
            if let document { writer.member(",\"doc\":", document.text) }
        }
        writeMembers(to: writer)
        options?.write(to: writer)
    }

    private func writeMembers(to writer: JSONWriter) {
        switch self {
        case .hello(let hello):
            writer.raw(",\"protocol\":1")
            if let name = hello.name { writer.member(",\"name\":", name) }
            if let token = hello.token { writer.member(",\"token\":", token) }
        case .list(let prefix, let after, let limit):
            writer.member(",\"prefix\":", prefix)
            if let after { writer.member(",\"after\":", after) }
            writer.raw(",\"limit\":")
            writer.integer(limit)
        case .get(_, let section): if !section.isTop { writer.member(",\"section\":", section.text) }
        case .subscribe(let subscribe):
            if let since = subscribe.since {
                writer.raw(",\"since\":")
                writer.version(since)
            }
            if let epoch = subscribe.epoch { writer.member(",\"epoch\":", epoch) }
            if subscribe.presence { writer.raw(",\"presence\":true") }
        case .watchList(let isOn), .present(_, let isOn): writer.raw(isOn ? ",\"on\":true" : ",\"on\":false")
        case .gesture(_, let gesture, _): gesture.write(to: writer)
        case .batch(_, let gestures, _):
            writer.raw(",\"ops\":")
            writer.array(gestures) { gesture in
                writer.raw("{\"op\":\"")
                writer.frame.append(utf8: gesture.op)
                writer.raw("\"")
                gesture.write(to: writer)
                writer.raw("}")
            }
        case .select(_, let section):
            if let section {
                writer.member(",\"section\":", section.text)
            } else {
                writer.raw(",\"section\":null")
            }
        case .history(let history):
            if let section = history.section { writer.member(",\"section\":", section.text) }
            if let before = history.before {
                writer.raw(",\"before\":")
                writer.integer(Int(before))
            }
            writer.raw(",\"limit\":")
            writer.integer(history.limit)
        case .ping, .unsubscribe, .create, .replace, .delete, .undo, .redo, .status: break
        }
    }

    private var options: Request.WriteOptions? {
        switch self {
        case .gesture(_, _, let options), .batch(_, _, let options), .create(_, _, let options),
            .replace(_, _, let options), .delete(_, let options):
            options
        default: nil
        }
    }
}

extension Request.WriteOptions {
    fileprivate func write(to writer: JSONWriter) {
        if let seen {
            writer.raw(",\"seen\":")
            writer.version(seen)
        }
        if isSilent { writer.raw(",\"ack\":\"none\"") }
        if replicated { writer.raw(",\"replicated\":true") }
    }
}

extension JSONWriter {
    fileprivate func member(_ opening: StaticString, _ text: String) {
        raw(opening)
        string(text)
    }

    fileprivate func under(_ path: SectionPath) {
        if !path.isTop { member(",\"under\":", path.text) }
    }
}
