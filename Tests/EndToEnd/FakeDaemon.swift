// Why this file exists: a daemon that lies, or is newer than the client, can only be played; a real one does neither.

import Glibc
import TestSupport

/// A Unix socket at which the test answers line by line.
final class FakeDaemon {
    let scratch: Scratch
    let socketPath: String
    private let listener: Int32

    init() throws {
        scratch = try Scratch()
        socketPath = scratch.path + "/socket"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: socketPath.utf8.prefix($0.count - 1))
        }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0, listen(listener, 8) == 0 else {
            throw TookTooLong(description: "no socket at \(socketPath)")
        }
    }

    deinit { close(listener) }

    /// The next client.
    func accept() throws -> TestSocket {
        var ready = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&ready, 1, 30_000) > 0 else { throw TookTooLong(description: "nobody connects") }
        return TestSocket(descriptor: Glibc.accept(listener, nil, nil))
    }

    /// Runs the client and says `answers` to each line that it says first; then closes.
    func accordion(_ arguments: [String], environment: [String] = [], answers: [String]) throws -> Outcome {
        let (output, errors) = (scratch.path + "/out", scratch.path + "/err")
        let process = try Process(
            productsDirectory + "/accordion", ["--address", "unix:\(socketPath)"] + arguments, environment: environment,
            output: output, errors: errors)
        try answer(answers)
        return Outcome(status: try process.waitForEnd(), output: contents(output), errors: contents(errors))
    }

    private func answer(_ answers: [String]) throws {
        let client = try accept()
        for answer in answers {
            guard try client.line() != nil else { return }
            try client.send(answer + "\n")
        }
    }
}
