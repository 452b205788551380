// Why this file exists: beside the stream, which everyone reads, daemons talk to each other: who is here and what they have,
// and who lacks what. Such a message may be lost or come twice; whoever still lacks something asks again.

import AccordionModel
import Bytes
import Causality
import Wire

/// Who sent a message: a daemon's name, and which run of it.
package struct Peer: Hashable, Sendable {
    package let node: NodeName
    /// Random, made at the start of a run; where answers are sent to.
    package let instance: String
    /// Counts the runs of one state.
    package let run: UInt32

    package init(node: NodeName, instance: String, run: UInt32) {
        self.node = node
        self.instance = instance
        self.run = run
    }
}

enum PeerMessage {
    /// To all: I am here, and this is what I have.
    case here(hashes: [UInt64])
    /// To one: which documents are in this bucket?
    case list(bucket: Int)
    /// The answer, whole or a part of it.
    case versions([(name: DocumentName, version: VersionVector)])
    /// To one or to all: what do you know of it that I don't?
    case want(DocumentName, VersionVector)
    /// To all: who is at these documents?
    case who([DocumentName])
    /// To all: who is at a document here.
    case presence(PresenceReport)

    func text(from peer: Peer) -> [UInt8] {
        let frame = Frame()
        let writer = JSONWriter(frame)
        writer.raw("{\"node\":")
        writer.string(peer.node.description)
        writer.raw(",\"instance\":")
        writer.string(peer.instance)
        writer.raw(",\"run\":")
        writer.integer(Int(peer.run))
        switch self {
        case .here(let hashes):
            writer.raw(",\"here\":")
            writer.array(hashes) { writer.integer($0) }
        case .list(let bucket):
            writer.raw(",\"list\":")
            writer.integer(bucket)
        case .versions(let documents):
            writer.raw(",\"versions\":")
            writer.array(documents) { name, version in
                writer.raw("{\"doc\":")
                writer.string(name.text)
                writer.version(member: version)
                writer.raw("}")
            }
        case .want(let name, let version):
            writer.raw(",\"want\":{\"doc\":")
            writer.string(name.text)
            writer.version(member: version)
            writer.raw("}")
        case .who(let names):
            writer.raw(",\"who\":")
            writer.array(names) { writer.string($0.text) }
        case .presence(let report):
            writer.raw(",\"presence\":{\"doc\":")
            writer.string(report.name.text)
            writer.presence(report.clients, count: report.count)
            writer.raw("}")
        }
        writer.raw("}")
        return frame.withSpan { span in span.indices.map { span[$0] } }
    }

    static func read(_ text: [UInt8], _ parser: JSONParser) throws(Failure) -> (Peer, PeerMessage) {
        try parser.parse(text.span, refuse: { Failure($0) }) { object throws(Failure) in
            guard let node = (object["node"]?.string).flatMap({ NodeName($0) }),
                let instance = object["instance"]?.string, instance.utf8.count <= 64,
                let run = (object["run"]?.integer).flatMap({ UInt32(exactly: $0) })
            else { throw Failure(.badRequest, "a message from nobody") }
            return (Peer(node: node, instance: instance, run: run), try message(object))
        }
    }

    private static func message(_ object: JSONObject) throws(Failure) -> PeerMessage {
        if let value = object["here"], let list = value.array, list.count == Inventory.bucketCount {
            var hashes: [UInt64] = []
            var elements = list.elements
            while let element = elements.next() { hashes.append(UInt64(clamping: element.integer ?? 0)) }
            return .here(hashes: hashes)
        }
        if let bucket = object["list"]?.integer, (0..<Inventory.bucketCount).contains(bucket) {
            return .list(bucket: bucket)
        }
        if let list = object["versions"]?.array {
            var documents: [(name: DocumentName, version: VersionVector)] = []
            var elements = list.elements
            while let element = elements.next() {
                guard let one = element.object else { throw Failure(.badRequest, "a list without versions") }
                documents.append(try document(one))
            }
            return .versions(documents)
        }
        if let want = object["want"]?.object {
            let (name, version) = try document(want)
            return .want(name, version)
        }
        if let list = object["who"]?.array {
            var names: [DocumentName] = []
            var elements = list.elements
            while let element = elements.next() {
                if let name = element.string.flatMap({ DocumentName($0) }) { names.append(name) }
            }
            return .who(names)
        }
        if let presence = object["presence"]?.object {
            guard let text = presence["doc"]?.string, let name = DocumentName(text) else {
                throw Failure(.badRequest, "a document without a name")
            }
            let (clients, count) = try PresentClient.read(presence)
            return .presence(PresenceReport(name: name, clients: clients, count: count))
        }
        throw Failure(.badRequest, "a message of a kind that is not known")
    }

    private static func document(_ object: JSONObject) throws(Failure) -> (DocumentName, VersionVector) {
        guard let text = object["doc"]?.string, let name = DocumentName(text) else {
            throw Failure(.badRequest, "a document without a name")
        }
        return (name, try ReplicaReader.version(in: object))
    }
}
