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
        status.limit("clients_max", clientsMax)
        status.limit("unstored_bytes_max", Unstored.bytesMax)
    }
}
