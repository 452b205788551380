// Why this file exists: a client that has moved from one daemon of a cluster to another may have seen what this one has not
// heard of yet. Its request waits a moment for that, rather than be decided on less than its screen showed.

import AccordionModel
import Causality
import Wire

/// Requests that wait for what their sessions have seen.
struct SeenWait {
    let session: Session
    let version: VersionVector
    let untilMilliseconds: Int64
}

extension Hub {
    private static var seenMilliseconds: Int64 { 500 }

    /// Whether the request rests on what is not here yet, and waits; once, and only where other daemons may bring it.
    func waitsForSeen(_ request: Request, _ session: Session) -> Bool {
        guard settings.isReplicated, !session.hasWaitedForSeen, let name = request.action.document,
            let seen = request.action.seen
        else { return false }
        let version = rooms[name]?.state.version ?? VersionVector()
        if version.covers(seen) { return false }
        seenWaits[name, default: []].append(
            SeenWait(
                session: session, version: seen,
                untilMilliseconds: moment.steadyMilliseconds + Hub.seenMilliseconds))
        return true
    }

    /// A document has heard more: who waited for that goes on.
    func takeUpSeen(_ name: DocumentName) {
        guard let waits = seenWaits[name], let room = rooms[name] else { return }
        let done = waits.filter { room.state.version.covers($0.version) }
        if done.isEmpty { return }
        let rest = waits.filter { !room.state.version.covers($0.version) }
        seenWaits[name] = rest.isEmpty ? nil : rest
        for wait in done { goOn(wait.session) }
    }

    /// In how many milliseconds `endSeenWaits` will have something to do; nil where nobody waits.
    package var seenDelayMilliseconds: Int64? {
        if seenWaits.isEmpty { return nil }
        return seenWaits.values.joined().map { max(0, $0.untilMilliseconds - moment.steadyMilliseconds) }.min()
    }

    /// Those that have waited long enough are decided as they are.
    package func endSeenWaits() {
        guard !seenWaits.isEmpty else { return }
        var done: [Session] = []
        for (name, waits) in seenWaits {
            let rest = waits.filter { $0.untilMilliseconds > moment.steadyMilliseconds && !$0.session.isGone }
            if rest.count == waits.count { continue }
            for wait in waits where wait.untilMilliseconds <= moment.steadyMilliseconds { done.append(wait.session) }
            seenWaits[name] = rest.isEmpty ? nil : rest
        }
        for session in done.sorted(by: { $0.number < $1.number }) { goOn(session) }
    }

    private func goOn(_ session: Session) {
        session.hasWaitedForSeen = true
        unpark(session)
    }
}

extension Request.Action {
    /// The version that the caller's screen showed.
    fileprivate var seen: VersionVector? {
        switch self {
        case .gesture(_, _, let options), .batch(_, _, let options), .create(_, _, let options),
            .replace(_, _, let options), .delete(_, let options):
            options.seen
        case .subscribe(let subscribe): subscribe.since
        default: nil
        }
    }
}
