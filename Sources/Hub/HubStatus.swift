// Why this file exists: what `status` tells is put together when it is asked for, by looking at every session then, so that
// nothing has to be kept up to date for it meanwhile.

import AccordionModel
import Wire

/// Whoever owns the hub knows of what the hub does not: doors, descriptors, the store.
package protocol StatusSource: AnyObject {
    /// Adds counters, gauges and limits under names that the status does not have yet.
    func tellStatus(_ status: inout DaemonStatus)
}

extension Hub {
    func status() -> DaemonStatus {
        var status = DaemonStatus(
            server: settings.server, node: settings.node.description, epoch: settings.epoch,
            uptimeMilliseconds: Int(max(0, moment.steadyMilliseconds - startMilliseconds)))
        counters.tell(&status)
        tellSessions(&status)
        tellDocuments(&status)
        settings.limits.tell(&status)
        statusSource?.tellStatus(&status)
        turn.workBytes += (sessions.count + rooms.count) * Turn.registerWorkBytes
        return status
    }

    private func tellSessions(_ status: inout DaemonStatus) {
        var subscriptions = 0
        var (events, eventsHighest) = (0, 0)
        var (replies, repliesHighest) = (0, 0)
        var waitingInput = 0
        var behind = 0
        for session in sessions.values {
            subscriptions += session.subscriptions.count
            events += session.chargedEventBytes
            eventsHighest = max(eventsHighest, session.chargedEventBytes)
            replies += session.chargedReplyBytes
            repliesHighest = max(repliesHighest, session.chargedReplyBytes)
            waitingInput += session.backlog.count
            if isBehind(session) { behind += 1 }
        }
        status.gauge("sessions", sessions.count)
        status.gauge("subscriptions", subscriptions)
        status.gauge("list_watchers", watchers.count)
        status.gauge("queued_event_bytes", events)
        status.gauge("queued_event_bytes_highest", eventsHighest)
        status.gauge("queued_reply_bytes", replies)
        status.gauge("queued_reply_bytes_highest", repliesHighest)
        status.gauge("sessions_behind", behind)
        status.gauge("held_sessions", held.count)
        status.gauge("held_input_bytes", waitingInput)
        status.gauge("turn_bytes", turnBytes)
        status.gauge("document_lines_bytes", longLineBytes)
    }

    private func tellDocuments(_ status: inout DaemonStatus) {
        status.gauge("documents", catalog.count)
        status.gauge("documents_in_memory", rooms.count)
        status.gauge("document_cache_bytes", documentBytes)
        var (waiting, highest) = (0, 0)
        for room in rooms.values {
            waiting += room.state.waiting.count
            highest = max(highest, room.state.waiting.count)
        }
        status.gauge("waiting_operations", waiting)
        status.gauge("waiting_operations_highest", highest)
    }
}

extension HubLimits {
    /// Under the names that the configuration has for them.
    func tell(_ status: inout DaemonStatus) {
        status.limit("queued_event_bytes_max", queuedEventBytesMax)
        status.limit("queued_reply_bytes_max", queuedReplyBytesMax)
        status.limit("turn_bytes_max", turnBytesMax)
        status.limit("max_line_bytes", lineBytesMax)
        status.limit("max_document_bytes", documentBytesMax)
        status.limit("document_lines_bytes_max", documentLinesBytesMax)
        status.limit("document_cache_bytes_max", documentCacheBytesMax)
        status.limit("waiting_operations_max", waitingOperationsMax)
        status.limit("subscriptions_max", subscriptionsMax)
        status.limit("undo_flags_max", undoFlagsMax)
        status.limit("max_sections", content.sectionsMax)
        status.limit("max_depth", content.depthMax)
    }
}
