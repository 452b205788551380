// Why this file exists: an import may want a document otherwise than its file says it – another mode, all open – and the
// content need not be made anew for that.

extension Document {
    /// The same content under other attributes. The title's bytes are counted anew; its limit is the caller's.
    package func with(_ attributes: DocumentAttributes) -> Document {
        Document(
            attributes: attributes, sections: sections, content: content,
            textBytes: textBytes - self.attributes.title.utf8.count + attributes.title.utf8.count, index: index)
    }
}
