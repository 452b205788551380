// Why this file exists: one connection with the broker, from its making to its end. It is never mended: another one is made,
// and looks at the stream anew, since whatever came between may have changed it.

internal import CNATS
import Replication

/// Used by one thread at a time; every call may block for a few seconds.
@safe final class BrokerLink {
    private let settings: BrokerSettings
    private let subjects: Subjects
    private let face: LinkFace
    private let connection: OpaquePointer
    private var context: OpaquePointer?
    private var peers: [OpaquePointer] = unsafe []
    private var reader: OpaquePointer?
    private static let connectMilliseconds: Int64 = 2_000
    private static let pingMilliseconds: Int64 = 2_000
    private static let pingsOutMax: Int32 = 2
    private static let writeMilliseconds: Int64 = 5_000

    init(_ settings: BrokerSettings, server: String, _ face: LinkFace) throws(BrokerFailure) {
        self.settings = settings
        self.face = face
        subjects = Subjects(name: settings.name)
        unsafe connection = try BrokerLink.connected(settings, server, face)
        do throws(BrokerFailure) {
            let payload = unsafe natsConnection_GetMaxPayload(connection)
            guard payload >= BrokerSettings.payloadBytesMin else {
                throw BrokerFailure(
                    "\(server) takes messages of at most \(payload) bytes; "
                        + "max_payload must be at least \(BrokerSettings.payloadBytesMin)")
            }
            try BrokerLink.check(
                unsafe accordion_jetstream(
                    &context, connection, BrokerSettings.requestMilliseconds, publishEnded, face.address), "JetStream")
        } catch {
            end()
            throw error
        }
    }

    private static func connected(
        _ settings: BrokerSettings, _ server: String, _ face: LinkFace
    ) throws(BrokerFailure) -> OpaquePointer {
        var options: OpaquePointer?
        defer { unsafe natsOptions_Destroy(options) }
        try check(unsafe natsOptions_Create(&options), server)
        let port = server.split(separator: ":").last.flatMap { UInt16($0) }
        let status = unsafe (port == nil ? server + ":4222" : server).withCString { text in
            var list: [UnsafePointer<CChar>?] = unsafe [text]
            return unsafe natsOptions_SetServers(options, &list, 1)
        }
        try check(status, server)
        try check(unsafe natsOptions_SetName(options, settings.clientName), server)
        try check(unsafe natsOptions_SetTimeout(options, connectMilliseconds), server)
        try check(unsafe natsOptions_SetPingInterval(options, pingMilliseconds), server)
        try check(unsafe natsOptions_SetMaxPingsOut(options, pingsOutMax), server)
        try check(unsafe natsOptions_SetWriteDeadline(options, writeMilliseconds), server)
        try check(unsafe natsOptions_SetAllowReconnect(options, false), server)
        try check(unsafe natsOptions_SetSendAsap(options, true), server)
        try check(unsafe natsOptions_SetClosedCB(options, connectionEnded, face.address), server)
        try check(unsafe natsOptions_SetErrorHandler(options, faultMet, face.address), server)
        try unsafe identify(options, settings, isSecure: server.hasPrefix("tls://"))
        var connection: OpaquePointer?
        try check(unsafe natsConnection_Connect(&connection, options), server)
        guard let made = unsafe connection else { throw BrokerFailure("\(server) could not be connected") }
        return unsafe made
    }

    /// Says who we are, and whom to believe.
    @unsafe private static func identify(
        _ options: OpaquePointer?, _ settings: BrokerSettings, isSecure: Bool
    ) throws(BrokerFailure) {
        if let file = settings.credentialsFile {
            try check(unsafe natsOptions_SetUserCredentialsFromFiles(options, file, nil), file)
        }
        if let user = settings.user {
            try check(unsafe natsOptions_SetUserInfo(options, user, settings.password ?? ""), "user")
        }
        let authority = settings.certificateAuthorityFile
        guard isSecure || authority != nil || settings.certificateFile != nil else { return }
        try check(unsafe natsOptions_SetSecure(options, true), "TLS")
        if let authority { try check(unsafe natsOptions_LoadCATrustedCertificates(options, authority), authority) }
        if let certificate = settings.certificateFile, let key = settings.keyFile {
            try check(unsafe natsOptions_LoadCertificatesChain(options, certificate, key), certificate)
        }
    }

    static func check(_ status: natsStatus, _ what: String) throws(BrokerFailure) {
        if status != NATS_OK { throw failure(status, what) }
    }

    /// With what the library said last on this thread.
    private static func failure(_ status: natsStatus, _ what: String) -> BrokerFailure {
        let general = unsafe String(cString: natsStatus_GetText(status))
        // "(conn.c:2088): what happened": the place is for the library's makers.
        let last = unsafe nats_GetLastError(nil).map { unsafe String(cString: $0) } ?? ""
        let words = last.firstRange(of: "): ").map { String(last[$0.upperBound...]) } ?? last
        return BrokerFailure("\(what): \(words.isEmpty ? general : words)")
    }

