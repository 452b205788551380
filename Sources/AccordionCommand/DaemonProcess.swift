// Why this file exists: who has no daemon gets one, of their own, without having to know of it. It outlives the command
// that started it.

import EventLoop
import Glibc

/// A daemon that was started for this user.
final class DaemonProcess {
    private let child: ChildProcess
    /// Where it writes its log.
    let log: String
    private var end: ChildProcess.End?

    struct Fault: Error {
        let reason: String
    }

    private init(child: ChildProcess, log: String) {
        self.child = child
        self.log = log
    }

    /// Starts `accordiond --user` in a session of its own, its state and log where a user's are.
    static func start() throws(Fault) -> DaemonProcess {
        let directory: String
        do throws(UserPlaceFault) {
            directory = try UserState.madeDirectory()
        } catch {
            throw Fault(reason: error.message)
        }
        return try start(["--user", "--state", directory], log: directory + "/accordiond.log")
    }

    /// Starts `accordiond`, found beside this program, else in PATH. It writes to the file `log`.
    static func start(_ arguments: [String], log: String) throws(Fault) -> DaemonProcess {
        guard let executable = executable() else {
            throw Fault(reason: "no accordiond is found beside this program or in PATH")
        }
        let descriptor = try opened(log) { () throws(Standard.FileFault) in try Standard.openLog(log) }
        defer { close(descriptor) }
        let null = try opened("/dev/null") { () throws(Standard.FileFault) in try Standard.openNull() }
        defer { close(null) }
        do throws(ChildProcess.Fault) {
            let child = try ChildProcess(
                executable, [executable] + arguments, environment: Standard.environment(), place: .session,
                files: .init(input: null, output: descriptor, errors: descriptor))
            return DaemonProcess(child: child, log: log)
        } catch {
            throw Fault(reason: "\(executable): \(error.reason)")
        }
    }

    var identifier: pid_t { child.identifier }

    /// The status with which it has ended; nil while it runs.
    func exitStatus() -> Int32? {
        if end == nil { end = child.end() }
        return switch end {
        case .status(let status)?: status
        case .signal(let signal)?: 128 + signal
        case nil: nil
        }
    }

    /// Nothing where it has ended already.
    func signal(_ signal: Int32) { if exitStatus() == nil { child.signalGroup(signal) } }

    private static func opened(
        _ path: String, _ open: () throws(Standard.FileFault) -> Int32
    ) throws(Fault) -> Int32 {
        do throws(Standard.FileFault) {
            return try open()
        } catch {
            throw Fault(reason: "\(path): \(error.reason)")
        }
    }

    private static func executable() -> String? {
        let name = "accordiond"
        var directories: [String] = []
        if let path = Standard.programPath {
            directories.append(path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" })
        }
        directories += (Standard.variable("PATH") ?? "").split(separator: ":").map(String.init)
        return directories.map { "\($0)/\(name)" }.first(where: Standard.isProgram)
    }
}
