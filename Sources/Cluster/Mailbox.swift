// Why this file exists: the library calls us on threads of its own, and the daemon has one. Here the ones leave what the
// other takes; and where it takes nothing for a while, they wait instead of piling it up.

internal import CNATS
internal import Synchronization

final class Mailbox: Sendable {
    private struct Contents {
        var news: [BrokerNews] = []
        var bytes = 0
        /// The connection whose news are taken; 0: none.
        var link = 0
    }

    /// Beyond it, who leaves something waits.
    static let bytesMax = 8 << 20
    static let countMax = 20_000
    private static let waitMilliseconds: Int64 = 2

    private let contents = Mutex(Contents())
    private let wake: @Sendable () -> Void

    /// `wake` is called on any thread when there is something to take.
    init(_ wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// From now on only news of this connection are taken; what others have left and nobody has taken is gone.
    func open(_ link: Int) { contents.withLock { $0 = Contents(link: link) } }

    func shut() { open(0) }

    /// Leaves something, and waits for room first. What comes of a connection that is over is dropped, also while it waits.
    func leave(_ news: BrokerNews, from link: Int) {
        enum Outcome { case over, full, left }
        let bytes = news.bytes
        while true {
            let outcome = contents.withLock { contents -> Outcome in
                guard contents.link == link else { return .over }
                let isFull = contents.bytes >= Mailbox.bytesMax || contents.news.count >= Mailbox.countMax
                if isFull, bytes > 0 { return .full }
                contents.news.append(news)
                contents.bytes += bytes
                return .left
            }
            switch outcome {
            case .over: return
            case .full: nats_Sleep(Mailbox.waitMilliseconds)
            case .left: return wake()
            }
        }
    }

    /// What was left, oldest first, at most so much of it, one at least.
    func take(bytesMax: Int) -> [BrokerNews] {
        contents.withLock { contents in
            var (count, bytes) = (0, 0)
            while count < contents.news.count, bytes < bytesMax {
                bytes += contents.news[count].bytes
                count += 1
            }
            contents.bytes -= bytes
            if count == contents.news.count {
                defer { contents.news = [] }
                return contents.news
            }
            defer { contents.news.removeFirst(count) }
            return Array(contents.news[..<count])
        }
    }

    var isEmpty: Bool { contents.withLock { $0.news.isEmpty } }
}
