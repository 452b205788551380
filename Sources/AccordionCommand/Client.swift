// Why this file exists: what all commands share: the words that were typed, where results go, and a daemon to ask, found
// when it is first needed.

import AccordionModel
import CommandLine
import EventLoop
import Mirror
import Wire

final class Client {
    /// How long a reply may take while no byte moves.
    static let replyMilliseconds = 20_000

    /// How the daemon is found and waited for.
    struct Patience {
        /// Of a daemon, given otherwise than by the words of the command; nil where those or the environment decide.
        var address: String?
        var mayStart = true
        var connectMilliseconds: Int?
        var replyMilliseconds = Client.replyMilliseconds
    }

    let invocation: Invocation
    let output: Output
    let loop: Loop
    private let patience: Patience
    /// The connection that was made first.
    private(set) var current: DaemonConnection?
    /// What the daemon has answered to a greeting; it takes one on a connection.
    private(set) var greeting: ServerGreeting?
    /// Where the daemon was found.
    private(set) var address: Address?
    /// The signal that has ended the command, and is to end the process once all is closed.
    var interruption: Int32?

    /// The way to daemons.
    let route: Route
    /// The token that was named.
    let givenToken: String?

    init(_ invocation: Invocation, _ patience: Patience = Patience()) throws(CommandFailure) {
        self.invocation = invocation
        self.patience = patience
        output = Output(isJSON: invocation.flag("json"))
        do throws(SystemError) {
            loop = try Loop()
        } catch {
            throw CommandFailure(.noDaemon, "\(error)")
        }
        route = Route(loop: loop, authorities: invocation.value("ca"))
        givenToken = try Client.readToken(invocation)
    }

    /// The end: nothing is left open.
    func close() {
        current?.close()
        route.close()
        loop.close()
    }

    // MARK: - The daemon

    /// The connection, made at the first call: greeted where a name was given.
    func connect() throws(CommandFailure) -> DaemonConnection {
        if let current { return current }
        let (stream, address) = try findStream()
        self.address = address
        let connection = DaemonConnection(stream)
        current = connection
        if invocation.value("name") != nil || token(for: address) != nil { _ = try greet() }
        return connection
    }

    /// Who the daemon is, and who one is there: asked for once, under the name that was given.
    func greet() throws(CommandFailure) -> ServerGreeting {
        if current == nil { _ = try connect() }
        if let greeting { return greeting }
        let token = address.flatMap { self.token(for: $0) }
        let reply = try call(.hello(Request.Hello(name: invocation.value("name"), token: token)))
        if let failure = reply.failure { throw CommandFailure(failure) }
        guard let greeting = reply.greeting else {
            throw CommandFailure(.noDaemon, "the daemon's answer lacks the greeting")
        }
        self.greeting = greeting
        return greeting
    }

    /// A connected stream that is the caller's alone.
    func findStream() throws(CommandFailure) -> (Stream, Address) {
        let given = patience.address ?? invocation.value("address") ?? Standard.variable("ACCORDION_ADDRESS")
        var finder = DaemonFinder(
            loop: loop, route: route, given: given, mayStart: patience.mayStart && !invocation.flag("no-start"))
        if let milliseconds = patience.connectMilliseconds { finder.connectMilliseconds = milliseconds }
        return try finder.find()
    }

    /// Asks and waits for the reply, a refusal included.
    func call(_ action: Request.Action) throws(CommandFailure) -> ServerReply {
        try call(action.cargo) { connection, handler in connection.request(action) { reply in handler(reply) } }
    }

