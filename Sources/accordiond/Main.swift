// Why this file exists: the daemon's beginning and end: what the command line says, and the exit status that tells why it
// stopped.

import CommandLine
import EventLoop
import Glibc
import Service
import Store

@main
enum Main {
    static func main() {
        let outcome: Outcome
        do throws(UsageError) {
            outcome = try DaemonCommand.program.parse(Array(Swift.CommandLine.arguments.dropFirst()))
        } catch {
            Standard.error(error.lines.map { $0 + "\n" }.joined())
            exit(ExitCode.daemonUsage.rawValue)
        }
        switch outcome {
        case .help(let command):
            Standard.output(DaemonCommand.program.help(for: command, columns: 80))
        case .version:
            Standard.output(DaemonCommand.program.versionText)
        case .manual:
            Standard.output(DaemonCommand.program.manual)
        case .run(let invocation):
            exit(run(invocation))
        }
    }

    private static func run(_ invocation: Invocation) -> Int32 {
        // A limit on the size of files is an error of the write, not the end of the daemon.
        _ = signal(SIGXFSZ, SIG_IGN)
        let log = Log()
        do throws(StartFailure) {
            if invocation.flag("check-config") { return try checkConfiguration(invocation) }
            if let task = try StateTask(invocation) { return try task.run() }
            let notifier = Notifier.ofEnvironment()
            let sockets = try inheritedSockets()
            let settings = try DaemonSettings(invocation, hasSockets: !sockets.isEmpty)
            let missing = try settings.missingSocketDirectories()
            let daemon = try Daemon(settings, log, invocation, sockets, notifier)
            for directory in missing { log.write(.notice, "made the directory \(directory) for the socket") }
            try daemon.run()
            return ExitCode.done.rawValue
        } catch {
            if error.exitCode == .brokenConfiguration, invocation.flag("check-config") {
                Standard.error(error.message + "\n")
            } else if error.exitCode == .daemonUsage {
                let usage = UsageError(message: error.message, proposals: [], subject: DaemonCommand.program.name)
                Standard.error(usage.lines.map { $0 + "\n" }.joined())
            } else {
                log.write(.error, error.message)
            }
            return error.exitCode.rawValue
        }
    }
}

extension Main {
    private static func inheritedSockets() throws(StartFailure) -> [InheritedSocket] {
        do throws(InheritedFault) {
            return try InheritedSocket.ofEnvironment()
        } catch {
            throw StartFailure(.brokenConfiguration, error.reason)
        }
    }

    /// As a start would find it, but that nothing is opened or made.
    private static func checkConfiguration(_ invocation: Invocation) throws(StartFailure) -> Int32 {
        let settings = try DaemonSettings(invocation, making: false)
        try Doors.check(settings)
        _ = try Keyring(settings.configuration)
        _ = try ClusterStart.brokerSettings(settings.configuration.cluster, node: "", instance: "")
        Standard.output("the configuration will do\n")
        return ExitCode.done.rawValue
    }
}

/// Why the daemon did not start.
struct StartFailure: Error {
    let exitCode: ExitCode
    let message: String

    init(_ exitCode: ExitCode, _ message: String) {
        self.exitCode = exitCode
        self.message = message
    }

    init(_ failure: StoreFailure) {
        if case .inUse = failure.kind { exitCode = .inUse } else { exitCode = .storeUnopenable }
        message = failure.message
    }
}

enum Standard {
    /// What can't be written ends the program, unless its reader has seen enough: nobody must take a part for the whole.
    static func output(_ text: String) {
        let code = write(text, to: STDOUT_FILENO)
        guard code != 0, code != EPIPE else { return }
        error("accordiond: standard output can't be written (error \(code))\n")
        exit(ExitCode.storeUnopenable.rawValue)
    }

    static func error(_ text: String) { _ = write(text, to: STDERR_FILENO) }

    /// 0, or why not all of it was written.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return written == 0 ? EIO : errno }
            rest = rest.dropFirst(written)
        }
        return 0
    }
}
