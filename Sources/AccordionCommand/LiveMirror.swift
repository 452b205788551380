// Why this file exists: the live view's edges: keys from the terminal, events from the daemon, frames to the screen, and the
// way back to the shell. What anything means is MirrorView's.

import AccordionModel
import CommandLine
import EventLoop
import Glibc
import Mirror
import Terminal
import Wire

final class LiveMirror {
    /// Waits between attempts to connect again: from the first to the last, doubling.
    private static let retryMilliseconds = (first: 100, last: 5_000)
    /// How often a document is asked for that is not there.
    private static let missingMilliseconds = 2_000
    /// How long where one is may wait to be told.
    private static let selectionMilliseconds = 250

    private let client: Client
    private let loop: Loop
    private let name: DocumentName
    private let address: Address
    private var terminal: TerminalSession
    private var view: MirrorView
    private var connection: DaemonConnection?
    private var connector: Connector?
    private var retryTimer: Timer?
    private var selectionTimer: Timer?
    private var isSelectionDue = false
    /// When the screen changes by itself: an animation, a message that ends.
    private var frameTimer: Timer?
    private var keptFolds: String?
    private var retryMilliseconds = LiveMirror.retryMilliseconds.first
    private var keys: FileReadiness?
    private var signals: [SignalWatcher] = []
    /// What the terminal shows; nil where that is not known.
    private var shown: Screen?
    private var isDirty = true
    private var isOver = false
    private var failure: CommandFailure?

    init(_ client: Client, _ name: DocumentName) throws(CommandFailure) {
        let connection = try client.connect()
        guard let address = client.address else { throw CommandFailure(.noDaemon, "no daemon answers") }
        self.client = client
        self.name = name
        self.address = address
        loop = client.loop
        do throws(TerminalError) {
            terminal = try TerminalSession()
        } catch {
            throw CommandFailure(.usage, Self.words(error))
        }
        view = MirrorView(name, rows: terminal.size.rows, columns: terminal.size.columns)
        view.address = "\(address)"
        view.isAnimated = !client.invocation.flag("no-animation") && Standard.variable("NO_COLOR") == nil
        if let text = FoldsFile(name, address).read() {
            view.takeFolds(text: text)
            keptFolds = view.foldsText
        }
        self.connection = connection
    }

