// Why this file exists: a line from outside becomes a request here, or a refusal that says what was wrong with it. A
// member that an operation does not know is ignored; one that it knows must be of its type.

import AccordionModel
import Bytes
import Causality

/// Reads requests. One reader serves all connections of a loop, a line at a time.
package final class RequestReader {
    private let parser = JSONParser()
    private let limits: Limits

    package init(limits: Limits = Limits()) { self.limits = limits }

    package func read(_ line: Span<UInt8>) throws(Failure) -> Request {
        let limits = limits
        return try parser.parse(line, refuse: { Failure($0) }) { object throws(Failure) in
            var id: RequestID?
            do throws(Failure) {
                id = try Members(object).id()
                return Request(id: id, try Members(object).action(limits))
            } catch {
                var failure = error
                failure.id = id
                throw failure
            }
        }
    }
}

/// The members of one object, looked up by name.
struct Members: ~Escapable {
    let object: JSONObject

    @_lifetime(copy object)
    init(_ object: JSONObject) { self.object = object }

    func id() throws(Failure) -> RequestID? {
        guard let value = object["id"] else { return nil }
        if let text = value.text, text.utf8Count <= RequestID.textBytesMax { return .text(text.string) }
        if let number = value.integer { return .number(number) }
        throw Failure(
            .badRequest, "\"id\" must be a string of at most \(RequestID.textBytesMax) bytes or a whole number")
    }

    func action(_ limits: Limits) throws(Failure) -> Request.Action {
        guard let op = object["op"]?.text else { throw Failure(.badRequest, "\"op\" is missing or no string") }
        if let gesture = try gesture(op) { return .gesture(try document(), gesture, try options()) }
        switch op {
        case "hello": return .hello(try hello())
        case "ping": return .ping
        case "list":
            // In NFC, as names are.
            return .list(
                prefix: SectionPath(ofAnyLength: try string("prefix") ?? "").text,
                after: try string("after").map { SectionPath(ofAnyLength: $0).text }, limit: try limit(of: 1_000))
        case "get": return .get(try document(), section: SectionPath(ofAnyLength: try string("section") ?? ""))
        case "subscribe":
            return .subscribe(
                Request.Subscribe(
                    try document(), since: try version("since"), epoch: try string("epoch"),
                    presence: try bool("presence") ?? false))
        case "unsubscribe": return .unsubscribe(try document())
        case "watch_list": return .watchList(try requiredBool("on"))
        case "batch":
            var gestures: [Gesture] = []
            try flatten(limits, into: &gestures)
            return .batch(try document(), gestures, try options())
        case "select": return .select(try document(), section: try selection())
        case "present": return .present(try document(), try requiredBool("on"))
        case "create": return .create(try document(), try content(limits), try options())
        case "replace": return .replace(try document(), try content(limits), try options())
        case "delete": return .delete(try document(), try options())
        case "history": return .history(try history())
        case "undo": return .undo(try document())
        case "redo": return .redo(try document())
        case "status": return .status
        default: throw Failure(.unknownOp, "no operation \(JSONEscape.quoted(op.utf8))")
        }
    }

    /// The gesture that `op` names, if it does.
    func gesture(_ op: borrowing JSONText) throws(Failure) -> Gesture? {
        if op == "toggle" { return .toggle(try section(), to: try bool("to")) }
        if op == "open" { return .set(try section(), .open, true) }
        if op == "close" { return .set(try section(), .open, false) }
        if op == "check" { return .set(try section(), .done, true) }
        if op == "uncheck" { return .set(try section(), .done, false) }
        if op == "open_all" { return .openAll(under: try under()) }
        if op == "close_all" { return .closeAll(under: try under()) }
        if op == "level" {
            guard let value = object["depth"] else { throw missing("depth") }
            guard let depth = value.integer, depth >= 0 else { throw wrongType("depth", "a whole number from 0") }
            return .level(under: try under(), depth: depth)
        }
        if op == "reset" { return .reset(under: try under()) }
        return nil
    }

    /// The gestures of a batch in order, those of batches inside it in their place; nesting is a stack of marks. A batch
    /// inside counts as one of the operations, so that empty ones are bounded too.
    private func flatten(_ limits: Limits, into gestures: inout [Gesture]) throws(Failure) {
        var stack = [try steps().mark]
        var count = 0
        while let mark = stack.popLast() {
            var elements = JSONElements(at: mark, in: object)
            guard let element = elements.next() else { continue }
            stack.append(elements.mark)
            count += 1
            guard count <= limits.batchOperationsMax else {
                throw Failure(.tooLarge, "more than \(limits.batchOperationsMax) operations in a batch")
            }
            do throws(Failure) {
                guard let step = element.object else { throw wrongType("ops", "a list of objects") }
                let members = Members(step)
                guard let op = step["op"]?.text else { throw Failure(.badRequest, "\"op\" is missing or no string") }
                if op == "batch" {
                    stack.append(try members.steps().mark)
                } else if let gesture = try members.gesture(op) {
                    gestures.append(gesture)
                } else {
                    throw Failure(.badRequest, "a batch can't hold the operation \(JSONEscape.quoted(op.utf8))")
                }
            } catch {
                throw Failure(error.code, error.message, at: gestures.count)
            }
        }
    }

    @_lifetime(copy self)
    private func steps() throws(Failure) -> JSONElements {
        guard let value = object["ops"] else { throw missing("ops") }
        guard let array = value.array else { throw wrongType("ops", "a list of operations") }
        return array.elements
    }
}
