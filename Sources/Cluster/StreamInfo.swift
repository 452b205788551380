// Why this file exists: the stream may have been made by another daemon, an administrator or an earlier release. What is
// there is looked at before it is used, and never made smaller.

internal import CNATS

/// What the broker says of a stream, at one moment.
@safe final class StreamInfo {
    private let info: UnsafeMutablePointer<jsStreamInfo>

    static let missing = BrokerFailure("there is no such stream")

    /// Throws `missing` where there is none.
    init(_ context: OpaquePointer?, _ name: String) throws(BrokerFailure) {
        var found: UnsafeMutablePointer<jsStreamInfo>?
        let status = unsafe js_GetStreamInfo(&found, context, name, nil, nil)
        if status == NATS_NOT_FOUND { throw StreamInfo.missing }
        try BrokerLink.check(status, "the stream \(name)")
        guard let found = unsafe found else { throw StreamInfo.missing }
        unsafe info = found
    }

    init(making settings: BrokerSettings, subject: String, _ context: OpaquePointer?) throws(BrokerFailure) {
        var made: UnsafeMutablePointer<jsStreamInfo>?
        let status = unsafe accordion_add_stream(
            &made, context, settings.name, subject, settings.replicas, nanoseconds(settings.retentionSeconds),
            nanoseconds(settings.duplicatesSeconds))
        try BrokerLink.check(status, "making the stream \(settings.name)")
        guard let made = unsafe made else { throw StreamInfo.missing }
        unsafe info = made
    }

    deinit { unsafe jsStreamInfo_Destroy(info) }

    private var configuration: jsStreamConfig? { unsafe info.pointee.Config.map { unsafe $0.pointee } }

    func standing(_ name: String) throws(BrokerFailure) -> BrokerStream {
        let state = unsafe info.pointee.State
        let last = unsafe state.LastSeq
        guard last < .max else { throw BrokerFailure("the stream \(name) is full") }
        let first = unsafe state.Msgs == 0 ? last + 1 : max(1, state.FirstSeq)
        return unsafe BrokerStream(
            identity: "\(name) \(info.pointee.Created)", first: first, last: last,
            replicas: configuration?.Replicas ?? 1)
    }

    /// Throws where the stream is no place for our messages.
    func checkKind(subject: String) throws(BrokerFailure) {
        guard let configuration = unsafe configuration else { throw BrokerFailure("a stream without a configuration") }
        let name = unsafe configuration.Name.map { unsafe String(cString: $0) } ?? ""
        let subjects = unsafe (0..<Int(configuration.SubjectsLen)).map { place in
            unsafe configuration.Subjects[place].map { unsafe String(cString: $0) } ?? ""
        }
        var reason: String?
        if !subjects.contains(subject) { reason = "it does not take \(subject)" }
        if unsafe configuration.Retention != js_LimitsPolicy { reason = "its messages go when they were read" }
        if unsafe configuration.NoAck { reason = "it confirms nothing" }
        if unsafe configuration.Sealed { reason = "it is sealed" }
        if let reason { throw BrokerFailure("the stream \(name) was made for something else: \(reason)") }
    }

    /// Lets the stream keep what `settings` ask for, where it keeps less.
    func raise(_ settings: BrokerSettings, _ context: OpaquePointer?) throws(BrokerFailure) {
        guard var wanted = unsafe configuration else { return }
        let (age, window) = (nanoseconds(settings.retentionSeconds), nanoseconds(settings.duplicatesSeconds))
        var isLess = false
        if unsafe wanted.Replicas < settings.replicas {
            unsafe wanted.Replicas = settings.replicas
            isLess = true
        }
        // 0: for ever.
        if unsafe wanted.MaxAge != 0 && wanted.MaxAge < age {
            unsafe wanted.MaxAge = age
            isLess = true
        }
        if unsafe wanted.Duplicates < window {
            unsafe wanted.Duplicates = window
            isLess = true
        }
        guard isLess else { return }
        try BrokerLink.check(
            unsafe js_UpdateStream(nil, context, &wanted, nil, nil), "changing the stream \(settings.name)")
    }
}

private func nanoseconds(_ seconds: Int64) -> Int64 {
    seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue
}
