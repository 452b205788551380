// Why this file exists: everything that an administrator may set stands here once, with its default. What the file says is
// checked for its form; whether it can be done – a port that is taken, a certificate that is none – shows when it is done.

/// Who may come in with a token, or with a certificate.
package struct AdmissionEntry: Sendable, Equatable {
    /// The name in events.
    package var name = ""
    /// SHA-256 of the token, 64 hexadecimal digits; empty for a certificate.
    package var digest = ""
    package var role = "viewer"
    /// Patterns of documents, `*` for any number of characters; empty: all documents.
    package var documents: [String] = []
}

/// The broker by which this daemon speaks to others.
package struct ClusterConfiguration: Sendable, Equatable {
    /// Addresses, tried one after the other.
    package var servers: [String] = []
    /// The stream, and the first word of each subject.
    package var name = "accordion"
    package var replicas = 1
    package var retentionDays = 7
    package var credentials: String?
    package var user: String?
    /// A file, so that no password stands in this one.
    package var passwordFile: String?
    package var certificateAuthority: String?
    package var certificate: String?
    package var key: String?

    package init() {}
}

package struct Configuration: Sendable, Equatable {
    package static let roles = ["viewer", "toggler", "editor", "admin"]

    /// Addresses; empty: the usual one.
    package var listen: [String] = []
    package var state: String?
    package var node: String?
    package var isDurable = true
    /// Addresses beyond this machine may be served without TLS.
    package var isInsecure = false
    /// Of those who come by TCP from this machine, where no tokens are configured.
    package var loopbackRole = "editor"

    package var tokens: [AdmissionEntry] = []
    package var certificates: [AdmissionEntry] = []

    package var certificate: String?
    package var key: String?
    package var clientCA: String?

    /// Of those on the Unix socket who are not named in `unixUsers`.
    package var unixRole = "editor"
    package var unixGroup: String?
    package var unixUsers: [String: String] = [:]

    /// Without servers this daemon is alone.
    package var cluster = ClusterConfiguration()

    /// By the names that `status` has for them.
    package var limits: [String: Int] = [:]
    /// Each with the least and the most that makes sense.
    package static let limitRanges: [String: ClosedRange<Int>] = [
        "queued_event_bytes_max": 4_096...(1 << 30), "queued_reply_bytes_max": 4_096...(1 << 30),
        "turn_bytes_max": 4_096...(1 << 30), "max_line_bytes": 1_024...(64 << 20),
        "max_document_bytes": 1_024...(256 << 20), "document_lines_bytes_max": 1_024...(1 << 34),
        "document_cache_bytes_max": 0...(1 << 40), "waiting_operations_max": 1...10_000_000,
        "clients_max": 1...10_000_000, "subscriptions_max": 1...1_000_000,
        "undo_flags_max": 1...100_000_000,
    ]

    package var historyDays = 90
    package var historyEntries = 1_000_000

    package init() {}

    /// `text` is the file's; `file` its name, for what is told of it.
    package init(reading text: [UInt8], file: String) throws(ConfigurationFault) {
        var reader = SettingsReader(file: file, values: try TOMLFile.read(text, file: file))
        try reader.read(into: &self)
    }
}
