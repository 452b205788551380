// Why this file exists: a header tells how much stands inside it, also while it is closed. Counting that anew for each
// frame would walk the whole document; a check mark changes the counts of the sections around it only, sixteen at most.

import AccordionModel

/// Counts for every section of what is inside it, at any depth where they count tasks.
package struct Tally: Sendable {
    private var children: [Int32]
    private var tasks: [Int32]
    private var done: [Int32]
    package private(set) var doneCount = 0
    package let taskCount: Int

    package init(_ replica: Replica) {
        let document = replica.document
        let count = document?.sections.count ?? 0
        children = Array(repeating: 0, count: count)
        tasks = children
        done = children
        taskCount = document?.taskCount ?? 0
        guard let document else { return }
        // A section stands behind the one around it, so from the end every count is whole when it is added.
        for number in stride(from: count - 1, through: 0, by: -1) {
            let section = document.sections[number]
            let isDone = section.attributes.task != nil && replica.isDone(Int32(number))
            doneCount += isDone ? 1 : 0
            guard section.parent >= 0 else { continue }
            let parent = Int(section.parent)
            children[parent] += 1
            tasks[parent] += tasks[number] + (section.attributes.task == nil ? 0 : 1)
            done[parent] += done[number] + (isDone ? 1 : 0)
        }
    }

    /// Sections directly inside.
    package func children(of section: Int32) -> Int { Int(children[Int(section)]) }
    package func tasks(in section: Int32) -> Int { Int(tasks[Int(section)]) }
    package func done(in section: Int32) -> Int { Int(done[Int(section)]) }

    package mutating func apply(_ flips: [SectionFlag], _ replica: Replica) {
        guard let document = replica.document else { return }
        for flip in flips where flip.field == .done {
            let step: Int32 = replica.isDone(flip.section) ? 1 : -1
            doneCount += Int(step)
            var parent = document[flip.section].parent
            while parent >= 0 {
                done[Int(parent)] += step
                parent = document[parent].parent
            }
        }
    }
}
