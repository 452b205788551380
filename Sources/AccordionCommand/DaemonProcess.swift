// Why this file exists: who has no daemon gets one, of their own, without having to know of it. It outlives the command
// that started it.

import Glibc

/// A daemon that was started for this user.
struct DaemonProcess {
    private let child: ChildProcess
    /// Where it writes its log.
    let log: String

    struct Fault: Error {
        let reason: String
    }

    /// Starts `accordiond --user` in a session of its own: found beside this program, else in PATH.
    static func start() throws(Fault) -> DaemonProcess {
        guard let executable = executable() else {
            throw Fault(reason: "no accordiond is found beside this program or in PATH")
        }
        let directory = try stateDirectory()
        let log = directory + "/accordiond.log"
        let descriptor = try opened(log) { () throws(Standard.FileFault) in try Standard.openLog(log) }
        defer { close(descriptor) }
        let null = try opened("/dev/null") { () throws(Standard.FileFault) in try Standard.openNull() }
        defer { close(null) }
        do throws(ChildProcess.Fault) {
            let child = try ChildProcess(
                executable, [executable, "--user"], environment: Standard.environment(), place: .session,
                files: .init(input: null, output: descriptor, errors: descriptor))
            return DaemonProcess(child: child, log: log)
        } catch {
            throw Fault(reason: "\(executable): \(error.reason)")
        }
    }

    var identifier: pid_t { child.identifier }

    /// The status with which it has ended; nil while it runs.
    func exitStatus() -> Int32? {
        switch child.end() {
        case .status(let status)?: status
        case .signal(let signal)?: 128 + signal
        case nil: nil
        }
    }

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

    private static func stateDirectory() throws(Fault) -> String {
        let base: String
        if let state = Standard.variable("XDG_STATE_HOME") {
            base = state
        } else if let home = Standard.variable("HOME") {
            base = home + "/.local/state"
        } else {
            throw Fault(reason: "neither XDG_STATE_HOME nor HOME says where its log should be")
        }
        let directory = base + "/accordiond"
        var path = ""
        for part in directory.split(separator: "/") {
            path += "/" + part
            if let fault = Standard.makeDirectory(path) { throw Fault(reason: "\(path): \(fault.reason)") }
        }
        return directory
    }
}
