// Why this file exists: a request is read once and forgotten. These views walk the flat array that CJSON makes of a line
// without copying a name or a value; they are nonescapable, so the compiler refuses to keep one past the reading. The
// walk is meant as one pass with a switch on the names:
//
//     var members = request.members
//     while let member = members.next() {
//         switch member.name {
//         case "op": operation = member.value.text
//         case "id": …
//         default: break
//         }
//     }
//
// It is the one file of this room that touches memory by address.
internal import CJSON

/// Reads one line at a time and reuses its memory, of which it keeps a bounded part. The memory of one reading is about
/// forty bytes a byte of the line in the worst case.
@safe package final class JSONParser {
    fileprivate let handle: OpaquePointer
    private var isReading = false

    package init() {
        guard let created = unsafe cjson_create() else { preconditionFailure("no memory for a parser") }
        unsafe handle = created
    }

    deinit { unsafe cjson_destroy(handle) }

    /// Bytes held at the moment.
    package var heldBytes: Int { unsafe cjson_held_bytes(handle) }

    /// Reads `line`, which must be one JSON object as PROTOCOL has it, and lets `read` walk over it. A line that is not
    /// is refused, with its fault as `refuse` words it. `read` must not parse with this same parser.
    package func parse<Value, Refusal: Error>(
        _ line: Span<UInt8>, refuse: (JSONFault) -> Refusal, read: (JSONObject) throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        precondition(!isReading, "a parser reads one line at a time")
        isReading = true
        defer {
            isReading = false
            unsafe cjson_rest(handle)
        }
        if let fault = load(line, isList: false) { throw refuse(fault) }
        return try read(JSONObject(rootOf: self))
    }

    /// The same of a text that must be one JSON array, such as a file may be.
    package func parseList<Value, Refusal: Error>(
        _ text: Span<UInt8>, refuse: (JSONFault) -> Refusal, read: (JSONArray) throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        precondition(!isReading, "a parser reads one line at a time")
        isReading = true
        defer {
            isReading = false
            unsafe cjson_rest(handle)
        }
        if let fault = load(text, isList: true) { throw refuse(fault) }
        return try read(JSONArray(rootOf: self))
    }

    private func load(_ line: Span<UInt8>, isList: Bool) -> JSONFault? {
        let isLoaded = unsafe line.withUnsafeBufferPointer { unsafe cjson_load(handle, $0.baseAddress, $0.count) }
        guard isLoaded else { return .outOfMemory }
        let status = unsafe cjson_parse(handle)
        if status != CJSON_REFUSED { return fault(of: status, line, isList) }
        var hasWideNumbers = false
        let fault = JSONFault.first(in: line) { number in
            unsafe cjson_mask_number(handle, number.lowerBound, number.count)
            hasWideNumbers = true
        }
        if let fault, !(isList && fault.isNoObject) { return fault }
        guard hasWideNumbers else { return .badJSON(offset: 0, .unreadable) }
        return self.fault(of: unsafe cjson_parse(handle), line, isList)
    }

    private func fault(of status: cjson_status, _ line: Span<UInt8>, _ isList: Bool) -> JSONFault? {
        switch status {
        case CJSON_NO_MEMORY: return .outOfMemory
        case CJSON_READ, CJSON_REPEATED:
            let wanted = isList ? CJSON_ARRAY.rawValue : CJSON_OBJECT.rawValue
            guard unsafe cjson_nodes(handle)[0].kind == wanted else {
                if isList { return .badJSON(offset: 0, .notAList) }
                return JSONFault.first(in: line) ?? .badJSON(offset: 0, .notAnObject)
            }
            guard status == CJSON_REPEATED else { return nil }
            let name = unsafe cjson_repeated(handle)
            return .repeatedMember(quotedName: unsafe JSONEscape.quoted(bytes(of: name).span))
        default: return .badJSON(offset: 0, .unreadable)
        }
    }
}

/// The bytes of a string or a key.
private func bytes(of node: cjson_node) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(start: UnsafePointer(bitPattern: UInt(node.value)), count: Int(node.extent))
}

