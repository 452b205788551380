// Why this file exists: what happens is told once, whole and to everyone who watches; what does not happen is not told.
import AccordionModel
import Bytes
import Hub
import Testing
import Wire

struct EventTests {
    private func watched(_ create: String, _ document: String) -> (actor: TestClient, watcher: TestClient) {
        let test = TestHub()
        let (actor, watcher) = (test.connect("ann"), test.connect("bob"))
        actor.ask(create)
        watcher.ask(#"{"op":"subscribe","doc":"\#(document)"}"#)
        return (actor, watcher)
    }

    @Test func `one request that changes something is one event`() {
        let (actor, watcher) = watched(Lines.tour, "tour")
        actor.ask(#"{"op":"toggle","doc":"tour","section":"a"}"#)
        #expect(
            watcher.take() == [
                #"{"event":"changed","doc":"tour","version":{"n1":2},"by":"ann","at":1700001000000,"#
                    + #""changes":[{"section":"a","open":true}]}"#
            ])
        actor.ask(#"{"op":"check","doc":"tour","section":"t"}"#)
        #expect(watcher.take().first?.contains(#""changes":[{"section":"t","done":true}]"#) == true)
        let batch =
            #"[{"op":"close","section":"a"},{"op":"open","section":"a"},{"op":"open","section":"b"},{"op":"uncheck","section":"t"}]"#
        actor.ask(#"{"op":"batch","doc":"tour","ops":\#(batch)}"#)
        let lines = watcher.take()
        #expect(lines.count == 1)
        #expect(lines.first?.contains(#""changes":[{"section":"b","open":true},{"section":"t","done":false}]"#) == true)
        #expect(actor.take().isEmpty)
    }

    @Test(arguments: [
        #""op":"close","section":"a""#, #""op":"open","section":"b""#, #""op":"toggle","section":"b","to":true"#,
        #""op":"uncheck","section":"t""#, #""op":"reset","under":"a""#, #""op":"close_all","under":"a""#,
        #""op":"batch","ops":[]"#,
        #""op":"batch","ops":[{"op":"open","section":"a"},{"op":"close","section":"a"}]"#,
        #""op":"open","section":"b","seen":{}"#,
        #""op":"open","section":"b","seen":{"n1":999}"#,
    ])
    func `what changes nothing is no event, no write and no version`(members: String) {
        let (actor, watcher) = watched(Lines.tour, "tour")
        actor.ask(#"{"op":"open","doc":"tour","section":"b"}"#)
        _ = watcher.take()
        actor.send(#"{"doc":"tour",\#(members)}"#)
        let turn = actor.owner.hub.endTurn()
        #expect(turn.deltas.isEmpty)
        for session in actor.owner.hub.release(turn) where session === actor.session { actor.flush() }
        watcher.flush()
        #expect(watcher.take().isEmpty)
        #expect(actor.take().first?.contains(#""version":{"n1":2}"#) == true)
    }

    @Test func `opening one section of a single group closes another, and both are told`() {
        let (actor, watcher) = watched(Lines.rows, "rows")
        actor.ask(#"{"op":"open","doc":"rows","section":"y"}"#)
        #expect(watcher.take().first?.contains(#""changes":[{"section":"y","open":true}]"#) == true)
        actor.ask(#"{"op":"open","doc":"rows","section":"x"}"#)
        #expect(
            watcher.take().first?.contains(#""changes":[{"section":"x","open":true},{"section":"y","open":false}]}"#)
                == true)
        #expect(kinds(actor.ask(#"{"op":"close","doc":"rows","section":"z"}"#)) == ["ok"])
        #expect(watcher.take().isEmpty)
        actor.ask(#"{"op":"toggle","doc":"rows","section":"x"}"#)
        #expect(watcher.take().first?.contains(#""changes":[{"section":"x","open":false}]"#) == true)
    }

    @Test func `a conflict is told, kept, and settled by a write that has seen it`() {
        let (ann, watcher) = watched(Lines.tour, "tour")
        let bob = ann.owner.connect("bob")
        ann.ask(#"{"op":"open","doc":"tour","section":"a"}"#)
        _ = watcher.take()
        bob.ask(#"{"op":"toggle","to":false,"doc":"tour","section":"a","seen":{"n1":1}}"#)
        // What stands is what bob saw and asks for: the value differs from what stands now, so it is a write.
        let conflict =
            #"{"section":"a","field":"open","kept":{"value":false,"by":"bob"},"lost":[{"value":true,"by":"ann"}]}"#
        let event = watcher.take()
        #expect(event.first?.contains(#""changes":[{"section":"a","open":false}],"conflicts":[\#(conflict)]"#) == true)
        #expect(ann.ask(#"{"op":"get","doc":"tour"}"#).first?.contains(#""conflicts":[\#(conflict)]"#) == true)
        #expect(
            ann.ask(#"{"op":"get","doc":"tour","section":"a"}"#).first?.contains(#""conflicts":[\#(conflict)]"#) == true
        )
        #expect(ann.ask(#"{"op":"get","doc":"tour","section":"b"}"#).first?.contains(#""conflicts":[]"#) == true)
        #expect(ann.ask(#"{"op":"subscribe","doc":"tour"}"#).last?.contains(#""conflicts":[\#(conflict)]"#) == true)
        // Asking for what is shown settles it.
        ann.ask(#"{"op":"close","doc":"tour","section":"a"}"#)
        #expect(watcher.take().first?.hasSuffix(#""changes":[{"section":"a","open":false}]}"#) == true)
        #expect(ann.ask(#"{"op":"get","doc":"tour"}"#).first?.contains(#""conflicts":[]"#) == true)
    }

    @Test func `two who open different rows of a single group without having seen each other are told`() {
        let (ann, watcher) = watched(Lines.rows, "rows")
        ann.ask(#"{"op":"open","doc":"rows","section":"x"}"#)
        _ = watcher.take()
        ann.owner.connect("bob").ask(#"{"op":"open","doc":"rows","section":"y","seen":{"n1":1}}"#)
        let conflict =
            #"{"section":"","field":"single","kept":{"value":"y","by":"bob"},"lost":[{"value":"x","by":"ann"}]}"#
        #expect(
            watcher.take().first?.contains(
                #""changes":[{"section":"x","open":false},{"section":"y","open":true}],"conflicts":[\#(conflict)]"#)
                == true)
        #expect(
            ann.ask(#"{"op":"get","doc":"rows"}"#).first?.contains(
                #""state":{"open":["y"],"done":[],"conflicts":[\#(conflict)]}"#) == true)
        ann.ask(#"{"op":"open","doc":"rows","section":"y"}"#)
        #expect(
            ann.ask(#"{"op":"get","doc":"rows"}"#).first?.contains(#""state":{"open":["y"],"done":[],"conflicts":[]}"#)
                == true)
    }

    @Test func `seen beyond what there is is clamped, and the reply says so`() {
        let (actor, _) = watched(Lines.tour, "tour")
        #expect(
            actor.ask(#"{"op":"open","doc":"tour","section":"a","seen":{"n1":9}}"#) == [
                #"{"ok":true,"version":{"n1":2},"open":true,"clamped":true}"#
            ])
        #expect(
            actor.ask(#"{"op":"open","doc":"tour","section":"b","seen":{"n1":2,"zz":0}}"#) == [
                #"{"ok":true,"version":{"n1":3},"open":true}"#
            ])
        #expect(
            actor.ask(#"{"op":"open_all","doc":"tour","seen":{"other":1}}"#).first?.contains(#""clamped":true"#) == true
        )
        #expect(actor.ask(#"{"op":"delete","doc":"tour","seen":{"other":1}}"#) == [#"{"ok":true,"clamped":true}"#])
    }

    @Test(arguments: [999, 1_000, 1_001]) func `more than a thousand changes are told as the state they come to`(
        count: Int
    ) {
        let (actor, watcher) = watched(Lines.many("many", count), "many")
        actor.ask(#"{"op":"open_all","doc":"many"}"#)
        let lines = watcher.take()
        #expect(kinds(lines) == [count <= 1_000 ? "changed" : "changed bulk"])
        guard case .event(.changed(let event))? = lines.first.flatMap(parse) else { return }
        #expect((event.state?.open.count ?? event.changes.count) == count)
        #expect(lines.first?.contains(#""bulk":true"#) == (count > 1_000))
        #expect(lines.first?.contains(#""changes""#) == (count <= 1_000))
    }

    @Test func `new content is a snapshot with its reason, and what stays keeps its state`() {
        let (actor, watcher) = watched(Lines.tour, "tour")
        actor.ask(#"{"op":"open","doc":"tour","section":"b"}"#)
        _ = watcher.take()
        let new =
            #""doc":"tour","title":"Tour","content":[{"id":"b","title":"Bee","content":[]},{"id":"n","title":"N","content":[]}]"#
        #expect(
            actor.ask(#"{"op":"replace",\#(new)}"#) == [
                #"{"ok":true,"version":{"n1":3},"kept":1,"removed":5,"added":1}"#
            ])
        #expect(
            watcher.take() == [
                #"{"event":"snapshot","doc":"tour","reason":"replaced","epoch":"e1","version":{"n1":3},"#
                    + #""document":{"doc":"tour","title":"Tour","mode":"multiple","initially":"closed","headers":true,"#
                    + #""conflicts":"last","content":[{"id":"b","title":"Bee","content":[]},{"id":"n","title":"N","content":[]}]},"#
                    + #""state":{"open":["b"],"done":[],"conflicts":[]}}"#
            ])
        #expect(kinds(actor.ask(#"{"op":"replace",\#(new)}"#)) == ["ok"])
        #expect(watcher.take().isEmpty)
    }

    @Test func `subscribers of a deleted document stay, and are told when it comes again`() {
        let (actor, watcher) = watched(Lines.tour, "tour")
        actor.ask(#"{"op":"open","doc":"tour","section":"b"}"#)
        _ = watcher.take()
        actor.ask(#"{"op":"delete","doc":"tour"}"#)
        #expect(watcher.take() == [#"{"event":"deleted","doc":"tour","by":"ann"}"#])
        for line in [
            #"{"op":"open","doc":"tour","section":"b"}"#, #"{"op":"get","doc":"tour"}"#,
            #"{"op":"subscribe","doc":"tour"}"#,
        ] {
            #expect(kinds(actor.ask(line)) == ["unknown_document"])
        }
        #expect(actor.ask(Lines.tour) == [#"{"ok":true,"version":{"n1":4}}"#])
        let lines = watcher.take()
        #expect(kinds(lines) == ["snapshot created"])
        #expect(lines.first?.contains(#""state":{"open":[],"#) == true)
        actor.ask(#"{"op":"open","doc":"tour","section":"b"}"#)
        #expect(kinds(watcher.take()) == ["changed"])
    }

    @Test func `deleted and created within one turn is told in order, also to one who deletes`() {
        let (actor, watcher) = watched(Lines.tour, "tour")
        actor.ask(#"{"op":"subscribe","doc":"tour"}"#)
        actor.send(#"{"op":"open","doc":"tour","section":"b"}"#, #"{"op":"delete","doc":"tour"}"#, Lines.tour)
        actor.send(#"{"op":"open","doc":"tour","section":"a"}"#)
        actor.owner.settle()
        let story = ["changed", "deleted", "snapshot created", "changed"]
        #expect(kinds(watcher.take()) == story)
        #expect(kinds(actor.take()) == story + ["ok", "ok", "ok", "ok"])
    }

    @Test func `those who watch the list hear of documents that come, go and change their title`() {
        let test = TestHub()
        let (actor, watcher) = (test.connect(), test.connect())
        watcher.ask(#"{"op":"watch_list","on":true}"#)
        actor.ask(Lines.tour)
        #expect(watcher.take() == [#"{"event":"listed","doc":"tour","title":"Tour"}"#])
        actor.ask(#"{"op":"open","doc":"tour","section":"a"}"#)
        actor.ask(#"{"op":"replace","doc":"tour","title":"Tour"}"#)
        #expect(watcher.take().isEmpty)
        actor.ask(#"{"op":"replace","doc":"tour","title":"Other"}"#)
        #expect(watcher.take() == [#"{"event":"listed","doc":"tour","title":"Other"}"#])
        actor.ask(#"{"op":"delete","doc":"tour"}"#)
        #expect(watcher.take() == [#"{"event":"unlisted","doc":"tour"}"#])
        watcher.ask(#"{"op":"watch_list","on":false}"#)
        actor.ask(Lines.tour)
        #expect(watcher.take().isEmpty)
    }

    @Test func `one of many who watch the list can stop, or leave, without harm to the others`() {
        let test = TestHub()
        let actor = test.connect()
        let watchers = (0..<5).map { _ in test.connect() }
        for watcher in watchers { watcher.ask(#"{"op":"watch_list","on":true}"#) }
        watchers[1].ask(#"{"op":"watch_list","on":false}"#)
        test.disconnect(watchers[4])
        test.disconnect(watchers[0])
        watchers[1].ask(#"{"op":"watch_list","on":true}"#)
        actor.ask(Lines.tour)
        #expect(watchers.map { kinds($0.take()) } == [[], ["listed tour"], ["listed tour"], ["listed tour"], []])
    }

    // MARK: - Since

    @Test func `since brings only what changed, in this epoch alone and with the content known`() {
        let (actor, _) = watched(Lines.tour, "tour")
        actor.ask(#"{"op":"open","doc":"tour","section":"a"}"#)
        actor.ask(#"{"op":"check","doc":"tour","section":"t"}"#)
        func since(_ members: String) -> String? { actor.ask(#"{"op":"subscribe","doc":"tour",\#(members)}"#).last }
        #expect(
            since(#""since":{"n1":2},"epoch":"e1""#)
                == #"{"event":"changed","doc":"tour","version":{"n1":3},"by":"","at":1700001000000,"changes":[{"section":"t","done":true}]}"#
        )
        #expect(since(#""since":{"n1":3},"epoch":"e1""#)?.contains(#""changes":[]"#) == true)
        #expect(
            since(#""since":{"n1":1},"epoch":"e1""#)?.contains(
                #"[{"section":"a","open":true},{"section":"t","done":true}]"#) == true)
        for other in [
            #""since":{"n1":2},"epoch":"e0""#, #""since":{"n1":2}"#, #""epoch":"e1""#,
            #""since":{"n1":4},"epoch":"e1""#,
            #""since":{},"epoch":"e1""#, #""since":{"n2":1,"n1":2},"epoch":"e1""#,
        ] { #expect(since(other).map(kind) == "snapshot subscribed", "\(other)") }
        actor.ask(#"{"op":"replace","doc":"tour","content":[{"id":"a","title":"A","content":[]}]}"#)
        #expect(since(#""since":{"n1":3},"epoch":"e1""#).map(kind) == "snapshot subscribed")
        #expect(since(#""since":{"n1":4},"epoch":"e1""#).map(kind) == "changed")
    }

    @Test func `of a single group that was touched since, every section is told`() {
        let (actor, _) = watched(Lines.rows, "rows")
        actor.ask(#"{"op":"open","doc":"rows","section":"x"}"#)
        actor.ask(#"{"op":"open","doc":"rows","section":"z"}"#)
        let line = actor.ask(#"{"op":"subscribe","doc":"rows","since":{"n1":2},"epoch":"e1"}"#).last
        #expect(
            line?.contains(#"[{"section":"x","open":false},{"section":"y","open":false},{"section":"z","open":true}]"#)
                == true)
    }
}
