// Why this file exists: under systemd a log line can say in fields of its own which document, peer or fault it is about, so
// that `journalctl ACCORDION_DOC=…` finds it. libsystemd's call waits while the journal is busy; this one never does.
// The protocol is the journal's native one: fields in one datagram, those of several lines with their length.

internal import Glibc

/// The way to the journal. No call waits.
package final class Journal {
    package static let usualPath = "/run/systemd/journal/socket"

    private let journal: Datagrams
    /// A longer value is cut.
    private static let valueBytesMax = 4_096

    /// Nil where no socket can be made.
    package init?(path: String = Journal.usualPath) {
        guard let journal = Datagrams(to: path) else { return nil }
        self.journal = journal
    }

    /// Whether standard error is the journal's stream, as the environment tells.
    package static var isStandardError: Bool {
        var status = stat()
        guard let stream = unsafe getenv("JOURNAL_STREAM"), unsafe fstat(STDERR_FILENO, &status) == 0 else {
            return false
        }
        return unsafe String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }

    /// One entry; false where it was not taken. Names are of A–Z, 0–9 and `_`.
    package func write(_ fields: [(name: String, value: String)]) -> Bool { journal.send(Journal.message(fields)) }

    package static func message(_ fields: [(name: String, value: String)]) -> [UInt8] {
        var message: [UInt8] = []
        for (name, value) in fields {
            let bytes = Array(value.utf8.prefix(valueBytesMax))
            message += Array(name.utf8)
            if bytes.contains(0x0A) {
                message.append(0x0A)
                for shift in stride(from: 0, to: 64, by: 8) { message.append(UInt8(bytes.count >> shift & 0xFF)) }
            } else {
                message.append(UInt8(ascii: "="))
            }
            message += bytes
            message.append(0x0A)
        }
        return message
    }
}
