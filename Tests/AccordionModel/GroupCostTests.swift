// Why this file exists: a press in a single group costs the same whatever the number of its children. What it costs is
// counted: registers written, flags told, and the storage of the claims that each request copies.

import Causality
import Testing

@testable import AccordionModel

@Suite struct GroupCostTests {
    private func rows(_ count: Int, _ mode: Mode) throws -> Document {
        try Document.made((0..<count).map { Outline("\($0)") }) { $0.mode = mode }
    }

    private func claims(_ desk: Desk) throws -> [Int32: Group.Claim] {
        try #require(desk.state.view?.groups[-1]).claims
    }

    @Test(arguments: [2, 10, 1_000, 10_000])
    func `a press in a single group writes two registers and tells two flags, however many children there are`(
        _ count: Int
    ) throws {
        var desk = try Desk(rows(count, .single))
        try desk.ask(.open("0"))
        for child in [count - 1, 0, count / 2, count - 1] where !desk.open.contains("\(child)") {
            let writer = desk.writer()
            let operation = try #require(try desk.state.decide(.toggle("\(child)"), writer))
            #expect(operation.flags.count == 2)
            let applied = desk.state.applyOwn(operation)
            #expect(applied.changes.count == 2 && desk.open == ["\(child)"])
            #expect(try claims(desk).count == 1)
        }
    }

    @Test func `claims stay as small as they are few, though every child has been open`() throws {
        var desk = try Desk(rows(500, .single))
        for child in 0..<500 {
            try desk.ask(.open("\(child)"))
            #expect(try claims(desk).count == 1 && claims(desk).capacity <= Group.capacityMin)
        }
    }

    @Test func `a crowd of claims leaves no room behind once it is settled`() throws {
        var desk = try Desk(rows(5_000, .multiple))
        try desk.ask(.openAll(""))
        try desk.replace(with: rows(5_000, .single))
        #expect(try claims(desk).count == 5_000)
        try desk.ask(.open("7"))
        #expect(desk.open == ["7"] && desk.state.conflicts.isEmpty)
        #expect(try claims(desk).count == 1 && claims(desk).capacity <= Group.capacityMin)
        try desk.ask(.close("7"))
        #expect(try claims(desk).isEmpty)
    }
}
