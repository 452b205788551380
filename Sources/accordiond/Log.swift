// Why this file exists: what happens is told on standard error, one event a line. Text from outside comes here quoted; a
// fault that repeats is counted, so that nobody can fill a disk with it.

import Glibc

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

    /// The journal puts the time on each line itself, and reads the priority from the line's beginning.
    private let isJournal: Bool
    /// For each kind of fault: when it was last told, and how often it came since.
    private var faults: [String: (toldSeconds: Int, untold: Int)] = [:]

    init() {
        var status = stat()
        guard let stream = unsafe getenv("JOURNAL_STREAM"), unsafe fstat(STDERR_FILENO, &status) == 0 else {
            isJournal = false
            return
        }
        isJournal = unsafe String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }

    func write(_ level: Level, _ text: String) {
        if isJournal {
            Standard.error("<\(level.rawValue)>\(text)\n")
        } else {
            Standard.error("\(Log.time()) \(level.word) \(text)\n")
        }
    }

    /// Tells of faults that anybody outside can cause, at most once in ten seconds a kind.
    func fault(_ kind: String, count: Int = 1, _ text: @autoclosure () -> String) {
        let now = Int(Glibc.time(nil))
        let (told, untold) = faults[kind] ?? (now - 10, 0)
        guard now - told >= 10 else {
            faults[kind] = (told, untold + count)
            return
        }
        let total = untold + count
        faults[kind] = (now, 0)
        write(.notice, "\(kind): \(text())" + (total > 1 ? " (\(total) since it was last told)" : ""))
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
