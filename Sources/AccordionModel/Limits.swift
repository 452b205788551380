// Why this file exists: every number that bounds what a document may hold has one name and stands in one place.

/// Limits of a document's content, in UTF-8 bytes where they count text.
package struct Limits: Sendable, Equatable {
    package var sectionsMax = 100_000
    /// Sections inside sections; a section at the top is at depth 1.
    package var depthMax = 16
    /// Titles, identifiers, paragraphs and code of one document together.
    package var textBytesMax = 16 << 20
    package var titleBytesMax = 1 << 10
    package var segmentBytesMax = 128
    /// Operations in one batch; the bulk ones in it count the sections that they pass over against `sectionsMax`.
    package var batchOperationsMax = 1_000

    package init() {}

    /// What was accepted once, here or by another daemon, is read again, whatever is accepted now. Ids that were made from
    /// titles stand in what is stored and count as text there, so that the bounds are far above the protocol's.
    package static var accepted: Limits {
        var limits = Limits()
        limits.sectionsMax = 1 << 24
        limits.depthMax = 64
        limits.textBytesMax = 1 << 30
        limits.titleBytesMax = 1 << 20
        return limits
    }
}
