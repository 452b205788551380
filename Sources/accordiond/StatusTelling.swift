// Why this file exists: what `status` tells besides the hub's numbers: doors and descriptors.

import Hub
import Wire

extension Daemon: StatusSource {
    func tellStatus(_ status: inout DaemonStatus) {
        status.count("connections_turned_away", turnedAwayCount)
        status.gauge("clients", connectionCount)
        status.limit("clients_max", clientsMax)
    }
}
