// Why this file exists: what an administrator does with a state beside serving it: look whether it is whole, copy it, bring a
// copy back.

import CommandLine
import Store
import Wire

/// One thing to do with the state, instead of serving it.
struct StateTask {
    private enum Task {
        case check
        case backup(String)
        case restore(String)
    }

    private let directory: String
    private let task: Task

    /// Nil where the command line asks for none.
    init?(_ invocation: Invocation) throws(StartFailure) {
        var tasks: [Task] = []
        if invocation.flag("check") { tasks.append(.check) }
        if let file = invocation.value("backup") { tasks.append(.backup(file)) }
        if let file = invocation.value("restore") { tasks.append(.restore(file)) }
        guard let first = tasks.first else { return nil }
        for name in ["backup", "restore"] where invocation.value(name)?.isEmpty == true {
            throw StartFailure(.daemonUsage, "--\(name) needs the name of a file")
        }
        guard tasks.count == 1 else {
            throw StartFailure(.daemonUsage, "only one of --check, --backup and --restore at a time")
        }
        task = first
        directory = try DaemonSettings.stateDirectory(invocation, try ConfigurationFile.read(invocation))
    }

    func run() throws(StartFailure) -> Int32 {
        do throws(StoreFailure) {
            switch task {
            case .check: return try check()
            case .backup(let file):
                try DocumentStore.backup(directory, to: file)
                Standard.output("the state in \(directory) is copied to \(JSONEscape.quoted(file))\n")
            case .restore(let file):
                let kept = try DocumentStore.restore(directory, from: file)
                Standard.output("the state in \(directory) is now what \(JSONEscape.quoted(file)) holds\n")
                if let kept { Standard.output("what was there before is kept as \(kept)\n") }
            }
        } catch {
            throw StartFailure(error)
        }
        return ExitCode.done.rawValue
    }

    private func check() throws(StoreFailure) -> Int32 {
        let report = try DocumentStore.check(directory)
        for finding in report.findings { Standard.output("\(finding)\n") }
        let size = "\(report.documents) documents, \(report.historyEntries) entries of history"
        guard report.isWhole else {
            Standard.output("damaged: \(size); a backup can be brought back with --restore\n")
            return ExitCode.refused.rawValue
        }
        Standard.output("whole: \(size)\n")
        return ExitCode.done.rawValue
    }
}
