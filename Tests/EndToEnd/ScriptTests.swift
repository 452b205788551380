// Why this file exists: each behaviour of the protocol is written down as a conversation that the client's `script` plays
// against a real daemon; and what files of real size need is tried as a user would.

import Glibc
import Testing

@Suite struct ScriptTests {
    /// Beside this file.
    static let folder = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/Scripts"

    static let scripts = [
        "province-list", "section-accordion", "stretching-rows", "disagreement", "presence", "since",
    ]

    @Test(arguments: scripts)
    func `a written conversation goes as written`(_ name: String) throws {
        let daemon = try TestDaemon()
        let outcome = try daemon.accordion(["script", "\(Self.folder)/\(name).accordion"])
        #expect(outcome.status == 0, "\(name): \(outcome.errors)\(outcome.output)")
    }

    @Test func `every conversation in the folder is played`() throws {
        let folder = unsafe try #require(unsafe opendir(Self.folder))
        defer { unsafe closedir(folder) }
        var found: Set<String> = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".accordion") { found.insert(String(name.dropLast(".accordion".count))) }
        }
        #expect(found == Set(Self.scripts))
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
