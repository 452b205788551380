// That runbooks of many styles become documents with every word in its order, and that what is not taken is told.

import AccordionModel
import Formats
import Testing

private let folder = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Samples/"

struct Runbook: CustomTestStringConvertible {
    let name: String
    /// What of it is markup, or is told, or stands elsewhere, to be done to the source before its words are compared.
    var replacements: [(String, String)] = []
    var notes: [String] = []
    let sections: Int
    let tasks: Int

    var testDescription: String { name }

    static let all = [
        Runbook(
            name: "incident.md",
            replacements: [
                ("owner: payments-oncall\ntags: [checkout, latency, sev2]\nlast_reviewed: 2024-03-18\n", ""),
                ("title: ", ""), ("&mdash;", "—"),
                ("[the post-mortem template][pm]", "the post-mortem template (https://wiki.example/post-mortem)"),
                ("[pm]: https://wiki.example/post-mortem\n", ""),
                ("[old]: https://wiki.example/2019/checkout \"no longer kept\"\n", ""),
            ],
            notes: [
                #"1: the front matter's "owner", "tags", "last_reviewed" are left out"#,
                "44: an HTML comment is left out",
                "56: a rule between parts is left out",
                #"66: the link "old" to "https://wiki.example/2019/checkout" "no longer kept" is used nowhere and left out"#,
            ], sections: 15, tasks: 3),
        Runbook(name: "kernel-style.md", sections: 12, tasks: 0),
        Runbook(name: "checklist.md", sections: 19, tasks: 11),
        Runbook(
            name: "html-readme.md",
            replacements: [
                ("<kbd>", ""), ("</kbd>", ""), ("<i>water</i>.<br/>", "water."), ("&eacute;", "é"), ("&nbsp;", " "),
                ("AT&T, 3 < 4 &amp; 5", "AT&T, 3 < 4 & 5"), ("&copy;", "©"), ("&#x2014;", "—"),
            ],
            notes: ["8: an HTML comment is left out, here and in 2 more places"], sections: 2, tasks: 0),
        Runbook(name: "no-heading.md", sections: 3, tasks: 0),
        Runbook(name: "crlf-tabs-bom.md", sections: 7, tasks: 1),
    ]
}

@Suite struct RunbookTests {
    @Test(arguments: Runbook.all) func `every word of a runbook is in its document, in order`(runbook: Runbook) throws {
        let bytes = try #require(contents(of: folder + runbook.name))
        let read = try Imported(reading: bytes.span, as: .markdown, title: "")
        let source = stripped(String(decoding: bytes, as: UTF8.self), runbook.replacements)
        let found = difference(words(of: source), words(of: read.document))
        #expect(found == nil, "\(found ?? "")")
        #expect(read.notes.map(\.message) == runbook.notes)
        #expect(read.document.sections.count == runbook.sections && read.document.taskCount == runbook.tasks)
    }

    @Test(arguments: Runbook.all) func `a runbook comes back from every format`(runbook: Runbook) throws {
        let bytes = try #require(contents(of: folder + runbook.name))
        let read = try Imported(reading: bytes.span, as: .markdown, title: "file")
        for format in Format.exported {
            let again = try imported(exported(read.document, as: format), as: format)
            #expect(difference(read.document, again.document) == nil && again.notes.isEmpty, "\(format)")
        }
    }

    @Test func `what stands between marks is where it was`() throws {
        let bytes = try #require(contents(of: folder + "incident.md"))
        let document = try Imported(reading: bytes.span, as: .markdown, title: "").document
        let index = try #require(document.find(SectionPath("Triage/2. Look at what was deployed around it:")))
        #expect(
            document[index].content == [
                .code(
                    "kubectl -n checkout rollout history deploy/api | tail -5\n"
                        + "git log --since=\"2 hours ago\" --oneline -- services/checkout", language: "sh"),
                .text("Nothing there? Go on with step 4."),
            ])
        #expect(document.find(SectionPath("Triage/When it is the cache")) != nil)
        #expect(document.attributes.title == "Incident: checkout latency above 2 s")
    }
}
