// Why this file exists: a command should work where it is typed, with no address given. So the places where a daemon may
// be are tried in a fixed order, and where there is none, one is started.

import CommandLine
import EventLoop
import Glibc

/// Finds the daemon that a command means. It turns the loop while it waits.
struct DaemonFinder {
    /// How long a daemon that was started may take until it answers, and how often it is tried.
    private static let startMilliseconds = 10_000
    private static let startStepMilliseconds = 20

    /// Where the system's daemon listens.
    static let systemSocket = "/run/accordiond/accordiond.sock"

    let loop: Loop
    let route: Route
    /// From `--address` or the environment.
    let given: String?
    let mayStart: Bool
    /// How long one attempt to connect may take.
    var connectMilliseconds = 10_000

    /// A connected stream and where it leads.
    func find() throws(CommandFailure) -> (Stream, Address) {
        if let given { return try connect(toGiven: given) }
        let own = try userAddress(makingDirectory: false)
        let system = Address.unix(path: Self.systemSocket)
        var faults: [String] = []
        for address in [own, system] {
            switch connect(to: address) {
            case .success(let stream): return (stream, address)
            case .failure(let error): faults.append("\(address): \(error)")
            }
        }
        guard mayStart else {
            throw CommandFailure(.noDaemon, "no daemon answers (\(faults.joined(separator: "; ")))")
        }
        return try start(at: try userAddress(makingDirectory: true))
    }

    private func connect(toGiven text: String) throws(CommandFailure) -> (Stream, Address) {
        let address: Address
        do throws(AddressError) {
            address = try Address(parsing: text)
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
        switch connect(to: address) {
        case .success(let stream): return (stream, address)
        case .failure(let error): throw CommandFailure(.noDaemon, "no daemon answers at \(address): \(error)")
        }
    }

    private func userAddress(makingDirectory: Bool) throws(CommandFailure) -> Address {
        do throws(UserPlaceFault) {
            return .unix(path: try UserSocket.path(makingDirectory: makingDirectory))
        } catch {
            throw CommandFailure(.noDaemon, error.message)
        }
    }

    // MARK: - One attempt

    private func connect(to address: Address) -> Result<Stream, RouteFailure> {
        var result: Result<Stream, RouteFailure>?
        do throws(SystemError) {
            let timer = try Timer(loop) {
                if result == nil { result = .failure(RouteFailure(SystemError("connect", ETIMEDOUT))) }
            }
            defer { timer.close() }
            timer.start(afterMilliseconds: connectMilliseconds)
            let connector = try route.connect(to: address) { outcome in result = outcome }
            while result == nil { loop.turn() }
            if case .failure? = result { connector.cancel() }
        } catch {
            return .failure(RouteFailure(error))
        }
        return result ?? .failure(RouteFailure(SystemError("connect", ECONNREFUSED)))
    }

    // MARK: - A daemon of one's own

    private func start(at address: Address) throws(CommandFailure) -> (Stream, Address) {
        let process: DaemonProcess
        do throws(DaemonProcess.Fault) {
            process = try DaemonProcess.start()
        } catch {
            throw CommandFailure(.noDaemon, "no daemon answers, and none could be started: \(error.reason)")
        }
        let (stream, isOurs) = try awaitAnswer(of: process, at: address)
        if isOurs {
            Standard.error("accordion: started a daemon for you (process \(process.identifier), log \(process.log))\n")
        }
        return (stream, address)
    }

    /// A stream to a daemon that was just started, and whether it is that one which answers: another command may have
    /// started one at the same moment; ours then gives way, and that one will answer.
    func awaitAnswer(
        of process: DaemonProcess, at address: Address
    ) throws(CommandFailure) -> (stream: Stream, isOurs: Bool) {
        let deadline = loop.nowMilliseconds + Self.startMilliseconds
        while loop.nowMilliseconds < deadline {
            let status = process.exitStatus()
            if case .success(let stream) = connect(to: address) { return (stream, status == nil) }
            if let status, status != ExitCode.inUse.rawValue {
                throw CommandFailure(
                    .noDaemon, "the daemon that was started ended with status \(status); see \(process.log)")
            }
            try pause()
        }
        throw CommandFailure(.noDaemon, "the daemon that was started does not answer; see \(process.log)")
    }

    private func pause() throws(CommandFailure) {
        var isOver = false
        do throws(SystemError) {
            let timer = try Timer(loop) { isOver = true }
            timer.start(afterMilliseconds: Self.startStepMilliseconds)
            while !isOver { loop.turn() }
            timer.close()
        } catch {
            throw CommandFailure(.noDaemon, "\(error)")
        }
    }
}
