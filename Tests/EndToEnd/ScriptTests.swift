// Why this file exists: each behaviour of the protocol is written down as a conversation that the client's `script` plays
// against a real daemon; and what files of real size need is tried as a user would.

import Glibc
import TestSupport
import Testing
import Wire

@Suite struct ScriptTests {
    /// Beside this file.
    static let folder = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/Scripts"

    /// Every conversation of the folder, by name.
    static let scripts: [String] =
        ((try? names(in: folder)) ?? []).filter { $0.hasSuffix(".accordion") }
        .map { String($0.dropLast(".accordion".count)) }.sorted()

    /// What no conversation with a fresh daemon can bring about, and why.
    static let unreachable = [
        "bad_utf8": "a script is text", "line_too_long": "a line of a megabyte is no script to read",
        "too_many_requests": "no limit of requests is in force by default",
        "too_many_clients": "as many clients as there are descriptors", "unauthorized": "no door asks for a token",
        "forbidden": "everybody may do everything here", "storage_failed": "the disk takes what it is given",
        "read_only": "it is alone", "shutting_down": "it goes on",
    ]

    @Test(arguments: scripts)
    func `a written conversation goes as written`(_ name: String) throws {
        let daemon = try TestDaemon()
        let outcome = try daemon.accordion(["script", "\(Self.folder)/\(name).accordion"])
        #expect(outcome.status == 0, "\(name): \(outcome.errors)\(outcome.output)")
        #expect(outcome.output.isLike("passed: * requests, * replies and events matched\n"), "\(outcome.output)")
    }

    @Test func `the conversation in the README goes as it says`() throws {
        let readme = Self.folder.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/README.md"
        let lines = contents(readme).split(separator: "\n").filter { $0.hasPrefix("    > ") || $0.hasPrefix("    < ") }
        try #require(lines.count > 10)
        let scratch = try Scratch()
        try write(lines.map { $0.dropFirst(4) + "\n" }.joined(), to: scratch.path + "/script")
        let (outcome, _) = try runPrivately(scratch.path + "/script", in: scratch)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    /// Runs the client with a directory for temporary files, and tells what it left there.
    private func runPrivately(_ path: String, in scratch: Scratch) throws -> (outcome: Outcome, left: [String]) {
        let temporary = scratch.path + "/tmp"
        unsafe mkdir(temporary, 0o700)
        let process = try Process(
            productsDirectory + "/accordion", ["script", "--private", path], environment: ["TMPDIR=\(temporary)"],
            output: scratch.path + "/out", errors: scratch.path + "/err")
        let status = try process.waitForEnd()
        let outcome = Outcome(
            status: status, output: contents(scratch.path + "/out"), errors: contents(scratch.path + "/err"))
        return (outcome, try names(in: temporary))
    }

    @Test func `a conversation is played with an empty daemon of its own, which leaves nothing behind`() throws {
        let scratch = try Scratch()
        for _ in 0..<2 {
            let (outcome, left) = try runPrivately("\(Self.folder)/since.accordion", in: scratch)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
            #expect(left.isEmpty, "\(left)")
        }
        let passed = "passed: 8 requests, 11 replies and events matched\n"
        #expect(contents(scratch.path + "/out") == passed + passed)
    }

    @Test
    func `one that fails with a daemon of its own leaves nothing either, and with another one --private is named`()
        throws
    {
        let scratch = try Scratch()
        let path = scratch.path + "/script"
        try write("> {\"op\":\"ping\"}\n< {\"ok\":false}\n", to: path)
        let (outcome, left) = try runPrivately(path, in: scratch)
        #expect(
            outcome.status == 1 && left.isEmpty && !outcome.errors.contains("--private"), "\(outcome.errors)\(left)")
        let other = try TestDaemon().accordion(["script", path])
        #expect(other.status == 1 && other.errors.contains("--private"), "\(other.errors)")
    }

