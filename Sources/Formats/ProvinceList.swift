// Why this file exists: the lists of provinces, cities and districts that circulate as JSON are the accordion that this
// program grew from. Their levels have many names and their leaves are objects or plain strings; all of them are read, and
// what a list says beyond names is told, not dropped in silence.

import AccordionModel
import Wire

/// A list of places inside places, read into a document.
struct ProvinceList {
    let document: Document
    let notes: [ImportNote]

    init(reading text: Span<UInt8>, title: String, options: ImportOptions) throws(ImportFault) {
        let parser = JSONParser()
        // The fault is placed by the text, which a closure cannot hold: it is worded afterwards.
        let result: Result<(Document, [ImportNote]), ImportFault>
        do throws(Refused) {
            let read = try parser.parseList(text, refuse: { Refused.json($0) }) { list throws(Refused) in
                var reading = PlaceReading(limits: options.limits)
                do throws(InvalidDocument) {
                    try reading.walk(list)
                    return (try reading.finish(title: title, options: options), reading.notes.all)
                } catch {
                    throw .document(error)
                }
            }
            result = .success(read)
        } catch {
            switch error {
            case .json(let fault): result = .failure(ImportFault(fault, in: text))
            case .document(let fault): result = .failure(ImportFault(fault))
            }
        }
        (document, notes) = try result.get()
    }

    private enum Refused: Error {
        case json(JSONFault)
        case document(InvalidDocument)
    }
}

/// One walk over the list, on a stack of its own.
private struct PlaceReading {
    /// The members that hold the places inside a place.
    private static let lists: Set<String> = [
        "province", "provinces", "city", "cities", "citylist", "area", "areas", "arealist", "district", "districts",
        "districtlist", "county", "counties", "countylist", "town", "towns", "street", "streets", "children",
    ]

    private enum Step {
        case list(JSONMark)
        case end
    }

    private var builder: DocumentBuilder
    private var stack: [Step] = []
    /// Names of the places around the one being read.
    private var around: [String] = []
    private(set) var notes = ImportNotes()

    init(limits: Limits) { builder = DocumentBuilder(limits: limits) }

    mutating func finish(title: String, options: ImportOptions) throws(InvalidDocument) -> Document {
        var attributes = DocumentAttributes()
        attributes.title = title
        options.apply(to: &attributes)
        return try builder.finish(attributes)
    }

    mutating func walk(_ list: JSONArray) throws(InvalidDocument) {
        stack = [.list(list.elements.mark)]
        while let step = stack.popLast() {
            switch step {
            case .end:
                builder.endSection()
                around.removeLast()
            case .list(let mark):
                var elements = JSONElements(at: mark, in: list)
                guard let element = elements.next() else { continue }
                stack.append(.list(elements.mark))
                if let name = element.text {
                    try builder.beginSection(id: nil, title: name.string, hasContent: false)
                    builder.endSection()
                } else if let place = element.object {
                    try read(place)
                } else {
                    throw fault("an entry that is neither a place (an object with a \"name\") nor a name")
                }
            }
        }
    }

    private mutating func read(_ place: borrowing JSONObject) throws(InvalidDocument) {
        guard let name = place["name"]?.text else { throw fault("an entry without a \"name\"") }
        let title = name.string
        var lists: [JSONMark] = []
        var members = place.members
        while let member = members.next() {
            let key = member.name.string
            if key == "name" { continue }
            guard Self.lists.contains(key.lowercased()) else {
                notes.add("the member \(JSONEscape.quoted(key)) is left out", at: title)
                continue
            }
            if let list = member.value.array {
                lists.append(list.elements.mark)
            } else {
                notes.add("the member \(JSONEscape.quoted(key)) is no list and left out", at: title)
            }
        }
        try builder.beginSection(id: nil, title: title, hasContent: !lists.isEmpty)
        around.append(title)
        stack.append(.end)
        for list in lists.reversed() { stack.append(.list(list)) }
    }

    private func fault(_ reason: String) -> InvalidDocument {
        InvalidDocument(isTooLarge: false, reason: reason, place: around.last)
    }
}
