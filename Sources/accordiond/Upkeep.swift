// Why this file exists: a few things have to be looked after though nobody asks and no event comes: faults that were
// counted and not told yet, and peers that have vanished in the middle of what was being sent to them.

import EventLoop

final class Upkeep {
    private static let toldAfterMilliseconds = 10_000
    private static let lookedAfterMilliseconds = 30_000
    /// A peer that has acknowledged nothing for so long, over at least so many tries, is gone: no later than keepalive
    /// finds an idle one, give or take a look.
    private static let silenceMilliseconds = 105_000
    private static let triesMin = 3

    private let log: Log
    private let streams: () -> [Stream]
    private var teller: Timer?
    private var watcher: Timer?
    private var isTelling = false

    init(_ loop: Loop, _ log: Log, streams: @escaping () -> [Stream]) throws(SystemError) {
        self.log = log
        self.streams = streams
        do throws(SystemError) {
            teller = try Timer(loop) { [unowned self] in tell() }
            watcher = try Timer(loop) { [unowned self] in endLost() }
        } catch {
            teller?.close()
            throw error
        }
        log.faultWasKept = { [unowned self] in tellLater() }
        watcher?.start(afterMilliseconds: Self.lookedAfterMilliseconds, everyMilliseconds: Self.lookedAfterMilliseconds)
    }

    /// What was counted is told now.
    func close() {
        log.faultWasKept = nil
        log.tellFaults(isLast: true)
        teller?.close()
        watcher?.close()
    }

    private func tellLater() {
        guard !isTelling else { return }
        isTelling = true
        teller?.start(afterMilliseconds: Self.toldAfterMilliseconds)
    }

    private func tell() {
        isTelling = false
        if log.tellFaults() { tellLater() }
    }

    private func endLost() {
        let lost = streams().filter { stream in
            guard let silence = stream.silence() else { return false }
            return silence.milliseconds >= Self.silenceMilliseconds && silence.triesCount >= Self.triesMin
        }
        guard !lost.isEmpty else { return }
        log.fault("lost_peer", count: lost.count, "a client that answers no more was let go")
        for stream in lost { stream.close() }
    }
}
