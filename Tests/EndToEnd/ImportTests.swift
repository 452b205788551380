// Why this file exists: files become documents through the real programs: what is told, how it ends, and that a document
// follows its file however that is saved.

import Glibc
import TestSupport
import Testing

@Suite struct ImportTests {
    let daemon: TestDaemon
    let path: String

    init() throws {
        daemon = try TestDaemon()
        path = daemon.scratch.path + "/runbook.md"
        try write("# Runbook\n\n- [ ] first\n- second\n", to: path)
    }

    private func titles(_ document: String = "runbook") throws -> [String] {
        try daemon.accordion(["show", document, "--all"]).output.split(separator: "\n").map { line in
            String(line.split(separator: "\t", omittingEmptySubsequences: false).last ?? "")
        }
    }

    /// Puts another file in its place, as editors do.
    private func replace(_ text: String) throws {
        try write(text, to: path + "~")
        try #require(unsafe rename(path + "~", path) == 0)
    }

    @Test func `a file is known by its name or by its beginning, standard input by its beginning`() throws {
        let named = try daemon.accordion(["import", path])
        #expect(named.status == 0 && named.output == "runbook\t2\n" && named.errors.isEmpty)
        let piped = try daemon.accordion(
            ["import", "-", "--as", "piped"], input: "<opml><body><outline text='a'/></body></opml>")
        #expect(piped.status == 0 && piped.output == "piped\t1\n", "\(piped.errors)")
        let forced = try daemon.accordion(["import", "-", "--as", "forced", "--format", "markdown"], input: "[\"a\"]")
        #expect(try forced.status == 0 && titles("forced") == ["[\"a\"]"])
        #expect(try daemon.accordion(["import", "-", "--as", "x"], input: "").status == 7)
        #expect(try daemon.accordion(["import", "-", "--as", "x", "--watch"], input: "").status == 2)
    }

    @Test func `what is left out, and what can't be understood, is told with file and line`() throws {
        try write("a\n\n<!-- b -->\n\n---\n", to: path)
        let told = try daemon.accordion(["import", path])
        #expect(
            told.errors == "accordion: \(path):3: an HTML comment is left out\n"
                + "accordion: \(path):5: a rule between parts is left out\n")
        try write("<opml>\n<body>\n<outline text='a'>", to: path)
        let broken = try daemon.accordion(["import", path, "--format", "opml", "--replace"])
        #expect(broken.status == 7 && broken.errors.hasPrefix("accordion: \(path):3:"), "\(broken.errors)")
    }

    @Test(arguments: ["json", "markdown", "opml"]) func `what is exported is imported as the same document`(
        format: String
    ) throws {
        try write(
            "# T\n\n## a\n<!-- accordion: {\"tint\":\"red\",\"open\":true} -->\n\ntext *x*\n\n- [x] b\n\n```sh\n\tc\n```\n",
            to: path)
        #expect(try daemon.accordion(["import", path]).status == 0)
        let exported = try daemon.accordion(["export", "runbook", "--format", format])
        #expect(exported.status == 0 && exported.errors.isEmpty)
        let again = try daemon.accordion(
            ["import", "-", "--as", "again", "--format", format], input: exported.output)
        #expect(again.status == 0 && again.errors.isEmpty, "\(again.errors)")
        func content(_ name: String) throws -> Substring {
            let json = try daemon.accordion(["export", name]).output
            return json.drop { $0 != "," }
        }
        #expect(try content("again") == content("runbook"))
    }

    @Test func `a document follows its file, written to or replaced, and keeps what is open and checked`() throws {
        let follower = try RunningClient(daemon, ["import", path, "--watch"])
        try until("it is watched") { follower.errors.contains("is watched") }
        #expect(follower.output == "runbook\t2\n")
        try daemon.tell(#"{"op":"check","doc":"runbook","section":"first"}"#)
        try replace("# Runbook\n\n- [ ] first\n- third\n")
        try until("the document follows") { try titles() == ["first", "third"] }
        try until("it is told") {
            follower.errors.contains(#"1 sections kept, 1 ("second") removed, 1 ("third") added"#)
        }
        #expect(try daemon.accordion(["show", "runbook"]).output.contains("\tdone\tfirst\t"))
        try write("# Runbook\n\n- [ ] first\n- fourth\n<!-- c -->\n", to: path)
        try until("the document follows") { try titles() == ["first", "fourth"] }
        try replace("# Runbook\n\n- [ ] first\n- fifth\n<!-- c -->\n")
        try until("the document follows") { try titles() == ["first", "fifth"] }
        #expect(follower.errors.split(separator: "\n").filter { $0.contains("comment") }.count == 1)
        follower.process.signal(SIGTERM)
        #expect(try follower.process.waitForEnd() == -SIGTERM)
    }

    @Test func `a file that is broken or gone for a moment is told, and the document stays`() throws {
        let follower = try RunningClient(daemon, ["import", path, "--watch"])
        try until("it is watched") { follower.errors.contains("is watched") }
        try write("", to: path)
        try until("it is told") {
            follower.errors.contains("nothing in it") && follower.errors.contains("is not taken")
        }
        try #require(unsafe unlink(path) == 0)
        try until("it is told") { follower.errors.contains("is gone; runbook stays as it is") }
        #expect(try titles() == ["first", "second"])
        try replace("# Runbook\n\n- again\n")
        try until("the document follows") { try titles() == ["again"] }
        try #require(daemon.accordion(["delete", "runbook"]).status == 0)
        try replace("# Runbook\n\n- never\n")
        #expect(try follower.process.waitForEnd() == 3)
        #expect(follower.errors.contains("runbook was deleted"))
    }

    @Test func `a link is followed to where it leads, also when it is turned to another file`() throws {
        let other = daemon.scratch.path + "/other"
        try #require(unsafe mkdir(other, 0o700) == 0)
        try write("- a\n", to: other + "/one.md")
        try write("- b\n", to: other + "/two.md")
        let link = daemon.scratch.path + "/link.md"
        try #require(unsafe symlink(other + "/one.md", link) == 0)
        let follower = try RunningClient(daemon, ["import", link, "--watch"])
        try until("it is watched") { follower.errors.contains("is watched") }
        try write("- c\n", to: other + "/one.md")
        try until("the document follows") { try titles("link") == ["c"] }
        try #require(unsafe symlink(other + "/two.md", link + "~") == 0)
        try #require(unsafe rename(link + "~", link) == 0)
        try until("the document follows") { try titles("link") == ["b"] }
        follower.process.signal(SIGKILL)
    }

    @Test func `who follows a file ends when the daemon goes`() throws {
        let follower = try RunningClient(daemon, ["import", path, "--watch"])
        try until("it is watched") { follower.errors.contains("is watched") }
        daemon.process.signal(SIGTERM)
        #expect(try follower.process.waitForEnd() == 5)
    }
}
