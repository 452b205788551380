// Why this file exists: what a toggle and a delivery ask of memory decides how many a second there can be, and is the same on
// every machine. A change that asks for more must say so here. The counts are of the build that tests run in, which asks for
// more than a release does.
import AccordionModel
import Bytes
import CAllocations
import Causality
import Hub
import Testing
import Wire

struct AllocationTests {
    private let hub: Hub
    private let writer: Session
    private let toggles: [UInt8]
    private static let togglesAtOnce = 100

    init() throws {
        let node = try #require(NodeName("n1"))
        hub = Hub(HubSettings(node: node, epoch: "e", server: "test/1"))
        writer = hub.connect(Origin(name: "writer", isUser: false, role: .editor))
        toggles = Array(
            String(
                repeating: #"{"op":"toggle","doc":"d","section":"a","ack":"none"}"# + "\n",
                count: AllocationTests.togglesAtOnce
            ).utf8)
        say(writer, #"{"op":"create","doc":"d","content":[{"id":"a","title":"A","content":[]}]}"#)
    }

    private func say(_ session: Session, _ line: String) {
        hub.receive(session, Array((line + "\n").utf8).span)
        turn()
    }

    /// Ends a turn; everybody takes what it has for them.
    private func turn() {
        let turn = hub.endTurn()
        hub.stored(turn)
        for session in hub.release(turn) {
            session.outbox.consume(session.outbox.queuedBytes)
            hub.flushed(session)
        }
    }

    /// How often memory is asked for in a turn of many toggles.
    private func allocationsOfTurn() -> Int {
        // The first turns bring buffers to their size.
        for _ in 0..<3 {
            hub.receive(writer, toggles.span)
            turn()
        }
        let before = allocations_count()
        hub.receive(writer, toggles.span)
        turn()
        return allocations_count() - before
    }

    @Test func `allocations are counted`() {
        let before = allocations_count()
        let array = Array(repeating: UInt8.random(in: 0...255), count: 1_000)
        #expect(allocations_count() > before && array.count == 1_000)
    }

    @Test func `a toggle asks for memory so often, and not more`() {
        let perToggle = Double(allocationsOfTurn()) / Double(AllocationTests.togglesAtOnce)
        #expect(perToggle <= 35, "\(perToggle) a toggle")
    }

    @Test func `a delivery costs nothing that grows with what is delivered`() {
        let subscribers = (0..<200).map { number in
            let session = hub.connect(Origin(name: "s\(number)", isUser: false, role: .viewer))
            say(session, #"{"op":"subscribe","doc":"d"}"#)
            return session
        }
        let many = allocationsOfTurn()
        for session in subscribers.dropFirst(100) { hub.disconnect(session) }
        let few = allocationsOfTurn()
        // A hundred subscribers more, each with a hundred toggles in one piece.
        let perSubscriber = Double(many - few) / 100
        #expect(perSubscriber <= 6, "\(perSubscriber) a subscriber and turn")
    }
}
