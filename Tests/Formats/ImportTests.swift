// Claims about files that become documents.

import AccordionModel
import Bytes
import Formats
import Testing
import Wire

private func read(_ text: String, _ options: ImportOptions = ImportOptions()) throws -> Imported {
    let bytes = Array(text.utf8)
    let detected = Format.detect(bytes.span)
    let format = try #require(detected)
    return try Imported(reading: bytes.span, as: format, title: "list", options: options)
}

private func fault(_ text: String, as format: Format) -> String {
    let bytes = Array(text.utf8)
    do {
        _ = try Imported(reading: bytes.span, as: format, title: "")
        return "none"
    } catch {
        return error.message
    }
}

private func paths(_ document: Document) -> [String] { document.sections.map(\.path.text) }

struct FormatTests {
    @Test func `a format is known by the first character`() {
        func detect(_ text: String) -> Format? { Format.detect(Array(text.utf8).span) }
        #expect(detect(" \n\t[]") == .provinceList)
        #expect(detect("\u{FEFF}{") == .documentJSON)
        #expect(detect("# Title") == .markdown)
        #expect(detect("") == nil)
        #expect(detect("\u{FEFF}") == nil)
    }

    @Test func `a file's name becomes a document's name`() {
        func name(_ path: String) -> String? { FileName.proposal(for: path)?.text }
        #expect(name("/a/b/Provinces of China.json") == "Provinces-of-China")
        #expect(name("全国省市.json") == "全国省市")
        #expect(name("archive.tar.gz") == "archive.tar")
        #expect(name(".hidden") == "hidden")
        #expect(name("--x--.md") == "x")
        #expect(name("-") == nil)
        #expect(name("!!!.json") == nil)
        let long = String(repeating: "省", count: 100)
        #expect(name(long + ".json") == String(repeating: "省", count: 42))
    }
}

