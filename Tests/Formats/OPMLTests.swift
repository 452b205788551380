// Claims about OPML's way in, and about what is refused of XML.

import AccordionModel
import Formats
import Testing

private let samples = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Samples/"

private func read(_ text: String) throws -> Imported { try imported(text, as: .opml) }

private func fault(_ text: String) -> String {
    do {
        _ = try read(text)
        return "none"
    } catch let error as ImportFault {
        return error.message
    } catch {
        return "another"
    }
}

private func opml(_ body: String, head: String = "") -> String {
    "<opml version=\"2.0\"><head>\(head)</head>\n<body>\n\(body)\n</body></opml>"
}

@Suite struct OPMLTests {
    @Test func `an outliner's file becomes a document, and what is not taken is told`() throws {
        let bytes = try #require(contents(of: samples + "outliner.opml"))
        #expect(Format.detect(bytes.span) == .opml)
        let file = try Imported(reading: bytes.span, as: .opml, title: "file")
        #expect(file.document.attributes.title == "Week 12")
        #expect(
            outline(file.document) == [
                "Monday:", " \"Bring the keys.\nBoth of them.\"", " [x] Dentist & optician", " [ ] Call Renée:",
                "  about the flat", "Tuesday:", " nothing", "Feeds:", " A journal",
            ])
        // The third line that is to be seen is inside the first, which is expanded.
        #expect(file.document.sections.filter { $0.attributes.open == true }.map(\.title) == ["Monday", "Call Renée"])
        #expect(
            file.notes.map(\.message) == [
                "2: a comment is left out", #"6: the element "dateCreated" is left out"#,
                #"8: the element "vertScrollState" is left out"#,
                #"12: the attribute "created" is left out, here and in 1 more place"#,
                #"17: the attribute "type" is left out"#, #"17: the attribute "xmlUrl" is left out"#,
            ])
    }

    @Test(arguments: [
        ("1,2", ["a", "b"]), ("0,1", ["a", "b"]), ("2", [""]), ("3", ["d"]), ("1, 4", ["a", "d"]),
    ])
    func `expanded lines are those to be seen`(state: String, open: [String]) throws {
        let body =
            "<outline text='a'><outline text='b'><outline text='c'/></outline></outline>"
            + "<outline text=''><outline text='x'/></outline><outline text='d'><outline text='e'/></outline>"
        let file = try read(opml(body, head: "<expansionState>\(state)</expansionState>"))
        #expect(file.document.sections.filter { $0.attributes.open == true }.map(\.title) == open)
    }

    @Test func `text that outlines have no place for is told`() throws {
        let file = try read(
            opml("lost<outline text='a' title='b' _complete='maybe'>lost<extra>gone</extra></outline><?php x?>"))
        #expect(outline(file.document) == ["a"])
        #expect(
            file.notes.map(\.message) == [
                "3: text outside of outlines is left out, here and in 1 more place",
                #"3: the attribute "_complete" is left out"#, #"3: the attribute "title" is left out"#,
                #"3: the element "extra" is left out"#, #"3: the instruction "php" is left out"#,
            ])
    }

    @Test(arguments: [
        ("<!DOCTYPE opml><opml/>", "1:1: a DOCTYPE is refused"),
        (
            "<?xml version='1.0'?>\n<!-- <x> -->\n<!DOCTYPE opml SYSTEM 'file:///etc/passwd'>\n<opml/>",
            "3:1: a DOCTYPE is refused"
        ),
        (opml("<outline text='a&nbsp;b'/>"), "3:"), (opml("<outline text='a'>&nbsp;</outline>"), "3:"),
        (String(opml("<outline text='a'/>").dropLast(10)), "4:"),
        (String(opml("<outline text='a'>").dropLast(30)), "3:"),
        ("<opml><body><outline text='a'", "1:"), ("<opml>", "1:"), ("", "there is nothing in it"),
        (" \n", "there is nothing in it"), ("no", "1:1: it is no XML"),
        ("<html/>", "1:1: it is no OPML: its root is \"html\""),
        (opml("<outline text='a' text='b'/>"), "3:"), (opml("<outline text='\u{1}'/>"), "3:"),
        (opml("<outline text='&#0;'/>"), "3:"), (opml("") + "<opml/>", "4:"),
        ("<?xml version='1.0' encoding='UTF-7'?><opml/>", "1:1: the encoding \"UTF-7\" is not read"),
        ("<?xml version='1.0' encoding='utf-16'?><opml/>", "1:1: the encoding \"utf-16\" is not read"),
        (opml("<outline text='a' _accordion='{'/>"), "3:1: _accordion can't be read"),
        (opml("", head: "<_accordion>{\"mode\":7}</_accordion>"), "1:1: the document's members can't be read"),
    ])
    func `what is no whole XML, and what makes XML dangerous, is refused`(text: String, beginning: String) {
        #expect(fault(text).hasPrefix(beginning), "\(fault(text))")
    }

    @Test func `entities that multiply are refused before they do`() {
        var text = "<?xml version=\"1.0\"?>\n<!DOCTYPE opml [\n<!ENTITY e0 \"0123456789\">\n"
        for level in 1...30 {
            let inner = String(repeating: "&e\(level - 1);", count: 10)
            text += "<!ENTITY e\(level) \"\(inner)\">\n"
        }
        text += "]>\n" + opml("<outline text=\"&e30;\"/>")
        #expect(fault(text).hasPrefix("2:1: a DOCTYPE is refused"))
    }

    @Test func `outlines deeper than sections may be stay as text; far deeper ones are refused`() throws {
        func nested(_ depth: Int) -> String {
            opml(
                String(repeating: "<outline text='l' _note='n'>\n", count: depth)
                    + String(repeating: "</outline>", count: depth))
        }
        let file = try read(nested(40))
        #expect(words(of: file.document).filter { $0 == "l" }.count == 40)
        #expect(words(of: file.document).filter { $0 == "n" }.count == 40)
        #expect(
            file.notes.map(\.message) == [
                "19: what is nested deeper than 16 levels stays as text, here and in 23 more places"
            ])
        #expect(fault(nested(5_000)).contains("elements nested deeper than 1000"))
        #expect(fault(nested(200_000)).contains("elements nested deeper than 1000"))
    }

    @Test func `a title that is too long goes on as text, the document's too`() throws {
        let long = (0..<300).map { "word\($0)" }.joined(separator: " ")
        let file = try read(opml("<outline text='\(long)'/>", head: "<title>T \(long)</title>"))
        #expect(difference(["T"] + words(of: long) + words(of: long), words(of: file.document)) == nil)
    }
}
