// Why this file exists: `watch --exec` runs a command for each thing that it tells, in their order, while the daemon goes on.
// The command is the user's own text; what clients wrote reaches it in its environment alone.

import CommandLine
import EventLoop
import Glibc
import Mirror

/// Runs a shell command for each notice, one after the other.
final class NoticeCommands {
    /// With so many waiting the daemon should be read no further. (What one event tells waits whole.)
    static let waitingMax = 1_000
    /// How long a command that was told to end may take before it is killed.
    private static let endMilliseconds = 2_000

    private let loop: Loop
    private let command: String
    private let document: String
    private let environment: [[UInt8]]
    private let null: Int32
    private var childWatcher: SignalWatcher?
    private var waiting: ArraySlice<Notice> = []
    private var running: (child: ChildProcess, notice: Notice)?
    private var isClosing = false
    /// A command has ended with another status than 0, or could not be run.
    private(set) var hasFailed = false

    /// `address` is where a command finds the daemon that is watched.
    init(_ loop: Loop, _ command: String, document: String, address: Address?) throws(CommandFailure) {
        self.loop = loop
        self.command = command
        self.document = document
        environment = Self.environment(address)
        do throws(Standard.FileFault) {
            null = try Standard.openNull()
        } catch {
            throw CommandFailure(.unreadableFile, "/dev/null: \(error.reason)")
        }
        do throws(SystemError) {
            childWatcher = try SignalWatcher(loop, signal: SIGCHLD) { [unowned self] in reap() }
        } catch {
            Glibc.close(null)
            throw CommandFailure(.refused, "no command can be run: \(error)")
        }
    }

    private static func environment(_ address: Address?) -> [[UInt8]] {
        var all = Standard.environment()
        guard let address else { return all }
        let name = Array("ACCORDION_ADDRESS=".utf8)
        all.removeAll { $0.starts(with: name) }
        return all + [name + Array("\(address)".utf8)]
    }

    var isFull: Bool { waiting.count >= Self.waitingMax }
    var isIdle: Bool { waiting.isEmpty && running == nil }

    func add(_ notice: Notice) { waiting.append(notice) }

    /// Starts the next command where none runs.
    func advance() {
        while running == nil, let notice = waiting.popFirst() {
            do throws(ChildProcess.Fault) {
                let child = try ChildProcess(
                    "/bin/sh", ["sh", "-c", command], environment: variables(for: notice), place: .group,
                    files: .init(input: null, output: STDOUT_FILENO, errors: STDERR_FILENO))
                running = (child, notice)
            } catch {
                tell("can't be run: \(error.reason)", notice)
            }
        }
    }

    private func variables(for notice: Notice) -> [[UInt8]] {
        let variables = notice.variables(document: document).map { (Array("\($0.name)=".utf8), Array($0.value.utf8)) }
        return environment.filter { entry in !variables.contains { entry.starts(with: $0.0) } }
            + variables.map { $0.0 + $0.1 }
    }

    private func reap() {
        guard let (child, notice) = running, let end = child.end() else { return }
        running = nil
        if isClosing { return }
        switch end {
        case .status(0): break
        case .status(let status): tell("ended with status \(status)", notice)
        case .signal(let signal): tell("was ended by signal \(signal)", notice)
        }
    }

    private func tell(_ what: String, _ notice: Notice) {
        hasFailed = true
        let subject = DisplayText.visible(notice.summary(of: document))
        Standard.error("accordion: the command for \(subject) \(what)\n")
    }

    /// The command that runs, and what it has started, is killed.
    func kill() { running?.child.signalGroup(SIGKILL) }

    /// The end: what waits is forgotten, and a command that runs is told to end and waited for; killed if it does not.
    func close() {
        waiting = []
        isClosing = true
        if let running {
            running.child.signalGroup(SIGTERM)
            do throws(SystemError) {
                let timer = try Timer(loop) { [unowned self] in kill() }
                timer.start(afterMilliseconds: Self.endMilliseconds)
                defer { timer.close() }
                while self.running != nil { loop.turn() }
            } catch {
                kill()
            }
        }
        childWatcher?.close()
        Glibc.close(null)
    }
}
