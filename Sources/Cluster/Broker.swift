// Why this file exists: the daemon's loop may not wait for a broker, and the broker's library waits. So this is used from a
// thread that may (one at a time), what comes unasked lies in a mailbox, and the loop takes it from there.

import Replication
internal import Synchronization

package final class Broker: Sendable {
    private struct State {
        var link: BrokerLink?
        /// Counted at each try.
        var number = 0
        /// The face of a connection that was not made, for the next try.
        var spare: LinkFace?
    }

    private let settings: BrokerSettings
    private let mailbox: Mailbox
    private let state = Mutex(State())
    private let isEnding = Atomic(false)

    /// `wake` is called on any thread when there is news.
    package init(_ settings: BrokerSettings, wake: @escaping @Sendable () -> Void) {
        self.settings = settings
        mailbox = Mailbox(wake)
    }

    // MARK: - From the loop

    /// What came unasked, oldest first: about `bytesMax` of it.
    package func take(bytesMax: Int) -> [BrokerNews] { mailbox.take(bytesMax: bytesMax) }

    /// Whether there is nothing to take.
    package var isQuiet: Bool { mailbox.isEmpty }

    /// From now on nothing waits longer than it must, and nothing new is begun. `disconnect` comes after it.
    package func willEnd() {
        isEnding.store(true, ordering: .releasing)
        mailbox.shut()
    }

    // MARK: - From the thread that may wait

    /// Connects with one of the servers (each try another), makes or looks at the stream, and listens for other daemons.
    /// At most a few seconds.
    package func connect() throws(BrokerFailure) -> BrokerStream {
        try state.withLock { (state) throws(BrokerFailure) in
            end(&state)
            guard !isEnding.load(ordering: .acquiring), !settings.servers.isEmpty else {
                throw BrokerFailure("there is nobody to connect with")
            }
            let server = settings.servers[state.number % settings.servers.count]
            state.number += 1
            let face = state.spare ?? LinkFace.made(state.number, mailbox)
            state.spare = face
            mailbox.open(face.number)
            let link = try BrokerLink(settings, server: server, face)
            state.spare = nil
            do throws(BrokerFailure) {
                let stream = try link.makeStream()
                try link.listen()
                state.link = link
                return stream
            } catch {
                mailbox.shut()
                link.end()
                throw error
            }
        }
    }

    /// How the stream stands; throws where the broker does not say.
    package func look() throws(BrokerFailure) -> BrokerStream {
        try with { (link) throws(BrokerFailure) in try link.look() }
    }

    /// News of the stream begin with this sequence; those of an earlier reading may still lie in the mailbox.
    package func read(from sequence: UInt64) throws(BrokerFailure) {
        try with { (link) throws(BrokerFailure) in try link.read(from: sequence) }
    }

    package func publish(_ batch: [(id: PublishID, bytes: [UInt8])]) throws(BrokerFailure) {
        try with { (link) throws(BrokerFailure) in try link.publish(batch) }
    }

    package func broadcast(_ bytes: [UInt8]) throws(BrokerFailure) {
        try with { (link) throws(BrokerFailure) in try link.broadcast(bytes) }
    }

    /// To one run of one daemon; parts of states have a way of their own.
    package func send(_ bytes: [UInt8], to instance: String, isPart: Bool) throws(BrokerFailure) {
        try with { (link) throws(BrokerFailure) in try link.send(bytes, to: instance, isPart: isPart) }
    }

    /// Ends the connection where there is one; what came of it and was not taken is gone.
    package func disconnect() { state.withLock { end(&$0) } }

    private func with<Value: Sendable>(
        _ body: (BrokerLink) throws(BrokerFailure) -> Value
    ) throws(BrokerFailure) -> Value {
        try state.withLock { (state) throws(BrokerFailure) in
            guard let link = state.link, !isEnding.load(ordering: .acquiring) else {
                throw BrokerFailure("there is no connection")
            }
            return try body(link)
        }
    }

    private func end(_ state: inout State) {
        mailbox.shut()
        state.link?.end()
        state.link = nil
    }
}
