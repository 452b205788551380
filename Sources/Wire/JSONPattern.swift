// Why this file exists: a test of a conversation says what it expects of a line and leaves open what it can't know, such
// as a time. A pattern is JSON in which `*` stands for any value; members that it does not name may be there or not.

import Bytes

/// A line of JSON as the list of its leaves: so two of them are compared without walking two trees at once.
package struct JSONLeaves: Equatable, Sendable {
    /// Where each leaf stands, such as `/changes/0/section`, and what it is; a string has a quote before it.
    private var values: [String: String] = [:]
    /// How many elements the arrays have, and that there is an object, by where they stand.
    private var containers: [String: String] = [:]

    /// `line` is one JSON object.
    package init(reading line: Span<UInt8>) throws(Failure) {
        let parser = JSONParser()
        var leaves: (values: [String: String], containers: [String: String]) = ([:], [:])
        try parser.parse(line, refuse: { Failure($0) }) { root throws(Failure) in
            var stack: [(mark: JSONMark, place: String, element: Int?)] = [(root.members.mark, "", nil)]
            leaves.containers[""] = "object"
            while let (mark, place, element) = stack.popLast() {
                if let element {
                    var elements = JSONElements(at: mark, in: root)
                    guard let value = elements.next() else { continue }
                    stack.append((elements.mark, place, element + 1))
                    JSONLeaves.visit(value, "\(place)/\(element)", &leaves, &stack)
                } else {
                    var members = JSONMembers(at: mark, in: root)
                    guard let member = members.next() else { continue }
                    stack.append((members.mark, place, nil))
                    JSONLeaves.visit(member.value, place + "/" + member.name.string, &leaves, &stack)
                }
            }
        }
        (values, containers) = leaves
    }

    private static func visit(
        _ value: borrowing JSONValue, _ place: String,
        _ leaves: inout (values: [String: String], containers: [String: String]),
        _ stack: inout [(mark: JSONMark, place: String, element: Int?)]
    ) {
        if let object = value.object {
            leaves.containers[place] = "object"
            stack.append((object.members.mark, place, nil))
        } else if let array = value.array {
            leaves.containers[place] = "array of \(array.count)"
            stack.append((array.elements.mark, place, 0))
        } else if let text = value.text {
            leaves.values[place] = "\"" + text.string
        } else if let bool = value.bool {
            leaves.values[place] = bool ? "true" : "false"
        } else if let integer = value.integer {
            leaves.values[place] = String(integer)
        } else {
            leaves.values[place] = value.isNull ? "null" : "number"
        }
    }

    private static func shown(_ value: String) -> String {
        value.hasPrefix("\"") ? JSONEscape.quoted(String(value.dropFirst())) : value
    }

    /// What of `pattern` this line does not meet, such as `/open: expected true, got false`; empty where it meets all.
    package func faults(against pattern: JSONPattern) -> [String] {
        var faults: [String] = []
        for (place, expected) in pattern.leaves.containers.sorted(by: { $0.key < $1.key })
        where containers[place] != expected {
            faults.append("\(place): expected \(expected), got \(containers[place] ?? values[place].map(JSONLeaves.shown) ?? "nothing")")
        }
        for (place, expected) in pattern.leaves.values.sorted(by: { $0.key < $1.key }) {
            let got = values[place] ?? containers[place]
            if expected == "\"*" ? got == nil : got != expected {
                let wanted = expected == "\"*" ? "any value" : JSONLeaves.shown(expected)
                faults.append("\(place): expected \(wanted), got \(got.map(JSONLeaves.shown) ?? "nothing")")
            }
        }
        return faults
    }
}

/// What a line must have.
package struct JSONPattern: Sendable {
    let leaves: JSONLeaves

    /// JSON in which a `*` outside of strings, or the string `"*"`, stands for any value.
    package init(_ text: String) throws(Failure) {
        var bytes: [UInt8] = []
        var isInString = false
        var isEscaped = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
            isEscaped = isInString && byte == UInt8(ascii: "\\") && !isEscaped
            if byte == UInt8(ascii: "*"), !isInString {
                bytes.append(contentsOf: "\"*\"".utf8)
            } else {
                bytes.append(byte)
            }
        }
        leaves = try JSONLeaves(reading: bytes.span)
    }
}