/// One JSON value of the line that is being read.
@safe package struct JSONValue: ~Escapable {
    fileprivate let nodes: UnsafePointer<cjson_node>
    fileprivate let index: Int

    @_lifetime(copy container)
    fileprivate init(_ index: Int, in container: borrowing JSONMembers) {
        unsafe nodes = container.nodes
        self.index = index
    }
    @_lifetime(copy container)
    fileprivate init(_ index: Int, in container: borrowing JSONElements) {
        unsafe nodes = container.nodes
        self.index = index
    }

    package enum Kind: Sendable { case object, array, string, number, bool, null }

    private var node: cjson_node { unsafe nodes[index] }

    package var kind: Kind {
        switch cjson_kind(node.kind) {
        case CJSON_OBJECT: .object
        case CJSON_ARRAY: .array
        case CJSON_STRING, CJSON_KEY: .string
        case CJSON_TRUE, CJSON_FALSE: .bool
        case CJSON_NULL: .null
        default: .number
        }
    }

    package var isNull: Bool { node.kind == CJSON_NULL.rawValue }

    package var bool: Bool? {
        switch cjson_kind(node.kind) {
        case CJSON_TRUE: true
        case CJSON_FALSE: false
        default: nil
        }
    }

    /// Only of a number written without a fraction or an exponent, and within ±(2^53-1).
    package var integer: Int? {
        let node = node
        guard node.kind == CJSON_INTEGER.rawValue else { return nil }
        let value = Int64(bitPattern: node.value)
        return value.magnitude < 1 << 53 ? Int(value) : nil
    }

    package var text: JSONText? {
        @_lifetime(copy self)
        get { node.kind == CJSON_STRING.rawValue ? JSONText(of: self) : nil }
    }

    package var string: String? { text?.string }

    package var object: JSONObject? {
        @_lifetime(copy self)
        get { node.kind == CJSON_OBJECT.rawValue ? JSONObject(of: self) : nil }
    }

    package var array: JSONArray? {
        @_lifetime(copy self)
        get { node.kind == CJSON_ARRAY.rawValue ? JSONArray(of: self) : nil }
    }
}

/// The text of a string or of a member's name: valid UTF-8, unescaped, without a NUL.
@safe package struct JSONText: ~Escapable {
    private let start: UnsafePointer<UInt8>?
    package let utf8Count: Int

    @_lifetime(copy value)
    fileprivate init(of value: borrowing JSONValue) {
        let node = unsafe value.nodes[value.index]
        unsafe start = UnsafePointer(bitPattern: UInt(node.value))
        utf8Count = Int(node.extent)
    }

    private var buffer: UnsafeBufferPointer<UInt8> { unsafe UnsafeBufferPointer(start: start, count: utf8Count) }

    package var utf8: Span<UInt8> {
        @_lifetime(copy self)
        get { unsafe _overrideLifetime(buffer.span, copying: self) }
    }

    package var string: String { unsafe String(decoding: buffer, as: UTF8.self) }

    package static func == (text: borrowing JSONText, literal: StaticString) -> Bool {
        literal.withUTF8Buffer { literal in
            guard literal.count == text.utf8Count else { return false }
            for place in 0..<literal.count where unsafe literal[place] != text.buffer[place] { return false }
            return true
        }
    }

    /// For a switch: the case is taken if the text is the literal, byte for byte.
    package static func ~= (literal: StaticString, text: borrowing JSONText) -> Bool { text == literal }
}

/// The members of one object, no two of the same name.
@safe package struct JSONObject: ~Escapable {
    fileprivate let nodes: UnsafePointer<cjson_node>
    fileprivate let index: Int

    @_lifetime(borrow parser)
    fileprivate init(rootOf parser: borrowing JSONParser) {
        unsafe nodes = cjson_nodes(parser.handle)
        index = 0
    }
    @_lifetime(copy value)
    fileprivate init(of value: borrowing JSONValue) {
        unsafe nodes = value.nodes
        index = value.index
    }

    package var count: Int { unsafe Int(nodes[index].value) }

    /// From the first to the last as written.
    package var members: JSONMembers {
        @_lifetime(copy self)
        get { JSONMembers(of: self) }
    }

    /// Passes over the members before it: for one or two names; for more, walk `members` once.
    package subscript(name: StaticString) -> JSONValue? {
        @_lifetime(copy self)
        get {
            var members = members
            while let member = members.next() {
                if member.name == name { return member.value }
            }
            return nil
        }
    }
}

