// Why this file exists: the stream is the quick way, and not the sure one: it may be cut, lost or made anew. So daemons say
// every half minute what they have, in hashes; whoever finds that another has more asks for it, and gets whole states.
// A message may be lost on its way; what is lacking still is asked for again.

import AccordionModel
import Causality
import Wire

/// What is known of others, and what was asked of them.
struct Exchange {
    struct Lack {
        /// What somebody has of it.
        var version: VersionVector
        /// Who has it, or had.
        var holders: [String]
        let sinceMilliseconds: Int64
        var askedMilliseconds: Int64 = .min
        var asked = 0
    }

    var startMilliseconds: Int64 = 0
    var announcedMilliseconds: Int64 = .min
    /// When another run under our name was first heard of.
    var doubleMilliseconds: [String: Int64] = [:]
    /// When somebody who has something else was last told what we have.
    var answeredMilliseconds: [String: Int64] = [:]
    /// When a bucket of somebody was last asked for.
    var askedBuckets: [BucketOf: Int64] = [:]
    var lacks: [DocumentName: Lack] = [:]
    /// Since when operations of a document wait.
    var waiting: [DocumentName: Int64] = [:]
    var transfers: Int64 = 0

    struct BucketOf: Hashable {
        let instance: String
        let bucket: Int
    }

    static let listedMax = 16
    static let holdersMax = 8
    static let lacksMax = 10_000
    static let versionsAtOnce = 1_000
}

extension Replicator {
    /// Says what we have, and that we are here.
    func announce() {
        // What one says whose name is in use by another must not spread.
        guard readOnlyReason == nil else { return }
        exchange.announcedMilliseconds = milliseconds
        actions.append(.broadcast(PeerMessage.here(hashes: inventory.hashes).text(from: settings.peer)))
    }

    /// What another daemon, or an echo of this one, has said beside the stream.
    package func heard(_ text: [UInt8]) {
        do throws(Failure) {
            let (peer, message) = try PeerMessage.read(text, parser)
            guard peer.instance != settings.peer.instance else { return }
            if peer.node == settings.peer.node { suspect(peer) }
            if readOnlyReason != nil { return }
            switch message {
            case .here(let hashes): compare(hashes, peer)
            case .list(let bucket):
                let documents = inventory.documents(in: bucket)
                for start in stride(from: 0, to: documents.count, by: Exchange.versionsAtOnce) {
                    let part = Array(documents[start..<min(documents.count, start + Exchange.versionsAtOnce)])
                    actions.append(.send(PeerMessage.versions(part).text(from: settings.peer), to: peer.instance))
                }
            case .versions(let documents):
                for (name, version) in documents where !inventory[name].covers(version) {
                    lack(name, version, holder: peer.instance)
                }
            case .want(let name, let version):
                if !version.covers(inventory[name]) {
                    actions.append(.readState(name, for: peer, since: version))
                }
            case .who(let names): wanted(names)
            case .presence(let report): heard(report, from: peer)
            }
        } catch {
            note("a message of another daemon can't be understood: \(error.message)")
        }
    }

    /// Somebody speaks under our name. An earlier run of this daemon may be heard for a moment after its end; one that is
    /// newer, or is heard later, is another daemon.
    private func suspect(_ peer: Peer) {
        let isSettling = milliseconds < exchange.startMilliseconds + settings.settlingMilliseconds
        if isSettling, peer.run < settings.peer.run { return }
        refuseWrites(
            "another daemon is here under the name \(settings.peer.node): each needs a name of its own (--node)")
    }

    private func compare(_ hashes: [UInt64], _ peer: Peer) {
        if hashes == inventory.hashes { return }
        answer(peer)
        var asked = 0
        for (bucket, hash) in hashes.enumerated() where hash != inventory.hashes[bucket] {
            guard asked < Exchange.listedMax else { break }
            let place = Exchange.BucketOf(instance: peer.instance, bucket: bucket)
            if let before = exchange.askedBuckets[place], before + settings.patienceMilliseconds / 2 > milliseconds {
                continue
            }
            exchange.askedBuckets[place] = milliseconds
            asked += 1
            actions.append(.send(PeerMessage.list(bucket: bucket).text(from: settings.peer), to: peer.instance))
        }
    }

