// Why this file exists: what has to be known of a broker before it can be used, and what it tells afterwards.

import Replication

package struct BrokerSettings: Sendable, Equatable {
    /// `nats://HOST:PORT` or `tls://HOST:PORT`, tried one after the other.
    package var servers: [String]
    /// The stream, and the first word of every subject: 1 to 64 of A-Z a-z 0-9 _ -.
    package var name = "accordion"
    /// Servers that keep each message. A stream that has more keeps them.
    package var replicas: Int64 = 1
    /// How long a message is kept; a daemon that was away for longer gets whole states. A stream that keeps them longer goes
    /// on doing so.
    package var retentionSeconds: Int64 = 7 * 24 * 3_600
    /// How long the broker knows a message again that is published twice. Beyond it versions make repeats harmless.
    package var duplicatesSeconds: Int64 = 120
    /// A file that holds a token of the broker's and its key.
    package var credentialsFile: String?
    package var user: String?
    package var password: String?
    /// Authorities that have signed the broker's certificate, in PEM; nil: those of the system.
    package var certificateAuthorityFile: String?
    /// What this daemon shows, in PEM.
    package var certificateFile: String?
    package var keyFile: String?
    /// What the broker's administrator sees of this connection.
    package var clientName = "accordiond"
    /// This run, to which others answer.
    package var instance: String

    package init(servers: [String], instance: String) {
        self.servers = servers
        self.instance = instance
    }

    /// How long one request to the broker may take.
    static let requestMilliseconds: Int64 = 3_000
    /// What the largest message needs, with its header.
    static let payloadBytesMin: Int64 = (512 << 10) + 8_192
}

/// A stream as it stands.
package struct BrokerStream: Sendable, Equatable {
    /// Its name and when it was made: another of the same name is another stream.
    package let identity: String
    /// The oldest message that it has; one more than `last` where it has none.
    package let first: UInt64
    /// The last that it ever had; 0: none.
    package let last: UInt64
    /// How many servers keep it.
    package let replicas: Int64

    package init(identity: String, first: UInt64, last: UInt64, replicas: Int64) {
        self.identity = identity
        self.first = first
        self.last = last
        self.replicas = replicas
    }
}

/// Why the broker can't be used now.
package struct BrokerFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// What comes from the broker unasked, in its order.
package enum BrokerNews: Sendable {
    /// The stream has the message, now or from before.
    case acknowledged(PublishID)
    /// It did not take a message, and why; the message must be given again.
    case refused(String)
    case message([UInt8], sequence: UInt64)
    /// Whoever has read all before `from` has nothing to read before `to`: it is gone.
    case skipped(from: UInt64, to: UInt64)
    /// From another daemon, or an echo.
    case heard([UInt8])
    /// A part of a state, for this run.
    case heardPart([UInt8])
    /// The connection has ended, and why.
    case lost(String)

    /// About what it takes in memory beyond itself.
    var bytes: Int {
        switch self {
        case .message(let bytes, _), .heard(let bytes), .heardPart(let bytes): bytes.count
        case .acknowledged, .refused, .skipped, .lost: 0
        }
    }
}