struct ProvinceListTests {
    @Test func `cities are rows inside closed provinces`() throws {
        let list = try read(#"[{"name":"广东省","city":[{"name":"广州市"},{"name":"深圳市"}]},{"name":"台湾省"}]"#)
        #expect(paths(list.document) == ["广东省", "广东省/广州市", "广东省/深圳市", "台湾省"])
        #expect(list.document.sections.map(\.isRow) == [false, true, true, true])
        #expect(list.document.attributes.title == "list")
        #expect(list.document.attributes.mode == .multiple)
        #expect((0..<4).allSatisfy { !list.document.opensInitially(Int32($0)) })
        #expect(list.notes.isEmpty && list.name == nil)
    }

    @Test func `districts nest deeper, as names or as objects`() throws {
        let list = try read(
            #"[{"name":"a","city":[{"name":"b","area":["c","d"]},{"name":"e","areaList":[{"name":"f","children":["g"]}]}]}]"#
        )
        #expect(paths(list.document) == ["a", "a/b", "a/b/c", "a/b/d", "a/e", "a/e/f", "a/e/f/g"])
    }

    @Test func `an empty list of cities is a header with nothing inside`() throws {
        let list = try read(#"[{"name":"a","city":[]}]"#)
        #expect(list.document.sections.map(\.isRow) == [false])
    }

    @Test func `what is left out is told once, with its first place and how often`() throws {
        let list = try read(
            #"[{"code":"1","name":"a","city":[{"name":"b","code":"2"}]},{"name":"c","code":3,"city":null}]"#)
        #expect(
            list.notes.map(\.message) == [
                #"the member "code" is left out, in 3 places, first at "a""#,
                #"the member "city" is no list and left out, at "c""#,
            ])
        #expect(list.document.sections.last?.isRow == true)
    }

    @Test func `what the user wants wins over the format's own way`() throws {
        let list = try read(#"["a"]"#, ImportOptions(mode: .single, initiallyOpen: true))
        #expect(list.document.attributes.mode == .single)
        #expect(list.document.attributes.initiallyOpen)
    }

    @Test func `a byte order mark is passed over`() throws {
        #expect(paths(try read("\u{FEFF}[\"a\"]").document) == ["a"])
    }

    @Test func `a fault is told with its place`() {
        #expect(fault("[\n  {\"name\":\"a\",}\n]", as: .provinceList) == "2:15: this byte can't stand here")
        #expect(fault("[\"a\"", as: .provinceList) == "1:5: the file ends inside a value")
        #expect(fault("{}", as: .provinceList) == "1:1: it is no list")
        #expect(fault("[] []", as: .provinceList) == "1:4: something follows the value")
        #expect(
            fault(#"[{"name":"a","city":[{"code":1}]}]"#, as: .provinceList) == #"an entry without a "name", at "a""#)
        #expect(
            fault("[7]", as: .provinceList)
                == "an entry that is neither a place (an object with a \"name\") nor a name")
        #expect(fault(#"[{"name":"a","name":"b"}]"#, as: .provinceList).contains("stands twice"))
        let deep = String(repeating: "[", count: 50)
        #expect(fault(deep, as: .provinceList) == "1:41: more than 40 levels")
    }

    @Test func `places nested deeper than sections can be are refused`() {
        let depth = Limits().depthMax
        func nested(_ levels: Int) -> String {
            (1..<levels).reduce(#""leaf""#) { inner, _ in #"{"name":"n","area":[\#(inner)]}"# }
        }
        #expect(fault("[\(nested(depth))]", as: .provinceList) == "none")
        #expect(
            fault("[\(nested(depth + 1))]", as: .provinceList)
                == "sections nested deeper than 16, at \"leaf\"")
    }

    @Test func `numbers beyond every type are passed over with their member`() throws {
        let list = try read(#"[{"name":"a","code":123456789012345678901234567890}]"#)
        #expect(list.notes.count == 1)
    }

    @Test func `the list of all provinces is read whole`() throws {
        let file =
            #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Config/samples/provinces.json"
        guard let bytes = contents(of: file) else { return }
        let list = try Imported(reading: bytes.span, as: .provinceList, title: "provinces")
        #expect(list.notes.isEmpty)
        #expect(list.document.find(SectionPath("广东省/深圳市")) != nil)
        #expect(list.document.sections.count > 400)
    }
}

struct DocumentFileImportTests {
    @Test func `what is exported is imported as the same document`() throws {
        let text = #"""
            {"doc":"runbook","title":"R","mode":"single","collapsible":false,"conflicts":"open","content":["p",
             {"id":"x","title":"T","locked":true,"tint":"#ff0000","open":true,"content":[{"code":"c","language":"sh"}]},
             {"title":"t","task":true}]}
            """#
        let first = try read(text)
        let name = try #require(first.name)
        let frame = Frame()
        DocumentFile.write(first.document, name: name, into: frame)
        let second = try read(frame.text)
        #expect(second.document.isSame(as: first.document))
        #expect(second.name == name)
    }

    @Test func `options change the document's attributes and nothing else`() throws {
        let text = #"{"title":"R","content":[{"title":"a","content":["x"]}]}"#
        let plain = try read(text).document
        let changed = try read(text, ImportOptions(mode: .single, initiallyOpen: true)).document
        #expect(changed.attributes.mode == .single && changed.attributes.initiallyOpen)
        #expect(changed.sections == plain.sections && changed.content == plain.content)
        #expect(changed.textBytes == plain.textBytes)
    }

    @Test func `members of a document that are not known are told, with the way to the first`() throws {
        let file = try read(
            #"{"doc":"d","title":"T","owner":"x","state":{},"content":["p",{"code":"c","language":"sh","run":1},"#
                + #"{"title":"a","opne":true,"content":[{"title":"b","opne":false,"id":"b","task":true}]},"#
                + #"{"title":"c","code":"x","content":[],"initially":"open"}]}"#)
        #expect(
            file.notes.map(\.message) == [
                #"the member "owner" is left out, at the top"#, #"the member "state" is left out, at the top"#,
                #"the member "run" is left out, at the top"#,
                #"the member "opne" is left out, in 2 places, first at "a""#,
                #"the member "code" is left out, at "c""#, #"the member "initially" is left out, at "c""#,
            ])
        let nested = try read(
            #"{"content":[{"title":"a","content":[{"title":"b","x":1,"content":[]},{"title":"c","y":1}]}]}"#)
        #expect(
            nested.notes.map(\.message) == [
                #"the member "x" is left out, at "a/b""#, #"the member "y" is left out, at "a/c""#,
            ])
    }

    @Test func `what export writes is all taken`() throws {
        let file = try read(
            #"{"doc":"d","title":"T","mode":"single","initially":"open","headers":false,"conflicts":"open","#
                + #""collapsible":false,"content":["p",{"code":"c","language":"sh"},{"id":"i","title":"a","mode":"single","#
                + #""open":true,"collapsible":false,"locked":true,"task":true,"tint":"red","content":[]}]}"#)
        #expect(file.notes.isEmpty)
    }

    @Test func `a document's fault is told with its place`() {
        #expect(fault("{\"title\":\n7}", as: .documentJSON) == "\"title\" must be a string")
        #expect(fault("{\"title\":\n}", as: .documentJSON) == "2:1: this byte can't stand here")
        #expect(fault("[]", as: .documentJSON) == "1:1: it is no JSON object")
        #expect(
            fault(#"{"content":[{"title":"a","content":[{"title":"b","tint":"mauve"}]}]}"#, as: .documentJSON)
                == "an unknown tint, at the section \"b\"")
    }
}
