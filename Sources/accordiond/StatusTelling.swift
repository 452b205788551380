// Why this file exists: what `status` tells besides the hub's numbers: doors, descriptors and the disk.

import Hub
import Wire

extension Daemon: StatusSource {
    func tellStatus(_ status: inout DaemonStatus) {
        status.count("connections_turned_away", turnedAwayCount)
        status.count("commits_failed", commits?.failureCount ?? 0)
        status.count("rows_set_aside", keeper.rowsSetAside)
        status.gauge("clients", connectionCount)
        status.gauge("unstored_bytes", commits?.unstoredBytes ?? 0)
        status.gauge("store_jobs", keeper.pendingJobs)
        if let clustering { tell(clustering, &status) }
        status.limit("clients_max", clientsMax)
        status.limit("unstored_bytes_max", Unstored.bytesMax)
    }

    private func tell(_ clustering: Clustering, _ status: inout DaemonStatus) {
        let counts = clustering.counts
        status.count("cluster_connections", counts.connections)
        status.count("cluster_messages_read", counts.messages)
        status.count("cluster_messages_published", counts.published)
        status.count("cluster_messages_refused", counts.refusals)
        status.count("cluster_documents_received", counts.states)
        status.gauge("cluster_unconfirmed", clustering.unconfirmedCount)
        status.gauge("cluster_next_message", Int(clamping: clustering.nextSequence))
        status.gauge("cluster_last_message", Int(clamping: clustering.lastSequence))
        status.cluster = DaemonStatus.Cluster(
            isConnected: clustering.isConnected, isCurrent: clustering.isCurrent, problem: clustering.problem,
            readOnly: clustering.readOnlyReason ?? "")
    }
}
