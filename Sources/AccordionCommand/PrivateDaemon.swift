// Why this file exists: a written conversation begins with nothing there, so it is played with a daemon that is its own: with
// a socket and a state in a directory that goes away with it.

import CommandLine
import EventLoop
import Glibc

/// A daemon for one command alone, named `n1`. Whoever makes it calls `end`.
final class PrivateDaemon {
    private static let node = "n1"
    /// How long it may take to end once it was told to.
    private static let endMilliseconds = 10_000
    private static let stepMilliseconds: Int32 = 10

    let address: Address
    private let process: DaemonProcess
    private let directory: String

    /// Starts it and waits until it answers.
    init(_ loop: Loop) throws(CommandFailure) {
        do throws(Standard.FileFault) {
            directory = try Standard.makeTemporaryDirectory("accordion-")
        } catch {
            throw CommandFailure(.noDaemon, "no directory for a daemon of its own: \(error.reason)")
        }
        address = .unix(path: directory + "/accordiond.sock")
        let log = directory + "/log"
        do throws(DaemonProcess.Fault) {
            process = try DaemonProcess.start(
                ["--listen", "\(address)", "--state", directory + "/state", "--node", Self.node], log: log)
        } catch {
            Standard.removeDirectory(directory)
            throw CommandFailure(.noDaemon, "no daemon of its own could be started: \(error.reason)")
        }
        do throws(CommandFailure) {
            let finder = DaemonFinder(
                loop: loop, route: Route(loop: loop, authorities: nil), given: nil, mayStart: false)
            try finder.awaitAnswer(of: process, at: address).stream.close()
        } catch {
            // The log goes away, so that its end belongs to the message.
            let lines = (try? Standard.file(log, bytesMax: 1 << 20)) ?? []
            end()
            throw CommandFailure(
                error.exit, error.message + "\n" + String(decoding: lines.suffix(2_048), as: UTF8.self))
        }
    }

    /// Ends it and removes what it has written.
    func end() {
        process.signal(SIGTERM)
        var waitedMilliseconds = 0
        while process.exitStatus() == nil {
            if waitedMilliseconds >= Self.endMilliseconds { process.signal(SIGKILL) }
            Standard.pause(milliseconds: Self.stepMilliseconds)
            waitedMilliseconds += Int(Self.stepMilliseconds)
        }
        Standard.removeDirectory(directory)
    }
}