    /// The same with whatever `send` asks for; at a terminal it is told how far `cargo` is.
    func call(
        _ cargo: ReplyWait.Cargo? = nil, _ send: (DaemonConnection, @escaping (ServerReply) -> Void) -> Void
    ) throws(CommandFailure) -> ServerReply {
        let connection = try connect()
        var reply: ServerReply?
        var lost: String?
        connection.onLost = { lost = $0 }
        send(connection) { reply = $0 }
        do throws(SystemError) {
            let wait = try ReplyWait(loop, connection, cargo, patienceMilliseconds: patience.replyMilliseconds)
            defer { wait.close() }
            while reply == nil, lost == nil, !wait.isLate { loop.turn() }
        } catch {
            throw CommandFailure(.noDaemon, "\(error)")
        }
        if let reply { return reply }
        if let lost { throw CommandFailure(connection.exitWhenLost, lost) }
        throw CommandFailure(
            .timedOut, "the daemon has not answered within \(patience.replyMilliseconds / 1_000) seconds")
    }

    /// Asks and waits; a refusal is thrown, with a proposal where a document is not known.
    func ask(_ action: Request.Action) throws(CommandFailure) -> ServerReply {
        let reply = try call(action)
        guard let failure = reply.failure else { return reply }
        throw try self.failure(failure, action.document)
    }

    func failure(_ failure: ServerFailure, _ name: DocumentName?) throws(CommandFailure) -> CommandFailure {
        var result = CommandFailure(failure)
        guard failure.code == ErrorCode.unknownDocument.rawValue, let name else { return result }
        result.proposals = nearest(name.text, among: try documentNames())
        if invocation.isCommandImplied {
            result.proposals += CommandTable.program.nearestCommands(to: name.text).map { "accordion \($0)" }
            result.hint = CommandTable.helpHint
        }
        return result
    }

    /// Every document's name, a page after the other.
    func documentNames() throws(CommandFailure) -> [String] {
        try summaries(prefix: "").map(\.name.text)
    }

    func summaries(prefix: String) throws(CommandFailure) -> [DocumentSummary] {
        let pageCount = 1_000
        var all: [DocumentSummary] = []
        while true {
            let reply = try ask(.list(prefix: prefix, after: all.last?.name.text, limit: pageCount))
            guard let page = reply.documents else {
                throw CommandFailure(.noDaemon, "the daemon's answer lacks the documents")
            }
            all += page
            if page.count < pageCount { return all }
        }
    }

    // MARK: - What words mean

    /// The document named by an argument.
    func documentName(_ argument: String = "DOC") throws(CommandFailure) -> DocumentName {
        let text = invocation.argument(argument) ?? ""
        guard let name = DocumentName(text) else { throw .noName(text) }
        return name
    }

    /// The document as it stands now.
    func replica(of name: DocumentName) throws(CommandFailure) -> Replica {
        let reply = try ask(.get(name, section: .top))
        guard let document = reply.document?.document, let state = reply.state else {
            throw CommandFailure(.noDaemon, "the daemon's answer lacks the document")
        }
        var replica = Replica(name)
        _ = replica.receive(
            .snapshot(
                ServerEvent.Snapshot(
                    name: name, reason: "subscribed", epoch: "", version: reply.version ?? .init(),
                    document: document, state: state)))
        return replica
    }

    /// The section that a word means, or why it means none.
    func section(_ text: String, in document: Document, of name: DocumentName) throws(CommandFailure) -> Int32 {
        switch SectionReference(text, in: document) {
        case .section(let section): return section
        case .ambiguous(let paths):
            let shownMax = 10
            let more = paths.count > shownMax ? " and \(paths.count - shownMax) more" : ""
            throw CommandFailure(
                .usage,
                "several sections of \(name) are called \(JSONEscape.quoted(text)): "
                    + paths.prefix(shownMax).map { JSONEscape.quoted($0.text) }.joined(separator: ", ") + more)
        case .unknown:
            let paths = nearest(text, among: document.sections.lazy.map(\.path.text))
            let titles = paths.isEmpty ? nearest(text, among: document.sections.lazy.map(\.title)) : []
            throw CommandFailure(
                .notFound, "no section \(JSONEscape.quoted(text)) in \(name)", proposals: paths + titles)
        }
    }
}