    // MARK: - The stream

    /// Makes the stream where there is none, and lets it keep as much as is asked for.
    func makeStream() throws(BrokerFailure) -> BrokerStream {
        do throws(BrokerFailure) {
            let known = try unsafe StreamInfo(context, settings.name)
            try known.checkKind(subject: subjects.all)
            try unsafe known.raise(settings, context)
            return try known.standing(settings.name)
        } catch {
            guard error == StreamInfo.missing else { throw error }
        }
        return try unsafe StreamInfo(making: settings, subject: subjects.all, context).standing(settings.name)
    }

    /// How the stream stands now.
    func look() throws(BrokerFailure) -> BrokerStream {
        try unsafe StreamInfo(context, settings.name).standing(settings.name)
    }

    /// Listens for other daemons.
    func listen() throws(BrokerFailure) {
        try unsafe listen(subjects.everybody, peerHeard)
        try unsafe listen(subjects.one(settings.instance), peerHeard)
        try unsafe listen(subjects.part(settings.instance), partHeard)
        // What others say from now on is heard.
        try BrokerLink.check(
            unsafe natsConnection_FlushTimeout(connection, BrokerSettings.requestMilliseconds), "listening")
    }

    @unsafe private func listen(_ subject: String, _ handler: natsMsgHandler) throws(BrokerFailure) {
        var made: OpaquePointer?
        try BrokerLink.check(
            unsafe natsConnection_Subscribe(&made, connection, subject, handler, face.address), subject)
        if let subscription = unsafe made { unsafe peers.append(subscription) }
    }

    /// Reads all from a sequence on, in place of what was read before.
    func read(from sequence: UInt64) throws(BrokerFailure) {
        endReading()
        let reading = LinkReader(face, from: sequence)
        let held = unsafe Unmanaged.passRetained(reading)
        var made: OpaquePointer?
        let status = unsafe accordion_read(
            &made, context, settings.name, subjects.all, max(1, sequence), streamHeard, held.toOpaque())
        guard status == NATS_OK, let subscription = unsafe made else {
            unsafe held.release()
            throw BrokerLink.failure(status, "reading the stream \(settings.name)")
        }
        unsafe reader = subscription
        if unsafe natsSubscription_SetOnCompleteCB(subscription, readerEnded, held.toOpaque()) != NATS_OK {
            // It has ended already, or is kept for ever: a few bytes.
            return
        }
    }

    private func endReading() {
        guard let subscription = unsafe reader else { return }
        unsafe reader = nil
        unsafe natsSubscription_Unsubscribe(subscription)
        unsafe natsSubscription_Destroy(subscription)
    }

    // MARK: - Words

    /// Appends messages in their order; what became of each is told later. Throws where the connection had better be
    /// given up.
    func publish(_ batch: [(id: PublishID, bytes: [UInt8])]) throws(BrokerFailure) {
        for (id, bytes) in batch {
            let (subject, key) = (subjects.document(id.name), Subjects.id(id))
            guard face.depart(key, id, bytes: bytes.count) else {
                throw BrokerFailure("the broker does not say what became of what was published")
            }
            var message = try unsafe message(subject, bytes)
            let status = unsafe accordion_publish(context, &message, key, settings.name)
            if unsafe message != nil { unsafe natsMsg_Destroy(message) }
            if status != NATS_OK {
                _ = face.arrive(key)
                throw BrokerLink.failure(status, "publishing")
            }
        }
    }

    private func message(_ subject: String, _ bytes: [UInt8]) throws(BrokerFailure) -> OpaquePointer? {
        var message: OpaquePointer?
        let status = unsafe bytes.withUnsafeBytes { buffer in
            unsafe natsMsg_Create(
                &message, subject, nil, buffer.assumingMemoryBound(to: CChar.self).baseAddress, Int32(buffer.count))
        }
        try BrokerLink.check(status, "publishing")
        return unsafe message
    }

    func broadcast(_ bytes: [UInt8]) throws(BrokerFailure) { try say(bytes, subjects.everybody) }

    func send(_ bytes: [UInt8], to instance: String, isPart: Bool) throws(BrokerFailure) {
        try say(bytes, isPart ? subjects.part(instance) : subjects.one(instance))
    }

    private func say(_ bytes: [UInt8], _ subject: String) throws(BrokerFailure) {
        let status = unsafe bytes.withUnsafeBytes { buffer in
            unsafe natsConnection_Publish(connection, subject, buffer.baseAddress, Int32(buffer.count))
        }
        try BrokerLink.check(status, "speaking to other daemons")
    }

    // MARK: - The end

    /// To be called once, after the mailbox takes nothing of it any more.
    func end() {
        endReading()
        while let subscription = unsafe peers.popLast() { unsafe natsSubscription_Destroy(subscription) }
        unsafe jsCtx_Destroy(context)
        unsafe context = nil
        unsafe natsConnection_Close(connection)
        unsafe natsConnection_Destroy(connection)
        face.end()
    }
}
