// Why this file exists: every limit of a document is held at exactly its number: one less and the number itself are taken,
// one more is refused as too large.

import AccordionModel
import Testing

/// Whether `body` is refused as too large; nil where it is not refused.
private func isTooLarge(_ body: () throws -> Void) -> Bool? {
    do {
        try body()
        return nil
    } catch {
        return (error as? InvalidDocument)?.isTooLarge ?? false
    }
}

private func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

@Suite struct LimitTests {
    @Test func `the limits are those of the protocol`() {
        let limits = Limits()
        #expect(limits.sectionsMax == 100_000 && limits.depthMax == 16)
        #expect(limits.textBytesMax == 16 * 1_024 * 1_024 && limits.titleBytesMax == 1_024)
        #expect(limits.segmentBytesMax == 128 && limits.batchOperationsMax == 1_000)
    }

    @Test(arguments: [(99_999, false), (100_000, false), (100_001, true)])
    func `a document has at most 100,000 sections`(_ count: Int, _ isRefused: Bool) {
        let outcome = isTooLarge {
            var builder = DocumentBuilder()
            for number in 0..<count {
                try builder.beginSection(id: nil, title: "\(number)", hasContent: false)
                builder.endSection()
            }
        }
        #expect(outcome == (isRefused ? true : nil))
    }

    @Test(arguments: [(4, false), (5, false), (6, true)])
    func `rows and sections at every depth count alike`(_ count: Int, _ isRefused: Bool) {
        var limits = Limits()
        limits.sectionsMax = 5
        let rows = (0..<(count - 2)).map { Outline.row("\($0)") }
        let outcome = isTooLarge { _ = try Document.made([Outline("a", [Outline("b", rows)])], limits: limits) }
        #expect(outcome == (isRefused ? true : nil))
    }

    @Test(arguments: [(15, false), (16, false), (17, true)])
    func `sections stand at most 16 deep`(_ depth: Int, _ isRefused: Bool) {
        let outcome = isTooLarge {
            var builder = DocumentBuilder()
            for level in 1...depth {
                try builder.beginSection(id: nil, title: "\(level)", hasContent: true)
                #expect(builder.depth == level)
            }
            let document = try builder.finish(DocumentAttributes())
            #expect(document.sections.map(\.depth) == Array(1...depth))
        }
        #expect(outcome == (isRefused ? true : nil))
    }

    @Test(arguments: [(1_023, false), (1_024, false), (1_025, true)])
    func `a title has at most 1 KiB`(_ count: Int, _ isRefused: Bool) {
        let section = isTooLarge { _ = try Document.made([.row(letters(count))]) }
        #expect(section == (isRefused ? true : nil))
        let document = isTooLarge { _ = try Document.made([]) { $0.title = letters(count) } }
        #expect(document == (isRefused ? true : nil))
    }

    @Test func `a title is counted in bytes`() {
        #expect(isTooLarge { _ = try Document.made([.row(String(repeating: "全", count: 341) + "a")]) } == nil)
        #expect(isTooLarge { _ = try Document.made([.row(String(repeating: "全", count: 341) + "aa")]) } == true)
    }

    /// What holds text in a document, each as a way to make one with that many bytes of it.
    private static let holders: [(name: String, make: @Sendable (String, Limits) throws -> Void)] = [
        ("paragraph", { text, limits in try build(limits) { builder in try builder.addText(text) } }),
        ("code", { text, limits in try build(limits) { builder in try builder.addCode(text, language: nil) } }),
        (
            "language",
            { text, limits in
                try build(limits) { builder in try builder.addCode(letters(10), language: String(text.dropLast(10))) }
            }
        ),
        ("title", { text, limits in _ = try Document.made([.row(text)], limits: limits) }),
        (
            "id",
            { text, limits in
                _ = try Document.made([Outline(letters(10), id: String(text.dropLast(10)))], limits: limits)
            }
        ),
        ("title of the document", { text, limits in _ = try Document.made([], limits: limits) { $0.title = text } }),
        (
            "all together",
            { text, limits in
                _ = try Document.made([.row(letters(50)), .row(String(text.dropLast(60)))], limits: limits) {
                    $0.title = letters(10)
                }
            }
        ),
    ]

    private static func build(
        _ limits: Limits, _ fill: (inout DocumentBuilder) throws -> Void
    ) throws {
        var builder = DocumentBuilder(limits: limits)
        try fill(&builder)
        _ = try builder.finish(DocumentAttributes())
    }

    @Test(arguments: [(99, false), (100, false), (101, true)])
    func `all text of a document together is bounded, wherever it stands`(_ count: Int, _ isRefused: Bool) {
        var limits = Limits()
        limits.textBytesMax = 100
        for holder in LimitTests.holders {
            let outcome = isTooLarge { try holder.make(letters(count), limits) }
            #expect(outcome == (isRefused ? true : nil), "\(holder.name)")
        }
    }

    @Test(arguments: [((16 << 20) - 1, false), (16 << 20, false), ((16 << 20) + 1, true)])
    func `a document has at most 16 MiB of text`(_ count: Int, _ isRefused: Bool) {
        let outcome = isTooLarge {
            var builder = DocumentBuilder()
            try builder.addText(letters(count))
            #expect(try builder.finish(DocumentAttributes()).textBytes == count)
        }
        #expect(outcome == (isRefused ? true : nil))
    }

    @Test func `the bytes of a document's text are those of titles, ids, paragraphs and code`() throws {
        var builder = DocumentBuilder()
        try builder.addText(letters(1))
        try builder.beginSection(id: letters(20), title: letters(300), hasContent: true)
        try builder.addCode(letters(4_000), language: letters(50_000))
        var attributes = DocumentAttributes()
        attributes.title = letters(600)
        #expect(try builder.finish(attributes).textBytes == 54_921)
    }

    @Test func `what is nested too deep is told by its own title`() {
        var builder = DocumentBuilder()
        #expect {
            for level in 1...17 { try builder.beginSection(id: nil, title: "t\(level)", hasContent: true) }
        } throws: {
            ($0 as? InvalidDocument)?.place == "t17"
        }
    }
}
