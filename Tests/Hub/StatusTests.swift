// Why this file exists: what `status` tells must be what is: each number here is moved by the thing that it is named for.
import AccordionModel
import Bytes
import Hub
import Testing
import Wire

private final class Edge: StatusSource {
    func tellStatus(_ status: inout DaemonStatus) { status.limit("clients_max", 7) }
}

struct StatusTests {
    private func status(_ test: TestHub) throws -> DaemonStatus {
        let admin = test.connect("root", .admin)
        defer { test.disconnect(admin) }
        return try #require(reply(admin.ask(#"{"op":"status"}"#).last)?.status)
    }

    @Test(arguments: [(Role.viewer, "forbidden"), (.toggler, "forbidden"), (.editor, "forbidden"), (.admin, "ok")])
    func `status is for admins`(role: Role, expected: String) {
        #expect(kinds(TestHub().connect("x", role).ask(#"{"op":"status"}"#)) == [expected])
    }

    @Test func `status tells who the daemon is, for how long, and every limit by its name`() throws {
        let test = TestHub {
            $0.queuedEventBytesMax = 11
            $0.queuedReplyBytesMax = 12_000
            $0.turnBytesMax = 13_000
            $0.lineBytesMax = 140
            $0.documentBytesMax = 15
            $0.documentLinesBytesMax = 16
            $0.documentCacheBytesMax = 17
            $0.waitingOperationsMax = 18
            $0.subscriptionsMax = 19
            $0.undoFlagsMax = 20
        }
        let edge = Edge()
        test.hub.statusSource = edge
        test.hub.startMilliseconds = test.milliseconds - 123
        let told = try status(test)
        #expect(told.server == "test/1" && told.node == "n1" && told.epoch == "e1" && told.uptimeMilliseconds == 123)
        let limits = [
            "queued_event_bytes_max": 11, "queued_reply_bytes_max": 12_000, "turn_bytes_max": 13_000,
            "max_line_bytes": 140, "max_document_bytes": 15, "document_lines_bytes_max": 16,
            "document_cache_bytes_max": 17, "waiting_operations_max": 18, "subscriptions_max": 19, "undo_flags_max": 20,
            "max_sections": 100_000, "max_depth": 16, "clients_max": 7,
        ]
        for (name, value) in limits { #expect(told.limit(name) == value, "\(name)") }
        for list in [told.counters, told.gauges, told.limits] {
            #expect(Set(list.map(\.name)).count == list.count)
            for measure in list {
                let others = measure.name.filter { $0 != "_" && !$0.isLowercase && !$0.isNumber }
                #expect(others.isEmpty && measure.value >= 0, "\(measure)")
            }
        }
    }

    @Test func `lines and requests are counted by what became of them`() throws {
        let test = TestHub { $0.lineBytesMax = 400 }
        let client = test.connect()
        client.ask(Lines.many("d", 2))
        client.ask(#"{"op":"open","doc":"d","section":"s0"}"#)
        client.ask(#"{"op":"open","doc":"d","section":"s0"}"#)
        client.ask(#"{"op":"open","doc":"d","section":"none"}"#)
        client.ask(#"{"op":"unheard"}"#)
        client.ask("x")
        client.ask(String(repeating: "x", count: 401))
        let foreign = test.connect()
        foreign.ask("GET / HTTP/1.1")
        let truncated = test.connect()
        truncated.send(Array("{".utf8))
        truncated.end()
        let told = try status(test)
        let expected = [
            "connections": 4, "requests": 5, "refused_requests": 4, "refused_unknown_section": 1,
            "refused_unknown_op": 1, "refused_bad_json": 1, "refused_line_too_long": 1, "broken_lines": 2,
            "truncated_lines": 1, "foreign_lines": 1, "overlong_lines": 1, "crowded_out_lines": 0, "writes": 2,
            "dropped_event_bytes": 0, "event_drops": 0, "resyncs": 0, "reply_limit_waits": 0, "full_turns": 0,
        ]
        for (name, value) in expected { #expect(told.counter(name) == value, "\(name)") }
        #expect(told.counter("refused_forbidden") == nil)
        #expect((5...20).contains(told.counter("turns") ?? 0))
        #expect((500...1_000).contains(told.counter("input_bytes") ?? 0))
    }

    @Test func `what waits for a slow client is told while it waits, and its loss when it is lost`() throws {
        let test = TestHub { $0.queuedEventBytesMax = 1_000 }
        let (actor, slow, other) = (test.connect(), test.connect(), test.connect())
        actor.ask(Lines.tour)
        for client in [slow, other] { client.ask(#"{"op":"subscribe","doc":"tour"}"#) }
        other.ask(#"{"op":"watch_list","on":true}"#)
        for client in [slow, other] { client.readBytesMax = 0 }
        slow.send(#"{"op":"ping"}"#)
        actor.ask(#"{"op":"toggle","doc":"tour","section":"a"}"#)
        var told = try status(test)
        let events = slow.session.outbox.queuedEventBytes
        #expect(events > 50 && told.gauge("queued_event_bytes") == events * 2)
        #expect(told.gauge("queued_event_bytes_highest") == events)
        #expect(told.gauge("queued_reply_bytes") == slow.session.outbox.queuedReplyBytes)
        #expect(told.gauge("queued_reply_bytes_highest") == slow.session.outbox.queuedReplyBytes)
        #expect(told.gauge("sessions") == 4 && told.gauge("subscriptions") == 2)
        #expect(told.gauge("list_watchers") == 1 && told.gauge("sessions_behind") == 0)
        #expect(told.gauge("documents") == 1 && told.gauge("documents_in_memory") == 1)
        for _ in 0..<30 { actor.ask(#"{"op":"toggle","doc":"tour","section":"a"}"#) }
        told = try status(test)
        #expect(told.gauge("sessions_behind") == 2)
        #expect(told.counter("dropped_event_bytes") == test.hub.counters.droppedEventBytes)
        #expect((2...10).contains(told.counter("event_drops") ?? 0))
        for client in [slow, other] { client.drain() }
        told = try status(test)
        #expect(told.counter("resyncs") == 2 && told.gauge("sessions_behind") == 0)
        #expect(told.gauge("queued_event_bytes") == 0)
    }

    @Test func `what is decided and not stored yet is told as waiting too`() throws {
        let test = TestHub()
        let (actor, admin) = (test.connect(), test.connect("root", .admin))
        actor.ask(Lines.tour)
        actor.ask(#"{"op":"subscribe","doc":"tour"}"#)
        actor.send(#"{"op":"toggle","doc":"tour","section":"a"}"#)
        test.endTurn()
        admin.send(#"{"op":"status"}"#)
        test.settle()
        let told = try #require(reply(admin.take().last)?.status)
        let lines = actor.take().suffix(2)
        #expect(told.gauge("queued_event_bytes") == (lines.first?.utf8.count ?? 0) + 1)
        #expect(told.gauge("queued_reply_bytes") == (lines.last?.utf8.count ?? 0) + 1)
    }

    @Test func `held input, full turns, long lines and full queues of replies are told`() throws {
        let test = TestHub {
            $0.turnBytesMax = 300
            $0.queuedReplyBytesMax = 50
            $0.lineBytesMax = 100
        }
        let (client, long, admin) = (test.connect(), test.connect(), test.connect("root", .admin))
        long.send(Array((#"{"op":"create","doc":"d","title":""# + String(repeating: "x", count: 100)).utf8))
        test.settle()
        client.readBytesMax = 0
        admin.send(#"{"op":"status"}"#)
        for _ in 0..<10 { client.send(#"{"op":"ping","id":"0123456789"}"#) }
        test.settle()
        var told = try #require(reply(admin.take().last)?.status)
        #expect(told.gauge("document_lines_bytes") == 134)
        #expect((1...300).contains(told.gauge("turn_bytes") ?? 0))
        admin.send(#"{"op":"status"}"#)
        test.settle()
        told = try #require(reply(admin.take().last)?.status)
        #expect(told.gauge("held_input_bytes") ?? 0 > 200)
        #expect(told.counter("reply_limit_waits") ?? 0 >= 1)
        #expect(told.counter("full_turns") ?? 0 >= 1)
        test.disconnect(long)
        test.disconnect(client)
        told = try status(test)
        #expect(told.gauge("document_lines_bytes") == 0 && told.gauge("held_input_bytes") == 0)
    }
}
