// Why this file exists: a client that knows what it has sent, byte by byte, and therefore what it must be answered: one
// reply for each request, in order, and nothing for what is none.
import AccordionModel
import Hub
import TestSupport
import Testing
import Wire

@testable import Hub

final class FuzzClient {
    /// What a line that was sent is answered.
    private struct Due {
        /// Nil: a reply whose id can't be told from here.
        var id: RequestID??
        /// `"ack":"none"`: only a failure is told.
        var isOnlyFailure = false
        var action: Request.Action?
    }

    let client: TestClient
    let number: Int
    var replica = Replica()
    private(set) var watched: Set<String> = []
    private var due: [Due] = []
    private var unfinished: [UInt8] = []
    private var requestNumber = 0
    /// A line that closes the connection was sent.
    private var isClosing = false
    private let reader = RequestReader()
    var comment = ""

    init(_ client: TestClient, number: Int) {
        self.client = client
        self.number = number
    }

    var isOver: Bool { isClosing || client.session.isEnding }

    // MARK: - Sending

    func line(_ random: inout SplitMix) -> [UInt8] {
        requestNumber += 1
        if random.once(in: 25) { return FuzzLine.noise(&random) }
        let members = FuzzLine.right(&random)
        if random.once(in: 12), let since = sinceLine(&random) { return since }
        // Of a damaged line nobody could tell whether it asks for no reply.
        if random.once(in: 6) { return FuzzLine.damaged(Array("{\(members)}".utf8), &random) }
        let silent = random.once(in: 5) ? #","ack":"none""# : ""
        return Array(#"{"id":\#(requestNumber),\#(members)\#(silent)}"#.utf8)
    }

    /// Subscribes again from what this client has shown.
    private func sinceLine(_ random: inout SplitMix) -> [UInt8]? {
        let text = random.pick(FuzzLine.documents)
        guard let name = DocumentName(text), watched.contains(text), let shown = replica.documents[name] ?? nil,
            !replica.epoch.isEmpty, client.session.outbox.isEmpty
        else { return nil }
        let version = shown.version.entries.map { #""\#($0.node)":\#($0.counter)"# }.joined(separator: ",")
        return Array(
            #"{"id":\#(requestNumber),"op":"subscribe","doc":"\#(text)","since":{\#(version)},"epoch":"\#(replica.epoch)"}"#
                .utf8)
    }

    func send(_ bytes: [UInt8], _ random: inout SplitMix) {
        expect(bytes)
        var start = 0
        while start < bytes.count {
            let end = random.once(in: 2) ? bytes.count : min(bytes.count, start + 1 + random.below(40))
            client.send(Array(bytes[start..<end]))
            start = end
        }
    }

    private func expect(_ bytes: [UInt8]) {
        unfinished += bytes
        while let end = unfinished.firstIndex(of: 0x0A) {
            var line = Array(unfinished[..<end])
            unfinished.removeSubrange(...end)
            if line.last == 0x0D { line.removeLast() }
            if !isClosing { expect(line: line) }
        }
    }

    private func expect(line: [UInt8]) {
        let kind = LineKind.of(line.span)
        if kind == .foreign { isClosing = true }
        // Longer lines of spaces are told apart from others only while they are whole.
        if line.count > client.owner.hub.settings.limits.lineBytesMax {
            if kind != .foreign { due.append(Due(id: .none)) }
            return
        }
        guard kind == .request else { return }
        do throws(Failure) {
            let request = try reader.read(line.span)
            due.append(Due(id: .some(request.id), isOnlyFailure: request.isSilent, action: request.action))
        } catch {
            due.append(Due(id: .some(error.id)))
        }
    }

    // MARK: - Being answered

    func learn() {
        let lines = client.takeParsed()
        replica.apply(lines)
        for line in lines { if case .reply(let reply) = line { match(reply) } }
    }

    private func match(_ reply: ServerReply) {
        while let next = due.first {
            due.removeFirst()
            if next.isOnlyFailure, reply.failure == nil || next.id != .some(reply.id) { continue }
            #expect(next.id == .none || next.id == .some(reply.id), "\(comment): a reply out of order, or none")
            if reply.failure?.code == ErrorCode.tooManyErrors.rawValue {
                due = []
                isClosing = true
            }
            if reply.failure == nil { note(next.action) }
            return
        }
        Issue.record("\(comment): a reply to nothing: \(reply)")
    }

    private func note(_ action: Request.Action?) {
        switch action {
        case .subscribe(let subscribe): watched.insert(subscribe.document.text)
        case .unsubscribe(let name): watched.remove(name.text)
        default: break
        }
    }

    /// Everything was read: nothing is missing, and nothing is cut.
    func expectAnswered() {
        let missing = due.filter { !$0.isOnlyFailure }
        #expect(missing.isEmpty, "\(comment): \(missing.count) requests without a reply")
        #expect(client.received.isEmpty, "\(comment): a line without its end")
    }
}

extension Request {
    fileprivate var isSilent: Bool {
        switch action {
        case .gesture(_, _, let options), .batch(_, _, let options), .create(_, _, let options),
            .replace(_, _, let options), .delete(_, let options):
            options.isSilent
        default: false
        }
    }
}
