// Why this file exists: ten thousand connections that do nothing must cost next to nothing. The allocator is asked how
// much each object takes that an idle, subscribed session consists of; they are seen from inside for that.
// Unsafe in one place: the allocator's function is found by its name and given an object's address.
import Bytes
import Glibc
import Testing

@testable import Hub

struct IdleMemoryTests {
    private typealias Size = @convention(c) (UnsafeMutableRawPointer?) -> Int

    private func bytes(of object: AnyObject) -> Int? {
        guard let symbol = unsafe dlsym(nil, "malloc_usable_size") else { return nil }
        let size = unsafe unsafeBitCast(symbol, to: Size.self)
        return unsafe size(Unmanaged.passUnretained(object).toOpaque())
    }

    @Test func `an idle session with one subscription takes at most a kilobyte`() throws {
        let test = TestHub()
        let client = test.connect("a name of more than fifteen bytes")
        client.ask(Lines.tour)
        client.ask(#"{"op":"subscribe","doc":"tour"}"#)
        for _ in 0..<10 { client.ask(#"{"op":"toggle","doc":"tour","section":"a"}"#) }
        let session = client.session
        let subscription = try #require(session.subscriptions.first)
        let object = try #require(bytes(of: session))
        let place = try #require(bytes(of: subscription))
        // The array of subscriptions: its head, and one pointer where it was not grown further.
        let array = 32 + session.subscriptions.capacity * 8
        let name = 32 + session.name.utf8.count
        #expect(object + place + array + name <= 1_024, "\(object) + \(place) + \(array) + \(name)")
        #expect(session.outbox.isEmpty && session.framer.gatheredBytes == 0)
        #expect(session.backlog.capacity == 0 && session.turnReplies.capacity == 0)
        #expect(session.brokenLineTimes.capacity == 0 && session.listWatch == nil && session.selections.isEmpty)
    }
}
