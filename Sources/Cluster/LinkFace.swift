// Why this file exists: the library calls on its own threads, with an address that we gave it, until some time after a
// connection's end. What stands at these addresses, and what is done there, is here.

internal import CNATS
import Replication
internal import Synchronization

/// What the library's threads see of a connection. It is a few bytes and is never let go: nobody says when the last of
/// those threads has ended.
final class LinkFace: Sendable {
    private struct Flight {
        var messages: [String: (id: PublishID, bytes: Int)] = [:]
        var bytes = 0
    }

    let number: Int
    private let mailbox: Mailbox
    private let flight = Mutex(Flight())

    /// What was published and neither confirmed nor refused; more is a broker that has forgotten it.
    static let flightBytesMax = 64 << 20
    static let flightCountMax = 20_000

    private init(_ number: Int, _ mailbox: Mailbox) {
        self.number = number
        self.mailbox = mailbox
    }

    static func made(_ number: Int, _ mailbox: Mailbox) -> LinkFace {
        let face = LinkFace(number, mailbox)
        _ = unsafe Unmanaged.passRetained(face)
        return face
    }

    var address: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    func leave(_ news: BrokerNews) { mailbox.leave(news, from: number) }

    /// False where too much is on its way already.
    func depart(_ key: String, _ id: PublishID, bytes: Int) -> Bool {
        flight.withLock { flight in
            if let known = flight.messages.updateValue((id, bytes), forKey: key) { flight.bytes -= known.bytes }
            flight.bytes += bytes
            return flight.bytes <= LinkFace.flightBytesMax && flight.messages.count <= LinkFace.flightCountMax
        }
    }

    func arrive(_ key: String) -> PublishID? {
        flight.withLock { flight in
            guard let known = flight.messages.removeValue(forKey: key) else { return nil }
            flight.bytes -= known.bytes
            return known.id
        }
    }

    /// Lets go of all but itself.
    func end() { flight.withLock { $0 = Flight() } }
}

/// One reading of the stream. The library holds it until its thread for it has ended.
final class LinkReader: Sendable {
    let face: LinkFace
    private let next: Mutex<UInt64>

    init(_ face: LinkFace, from sequence: UInt64) {
        self.face = face
        next = Mutex(sequence)
    }

    /// Messages come in order and none is left out: where numbers are missing, the stream has no such messages.
    func heard(_ bytes: [UInt8], _ sequence: UInt64) {
        let expected = next.withLock { next in
            let expected = next
            next = max(next, sequence + 1)
            return expected
        }
        if sequence > expected { face.leave(.skipped(from: expected, to: sequence)) }
        face.leave(.message(bytes, sequence: sequence))
    }
}

// MARK: - What the library calls

func streamHeard(
    _ connection: OpaquePointer?, _ subscription: OpaquePointer?, _ message: OpaquePointer?,
    _ closure: UnsafeMutableRawPointer?
) {
    defer { unsafe natsMsg_Destroy(message) }
    guard let closure = unsafe closure else { return }
    var meta: UnsafeMutablePointer<jsMsgMetaData>?
    guard unsafe natsMsg_GetMetaData(&meta, message) == NATS_OK, let found = unsafe meta else { return }
    let sequence = unsafe found.pointee.Sequence.Stream
    unsafe jsMsgMetaData_Destroy(found)
    unsafe Unmanaged<LinkReader>.fromOpaque(closure).takeUnretainedValue().heard(text(of: message), sequence)
}

func readerEnded(_ closure: UnsafeMutableRawPointer?) {
    guard let closure = unsafe closure else { return }
    unsafe Unmanaged<LinkReader>.fromOpaque(closure).release()
}

func peerHeard(
    _ connection: OpaquePointer?, _ subscription: OpaquePointer?, _ message: OpaquePointer?,
    _ closure: UnsafeMutableRawPointer?
) {
    defer { unsafe natsMsg_Destroy(message) }
    guard let closure = unsafe closure else { return }
    unsafe face(closure).leave(.heard(text(of: message)))
}

func partHeard(
    _ connection: OpaquePointer?, _ subscription: OpaquePointer?, _ message: OpaquePointer?,
    _ closure: UnsafeMutableRawPointer?
) {
    defer { unsafe natsMsg_Destroy(message) }
    guard let closure = unsafe closure else { return }
    unsafe face(closure).leave(.heardPart(text(of: message)))
}

func publishEnded(
    _ context: OpaquePointer?, _ message: OpaquePointer?, _ confirmation: UnsafeMutablePointer<jsPubAck>?,
    _ refusal: UnsafeMutablePointer<jsPubAckErr>?, _ closure: UnsafeMutableRawPointer?
) {
    // The library has given it to us.
    defer { unsafe natsMsg_Destroy(message) }
    guard let closure = unsafe closure else { return }
    var key: UnsafePointer<CChar>?
    guard unsafe natsMsgHeader_Get(message, "Nats-Msg-Id", &key) == NATS_OK, let key = unsafe key else { return }
    let face = unsafe face(closure)
    guard let id = unsafe face.arrive(String(cString: key)) else { return }
    if unsafe confirmation != nil { return face.leave(.acknowledged(id)) }
    let reason = unsafe refusal.flatMap { unsafe $0.pointee.ErrText }.map { unsafe String(cString: $0) }
    let status = unsafe refusal.map { unsafe String(cString: natsStatus_GetText($0.pointee.Err)) }
    face.leave(.refused(reason ?? status ?? "for no reason"))
}

func connectionEnded(_ connection: OpaquePointer?, _ closure: UnsafeMutableRawPointer?) {
    guard let closure = unsafe closure else { return }
    var reason: UnsafePointer<CChar>?
    _ = unsafe natsConnection_GetLastError(connection, &reason)
    let text = unsafe reason.map { unsafe String(cString: $0) } ?? ""
    unsafe face(closure).leave(.lost(text.isEmpty ? "the connection was closed" : text))
}

/// Faults of a subscription: messages that were dropped, an ordered reading that could not go on. A new connection mends
/// all of them.
func faultMet(
    _ connection: OpaquePointer?, _ subscription: OpaquePointer?, _ status: natsStatus,
    _ closure: UnsafeMutableRawPointer?
) {
    guard let closure = unsafe closure else { return }
    // (What daemons say to each other may be lost: they say it again. The reading is looked after by the beat.)
    if status == NATS_SLOW_CONSUMER || status == NATS_MISSED_HEARTBEAT { return }
    unsafe face(closure).leave(.lost(String(cString: natsStatus_GetText(status))))
}

private func face(_ closure: UnsafeMutableRawPointer) -> LinkFace {
    unsafe Unmanaged<LinkFace>.fromOpaque(closure).takeUnretainedValue()
}

private func text(of message: OpaquePointer?) -> [UInt8] {
    guard let data = unsafe natsMsg_GetData(message) else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: data, count: Int(natsMsg_GetDataLength(message))))
}
