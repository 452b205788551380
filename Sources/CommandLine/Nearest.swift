// A mistyped name is answered with the one that was probably meant. The measure is Damerau and Levenshtein's with
// adjacent transpositions (optimal string alignment): the slips of a hand are a letter too many, one too few, one
// wrong, and two swapped.

/// The candidates nearest to `word`, in their order, at most five: those at the smallest distance if that is near
/// enough (1 up to four characters, 2 up to eight, 3 above; nothing for a single character), else those that `word`
/// begins. Case does not count. Exact matches are the caller's business: they come back too.
package func nearest(_ word: String, among candidates: some Sequence<String>) -> [String] {
    let proposalsMax = 5
    let wanted = Array(word.lowercased())
    guard !wanted.isEmpty else { return [] }
    var bound = wanted.count <= 1 ? 0 : wanted.count <= 4 ? 1 : wanted.count <= 8 ? 2 : 3
    var near: [String] = []
    var begun: [String] = []
    for candidate in candidates {
        let characters = Array(candidate.lowercased())
        if wanted.count >= 2, characters.starts(with: wanted), begun.count < proposalsMax { begun.append(candidate) }
        guard let distance = editDistance(wanted, characters, max: bound) else { continue }
        if distance < bound {
            bound = distance
            near = []
        }
        if near.count < proposalsMax, !near.contains(candidate) { near.append(candidate) }
    }
    return near.isEmpty ? begun : near
}

/// The number of insertions, deletions, substitutions and swaps of neighbours that turn one into the other; nil where
/// it is over `max`. Three rows of memory, and no more work than the band of width `max` needs.
func editDistance(_ first: [Character], _ second: [Character], max bound: Int) -> Int? {
    guard abs(first.count - second.count) <= bound else { return nil }
    let far = bound + 1
    var beforeLast = [Int](repeating: far, count: second.count + 1)
    var last = Array(0...second.count)
    for row in 0..<first.count {
        var current = [Int](repeating: far, count: second.count + 1)
        current[0] = row + 1
        var least = current[0]
        let low = Swift.max(0, row - bound)
        let high = Swift.min(second.count, row + bound + 1)
        for column in low..<Swift.max(low, high) {
            let substituted = last[column] + (first[row] == second[column] ? 0 : 1)
            var cost = Swift.min(substituted, last[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                cost = Swift.min(cost, beforeLast[column - 1] + 1)
            }
            current[column + 1] = cost
            least = Swift.min(least, cost)
        }
        // A swap reaches back two rows, so a row that is too far ends the search only if the one before is as well.
        if least > bound, (last.min() ?? far) > bound { return nil }
        beforeLast = last
        last = current
    }
    return last[second.count] <= bound ? last[second.count] : nil
}
