// Why this file exists: each member of a document and of a section, with each value that it can have and without it, and
// what it means for what is shown before anybody has touched anything.

import AccordionModel
import Testing

@Suite struct DocumentTests {
    private func open(_ outlines: [Outline], _ change: (inout DocumentAttributes) -> Void = { _ in }) throws -> [String]
    {
        try Desk(Document.made(outlines, change)).open
    }

    private func done(_ outlines: [Outline]) throws -> [String] { try Desk(Document.made(outlines)).done }

    // MARK: - The document's own

    @Test func `what a document does not say has the first value of the table`() {
        let attributes = DocumentAttributes()
        #expect(attributes.title.isEmpty && attributes.mode == .multiple && !attributes.initiallyOpen)
        #expect(attributes.headers && attributes.conflicts == .last && attributes.collapsible)
        let section = SectionAttributes()
        #expect(section.mode == nil && section.open == nil && section.collapsible && !section.locked)
        #expect(section.task == nil && section.tint == nil)
    }

    @Test func `a document keeps what it says of itself`() throws {
        let document = try Document.made([]) {
            $0.title = "T"
            $0.mode = .single
            $0.initiallyOpen = true
            $0.headers = false
            $0.conflicts = .closed
            $0.collapsible = false
        }
        let attributes = document.attributes
        #expect(attributes.title == "T" && attributes.mode == .single && attributes.initiallyOpen)
        #expect(!attributes.headers && attributes.conflicts == .closed && !attributes.collapsible)
    }

    @Test func `initially closed, nothing is open that nobody has touched`() throws {
        #expect(try open([Outline("a", [Outline("b")]), Outline("c")]).isEmpty)
    }

    @Test func `initially open, every section is open that nobody has touched, rows aside`() throws {
        let outlines = [Outline("a", [Outline("b"), .row("r")]), Outline("c"), .row("d")]
        #expect(try open(outlines) { $0.initiallyOpen = true } == ["a", "a/b", "c"])
    }

    @Test func `a section's open says how it stands initially, where that differs`() throws {
        let outlines = [Outline("a") { $0.open = true }, Outline("b") { $0.open = false }, Outline("c")]
        #expect(try open(outlines) == ["a"])
        #expect(try open(outlines) { $0.initiallyOpen = true } == ["a", "c"])
    }

    @Test func `a row is not open, whatever it says`() throws {
        let rows = [Outline.row("a") { $0.open = true }, .row("b")]
        #expect(try open(rows).isEmpty)
        #expect(try open(rows) { $0.initiallyOpen = true }.isEmpty)
        #expect(try open(rows + [Outline("c") { $0.open = true }]) { $0.mode = .single } == ["c"])
    }

    @Test func `hidden headers change nothing of what is open`() throws {
        let outlines = [Outline("a") { $0.open = true }, Outline("b")]
        #expect(try open(outlines) { $0.headers = false } == ["a"])
    }

    // MARK: - Single groups

    @Test func `in a single group the first that says open is it`() throws {
        let outlines = [
            Outline("a"), Outline("b") { $0.open = true }, Outline("c") { $0.open = true },
        ]
        #expect(try open(outlines) { $0.mode = .single } == ["b"])
    }

    @Test func `in a single group none is open initially where none says so`() throws {
        #expect(try open([Outline("a"), Outline("b")]) { $0.mode = .single }.isEmpty)
    }

