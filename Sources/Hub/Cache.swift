// Why this file exists: a daemon may keep far more documents than it has memory for. Those that nobody has asked for in a
// while leave; what was written to them is stored by then.

import AccordionModel

extension Hub {
    /// Roughly what a section, with its place in the index and its flags shown, and a written flag take in memory.
    private static var sectionBytes: Int { 240 }
    private static var registerBytes: Int { 200 }
    private static var roomBytes: Int { 1_024 }

    /// Counts anew what a document takes.
    func account(_ room: Room) {
        var bytes = Hub.roomBytes + room.state.flags.count * Hub.registerBytes
        if let document = room.state.view?.document {
            bytes += document.textBytes + document.sections.count * Hub.sectionBytes
        }
        documentBytes += bytes - room.countedBytes
        room.countedBytes = bytes
    }

    /// Makes the list of what a turn has written, as it stands at its end.
    func gatherDeltas(_ turn: Turn) {
        for room in turn.writtenRooms {
            guard let pending = room.pending else { continue }
            room.pending = nil
            room.unstoredTurns += 1
            turn.deltas.append(pending.delta(room.name, room.state))
            account(room)
        }
    }

    /// What a turn wrote is stored.
    package func stored(_ turn: Turn) {
        for room in turn.writtenRooms where room.unstoredTurns > 0 {
            room.unstoredTurns -= 1
            serveReaders(room)
        }
    }

    /// Lets documents go until they fit, those first that were asked for longest ago.
    func trimCache() {
        let most = settings.limits.documentCacheBytesMax
        guard documentBytes > most, !isRecovering else { return }
        let idle = rooms.values
            .filter { room in
                room.subscribers.isEmpty && room.pending == nil && room.unstoredTurns == 0 && !room.isLost
                    && room.state.waiting.isEmpty && room.usedTurn + 1 < turn.number
            }
            .sorted { $0.usedTurn < $1.usedTurn }
        // A little more than needed, so that not every turn looks through them all.
        for room in idle where documentBytes > most - most / 8 {
            catalog.put(DocumentOutline(room.name, room.state))
            documentBytes -= room.countedBytes
            rooms[room.name] = nil
            count { $0.documentsLetGo += 1 }
        }
    }
}
