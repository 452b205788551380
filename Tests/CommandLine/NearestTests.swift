// A wrong proposal is worse than none: what counts as near is pinned here, and the distance proven against its definition.
import Testing

@testable import CommandLine

@Suite struct NearestTests {
    @Test func `one slip of the hand is found`() {
        let commands = ["open", "close", "toggle", "export", "import", "expand", "list", "level"]
        #expect(nearest("opne", among: commands) == ["open"])
        #expect(nearest("opn", among: commands) == ["open"])
        #expect(nearest("oopen", among: commands) == ["open"])
        #expect(nearest("xxport", among: commands) == ["export"])
        #expect(nearest("TOGGEL", among: commands) == ["toggle"])
    }

    @Test func `several equally near come in their order, and at most five`() {
        #expect(nearest("mport", among: ["import", "report", "export"]) == ["import"])
        #expect(nearest("ixport", among: ["import", "export"]) == ["import", "export"])
        #expect(
            nearest("cat", among: ["car", "bat", "can", "cap", "cab", "cut"]) == ["car", "bat", "can", "cap", "cab"])
    }

    @Test func `nothing is proposed for what is far, nor for one letter`() {
        #expect(nearest("frob", among: ["open", "close"]) == [])
        #expect(nearest("x", among: ["a", "b"]) == [])
        #expect(nearest("", among: ["a", ""]) == [])
    }

    @Test func `a beginning is proposed where nothing is near`() {
        #expect(nearest("mir", among: ["mirror", "list"]) == ["mirror"])
        #expect(nearest("广东", among: ["广东省", "广西壮族自治区"]) == ["广东省"])
    }

    @Test func `the distance is the smallest number of edits, by exhaustive search`() {
        // All words of up to four letters over two, against the definition written as plain recursion.
        var words: [[Character]] = [[]]
        var last: [[Character]] = [[]]
        for _ in 0..<4 {
            last = last.flatMap { [$0 + ["a"], $0 + ["b"]] }
            words += last
        }
        for first in words {
            for second in words {
                let wanted = definition(first[...], second[...])
                for bound in 0...4 {
                    #expect(
                        editDistance(first, second, max: bound) == (wanted <= bound ? wanted : nil),
                        "\(first) \(second)")
                }
            }
        }
    }

    private func definition(_ first: ArraySlice<Character>, _ second: ArraySlice<Character>) -> Int {
        guard let one = first.last, let other = second.last else { return max(first.count, second.count) }
        var least = min(definition(first.dropLast(), second) + 1, definition(first, second.dropLast()) + 1)
        least = min(least, definition(first.dropLast(), second.dropLast()) + (one == other ? 0 : 1))
        if first.count > 1, second.count > 1, first.dropLast().last == other, second.dropLast().last == one {
            least = min(least, definition(first.dropLast(2), second.dropLast(2)) + 1)
        }
        return least
    }
}