    @Test func `one that is interrupted ends by the signal and leaves nothing`() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/script"
        try write("> {\"op\":\"create\",\"doc\":\"p\",\"content\":[]}\n! 300\n", to: path)
        let process = try Process(
            productsDirectory + "/accordion", ["script", "--private", path], environment: ["TMPDIR=\(scratch.path)"],
            output: scratch.path + "/out")
        var daemon: String?
        try until("its daemon listens") {
            daemon = try names(in: scratch.path).first { $0.hasPrefix("accordion-") }
            return daemon.map { contents("\(scratch.path)/\($0)/log").contains("listening") } ?? false
        }
        let socket = try TestSocket(unix: "\(scratch.path)/\(daemon ?? "")/accordiond.sock")
        try until("the script has begun") { try socket.ask(#"{"op":"list"}"#)?.contains(#""doc":"p""#) == true }
        process.signal(SIGTERM)
        #expect(try process.waitForEnd() == -SIGTERM)
        #expect(try names(in: scratch.path).sorted() == ["out", "script"])
    }

    @Test func `every operation and every error is in some conversation`() throws {
        #expect(Self.scripts.count >= 30, "one a behaviour")
        let all = Self.scripts.map { contents("\(Self.folder)/\($0).accordion") }.joined()
        for op in Self.operations { #expect(all.contains("\"op\":\"\(op)\""), "\(op)") }
        for code in ErrorCode.allCases.map(\.rawValue) where Self.unreachable[code] == nil {
            #expect(all.contains("\"code\":\"\(code)\""), "\(code)")
        }
        for event in ["snapshot", "changed", "deleted", "listed", "unlisted", "presence"] {
            #expect(all.contains("\"event\":\"\(event)\""), "\(event)")
        }
        for code in Self.unreachable.keys { #expect(ErrorCode(rawValue: code) != nil, "\(code)") }
    }

    static let operations = [
        "hello", "ping", "list", "get", "subscribe", "unsubscribe", "watch_list", "toggle", "open", "close", "check",
        "uncheck", "open_all", "close_all", "level", "reset", "batch", "select", "present", "create", "replace",
        "delete",
        "history", "undo", "redo", "status",
    ]

    @Test func `the README names every conversation`() {
        let readme = contents(Self.folder.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/README.md")
        for script in Self.scripts { #expect(readme.contains("`\(script)`"), "\(script)") }
    }

    @Test func `a conversation can say that the connection ends, and one that does not end fails it`() throws {
        let daemon = try TestDaemon()
        let path = daemon.scratch.path + "/script"
        try write("> {\"op\":\"ping\"}\n< end\n", to: path)
        let outcome = try daemon.accordion(["script", path])
        #expect(outcome.status == 1 && outcome.errors.contains("the end was expected"), "\(outcome.errors)")
    }

    @Test func `a conversation that goes otherwise fails with 1, and says where and what came`() throws {
        let daemon = try TestDaemon()
        let path = daemon.scratch.path + "/script"
        try write("> {\"op\":\"list\"}\n< {\"ok\":true,\"documents\":[{\"doc\":\"p\"}]}\n", to: path)
        let outcome = try daemon.accordion(["script", path])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("2") && outcome.errors.contains("array of 1"), "\(outcome.errors)")
    }

    @Test(arguments: [40_000, 100_000])
    func `a document of many megabytes is imported, and exported as it was`(_ count: Int) throws {
        let daemon = try TestDaemon()
        let path = daemon.scratch.path + "/big.json"
        let text = String(repeating: "x", count: 80)
        let sections = (0..<count).map { "{\"id\":\"s\($0)\",\"title\":\"s\($0)\",\"content\":[\"\(text)\"]}" }
        try write("{\"doc\":\"big\",\"content\":[\(sections.joined(separator: ","))]}", to: path)
        let imported = try daemon.accordion(["import", path])
        #expect(imported.status == 0, "\(imported.errors)")
        let exported = try daemon.accordion(["export", "big"])
        #expect(exported.status == 0)
        #expect(exported.output.contains(sections.joined(separator: ",")))
    }
}