    @Test func `in a single group of a document that is initially open the first is open that does not say otherwise`()
        throws
    {
        let outlines = [Outline.row("r"), Outline("a") { $0.open = false }, Outline("b"), Outline("c")]
        #expect(
            try open(outlines) {
                $0.mode = .single
                $0.initiallyOpen = true
            } == ["b"])
    }

    @Test func `where one must stay open the first is, if none says so, rows aside`() throws {
        let outlines = [Outline.row("r"), Outline("a"), Outline("b")]
        let first = try open(outlines) {
            $0.mode = .single
            $0.collapsible = false
        }
        #expect(first == ["a"])
        let said = try open([Outline("a"), Outline("b") { $0.open = true }]) {
            $0.mode = .single
            $0.collapsible = false
        }
        #expect(said == ["b"])
    }

    @Test func `of a single group with rows alone, or with nothing, none is open though one must be`() throws {
        for outlines in [[Outline.row("r")], []] {
            let open = try open(outlines) {
                $0.mode = .single
                $0.collapsible = false
            }
            #expect(open.isEmpty)
        }
    }

    @Test func `a section's mode is for the sections directly inside it`() throws {
        let inner = [
            Outline("x", [Outline("p") { $0.open = true }, Outline("q") { $0.open = true }]) { $0.open = true },
            Outline("y") { $0.open = true },
        ]
        let outlines = [Outline("a", inner) { $0.mode = .single }, Outline("b") { $0.open = true }]
        #expect(try open(outlines) == ["a/x", "a/x/p", "a/x/q", "b"])
    }

    @Test func `a section without a mode has the document's`() throws {
        let outlines = [
            Outline("a", [Outline("x") { $0.open = true }, Outline("y") { $0.open = true }]),
            Outline("b", [Outline("x") { $0.open = true }, Outline("y") { $0.open = true }]) { $0.mode = .multiple },
        ]
        #expect(try open(outlines) { $0.mode = .single } == ["a/x", "b/x", "b/y"])
        #expect(try open(outlines) == ["a/x", "a/y", "b/x", "b/y"])
    }

    @Test
    func `a section's collapsible is for the sections directly inside it, and the document's for those at the top`()
        throws
    {
        let outlines = [
            Outline("a", [Outline("x"), Outline("y")]) {
                $0.mode = .single
                $0.collapsible = false
            }, Outline("b", [Outline("z")]),
        ]
        #expect(try open(outlines) == ["a/x"])
        #expect(
            try open(outlines) {
                $0.mode = .single
                $0.collapsible = false
            } == ["a", "a/x"])
    }

    // MARK: - Sections

    @Test func `a section without content is a row, an empty list is a header with nothing inside`() throws {
        let document = try Document.made([.row("r"), Outline("s", [])])
        #expect(document.sections.map(\.isRow) == [true, false])
        #expect(document[0].content == nil && document[1].content == [])
    }

    @Test func `a row into which something is put is none`() throws {
        var builder = DocumentBuilder()
        try builder.beginSection(id: nil, title: "s", hasContent: false)
        try builder.addText("text")
        #expect(try builder.finish(DocumentAttributes()).sections.map(\.isRow) == [false])
    }

    @Test func `blocks keep their order, sections between paragraphs and code`() throws {
        var builder = DocumentBuilder()
        try builder.addText("one")
        try builder.beginSection(id: nil, title: "s", hasContent: true)
        try builder.addCode("ls", language: "sh")
        try builder.beginSection(id: nil, title: "t", hasContent: true)
        builder.endSection()
        try builder.addText("two")
        builder.endSection()
        try builder.addCode("x", language: nil)
        let document = try builder.finish(DocumentAttributes())
        #expect(document.content == [.text("one"), .section(0), .code("x", language: nil)])
        #expect(document[0].content == [.code("ls", language: "sh"), .section(1), .text("two")])
        #expect(document[1].content == [])
    }

    @Test func `a section knows what is around it and inside it`() throws {
        let document = try Document.made([Outline("a", [Outline("b", [.row("c")]), .row("d")]), Outline("e")])
        #expect(document.sections.map(\.parent) == [-1, 0, 1, 0, -1])
        #expect(document.sections.map(\.depth) == [1, 2, 3, 2, 1])
        #expect(Array(document.children(of: -1)) == [0, 4])
        #expect(Array(document.children(of: 0)) == [1, 3] && Array(document.children(of: 1)) == [2])
        #expect(Array(document.children(of: 2)).isEmpty && Array(document.children(of: 4)).isEmpty)
        #expect(document.inside(-1) == 0..<5 && document.inside(0) == 1..<4 && document.inside(4).isEmpty)
    }

    @Test func `a task's value is its initial check mark, and what is no task has none`() throws {
        let outlines = [
            Outline("a") { $0.task = true }, Outline("b") { $0.task = false }, Outline("c"),
            .row("d") { $0.task = true },
        ]
        #expect(try done(outlines) == ["a", "d"])
        #expect(try Document.made(outlines).taskCount == 3)
    }

    @Test func `the eight names, the eight bright ones, and six hexadecimal digits are tints`() {
        for name in ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] {
            #expect(Tint.isValid(name) && Tint.isValid("bright-" + name))
        }
        for text in ["#000000", "#ffffff", "#FFFFFF", "#09afAF"] { #expect(Tint.isValid(text)) }
    }

    @Test(arguments: [
        "", "orange", "Red", "bright", "bright-", "bright-bright-red", "red ", "#", "#fff", "#fffff", "#fffffff",
        "#ffffgf", "ffffff", "#ffff/0", "#ffff:0", "#ffff@0", "#ffff`0", "#\u{6}\u{6}\u{6}\u{6}\u{6}\u{6}", "#-00000",
    ])
    func `anything else is no tint, and makes a document invalid`(_ text: String) {
        #expect(!Tint.isValid(text))
        #expect { try Document.made([.row("t") { $0.tint = text }]) } throws: {
            ($0 as? InvalidDocument).map { !$0.isTooLarge && $0.place == "t" } ?? false
        }
    }

    @Test func `two documents are the same where all that they say is the same`() throws {
        let outlines = [Outline("a", [.row("b")]), .row("c")]
        let document = try Document.made(outlines)
        #expect(try document.isSame(as: Document.made(outlines)))
        for other in [
            try Document.made(outlines) { $0.title = "T" }, try Document.made(outlines) { $0.mode = .single },
            try Document.made([Outline("a", [.row("b")]), Outline("c")]),
            try Document.made([Outline("a", [.row("b")])]),
            try Document.made([Outline("a", [.row("b")]), Outline.row("c") { $0.locked = true }]),
        ] { #expect(!document.isSame(as: other)) }
    }
}
