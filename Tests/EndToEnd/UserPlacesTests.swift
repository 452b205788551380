// Why this file exists: a user's daemon is started by whichever command comes first, and every later one must find it, whatever
// the environment lacks; in no directory that is somebody else's.

import Glibc
import TestSupport
import Testing

@Suite struct UserPlacesTests {
    /// What `XDG_RUNTIME_DIR` is.
    enum Runtime: CaseIterable, Sendable {
        case own, missing, foreign, open, relative, unset

        /// The directory, made as it is said to be.
        func make(in scratch: String) throws -> String? {
            let path = scratch + "/runtime"
            switch self {
            case .own: unsafe mkdir(path, 0o700)
            case .missing: break
            case .foreign:
                if geteuid() != 0 { return "/" }
                unsafe mkdir(path, 0o700)
                unsafe chown(path, 65_534, 65_534)
            case .open:
                unsafe mkdir(path, 0o700)
                unsafe chmod(path, 0o777)
            case .relative: return "runtime"
            case .unset: return nil
            }
            return path
        }
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return 0 }
        return status.st_mode & 0o777
    }

    @Test(arguments: Runtime.allCases)
    func `a daemon is started and found in a directory of the user's own`(_ runtime: Runtime) throws {
        let scratch = try Scratch()
        var environment = ["TMPDIR=\(scratch.path)", "XDG_STATE_HOME=\(scratch.path)/a/b"]
        let directory = try runtime.make(in: scratch.path)
        if let directory { environment.append("XDG_RUNTIME_DIR=\(directory)") }
        func accordion(_ words: String...) throws -> Outcome {
            let (output, errors) = (scratch.path + "/out.\(words.count)", scratch.path + "/err.\(words.count)")
            unsafe unlink(output)
            let process = try Process(
                productsDirectory + "/accordion", words, environment: environment, output: output, errors: errors)
            return Outcome(status: try process.waitForEnd(), output: contents(output), errors: contents(errors))
        }
        let fallback = "\(scratch.path)/accordiond-\(geteuid())"
        let socket = (runtime == .own ? directory ?? "" : fallback) + "/accordiond.sock"

        let first = try accordion("where")
        let fields = first.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        let values = Dictionary(uniqueKeysWithValues: fields.map { ($0[0], $0.last ?? "") })
        let process = try #require(values["process"].flatMap { pid_t($0) }, "\(first.errors)\(first.output)")
        defer {
            kill(process, SIGTERM)
            try? until("the daemon has ended") { unsafe access(socket, F_OK) != 0 }
        }
        #expect(values["socket"] == socket && values["address"] == "unix:" + socket)
        #expect(values["log"] == scratch.path + "/a/b/accordiond/accordiond.log")
        #expect(first.errors.contains("started a daemon"))
        // The second finds the first's, and none is started.
        #expect(try accordion("--no-start", "where", "socket").output == socket + "\n")
        #expect(mode(scratch.path + "/a/b/accordiond") == 0o700 && mode(scratch.path + "/a") == 0o700)
        if runtime != .own { #expect(mode(fallback) == 0o700) }
        if runtime == .missing, let directory { unsafe #expect(access(directory, F_OK) != 0) }
        if runtime == .open, let directory { #expect(try names(in: directory).isEmpty) }
    }

    @Test func `a state directory that everybody can write to is not used`() throws {
        let scratch = try Scratch()
        let state = scratch.path + "/accordiond"
        unsafe mkdir(state, 0o700)
        unsafe chmod(state, 0o777)
        let process = try Process(
            productsDirectory + "/accordion", ["list"],
            environment: ["TMPDIR=\(scratch.path)", "XDG_STATE_HOME=\(scratch.path)"], output: scratch.path + "/out")
        #expect(try process.waitForEnd() == 5)
        #expect(contents(scratch.path + "/out").contains(state))
        #expect(try names(in: state).isEmpty)
    }
}
