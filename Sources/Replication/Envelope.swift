// Why this file exists: an operation can be as large as a document, and the broker takes messages of half a megabyte. What
// is sent is a line that says what it is part of, and behind it a part of the operation's or the state's text.

import AccordionModel
import Bytes
import Causality
import Wire

/// What a part belongs to, and which it is.
struct PartHeader: Hashable {
    /// Which whole: of an operation its document, dot and instance; of a state its document, sender and number.
    struct Whole: Hashable {
        let name: DocumentName
        let node: NodeName
        /// The dot's counter, or the number of the transfer.
        let counter: Int64
        /// The run of a daemon that made it.
        let instance: String
    }

    let whole: Whole
    /// From 1.
    let part: Int
    let parts: Int

    static let partsMax = 1 << 12

    /// The header, a line end, and the part.
    func message(_ body: ArraySlice<UInt8>) -> [UInt8] {
        let frame = Frame(capacityBytes: 256 + body.count)
        let writer = JSONWriter(frame)
        writer.raw("{\"doc\":")
        writer.string(whole.name.text)
        writer.raw(",\"node\":")
        writer.string(whole.node.description)
        writer.raw(",\"counter\":")
        writer.integer(Int(whole.counter))
        writer.raw(",\"instance\":")
        writer.string(whole.instance)
        writer.raw(",\"part\":")
        writer.integer(part)
        writer.raw(",\"parts\":")
        writer.integer(parts)
        writer.raw("}\n")
        var message = frame.withSpan { span in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(span.count + body.count)
            for place in span.indices { bytes.append(span[place]) }
            return bytes
        }
        message.append(contentsOf: body)
        return message
    }

    /// Splits `body` into messages of at most about `bytesMax`.
    static func split(_ body: [UInt8], _ whole: Whole, bytesMax: Int) -> [[UInt8]] {
        let parts = max(1, (body.count + bytesMax - 1) / bytesMax)
        return (0..<parts).map { part in
            PartHeader(whole: whole, part: part + 1, parts: parts)
                .message(body[(part * bytesMax)..<min(body.count, (part + 1) * bytesMax)])
        }
    }

    /// Reads the header; the part is what lies behind its line end.
    static func read(
        _ message: [UInt8], _ parser: JSONParser
    ) throws(Failure) -> (header: PartHeader, body: ArraySlice<UInt8>) {
        guard let end = message.prefix(4_096).firstIndex(of: 0x0A) else {
            throw Failure(.badRequest, "a message without a first line")
        }
        let header = try parser.parse(
            message.span.extracting(0..<end), refuse: { Failure($0) }
        ) { object throws(Failure) in
            guard let text = object["doc"]?.string, let name = DocumentName(text),
                let node = (object["node"]?.string).flatMap({ NodeName($0) }),
                let counter = object["counter"]?.integer, counter > 0,
                let instance = object["instance"]?.string, instance.utf8.count <= 64,
                let part = object["part"]?.integer, let parts = object["parts"]?.integer,
                (1...partsMax).contains(parts), (1...parts).contains(part)
            else { throw Failure(.badRequest, "a message that is no part of anything") }
            return PartHeader(
                whole: Whole(name: name, node: node, counter: Int64(counter), instance: instance), part: part,
                parts: parts)
        }
        return (header, message[(end + 1)...])
    }
}

/// Parts that came, until all of a whole are there.
struct Fragments {
    private struct Gathering {
        var parts: [ArraySlice<UInt8>?]
        var missing: Int
        var bytes = 0
        var sequences: [UInt64] = []
        let order: UInt64
    }

    private var gatherings: [PartHeader.Whole: Gathering] = [:]
    private(set) var bytes = 0
    private var order: UInt64 = 0
    let bytesMax: Int

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    enum Outcome {
        case incomplete
        /// The whole text, and the sequences of its messages but the last.
        case complete([UInt8], earlier: [UInt64])
        /// It contradicts what came before of the same whole.
        case contradicts
    }

    mutating func add(_ header: PartHeader, _ body: ArraySlice<UInt8>, sequence: UInt64) -> Outcome {
        if header.parts == 1 { return .complete(Array(body), earlier: []) }
        var gathering = gatherings[header.whole] ?? start(header)
        guard gathering.parts.count == header.parts else { return .contradicts }
        if gathering.parts[header.part - 1] == nil {
            gathering.parts[header.part - 1] = body
            gathering.missing -= 1
            gathering.bytes += body.count
            bytes += body.count
        }
        guard gathering.missing == 0 else {
            gathering.sequences.append(sequence)
            gatherings[header.whole] = gathering
            return .incomplete
        }
        gatherings[header.whole] = nil
        bytes -= gathering.bytes
        var text: [UInt8] = []
        text.reserveCapacity(gathering.bytes)
        for part in gathering.parts { if let part { text.append(contentsOf: part) } }
        return .complete(text, earlier: gathering.sequences)
    }

    private mutating func start(_ header: PartHeader) -> Gathering {
        order += 1
        return Gathering(parts: Array(repeating: nil, count: header.parts), missing: header.parts, order: order)
    }

    /// Lets the oldest go until the rest fits: the sequences of their messages, and the documents that now lack something.
    mutating func trim() -> (sequences: [UInt64], documents: [DocumentName]) {
        var sequences: [UInt64] = []
        var documents: [DocumentName] = []
        while bytes > bytesMax, let oldest = gatherings.min(by: { $0.value.order < $1.value.order }) {
            gatherings[oldest.key] = nil
            bytes -= oldest.value.bytes
            sequences.append(contentsOf: oldest.value.sequences)
            documents.append(oldest.key.name)
        }
        return (sequences, documents)
    }

    /// Lets those go that are known by other ways: the sequences of their messages.
    mutating func dropKnown(_ isKnown: (PartHeader.Whole) -> Bool) -> [UInt64] {
        guard !gatherings.isEmpty else { return [] }
        var sequences: [UInt64] = []
        for (whole, gathering) in gatherings where isKnown(whole) {
            gatherings[whole] = nil
            bytes -= gathering.bytes
            sequences.append(contentsOf: gathering.sequences)
        }
        return sequences
    }
}