package struct JSONMember: ~Escapable {
    package let name: JSONText
    package let value: JSONValue

    @_lifetime(copy name, copy value)
    fileprivate init(name: JSONText, value: JSONValue) {
        self.name = name
        self.value = value
    }
}

/// A walk over the members of an object.
@safe package struct JSONMembers: ~Escapable {
    fileprivate let nodes: UnsafePointer<cjson_node>
    private var index: Int
    private let end: Int

    @_lifetime(copy object)
    fileprivate init(of object: borrowing JSONObject) {
        unsafe nodes = object.nodes
        index = object.index + 1
        unsafe end = Int(nodes[object.index].extent)
    }

    @_lifetime(copy self)
    package mutating func next() -> JSONMember? {
        guard index < end else { return nil }
        let name = JSONText(of: JSONValue(index, in: self))
        let value = JSONValue(index + 1, in: self)
        index = unsafe indexBehind(index + 1, in: nodes)
        return JSONMember(name: name, value: value)
    }
}

@safe package struct JSONArray: ~Escapable {
    fileprivate let nodes: UnsafePointer<cjson_node>
    fileprivate let index: Int

    @_lifetime(borrow parser)
    fileprivate init(rootOf parser: borrowing JSONParser) {
        unsafe nodes = cjson_nodes(parser.handle)
        index = 0
    }
    @_lifetime(copy value)
    fileprivate init(of value: borrowing JSONValue) {
        unsafe nodes = value.nodes
        index = value.index
    }

    package var count: Int { unsafe Int(nodes[index].value) }

    package var elements: JSONElements {
        @_lifetime(copy self)
        get { JSONElements(of: self) }
    }
}

/// A walk over the elements of an array.
@safe package struct JSONElements: ~Escapable {
    fileprivate let nodes: UnsafePointer<cjson_node>
    private var index: Int
    private let end: Int

    @_lifetime(copy array)
    fileprivate init(of array: borrowing JSONArray) {
        unsafe nodes = array.nodes
        index = array.index + 1
        unsafe end = Int(nodes[array.index].extent)
    }

    @_lifetime(copy self)
    package mutating func next() -> JSONValue? {
        guard index < end else { return nil }
        let value = JSONValue(index, in: self)
        index = unsafe indexBehind(index, in: nodes)
        return value
    }
}

private func indexBehind(_ index: Int, in nodes: UnsafePointer<cjson_node>) -> Int {
    let node = unsafe nodes[index]
    return node.kind <= CJSON_ARRAY.rawValue ? Int(node.extent) : index + 1
}

/// Where a walk over an array or an object stands: for a stack of walks, which nested input is read with instead of recursion. Means
/// something only for the line that it was taken from.
package struct JSONMark {
    fileprivate let index: Int
    fileprivate let end: Int
}

extension JSONElements {
    package var mark: JSONMark { JSONMark(index: index, end: end) }

    /// Goes on where `mark` was taken, in the same line.
    @_lifetime(copy line)
    package init(at mark: JSONMark, in line: borrowing JSONObject) {
        unsafe nodes = line.nodes
        index = mark.index
        end = mark.end
    }

    /// The same in a text whose root is `list`.
    @_lifetime(copy list)
    package init(at mark: JSONMark, in list: borrowing JSONArray) {
        unsafe nodes = list.nodes
        index = mark.index
        end = mark.end
    }
}

extension JSONMembers {
    package var mark: JSONMark { JSONMark(index: index, end: end) }

    /// Goes on where `mark` was taken, in the same line.
    @_lifetime(copy line)
    package init(at mark: JSONMark, in line: borrowing JSONObject) {
        unsafe nodes = line.nodes
        index = mark.index
        end = mark.end
    }
}
