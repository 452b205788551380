// The words of a text and of a document, in their order, to be compared.

import AccordionModel

/// Runs of letters and digits.
func words(of text: String) -> [String] {
    var words: [String] = []
    var word = ""
    for scalar in text.unicodeScalars {
        let isPart =
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || scalar.properties.generalCategory == .nonspacingMark
        if isPart {
            word.unicodeScalars.append(scalar)
        } else if !word.isEmpty {
            words.append(word)
            word = ""
        }
    }
    return word.isEmpty ? words : words + [word]
}

/// The title, then everything in it. What is HTML says so itself.
func words(of document: Document) -> [String] {
    // A title that is a section, too, stands once in the file.
    let isSection = document.sections.first.map { $0.title == document.attributes.title } ?? false
    var found = isSection ? [] : words(of: document.attributes.title)
    var stack: [(blocks: [Block], next: Int)] = [(document.content, 0)]
    while let (blocks, next) = stack.popLast() {
        guard next < blocks.count else { continue }
        stack.append((blocks, next + 1))
        switch blocks[next] {
        case .text(let text): found += words(of: text)
        case .code(let code, let language):
            if let language, language != "html" { found += words(of: language) }
            found += words(of: code)
        case .section(let index):
            found += words(of: document[index].title)
            stack.append((document[index].content ?? [], 0))
        }
    }
    return found
}

/// The first place where two sequences of words differ, with what stands around it.
func difference(_ expected: [String], _ found: [String]) -> String? {
    guard expected != found else { return nil }
    let place = zip(expected, found).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let start = max(0, (place ?? min(expected.count, found.count)) - 3)
    return
        "after word \(start): expected \(expected.dropFirst(start).prefix(8)), found \(found.dropFirst(start).prefix(8))"
}

/// A source without what is markup or is told: comments, and the words named.
func stripped(_ source: String, _ replacements: [(String, String)]) -> String {
    var text = source
    while let start = text.firstRange(of: "<!--"),
        let end = text[start.upperBound...].firstRange(of: "-->")
    {
        text.removeSubrange(start.lowerBound..<end.upperBound)
    }
    for (old, new) in replacements + [("[x]", ""), ("[X]", "")] { text = text.replacing(old, with: new) }
    return text
}
