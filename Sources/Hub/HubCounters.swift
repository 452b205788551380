// Why this file exists: what has happened is counted where it happens, and here each count has its name. Nothing is counted
// for each client that is told of something: a count costs a request, or a limit that acts, one addition.

import Wire

/// What has happened since the start.
package struct HubCounters: Sendable, Equatable {
    package var connections = 0
    /// Requests that were read; whether they could be done is told by `refusals`.
    package var requests = 0
    package var refusals: [ErrorCode: Int] = [:]
    package var brokenLines = 0
    package var truncatedLines = 0
    package var foreignLines = 0
    package var overlongLines = 0
    /// Of the overlong lines those that would have been read, had others not taken all the room there is.
    package var crowdedOutLines = 0
    package var inputBytes = 0
    package var droppedEventBytes = 0
    /// How often all that waited for a connection was dropped.
    package var eventDrops = 0
    package var resyncs = 0
    /// How often a connection's replies came to be more than may wait, so that it was not read.
    package var replyLimitWaits = 0
    package var turns = 0
    package var fullTurns = 0
    package var writes = 0
    /// Requests that were answered `storage_failed`.
    package var storageFailures = 0
    package var documentsLoaded = 0
    package var documentsLetGo = 0

    package init() {}

    mutating func add(_ ended: Turn, isFull: Bool) {
        turns += 1
        inputBytes += ended.inputBytes
        if isFull { fullTurns += 1 }
    }
}

extension HubCounters {
    func tell(_ status: inout DaemonStatus) {
        status.count("connections", connections)
        status.count("requests", requests)
        status.count("refused_requests", refusals.values.reduce(0, +))
        for code in ErrorCode.allCases {
            if let refused = refusals[code] { status.count("refused_\(code.rawValue)", refused) }
        }
        status.count("broken_lines", brokenLines)
        status.count("truncated_lines", truncatedLines)
        status.count("foreign_lines", foreignLines)
        status.count("overlong_lines", overlongLines)
        status.count("crowded_out_lines", crowdedOutLines)
        status.count("input_bytes", inputBytes)
        status.count("dropped_event_bytes", droppedEventBytes)
        status.count("event_drops", eventDrops)
        status.count("resyncs", resyncs)
        status.count("reply_limit_waits", replyLimitWaits)
        status.count("turns", turns)
        status.count("full_turns", fullTurns)
        status.count("writes", writes)
        status.count("storage_failures", storageFailures)
        status.count("documents_loaded", documentsLoaded)
        status.count("documents_let_go", documentsLetGo)
    }
}
