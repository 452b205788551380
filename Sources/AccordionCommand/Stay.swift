// Why this file exists: some commands stay: they look at a document until it is as it should be, until time has passed,
// until they are interrupted, or until the daemon is gone. How they end is the same for all, and stands here.

import AccordionModel
import CommandLine
import EventLoop
import Glibc
import Mirror
import Wire

/// One staying, from the subscription to its end. Whoever makes it calls `run`.
final class Stay {
    enum Ending {
        case exit(ExitCode)
        case failure(CommandFailure)
        /// The daemon has refused it.
        case refusal(ServerFailure)
        case signal(Int32)
    }

    /// How long the daemon's first answer may take at least, however short a time was given for what comes after.
    private static let answerMilliseconds = 2_000
    /// How often a reader that takes nothing is tried again, and signals are looked for meanwhile.
    private static let blockedMilliseconds: Int32 = 250

    let client: Client
    let name: DocumentName
    let connection: DaemonConnection
    private(set) var replica: Replica
    /// Called with each event of the document, after it was taken over into the replica.
    var onEvent: ((ServerEvent, [ReplicaChange]) -> Void)?
    /// What the end of the time given is.
    var onTimeout: () -> Ending
    /// The connection is lost; what that is, if not told here, ends the stay.
    var onLost: ((CommandFailure) -> Void)?
    /// A signal when it is over already: whoever waits wants to wait no more.
    var onFurtherSignal: (() -> Void)?
    /// More than what is gathered already can't be taken: the daemon is not read.
    var isFull = false
    private(set) var ending: Ending?
    private let timeoutMilliseconds: Int?
    private var timer: Timer?
    private var signals: [SignalWatcher] = []

    /// Connects and subscribes. `timeoutMilliseconds` counts from the daemon's answer on; nil is for ever.
    init(
        _ client: Client, _ name: DocumentName, timeoutMilliseconds: Int?, onTimeout: @escaping () -> Ending
    ) throws(CommandFailure) {
        self.client = client
        self.name = name
        self.timeoutMilliseconds = timeoutMilliseconds
        self.onTimeout = onTimeout
        replica = Replica(name)
        connection = try client.connect()
        do throws(SystemError) {
            try watch()
        } catch {
            close()
            throw CommandFailure(.noDaemon, "\(error)")
        }
        connection.onEvent = { [unowned self] in receive($0) }
        connection.onLost = { [unowned self] in lost($0) }
        connection.request(.subscribe(Request.Subscribe(name))) { [unowned self] reply in
            if let failure = reply.failure { end(.refusal(failure)) }
        }
    }

    private func watch() throws(SystemError) {
        for signal in [SIGINT, SIGTERM, SIGHUP] where !Standard.isIgnored(signal) {
            signals.append(
                try SignalWatcher(client.loop, signal: signal) { [unowned self] in
                    if ending != nil { onFurtherSignal?() }
                    end(.signal(signal))
                })
        }
        timer = try Timer(client.loop) { [unowned self] in timePassed() }
        let most = timeoutMilliseconds.map { max($0, Self.answerMilliseconds) } ?? Client.replyMilliseconds
        timer?.start(afterMilliseconds: most)
    }

    private func close() {
        timer?.close()
        for signal in signals { signal.close() }
        signals = []
        connection.onEvent = nil
        connection.onLost = nil
        connection.isPaused = false
    }

    var isOver: Bool { ending != nil }

    /// The first ending counts.
    func end(_ ending: Ending) {
        if self.ending == nil { self.ending = ending }
    }

    func end(_ failure: CommandFailure) { end(.failure(failure)) }

    // MARK: - What happens

    private func receive(_ event: ServerEvent) {
        if isOver { return }
        let isFirst = replica.document == nil
        let changes = replica.receive(event)
        if isFirst, replica.document != nil {
            timer?.stop()
            if let timeoutMilliseconds { timer?.start(afterMilliseconds: timeoutMilliseconds) }
        }
        onEvent?(event, changes)
    }

    private func lost(_ reason: String) {
        let failure = CommandFailure(connection.exitWhenLost, reason)
        if let onLost { onLost(failure) } else { end(failure) }
    }

    private func timePassed() {
        if replica.document != nil { return end(onTimeout()) }
        end(CommandFailure(.timedOut, "the daemon has not sent \(name) in time"))
    }

    /// Whoever named a document that is gone is told so in the same way by all.
    var deletion: CommandFailure {
        guard case .deleted(let by) = replica.life, !by.isEmpty else {
            return CommandFailure(.notFound, "\(name) was deleted")
        }
        return CommandFailure(.notFound, "\(name) was deleted by \(by)")
    }

    // MARK: - Until the end

    /// Until the end; `eachTurn` is called after each turn of the loop, when what was gathered is written. `atEnd` puts away
    /// what the command has open, before anything is thrown or returned.
    func run(eachTurn: () -> Void = {}, atEnd: () -> Void = {}) throws(CommandFailure) -> ExitCode {
        while ending == nil {
            client.loop.turn()
            write()
            if ending == nil { eachTurn() }
            connection.isPaused = isFull
        }
        atEnd()
        close()
        switch ending {
        case .failure(let failure)?: throw failure
        case .refusal(let failure)?: throw try client.failure(failure, name)
        case .signal(let signal)?:
            client.output.discard()
            client.interruption = signal
            return .done
        case .exit(let code)?: return code
        case nil: return .done
        }
    }

    /// Writes what was gathered. While the reader takes nothing the daemon is not read, and signals and time are heeded.
    private func write() {
        var waiting: Int32 = 0
        while ending == nil {
            switch client.output.writeSome(waitingMilliseconds: waiting) {
            case .written:
                return
            case .readerGone:
                client.output.discard()
                end(.exit(.done))
            case .failed(let reason):
                client.output.discard()
                end(CommandFailure(.unreadableFile, reason))
            case .blocked:
                connection.isPaused = true
                waiting = Self.blockedMilliseconds
                client.loop.turn(waiting: false)
            }
        }
    }
}
