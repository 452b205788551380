// Why this file exists: tests speak of "the province list" and "c0 opens x", not of builders and dots.

import AccordionModel
import Causality
import Testing

/// A section as a test writes it down. A nil `content` is a row.
struct Outline {
    var title: String
    var id: String?
    var attributes = SectionAttributes()
    var content: [Outline]?

    init(
        _ title: String, _ content: [Outline]? = [], id: String? = nil,
        _ change: (inout SectionAttributes) -> Void = { _ in }
    ) {
        self.title = title
        self.id = id
        self.content = content
        change(&attributes)
    }

    static func row(_ title: String, _ change: (inout SectionAttributes) -> Void = { _ in }) -> Outline {
        Outline(title, nil, change)
    }
}

extension DocumentBuilder {
    mutating func add(_ outline: Outline) throws(InvalidDocument) {
        try beginSection(
            id: outline.id, title: outline.title, attributes: outline.attributes, hasContent: outline.content != nil)
        for inner in outline.content ?? [] { try add(inner) }
        endSection()
    }
}

extension Document {
    static func made(
        _ outlines: [Outline], limits: Limits = Limits(), _ change: (inout DocumentAttributes) -> Void = { _ in }
    ) throws(InvalidDocument) -> Document {
        var attributes = DocumentAttributes()
        change(&attributes)
        var builder = DocumentBuilder(limits: limits)
        for outline in outlines { try builder.add(outline) }
        return try builder.finish(attributes)
    }

    /// The texts of all paths, in document order.
    var paths: [String] { sections.map(\.path.text) }
}

func nodeName(_ text: String) throws -> NodeName { try #require(NodeName(text)) }

/// One daemon with one document, and a wall clock that moves by a millisecond a request.
struct Desk {
    let node: NodeName
    var state = SharedState()
    var milliseconds: Int64 = 1_700_000_000_000
    var limits = Limits()

    init(_ name: String = "n1") throws { node = try nodeName(name) }

    init(_ document: Document, _ name: String = "n1") throws {
        try self.init(name)
        try create(document)
    }

    mutating func writer(_ by: String = "alice", session: UInt64 = 1, seen: VersionVector? = nil) -> Writer {
        milliseconds += 1
        return Writer(node: node, milliseconds: milliseconds, by: by, session: session, seen: seen)
    }

    @discardableResult
    mutating func create(_ document: Document, by: String = "alice") throws(Refusal) -> Applied {
        state.applyOwn(try state.create(document, writer(by)))
    }

    /// Returns what was applied; nil where nothing was to change.
    @discardableResult
    mutating func ask(_ gesture: Gesture, _ writer: Writer? = nil) throws(Refusal) -> Applied? {
        let writer = writer ?? self.writer()
        return try state.decide(gesture, writer).map { state.applyOwn($0) }
    }

    @discardableResult
    mutating func ask(batch: [Gesture], _ writer: Writer? = nil) throws(Refusal) -> Applied? {
        let writer = writer ?? self.writer()
        return try state.decide(batch: batch, limits: limits, writer).map { state.applyOwn($0) }
    }

    @discardableResult
    mutating func replace(with document: Document, _ writer: Writer? = nil) throws(Refusal) -> Replacement {
        let writer = writer ?? self.writer()
        let (operation, replacement) = try state.replace(with: document, writer)
        if let operation { _ = state.applyOwn(operation) }
        return replacement
    }

    mutating func delete(_ writer: Writer? = nil) throws(Refusal) {
        let writer = writer ?? self.writer()
        _ = state.applyOwn(try state.delete(writer))
    }

    var open: [String] { state.openPaths }
    var done: [String] { state.donePaths }
}

extension SharedState {
    var openPaths: [String] {
        guard let view else { return [] }
        return view.document.inside(-1).filter(view.isOpen).map { view.document[$0].path.text }
    }
    var donePaths: [String] {
        guard let view else { return [] }
        return view.document.inside(-1).filter(view.isDone).map { view.document[$0].path.text }
    }
}

extension Gesture {
    static func open(_ path: String) -> Gesture { .set(SectionPath(path), .open, true) }
    static func close(_ path: String) -> Gesture { .set(SectionPath(path), .open, false) }
    static func check(_ path: String) -> Gesture { .set(SectionPath(path), .done, true) }
    static func uncheck(_ path: String) -> Gesture { .set(SectionPath(path), .done, false) }
    static func toggle(_ path: String) -> Gesture { .toggle(SectionPath(path), to: nil) }
    static func toggle(_ path: String, to: Bool) -> Gesture { .toggle(SectionPath(path), to: to) }
    static func openAll(_ under: String) -> Gesture { .openAll(under: SectionPath(under)) }
    static func closeAll(_ under: String) -> Gesture { .closeAll(under: SectionPath(under)) }
    static func level(_ under: String, _ depth: Int) -> Gesture { .level(under: SectionPath(under), depth: depth) }
    static func reset(_ under: String) -> Gesture { .reset(under: SectionPath(under)) }
}
