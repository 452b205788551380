// Why this file exists: the manual lies in the tree as it is installed, and must say what the programs do, not what they did.

import TestSupport
import Testing
import Wire

@Suite struct ManualTests {
    private static let folder = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Config/man"

    @Test(arguments: [("accordion", "accordion.1"), ("accordiond", "accordiond.8")])
    func `the page is what the program's table says: PROGRAM --manual writes it anew`(
        _ program: String, _ page: String
    ) throws {
        let scratch = try Scratch()
        let process = try Process(
            "\(productsDirectory)/\(program)", ["--manual"], output: scratch.path + "/out",
            errors: scratch.path + "/err")
        #expect(try process.waitForEnd() == 0 && contents(scratch.path + "/err").isEmpty)
        let made = contents(scratch.path + "/out")
        #expect(!made.isEmpty && made == contents("\(Self.folder)/\(page)"), "Config/man/\(page) is out of step")
    }

    @Test func `every page is set without a warning`() throws {
        let pages = try names(in: Self.folder)
        #expect(Set(pages).isSuperset(of: ["accordion.1", "accordiond.8", "accordion-protocol.7"]))
        for page in pages {
            let scratch = try Scratch()
            let groff = try Process(
                "/usr/bin/groff", ["-ww", "-man", "-k", "-Tutf8", "-z", "\(Self.folder)/\(page)"],
                output: scratch.path + "/out")
            #expect(try groff.waitForEnd() == 0)
            #expect(contents(scratch.path + "/out") == "", "\(page)")
        }
    }

    /// The page of the protocol without the marks of its fonts.
    private var protocolPage: String {
        contents(Self.folder + "/accordion-protocol.7").replacing("\\fR", with: "").replacing("\\fB", with: "")
            .replacing("\\-", with: "-")
    }

    private func isNamed(_ word: String) -> Bool {
        protocolPage.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { $0 == word }
    }

    @Test func `the protocol's page names every operation that the daemon knows, and every error`() throws {
        let daemon = try TestDaemon()
        let socket = try TestSocket(unix: daemon.socketPath)
        let operations = [
            "hello", "ping", "list", "get", "subscribe", "unsubscribe", "watch_list", "toggle", "open", "close",
            "check",
            "uncheck", "open_all", "close_all", "level", "reset", "batch", "select", "present", "create", "replace",
            "delete", "history", "undo", "redo", "status",
        ]
        for operation in operations {
            let reply = try socket.ask(#"{"op":"\#(operation)"}"#) ?? ""
            #expect(!reply.isEmpty && !reply.contains(ErrorCode.unknownOp.rawValue), "\(operation): \(reply)")
            #expect(isNamed(operation), "\(operation)")
        }
        for code in ErrorCode.allCases { #expect(isNamed(code.rawValue), "\(code.rawValue)") }
        for event in ["snapshot", "changed", "deleted", "listed", "unlisted", "presence", "goodbye"] {
            #expect(isNamed(event), "\(event)")
        }
    }

    @Test func `the requests of the protocol's page are taken`() throws {
        let daemon = try TestDaemon()
        let socket = try TestSocket(unix: daemon.socketPath)
        let page = protocolPage.replacing("\\(dq", with: "\"")
        guard let start = page.firstRange(of: "{\"doc\":\"runbook\"")?.lowerBound,
            let end = page[start...].firstRange(of: "\n.EE")?.lowerBound
        else { return #expect(Bool(false)) }
        let document = page[start..<end].replacing("\n", with: "")
        #expect(try socket.ask("{\"op\":\"create\"," + document.dropFirst())?.contains(#""ok":true"#) == true)
        let requests = page.split(separator: "\n").filter { $0.hasPrefix("> {") }.map { String($0.dropFirst(2)) }
        #expect(requests.count == 2)
        for request in requests {
            try socket.send(request + "\n")
            try until("\(request) is answered") {
                let line = try socket.line() ?? ""
                #expect(!line.contains(#""ok":false"#), "\(line)")
                return line.contains(#""ok":true"#)
            }
        }
    }
}
