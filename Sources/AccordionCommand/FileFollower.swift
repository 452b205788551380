// Why this file exists: `import --watch` keeps a document in step with its file, however the file is saved, for as long as
// nobody ends it.

import AccordionModel
import CommandLine
import EventLoop
import Formats
import Glibc
import Mirror
import Wire

/// One following, from the first import to its end. Whoever makes it calls `run`.
final class FileFollower {
    /// A file is read when it has stood still for so long: who saves writes several times.
    private static let stillMilliseconds = 100
    /// A file that never stands still is read after so many looks all the same.
    private static let looksMax = 20
    /// How often a file is looked for that is gone, or that no watch tells of.
    private static let missingMilliseconds = 1_000
    /// Sections that are named when they come or go.
    private static let namedMax = 5

    private let client: Client
    private let name: DocumentName
    private let source: ImportCommand.Source
    private let connection: DaemonConnection
    private var document: Document
    /// What of the file was told already.
    private var told: [String]
    /// The file as it was read last; nil where it was not there.
    private var state: Standard.FileState?
    /// As it was at the last look, and how many looks have found it changing.
    private var seen: Standard.FileState?
    private var looks = 0
    private var isAsking = false
    private var watches: [FileWatch] = []
    /// Their directories, as the system numbers them.
    private var watched: [String] = []
    private var signals: [SignalWatcher] = []
    private var timer: Timer?
    /// A look comes as soon as the file may stand still; otherwise at most one that comes later.
    private var isStillSet = false
    private var ending: Result<Int32, CommandFailure>?

    /// `state` is the file's from before `imported` was read of it.
    init(
        _ client: Client, _ name: DocumentName, _ source: ImportCommand.Source, _ imported: Imported,
        _ state: Standard.FileState?
    ) throws(CommandFailure) {
        self.client = client
        self.name = name
        self.source = source
        self.state = state
        document = imported.document
        told = imported.notes.map(\.message)
        connection = try client.connect()
        connection.onLost = { [unowned self] reason in
            ending = ending ?? .failure(CommandFailure(connection.exitWhenLost, reason))
        }
    }

    /// Until a signal, or until the daemon or the document is gone.
    func run() throws(CommandFailure) -> ExitCode {
        defer { close() }
        do throws(SystemError) {
            for signal in [SIGINT, SIGTERM, SIGHUP] where !Standard.isIgnored(signal) {
                signals.append(
                    try SignalWatcher(client.loop, signal: signal) { [unowned self] in
                        ending = ending ?? .success(signal)
                    })
            }
            timer = try Timer(client.loop) { [unowned self] in look() }
        } catch {
            throw CommandFailure(.unreadableFile, "\(source.name) can't be watched: \(error)")
        }
        watch()
        tell("is watched, and its changes go to \(name)")
        // It may have changed between the first import and the watch.
        schedule(Self.stillMilliseconds)
        while ending == nil { client.loop.turn() }
        switch ending {
        case .failure(let failure)?: throw failure
        case .success(let signal)?: client.interruption = signal
        case nil: break
        }
        return .done
    }

    private func close() {
        connection.onLost = nil
        timer?.close()
        for signal in signals { signal.close() }
        for watch in watches { watch.close() }
    }

    // MARK: - The file

    /// Watches the directory of the file and, where it is a link, that of what it leads to; anew where another directory has
    /// come in their place.
    private func watch() {
        let real = Standard.realPath(source.path)
        let places =
            FileWatch.directory(of: source.path) == FileWatch.directory(of: real)
            ? [source.path] : [source.path, real]
        let wanted = places.compactMap { place in
            Standard.fileState(FileWatch.directory(of: place)).map { "\($0.device) \($0.number)" }
        }
        if wanted == watched, !wanted.isEmpty { return }
        for watch in watches { watch.close() }
        watches = []
        watched = []
        for place in places {
            do throws(SystemError) {
                watches.append(
                    try FileWatch(client.loop, besides: place) { [unowned self] error in
                        if error != nil { watched = [] }
                        if !isStillSet { schedule(Self.stillMilliseconds) }
                    })
            } catch {
                // It is looked for without a watch then.
                return
            }
        }
        watched = wanted
    }

    private func schedule(_ milliseconds: Int) {
        isStillSet = milliseconds == Self.stillMilliseconds
        timer?.start(afterMilliseconds: milliseconds)
    }

    private func look() {
        isStillSet = false
        watch()
        if watched.isEmpty { schedule(Self.missingMilliseconds) }
        let now = Standard.fileState(source.path)
        guard let now, now != state else {
            if now == nil, state != nil { tell("is gone; \(name) stays as it is") }
            (state, seen, looks) = (now, nil, 0)
            return
        }
        looks += 1
        if isAsking || (now != seen && looks < Self.looksMax) {
            seen = now
            return schedule(Self.stillMilliseconds)
        }
        (state, looks) = (now, 0)
        read()
    }

    private func read() {
        let imported: Imported
        do throws(CommandFailure) {
            imported = try ImportCommand.read(source)
        } catch {
            Standard.error(error.lines)
            return tell("is not taken; \(name) stays as it is")
        }
        ImportCommand.tell(imported.notes.filter { !told.contains($0.message) }, of: source)
        told = imported.notes.map(\.message)
        if imported.document.isSame(as: document) { return tell("says the same as before") }
        isAsking = true
        let new = imported.document
        connection.request(.replace(name, new, Request.WriteOptions())) { [unowned self] reply in
            isAsking = false
            guard let failure = reply.failure else { return replaced(by: new, reply.replacement) }
            if failure.code == ErrorCode.unknownDocument.rawValue {
                ending = ending ?? .failure(CommandFailure(.notFound, "\(name) was deleted"))
            } else {
                Standard.error(CommandFailure(failure).lines)
                tell("is not taken; \(name) stays as it is")
            }
        }
    }

    // MARK: - What is told

    private func tell(_ words: String) { Standard.error("accordion: \(source.name) \(DisplayText.visible(words))\n") }

    private func replaced(by new: Document, _ replacement: Replacement?) {
        let (old, former) = (Set(document.sections.map(\.path)), document)
        document = new
        let now = Set(new.sections.map(\.path))
        let added = new.sections.map(\.path).filter { !old.contains($0) }
        let removed = former.sections.map(\.path).filter { !now.contains($0) }
        let kept = replacement.map { "\($0.kept)" } ?? "\(now.intersection(old).count)"
        tell(
            "has changed, and \(name) with it: \(kept) sections kept, \(list(removed)) removed, \(list(added)) added")
    }

    private func list(_ paths: [SectionPath]) -> String {
        if paths.isEmpty { return "none" }
        let names = paths.prefix(Self.namedMax).map { JSONEscape.quoted($0.text) }.joined(separator: ", ")
        return "\(paths.count) (\(names)\(paths.count > Self.namedMax ? ", …" : ""))"
    }
}