    /// Says what we have to somebody who has something else, who may not have to wait for our next word to all.
    private func answer(_ peer: Peer) {
        if let before = exchange.answeredMilliseconds[peer.instance],
            before + settings.patienceMilliseconds / 2 > milliseconds
        {
            return
        }
        exchange.answeredMilliseconds[peer.instance] = milliseconds
        actions.append(
            .send(PeerMessage.here(hashes: inventory.hashes).text(from: settings.peer), to: peer.instance))
    }

    private func lack(_ name: DocumentName, _ version: VersionVector, holder: String) {
        if var known = exchange.lacks[name] {
            known.version.join(version)
            if !known.holders.contains(holder) { known.holders.append(holder) }
            if known.holders.count > Exchange.holdersMax { known.holders.removeFirst() }
            exchange.lacks[name] = known
        } else if exchange.lacks.count < Exchange.lacksMax {
            exchange.lacks[name] = Exchange.Lack(
                version: version, holders: [holder], sinceMilliseconds: milliseconds)
        }
    }

    /// Asks all who has more of a document. (A whole state is asked of one at a time: it may be large.)
    func lookFor(_ name: DocumentName) {
        let text = PeerMessage.list(bucket: Inventory.bucket(of: name)).text(from: settings.peer)
        actions.append(.broadcast(text))
    }

    /// What another daemon asked for. Nothing is sent where it knows all of it.
    package func tell(_ name: DocumentName, _ state: SharedState?, to peer: Peer, since version: VersionVector) {
        guard let state, !version.covers(state.version) else { return }
        let text = StateText.write(state, of: name)
        exchange.transfers += 1
        let whole = PartHeader.Whole(
            name: name, node: settings.peer.node, counter: exchange.transfers, instance: settings.peer.instance)
        for message in PartHeader.split(text, whole, bytesMax: settings.messageBytesMax) {
            actions.append(.sendPart(message, to: peer.instance))
        }
    }

    /// A part of a state that was asked for.
    package func heardPart(_ message: [UInt8]) {
        do throws(Failure) {
            let (header, body) = try PartHeader.read(message, parser)
            switch stateParts.add(header, body, sequence: 0) {
            case .incomplete: _ = stateParts.trim()
            case .contradicts: throw Failure(.badRequest, "parts that do not belong together")
            case .complete(let text, _):
                let (name, state) = try reader.state(text.span)
                guard name == header.whole.name else { throw Failure(.badRequest, "a state of another document") }
                if !inventory[name].covers(state.version) { actions.append(.join(name, state)) }
            }
        } catch {
            note("a state that another daemon sent can't be understood: \(error.message)")
        }
    }

    /// What is to be done as time passes.
    func tend(_ waiting: [DocumentName]) {
        guard stream != nil else {
            exchange.waiting = [:]
            return
        }
        if milliseconds >= exchange.announcedMilliseconds.addingWithoutOverflow(settings.announceMilliseconds) {
            announce()
            let old = milliseconds - 10 * settings.announceMilliseconds
            exchange.askedBuckets = exchange.askedBuckets.filter { $0.value > old }
            exchange.answeredMilliseconds = exchange.answeredMilliseconds.filter { $0.value > old }
        }
        var since: [DocumentName: Int64] = [:]
        for name in waiting { since[name] = exchange.waiting[name] ?? milliseconds }
        exchange.waiting = since
        for (name, start) in since.sorted(by: { $0.key < $1.key })
        where start + settings.patienceMilliseconds <= milliseconds {
            exchange.waiting[name] = milliseconds
            if exchange.lacks[name] == nil { lookFor(name) }
        }
        askForLacking()
    }

    private func askForLacking() {
        var asked = 0
        for (name, lack) in exchange.lacks.sorted(by: { $0.value.sinceMilliseconds < $1.value.sinceMilliseconds }) {
            if inventory[name].covers(lack.version) {
                exchange.lacks[name] = nil
                continue
            }
            guard asked < settings.wantsMax else { break }
            // The stream may bring it yet.
            guard lack.sinceMilliseconds + settings.lackMilliseconds <= milliseconds else { continue }
            if lack.askedMilliseconds.addingWithoutOverflow(settings.patienceMilliseconds) > milliseconds { continue }
            exchange.lacks[name]?.askedMilliseconds = milliseconds
            exchange.lacks[name]?.asked += 1
            asked += 1
            // Who has it may be gone: the next time another one is asked.
            let holder = lack.holders[lack.asked % lack.holders.count]
            let text = PeerMessage.want(name, inventory[name]).text(from: settings.peer)
            actions.append(.send(text, to: holder))
        }
    }
}

extension Int64 {
    fileprivate func addingWithoutOverflow(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
