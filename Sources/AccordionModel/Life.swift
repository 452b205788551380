// Why this file exists: documents are created, replaced and deleted while others toggle in them, on several daemons at
// once. Here is what each of these writes, so that nothing that its author had not seen is lost.

import Causality

/// How many sections a replace kept, took away and brought.
package struct Replacement: Sendable, Equatable {
    package let kept: Int
    package let removed: Int
    package let added: Int

    package init(kept: Int, removed: Int, added: Int) {
        self.kept = kept
        self.removed = removed
        self.added = added
    }
}

extension SharedState {
    /// A new life: one more than any known. It replaces and erases all that this replica has seen.
    package func create(_ document: Document, _ writer: Writer) throws(Refusal) -> Operation {
        guard view == nil else { throw Refusal(.documentExists) }
        var born: Int64 = 0
        var replaced = DotSet()
        content.forEach {
            born = max(born, $0.value.born)
            replaced.insert($0.dot)
        }
        return operation(
            writer,
            content: Operation.ContentWrite(
                value: Content(born: born + 1, document: document), replaced: replaced),
            erasesSeen: version.isEmpty ? nil : version)
    }

    /// A tombstone. The document stays where a content remains that the writer had not seen.
    package func delete(_ writer: Writer) throws(Refusal) -> Operation {
        guard let view else { throw Refusal(.unknownDocument) }
        let value = Content(born: view.born, document: nil)
        return operation(writer, content: write(value, writer))
    }

    /// New content. The flags of every path of the new or of the former content stay, so that one mistaken replace costs
    /// nothing; of all others what the writer had seen is erased. The operation is nil where the content stands already.
    package func replace(
        with document: Document, _ writer: Writer
    ) throws(Refusal) -> (operation: Operation?, replacement: Replacement) {
        guard let view else { throw Refusal(.unknownDocument) }
        let kept = document.sections.reduce(0) { $0 + (view.document.find($1.path) == nil ? 0 : 1) }
        let replacement = Replacement(
            kept: kept, removed: view.document.sections.count - kept, added: document.sections.count - kept)
        if content.agrees, view.document.isSame(as: document) { return (nil, replacement) }
        var erasures: [Operation.Erasure] = []
        for (register, held) in flags where register.born == view.born {
            guard document.find(register.path) == nil, view.document.find(register.path) == nil else { continue }
            var dots = DotSet()
            held.forEach { if writer.seen?.covers($0.dot) ?? true { dots.insert($0.dot) } }
            if !dots.isEmpty { erasures.append(Operation.Erasure(register: register, dots: dots)) }
        }
        let value = Content(born: view.born, document: document)
        return (operation(writer, content: write(value, writer), erasures: erasures), replacement)
    }

    private func write(_ value: Content, _ writer: Writer) -> Operation.ContentWrite {
        Operation.ContentWrite(
            value: value,
            replaced: content.replaced(by: value, seen: writer.seen, session: writer.session, keepsEqual: true))
    }

    private func operation(
        _ writer: Writer, content: Operation.ContentWrite, erasures: [Operation.Erasure] = [],
        erasesSeen: VersionVector? = nil
    ) -> Operation {
        Operation(
            dot: Dot(node: writer.node, counter: version[writer.node] + 1),
            stamp: clock.next(at: writer.milliseconds), by: writer.by, session: writer.session, content: content,
            erasures: erasures, erasesSeen: erasesSeen)
    }
}
