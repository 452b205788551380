// Why this file exists: what happens is told on standard error, one event a line. Text from outside comes here quoted; a
// fault that repeats is counted, so that nobody can fill a disk with it.

import Glibc
import Service

final class Log {
    enum Level: Int {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6

        var word: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .notice: "notice"
            case .info: "info"
            }
        }
    }

    /// What an entry of the journal is about, to be searched by.
    enum Field {
        case document(String)
        /// An address.
        case peer(String)
        /// The kind of fault, as the protocol or this log names it.
        case code(String)

        var name: String {
            switch self {
            case .document: "ACCORDION_DOC"
            case .peer: "ACCORDION_PEER"
            case .code: "ACCORDION_CODE"
            }
        }

        var value: String {
            switch self {
            case .document(let text), .peer(let text), .code(let text): text
            }
        }
    }

    /// A longer line is cut.
    private static let lineBytesMax = 2_048
    private static let faultSeconds = 10

    /// A kind of fault: when it was last told, how often it came since, and what is to be said of it.
    private struct Fault {
        var toldSeconds: Int
        var untoldCount = 0
        var level: Level
        var fields: [Field] = []
        var text = ""
    }

    /// Called when a fault is counted that was not told: `tellFaults` is to be called some time after.
    var faultWasKept: (() -> Void)?
    /// Where standard error is the journal's.
    private let journal: Journal?
    private var faults: [String: Fault] = [:]
    private var lostCount = 0

    init() { journal = Journal.isStandardError ? Journal() : nil }

    /// One line, whatever stands in the text. A line that would have to wait, because nobody reads what standard error is
    /// joined to, is dropped and counted: clients do not wait for a log.
    func write(_ level: Level, _ text: String, about fields: [Field] = []) {
        if let journal, write(level, text, fields, to: journal) { return }
        guard Log.canWrite else {
            lostCount += 1
            return
        }
        if lostCount > 0 {
            put(.warning, "\(lostCount) lines of this log were lost: nobody took them")
            lostCount = 0
            // There may have been room for one.
            guard Log.canWrite else {
                lostCount = 1
                return
            }
        }
        put(level, text)
    }

    private func write(_ level: Level, _ text: String, _ fields: [Field], to journal: Journal) -> Bool {
        let usual = [
            ("MESSAGE", Log.visible(text)), ("PRIORITY", String(level.rawValue)), ("SYSLOG_IDENTIFIER", "accordiond"),
        ]
        return journal.write(usual + fields.map { ($0.name, Log.visible($0.value)) })
    }

    private func put(_ level: Level, _ text: String) {
        let line = Log.visible(text)
        if journal != nil {
            // The journal puts the time on each line itself, and reads the priority from the line's beginning.
            Standard.error("<\(level.rawValue)>\(line)\n")
        } else {
            Standard.error("\(Log.time()) \(level.word) \(line)\n")
        }
    }

    /// Tells of faults that may come without end, such as anybody outside can cause, at most once in ten seconds a kind;
    /// those in between are counted.
    func fault(
        _ kind: String, level: Level = .notice, count: Int = 1, about fields: [Field] = [],
        _ text: @autoclosure () -> String
    ) {
        let now = Log.steadySeconds
        var fault = faults[kind] ?? Fault(toldSeconds: now - Log.faultSeconds, level: level)
        fault.level = level
        fault.untoldCount += count
        fault.text = text()
        fault.fields = fields
        tell(kind, &fault, now)
        faults[kind] = fault
        if fault.untoldCount > 0 { faultWasKept?() }
    }

    /// Tells of the faults that were only counted, once their ten seconds are over; all of them where `isLast`. Returns
    /// whether some are left.
    @discardableResult func tellFaults(isLast: Bool = false) -> Bool {
        let now = Log.steadySeconds
        var areLeft = false
        for (kind, kept) in faults.sorted(by: { $0.key < $1.key }) where kept.untoldCount > 0 {
            var fault = kept
            if isLast { fault.toldSeconds = now - Log.faultSeconds }
            tell(kind, &fault, now)
            faults[kind] = fault
            areLeft = areLeft || fault.untoldCount > 0
        }
        return areLeft
    }

    private func tell(_ kind: String, _ fault: inout Fault, _ now: Int) {
        guard now - fault.toldSeconds >= Log.faultSeconds else { return }
        let times = fault.untoldCount > 1 ? " (\(fault.untoldCount) times since it was last told)" : ""
        write(fault.level, "\(kind): \(fault.text)\(times)", about: [.code(kind)] + fault.fields)
        fault.toldSeconds = now
        fault.untoldCount = 0
    }

    /// Text from outside comes here quoted; should it once not, it still forges no line and steers no terminal.
    static func visible(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            guard line.utf8.count < lineBytesMax else { return line + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                line += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// Whether standard error takes a line at once. A pipe says so only while it has room for 4,096 bytes, more than any
    /// line has; what is no pipe and no socket always does.
    private static var canWrite: Bool {
        var ready = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&ready, 1, 0) != 0
    }

    /// Of a clock that nobody sets.
    private static var steadySeconds: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }

    private static func time() -> String {
        var now = Glibc.time(nil)
        var parts = unsafe tm()
        guard unsafe gmtime_r(&now, &parts) != nil else { return "-" }
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let date = unsafe "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        return unsafe date + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
    }
}
