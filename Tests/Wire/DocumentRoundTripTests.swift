// Why this file exists: a document that is written and read again is the same document, section by section, id by id.
import AccordionModel
import Bytes
import Testing
import Wire

private func read(_ text: String, _ limits: Limits = Limits()) -> Result<DocumentFile, Failure> {
    do throws(Failure) {
        return .success(try DocumentFile(reading: Array(text.utf8).span, limits: limits))
    } catch {
        return .failure(error)
    }
}

struct DocumentRoundTripTests {
    private let name = DocumentName("doc")

    @Test(arguments: (0..<100).map { _ in UInt64.random(in: 0 ... .max) })
    func `what is written is read as the same document`(seed: UInt64) {
        var random = SeededRandom(state: seed)
        let document = Made.document(&random, sections: 80)
        guard let name else { return #expect(Bool(false)) }
        let frame = Frame()
        DocumentFile.write(document, name: name, into: frame)
        guard case .success(let file) = read(frame.text) else {
            Issue.record("seed \(seed): \(frame.text)")
            return
        }
        #expect(file.document.isSame(as: document), "seed \(seed)")
        #expect(file.name == name)
        #expect(file.document.taskCount == document.taskCount)
        let again = Frame()
        DocumentFile.write(file.document, name: name, into: again)
        #expect(again.text == frame.text, "seed \(seed)")
        #expect(!frame.text.unicodeScalars.dropLast().contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
    }

    @Test func `every member has the value that stands first in the table where it is absent`() {
        guard
            case .success(let file) = read(
                #"{"content":[{"title":"A","content":[{"title":"B"}]},"text",{"code":"c"}]}"#)
        else {
            return #expect(Bool(false))
        }
        #expect(file.name == nil)
        #expect(file.document.attributes == DocumentAttributes())
        #expect(file.document.sections.map(\.path.text) == ["A", "A/B"])
        #expect(file.document.sections.map(\.isRow) == [false, true])
        #expect(file.document.sections.allSatisfy { $0.attributes == SectionAttributes() })
        #expect(file.document.content == [.section(0), .text("text"), .code("c", language: nil)])
    }

    @Test func `sixteen levels are read, and no more`() {
        for (levels, isGood) in [(15, true), (16, true), (17, false), (19, false)] {
            let text =
                #"{"content":"# + String(repeating: #"[{"title":"x","content":"#, count: levels) + "[]"
                + String(repeating: "}]", count: levels) + "}"
            switch read(text) {
            case .success(let file): #expect(isGood && file.document.sections.count == levels)
            case .failure(let failure): #expect(!isGood && failure.code == .tooLarge)
            }
        }
    }

    @Test(arguments: [
        #"{"content":1}"#, #"{"content":[null]}"#, #"{"content":[[]]}"#, #"{"content":[{}]}"#,
        #"{"content":[{"title":1}]}"#,
        #"{"content":[{"title":"x","id":1}]}"#, #"{"content":[{"title":"x","content":"y"}]}"#, #"{"title":1}"#,
        #"{"mode":1}"#,
        #"{"mode":"Single"}"#, #"{"mode":null}"#, #"{"initially":"ajar"}"#, #"{"headers":"true"}"#,
        #"{"conflicts":"first"}"#,
        #"{"collapsible":0}"#, #"{"content":[{"title":"x","tint":1}]}"#, #"{"content":[{"title":"x","task":"no"}]}"#,
        #"{"content":[{"title":"x","locked":null}]}"#, #"{"content":[{"title":"x","mode":"double"}]}"#,
        #"{"content":[{"code":1}]}"#,
        #"{"content":[{"code":"x","language":1}]}"#, #"{"content":[{"title":"x","id":""}]}"#,
        #"{"content":[{"title":"x","id":"\u202e"}]}"#,
    ])
    func `a document that breaks a rule is invalid`(text: String) {
        guard case .failure(let failure) = read(text) else { return #expect(Bool(false)) }
        #expect(failure.code == .invalidDocument)
        #expect(!failure.isBrokenLine)
    }

    @Test func `a file may have line breaks, and its name must be one`() {
        guard case .success(let file) = read("{\n  \"doc\": \"x\",\r\n\t\"content\": [\n]\n}\n") else {
            return #expect(Bool(false))
        }
        #expect(file.name?.text == "x")
        guard case .failure(let failure) = read(#"{"doc":"-x"}"#) else { return #expect(Bool(false)) }
        #expect(failure.code == .badRequest)
    }
}
