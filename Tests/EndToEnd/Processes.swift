// Why this file exists: end-to-end tests start the programs that users start.

import Glibc
import TestSupport
import Testing

/// Where this test runs from: the programs lie beside it.
let productsDirectory: String = {
    var path = [CChar](repeating: 0, count: 4_096)
    let count = unsafe readlink("/proc/self/exe", &path, path.count - 1)
    let text = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
}()

/// What a program printed and how it ended.
struct Outcome {
    let status: Int32
    let output: String
    let errors: String
}

/// A daemon of the test's own, with both doors open.
final class TestDaemon {
    let scratch: Scratch
    let process: Process
    let socketPath: String
    let statePath: String
    let port: UInt16

    /// In a directory of its own, or one that another daemon has left. With `descriptorsMax` it is started under that
    /// limit, which it can't raise.
    init(
        _ arguments: [String] = [], node: String = "n1", descriptorsMax: Int? = nil, in known: Scratch? = nil,
        statePath: String? = nil, environment: [String] = []
    ) throws {
        scratch = try known ?? Scratch()
        self.statePath = statePath ?? scratch.path + "/state"
        unsafe unlink(scratch.path + "/log")
        socketPath = scratch.path + "/run/accordiond.sock"
        let log = scratch.path + "/log"
        let program = productsDirectory + "/accordiond"
        let words =
            [
                "--listen", "unix:\(socketPath)", "--listen", "tcp://127.0.0.1:0", "--node", node, "--state",
                self.statePath,
            ] + arguments
        if let descriptorsMax {
            process = try Process(
                "/bin/sh", ["-c", "ulimit -n \(descriptorsMax); exec \"$@\"", "sh", program] + words, output: log)
        } else {
            process = try Process(program, words, environment: environment, output: log)
        }
        var port: UInt16?
        let running = process
        try until("the daemon listens") {
            if running.hasEnded { throw TookTooLong(description: "the daemon ended: \(contents(log))") }
            let marker = "listening at tcp://127.0.0.1:"
            for line in contents(log).split(separator: "\n") {
                guard let range = line.firstRange(of: marker) else { continue }
                port = UInt16(line[range.upperBound...])
            }
            return port != nil
        }
        self.port = port ?? 0
    }

    var address: String { "unix:\(socketPath)" }
    var log: String { contents(scratch.path + "/log") }

    /// Runs the client against this daemon.
    func accordion(_ arguments: [String], input: String? = nil, environment: [String] = []) throws -> Outcome {
        let number = UInt32.random(in: 0...UInt32.max)
        let (output, errors) = ("\(scratch.path)/out.\(number)", "\(scratch.path)/err.\(number)")
        var inputPath: String?
        if let input {
            inputPath = "\(scratch.path)/in.\(number)"
            try write(input, to: inputPath ?? "")
        }
        let process = try Process(
            productsDirectory + "/accordion", ["--address", address] + arguments, environment: environment,
            input: inputPath, output: output, errors: errors)
        let status = try process.waitForEnd()
        return Outcome(status: status, output: contents(output), errors: contents(errors))
    }
}
