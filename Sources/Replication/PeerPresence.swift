// Why this file exists: who walks a runbook together may sit at different daemons. Who is where is told between them too, but
// only of documents where somebody wants to know, and never stored: whoever is not heard of again is gone.

import AccordionModel
import Wire

/// Who is at a document, at one daemon.
package struct PresenceReport: Sendable, Equatable {
    package var name: DocumentName
    /// Some of them; presenters first.
    package var clients: [PresentClient]
    /// How many there are.
    package var count: Int

    package init(name: DocumentName, clients: [PresentClient], count: Int) {
        self.name = name
        self.clients = clients
        self.count = count
    }
}

/// What is asked and told of presence.
struct PeerPresence {
    /// Until when somebody elsewhere wants to know of a document.
    var wantedElsewhere: [DocumentName: Int64] = [:]
    /// Where somebody here wants to know.
    var wantedHere: Set<DocumentName> = []
    var askedMilliseconds: Int64 = .min
    /// Who was heard of, by run, and until when that counts.
    var heard: [DocumentName: [String: (peer: Peer, untilMilliseconds: Int64)]] = [:]

    static let askMilliseconds: Int64 = 20_000
    static let leaseMilliseconds: Int64 = 50_000
    static let wantedMax = 10_000
    static let peersMax = 64
    static let namesAtOnce = 500
}

extension Replicator {
    /// The documents of which somebody here wants to know who is there; all of them.
    package func wantPresence(_ names: Set<DocumentName>) {
        let new = names.subtracting(presence.wantedHere)
        for name in presence.wantedHere.subtracting(names) { presence.heard[name] = nil }
        presence.wantedHere = names
        ask(for: new)
    }

    /// Who is at a document here, to whoever wants to know.
    package func tellPresence(_ report: PresenceReport) {
        guard stream != nil, readOnlyReason == nil, presence.wantedElsewhere[report.name] != nil else { return }
        actions.append(.broadcast(PeerMessage.presence(report).text(from: settings.peer)))
    }

    private func ask(for names: Set<DocumentName>) {
        guard stream != nil, readOnlyReason == nil else { return }
        let sorted = names.sorted().prefix(PeerPresence.wantedMax)
        for start in stride(from: 0, to: sorted.count, by: PeerPresence.namesAtOnce) {
            let some = Array(sorted[start..<min(sorted.count, start + PeerPresence.namesAtOnce)])
            actions.append(.broadcast(PeerMessage.who(some).text(from: settings.peer)))
        }
    }

    func wanted(_ names: [DocumentName]) {
        for name in names.prefix(PeerPresence.namesAtOnce) {
            guard presence.wantedElsewhere[name] != nil || presence.wantedElsewhere.count < PeerPresence.wantedMax
            else {
                return
            }
            presence.wantedElsewhere[name] = milliseconds + PeerPresence.leaseMilliseconds
            actions.append(.presenceWanted(name, true))
        }
    }

    func heard(_ report: PresenceReport, from peer: Peer) {
        guard presence.wantedHere.contains(report.name) else { return }
        var peers = presence.heard[report.name] ?? [:]
        guard peers[peer.instance] != nil || peers.count < PeerPresence.peersMax else { return }
        peers[peer.instance] =
            report.count > 0 ? (peer, milliseconds + PeerPresence.leaseMilliseconds) : nil
        presence.heard[report.name] = peers.isEmpty ? nil : peers
        actions.append(.presence(report, from: peer))
    }

    /// Asks again, and forgets who was not heard of again.
    func tendPresence(isNew: Bool = false) {
        for (name, until) in presence.wantedElsewhere where until <= milliseconds {
            presence.wantedElsewhere[name] = nil
            actions.append(.presenceWanted(name, false))
        }
        for (name, peers) in presence.heard {
            for (instance, known) in peers where known.untilMilliseconds <= milliseconds {
                presence.heard[name]?[instance] = nil
                actions.append(
                    .presence(PresenceReport(name: name, clients: [], count: 0), from: known.peer))
            }
            if presence.heard[name]?.isEmpty == true { presence.heard[name] = nil }
        }
        guard !presence.wantedHere.isEmpty, stream != nil,
            isNew || presence.askedMilliseconds <= milliseconds - PeerPresence.askMilliseconds
        else { return }
        presence.askedMilliseconds = milliseconds
        ask(for: presence.wantedHere)
    }
}