    /// Until the user quits.
    func run() throws(CommandFailure) {
        defer { close() }
        do throws(SystemError) {
            keys = try FileReadiness(loop, descriptor: STDIN_FILENO) { [unowned self] _ in readKeys() }
            retryTimer = try Timer(loop) { [unowned self] in retry() }
            selectionTimer = try Timer(loop) { [unowned self] in sendSelection() }
            frameTimer = try Timer(loop) { [unowned self] in isDirty = true }
            for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
                signals.append(try SignalWatcher(loop, signal: signal) { [unowned self] in isOver = true })
            }
            signals.append(try SignalWatcher(loop, signal: SIGWINCH) { [unowned self] in resized() })
            signals.append(try SignalWatcher(loop, signal: SIGTSTP) { [unowned self] in suspend() })
        } catch {
            throw CommandFailure(.noDaemon, "\(error)")
        }
        keys?.start(.readable)
        if let connection { attach(connection) }
        loop.beforePoll = { [unowned self] in draw() }
        while !isOver { loop.turn() }
        loop.beforePoll = nil
        terminal.close()
        if let failure { throw failure }
    }

    private func close() {
        terminal.close()
        loop.beforePoll = nil
        keys?.close()
        retryTimer?.close()
        selectionTimer?.close()
        frameTimer?.close()
        connector?.cancel()
        connection?.close()
        for signal in signals { signal.close() }
    }

    // MARK: - The daemon

    private func attach(_ connection: DaemonConnection) {
        self.connection = connection
        isDirty = true
        view.connected()
        connection.onEvent = { [unowned self] in receive($0) }
        connection.onLost = { [unowned self] in lost($0) }
        if connection === client.current, let greeting = client.greeting {
            view.greeted(session: greeting.session)
        } else {
            let hello = Request.Hello(name: client.invocation.value("name"), token: client.token(for: address))
            connection.request(.hello(hello)) { [unowned self] reply in
                if let failure = reply.failure { view.tell(failure.message) }
                if let greeting = reply.greeting { view.greeted(session: greeting.session) }
            }
        }
        subscribe()
    }

    private func subscribe() {
        connection?.request(view.replica.subscription) { [unowned self] reply in
            isDirty = true
            guard let failure = reply.failure else {
                retryMilliseconds = Self.retryMilliseconds.first
                return
            }
            view.missing()
            view.tell(failure.message)
            retryTimer?.start(afterMilliseconds: Self.missingMilliseconds)
        }
    }

    private func receive(_ event: ServerEvent) {
        isDirty = true
        view.milliseconds = now
        if case .goodbye(let reason) = event { view.tell("the daemon says goodbye: \(reason)") }
        view.receive(event)
        sendPresses()
        tellSelection()
    }

    private func lost(_ reason: String) {
        isDirty = true
        connection = nil
        view.disconnected(reason: reason)
        retryTimer?.start(afterMilliseconds: retryMilliseconds)
        // Not all mirrors at once.
        let most = min(retryMilliseconds * 2, Self.retryMilliseconds.last)
        retryMilliseconds = Int.random(in: most / 2...most)
    }

    /// Asks again for a document that was not there, or connects again.
    private func retry() {
        if connection != nil { return subscribe() }
        do throws(SystemError) {
            connector = try client.route.connect(to: address) { [unowned self] result in
                connector = nil
                switch result {
                case .success(let stream): attach(DaemonConnection(stream))
                case .failure(let error): lost("\(error)")
                }
            }
        } catch {
            lost("\(error)")
        }
    }

    // MARK: - The terminal

    private func readKeys() {
        while !isOver {
            let keys = terminal.readKeys()
            if keys.isEmpty { return }
            for key in keys where !isOver { press(key) }
        }
    }

    private func press(_ key: Key) {
        isDirty = true
        switch key {
        case .hangup: isOver = true
        case .resize: resized()
        default:
            guard let key = MirrorKey(key) else { return }
            view.milliseconds = now
            for effect in view.press(key) { carryOut(effect) }
            sendPresses()
            tellSelection()
            keepFolds()
        }
    }

    private func carryOut(_ effect: MirrorEffect) {
        switch effect {
        case .ask(let action):
            connection?.request(action) { [unowned self] reply in
                isDirty = true
                view.milliseconds = now
                view.answered(reply.failure)
            }
        case .copy(let text):
            do throws(TerminalError) {
                if try !terminal.copy(text) { view.tell("too long to be copied") }
            } catch {
                view.tell(Self.words(error))
            }
        case .redraw: shown = nil
        case .suspend: suspend()
        case .quit: isOver = true
        }
    }

    private var now: Int64 { Int64(loop.nowMilliseconds) }

    /// Others see where I am; at most a few times a second.
    private func tellSelection() {
        guard !isSelectionDue else { return }
        isSelectionDue = true
        selectionTimer?.start(afterMilliseconds: Self.selectionMilliseconds)
    }

    private func sendSelection() {
        isSelectionDue = false
        guard let connection, let action = view.takeSelection() else { return }
        connection.request(action) { _ in }
    }

    private func keepFolds() {
        let text = view.foldsText
        guard text != keptFolds else { return }
        keptFolds = text
        FoldsFile(name, address).keep(text)
    }

    private func sendPresses() {
        guard let connection else { return }
        for intent in view.takeUnsent() {
            connection.request(intent.action(name)) { [unowned self] reply in
                isDirty = true
                view.answered(id: intent.id, failure: reply.failure)
            }
        }
    }

    private func resized() {
        let size = terminal.resize()
        view.resize(rows: size.rows, columns: size.columns)
        shown = nil
        isDirty = true
    }

    private func suspend() {
        terminal.suspend()
        view.resize(rows: terminal.size.rows, columns: terminal.size.columns)
        shown = nil
        isDirty = true
    }

    private func draw() {
        guard isDirty, !isOver else { return }
        isDirty = false
        view.milliseconds = now
        view.pass()
        let screen = view.screen()
        if let next = view.nextChange { frameTimer?.start(afterMilliseconds: Int(max(1, next - now))) }
        let operations = shown.map { Screen.difference(from: $0, to: screen) } ?? Screen.drawing(screen)
        do throws(TerminalError) {
            try terminal.draw(operations.map(DrawingOperation.init))
            shown = screen
        } catch {
            shown = nil
            if error == .outputStalled { return }
            failure = CommandFailure(.noDaemon, Self.words(error))
            isOver = true
        }
    }

    private static func words(_ error: TerminalError) -> String {
        switch error {
        case .notATerminal: "this is no terminal"
        case .unknownType(let type): "the terminal type \(JSONEscape.quoted(type)) (TERM) is not known"
        case .unusableType(let type): "a terminal of type \(JSONEscape.quoted(type)) can't move its cursor"
        case .alreadyOpen: "the terminal is in use"
        case .outputStalled: "the terminal takes nothing"
        case .output(let code): "the terminal is gone: \(Standard.reason(code))"
        }
    }
}

// MARK: - Between rooms

extension MirrorKey {
    /// Nil for a key that means nothing here.
    fileprivate init?(_ key: Key) {
        switch key {
        case .character(let scalar): self = .character(scalar)
        case .space: self = .space
        case .enter: self = .enter
        case .tab: self = .tab
        case .backspace, .delete: self = .backspace
        case .escape: self = .escape
        case .up: self = .up
        case .down: self = .down
        case .left: self = .left
        case .right: self = .right
        case .home: self = .home
        case .end: self = .end
        case .pageUp: self = .pageUp
        case .pageDown: self = .pageDown
        case .control(let scalar): self = .control(scalar)
        case .function(let number): self = .function(number)
        case .mouse(let event):
            switch event.kind {
            case .press: self = .click(row: event.row, column: event.column)
            case .wheelUp: self = .wheel(-1)
            case .wheelDown: self = .wheel(1)
            }
        case .backTab, .insert, .resize, .hangup: return nil
        }
    }
}

extension DrawingOperation {
    fileprivate init(_ operation: Screen.Operation) {
        switch operation {
        case .clear: self = .clear
        case .move(let row, let column): self = .move(row: row, column: column)
        case .style(let style): self = .style(TerminalStyle(style))
        case .write(let text): self = .write(text)
        case .clearToEndOfLine: self = .clearToEndOfLine
        case .cursor(let position?): self = .showCursor(row: position.row, column: position.column)
        case .cursor(nil): self = .hideCursor
        }
    }
}

extension TerminalStyle {
    fileprivate init(_ style: Screen.Style) {
        self.init(
            isBold: style.attributes.contains(.bold), isDim: style.attributes.contains(.dim),
            isReverse: style.attributes.contains(.reverse), isUnderlined: style.attributes.contains(.underline),
            foreground: TerminalColour(style.foreground), background: TerminalColour(style.background))
    }
}

extension TerminalColour {
    fileprivate init(_ colour: Screen.Colour) {
        switch colour {
        case .standard: self = .standard
        case .ansi(let number): self = .ansi(number)
        case .rgb(let red, let green, let blue): self = .rgb(red, green, blue)
        }
    }
}
