// Why this file exists: lines are written by hand, straight into the frame that all receivers share, since what they look
// like is known and only the values differ. A literal is copied as it stands, quotes, colon and comma included; a value
// from anywhere goes through `string`, which copies runs and stops only where an escape must stand.
import Bytes

/// Appends JSON to a frame. It keeps no state: commas and brackets are the caller's, in literals, `array` and `object`
/// aside.
@frozen package struct JSONWriter {
    package let frame: Frame

    @inlinable package init(_ frame: Frame) { self.frame = frame }

    /// JSON as it stands, such as `,"doc":`.
    @inlinable package func raw(_ json: StaticString) { frame.append(json) }

    /// JSON that was written before, such as a document as it is stored.
    @inlinable package func raw(_ json: Span<UInt8>) { frame.append(json) }

    package func string(_ text: String) { string(text.utf8.span) }

    /// A text of valid UTF-8.
    package func string(_ text: Span<UInt8>) {
        frame.append(UInt8(ascii: "\""))
        var start = 0
        while let place = JSONEscape.next(in: text, from: start) {
            frame.append(text.extracting(start..<place.index))
            escape(place.scalar)
            start = place.index + place.utf8Count
        }
        frame.append(text.extracting(start..<text.count))
        frame.append(UInt8(ascii: "\""))
    }

    package func string(_ text: borrowing JSONText) { string(text.utf8) }

    private func escape(_ scalar: UInt16) {
        frame.append(UInt8(ascii: "\\"))
        if let letter = JSONEscape.shortEscape(scalar) { return frame.append(letter) }
        frame.append(UInt8(ascii: "u"))
        frame.append(JSONEscape.hexDigit(scalar >> 12))
        frame.append(JSONEscape.hexDigit(scalar >> 8))
        frame.append(JSONEscape.hexDigit(scalar >> 4))
        frame.append(JSONEscape.hexDigit(scalar))
    }

    /// A name that is no literal, and its colon.
    package func name(_ name: String) {
        string(name)
        frame.append(UInt8(ascii: ":"))
    }

    package func integer(_ number: Int) { frame.append(decimal: number) }
    package func integer(_ number: UInt64) { frame.append(decimal: number) }
    package func bool(_ value: Bool) { value ? raw("true") : raw("false") }
    package func null() { raw("null") }

    /// `[`, each element as `write` writes it with commas between, `]`.
    @inlinable package func array<Elements: Sequence, Failure: Error>(
        _ elements: Elements, _ write: (Elements.Element) throws(Failure) -> Void
    ) throws(Failure) {
        try list(elements, "[", "]", write)
    }

    /// `{`, each member as `write` writes it (name, colon and value) with commas between, `}`.
    @inlinable package func object<Members: Sequence, Failure: Error>(
        _ members: Members, _ write: (Members.Element) throws(Failure) -> Void
    ) throws(Failure) {
        try list(members, "{", "}", write)
    }

    @inlinable func list<Elements: Sequence, Failure: Error>(
        _ elements: Elements, _ opening: StaticString, _ closing: StaticString,
        _ write: (Elements.Element) throws(Failure) -> Void
    ) throws(Failure) {
        frame.append(opening)
        var isFirst = true
        for element in elements {
            if !isFirst { frame.append(UInt8(ascii: ",")) }
            isFirst = false
            try write(element)
        }
        frame.append(closing)
    }

    /// Ends the line.
    @inlinable package func newline() { frame.append(UInt8(ascii: "\n")) }
}
