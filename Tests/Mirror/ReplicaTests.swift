// Claims about what a client knows and shows.

import AccordionModel
import Causality
import Mirror
import TestSupport
import Testing
import Wire

private let small = #"""
    {"title":"T","content":["p",
     {"title":"a","content":[{"title":"a1","content":["x"]},{"title":"a2","task":true}]},
     {"title":"s","mode":"single","content":[{"title":"s1","content":[]},{"title":"s2","content":[]},{"title":"s3","content":[]},{"title":"row"}]},
     {"title":"m","mode":"single","collapsible":false,"content":[{"title":"m1","content":[]},{"title":"m2","content":[],"open":true}]},
     {"title":"k","locked":true,"content":[]},
     {"title":"t","task":false,"content":[]}]}
    """#

private func live(_ json: String = small) throws -> (ModelDaemon, Replica) {
    var daemon = ModelDaemon()
    var replica = Replica(documentName)
    replica.connected()
    _ = replica.receive(try #require(try daemon.put(try document(json))))
    return (daemon, replica)
}

private func index(_ path: String, _ replica: Replica) throws -> Int32 {
    try #require(replica.document?.find(SectionPath(path)))
}

struct ReplicaTests {
    @Test func `a press is shown at once and stands when it is confirmed`() throws {
        var (daemon, replica) = try live()
        let a = try index("a", replica)
        let (intent, changes) = try replica.intend(SectionFlag(a, .open), to: true, id: 1)
        #expect(changes == [.flags([SectionFlag(a, .open)])])
        #expect(replica.isOpen(a) && replica.isPending(a))
        #expect(intent.seen == daemon.state.version)
        let (event, _) = try daemon.perform([.toggle(intent.section, to: intent.value)], seen: intent.seen, session: 1)
        #expect(replica.receive(try #require(event)) == [])
        #expect(replica.answered(id: 1, failure: nil) == [])
        #expect(replica.isOpen(a) && !replica.isPending(a))
    }

    @Test func `a press that is refused is taken back with the reason`() throws {
        var (_, replica) = try live()
        let a = try index("a", replica)
        let (intent, _) = try replica.intend(SectionFlag(a, .open), to: true, id: 1)
        let changes = replica.answered(id: 1, failure: ServerFailure(code: "storage_failed", message: "no room"))
        #expect(changes == [.flags([SectionFlag(a, .open)]), .takenBack(intent, reason: "no room")])
        #expect(!replica.isOpen(a))
    }

    @Test
    func `presses that were not answered when the connection is lost are kept, and sent again with what was seen`()
        throws
    {
        var (daemon, replica) = try live()
        let (a, t) = (try index("a", replica), try index("t", replica))
        let before = replica.version
        _ = try replica.intend(SectionFlag(a, .open), to: true, id: 1)
        #expect(replica.takeUnsent { 0 }.map(\.id) == [1])
        #expect(replica.disconnected() == [] && replica.isOpen(a) && replica.isPending(a))
        _ = try replica.intend(SectionFlag(t, .done), to: true, id: 2)
        #expect(replica.isDone(t) && replica.takeUnsent { 0 }.isEmpty, "nothing is sent without a connection")
        replica.connected()
        #expect(replica.takeUnsent { 0 }.isEmpty, "nothing is sent before the state has come")
        let (event, _) = try daemon.perform([.set(SectionPath("s/s1"), .open, true)], session: 2)
        #expect(event != nil)
        _ = replica.receive(try daemon.snapshot(.subscribed))
        let sent = replica.takeUnsent { 7 }
        #expect(sent.map(\.id) == [7, 2], "one that was sent before has a new id")
        #expect(sent.allSatisfy { $0.seen == before } && replica.version != before)
        #expect(replica.takeUnsent { 0 }.isEmpty, "each is sent once")
    }

    @Test func `a press that turns out to have been heard is not sent again`() throws {
        var (daemon, replica) = try live()
        let a = try index("a", replica)
        _ = try replica.intend(SectionFlag(a, .open), to: true, id: 1)
        let intent = try #require(replica.takeUnsent { 0 }.first)
        _ = try daemon.perform([.toggle(intent.section, to: true)], seen: intent.seen, session: 1)
        _ = replica.disconnected()
        replica.connected()
        #expect(replica.receive(try daemon.snapshot(.subscribed)) == [.content(reason: "subscribed")])
        #expect(replica.pending.isEmpty && replica.isOpen(a) && !replica.isPending(a))
    }

    @Test func `pressing twice without a connection asks for nothing`() throws {
        var (daemon, replica) = try live()
        let a = try index("a", replica)
        _ = replica.disconnected()
        _ = try replica.intend(SectionFlag(a, .open), to: true, id: 1)
        let (_, changes) = try replica.intend(SectionFlag(a, .open), to: false, id: 2)
        #expect(changes == [.flags([SectionFlag(a, .open)])] && replica.pending.count == 1)
        replica.connected()
        _ = replica.receive(try daemon.caughtUp())
        #expect(replica.takeUnsent { 0 }.isEmpty && replica.pending.isEmpty)
    }

    @Test func `what a press was meant for is gone when the connection is back: it is taken back with words`() throws {
        var (daemon, replica) = try live()
        let (a, t) = (try index("a", replica), try index("t", replica))
        _ = replica.disconnected()
        let (gone, _) = try replica.intend(SectionFlag(a, .open), to: true, id: 1)
        let (noTask, _) = try replica.intend(SectionFlag(t, .done), to: true, id: 2)
        replica.connected()
        let other = #"{"title":"T","content":[{"title":"b","content":[]},{"title":"t","content":[]}]}"#
        let changes = replica.receive(try #require(try daemon.put(try document(other))))
        #expect(
            changes.suffix(2) == [
                .takenBack(gone, reason: "it is not there any more"),
                .takenBack(noTask, reason: "it is not there any more"),
            ])
        #expect(replica.pending.isEmpty && replica.takeUnsent { 0 }.isEmpty)
    }

    @Test func `a document that was deleted meanwhile takes the presses with it`() throws {
        var (daemon, replica) = try live()
        let a = try index("a", replica)
        _ = replica.disconnected()
        let (intent, _) = try replica.intend(SectionFlag(a, .open), to: true, id: 1)
        replica.connected()
        #expect(replica.missing().contains(.takenBack(intent, reason: "the document is not there")))
        var (_, other) = try live()
        let (second, _) = try other.intend(SectionFlag(a, .open), to: true, id: 1)
        let changes = other.receive(try daemon.delete())
        #expect(changes.contains(.takenBack(second, reason: "the document was deleted")) && other.pending.isEmpty)
    }

    @Test func `a press that an ending daemon refuses is kept for the next one`() throws {
        var (daemon, replica) = try live()
        let a = try index("a", replica)
        _ = try replica.intend(SectionFlag(a, .open), to: true, id: 1)
        _ = replica.takeUnsent { 0 }
        #expect(replica.answered(id: 1, failure: ServerFailure(code: "shutting_down", message: "ends")) == [])
        #expect(replica.isOpen(a) && replica.takeUnsent { 0 }.isEmpty)
        _ = replica.disconnected()
        replica.connected()
        _ = replica.receive(try daemon.snapshot(.subscribed))
        #expect(replica.takeUnsent { 9 }.map(\.id) == [9])
    }

    @Test func `as many presses as may be are kept, and one more is refused`() throws {
        var (_, replica) = try live()
        let a = try index("a", replica)
        for id in 1...Replica.pendingMax { _ = try replica.intend(SectionFlag(a, .open), to: id % 2 == 1, id: id) }
        #expect(replica.pending.count == Replica.pendingMax)
        #expect(throws: IntentRefusal.tooMany) { try replica.intend(SectionFlag(a, .open), to: true, id: 0) }
    }

    @Test func `a press in a single group closes the other at once`() throws {
        var (daemon, replica) = try live()
        let (s1, s2) = (try index("s/s1", replica), try index("s/s2", replica))
        let (event, _) = try daemon.perform([.set(SectionPath("s/s1"), .open, true)], session: 2)
        _ = replica.receive(try #require(event))
        let (_, changes) = try replica.intend(SectionFlag(s2, .open), to: true, id: 1)
        #expect(changes == [.flags([SectionFlag(s1, .open), SectionFlag(s2, .open)])])
        #expect(replica.openChild(of: try index("s", replica)) == s2)
    }

    @Test func `what the document forbids is refused before it is sent`() throws {
        var (_, replica) = try live()
        func refusal(_ path: String, _ field: Field, _ value: Bool) throws -> IntentRefusal? {
            let flag = SectionFlag(try index(path, replica), field)
            do throws(IntentRefusal) {
                _ = try replica.intend(flag, to: value, id: 1)
                return nil
            } catch {
                return error
            }
        }
        #expect(try refusal("s/row", .open, true) == .row)
        #expect(try refusal("a", .done, true) == .notATask)
        #expect(try refusal("k", .open, true) == .locked)
        #expect(try refusal("m/m2", .open, false) == .mustStayOpen)
        #expect(replica.pending.isEmpty)
    }

    @Test func `a deleted document is kept to be looked at and comes back when it is created again`() throws {
        var (daemon, replica) = try live()
        let a = try index("a", replica)
        #expect(replica.receive(try daemon.delete()) == [.deleted(by: "s9")])
        #expect(replica.document != nil)
        #expect(throws: IntentRefusal.notLive) { try replica.intend(SectionFlag(a, .open), to: true, id: 1) }
        let event = try #require(try daemon.put(try document(small)))
        #expect(replica.receive(event) == [.content(reason: "created")])
        #expect(replica.life == .live)
    }

    @Test func `what is lacking is asked for by version while the document lives`() throws {
        var (daemon, replica) = try live()
        guard case .subscribe(let since) = replica.subscription else { throw Failure(.badRequest, "") }
        #expect(since.since == daemon.state.version && since.epoch == "e")
        _ = replica.receive(try daemon.delete())
        guard case .subscribe(let whole) = replica.subscription else { throw Failure(.badRequest, "") }
        #expect(whole.since == nil && whole.epoch == nil)
    }

    @Test func `a conflict stands until an event that touches it no longer lists it`() throws {
        var (daemon, replica) = try live()
        let before = daemon.state.version
        for (value, session) in [(true, UInt64(1)), (false, 2)] {
            let (event, _) = try daemon.perform([.set(SectionPath("a"), .open, value)], seen: before, session: session)
            if let event { _ = replica.receive(event) }
        }
        // Closing what was never open is no write; a check mark both ways is one.
        for (value, session) in [(true, UInt64(1)), (false, 2)] {
            let (event, _) = try daemon.perform([.set(SectionPath("t"), .done, value)], seen: before, session: session)
            if let event { _ = replica.receive(event) }
        }
        #expect(Set(replica.conflicts.map { $0.section.text + " " + $0.field }) == ["a open", "t done"])
        let (other, _) = try daemon.perform([.set(SectionPath("s"), .open, true)], session: 3)
        _ = replica.receive(try #require(other))
        #expect(replica.conflicts.count == 2)
        let (event, _) = try daemon.perform([.set(SectionPath("t"), .done, true)], session: 3)
        _ = replica.receive(try #require(event))
        #expect(replica.conflicts.map(\.section.text) == ["a"])
    }
}

/// A replica behind a channel that is as late as it likes.
private struct RandomRun {
    enum Down {
        case event(ServerEvent, flags: String?)
        case reply(Int, ServerFailure?, flags: String?)
    }

    var random: SplitMix
    var daemon = ModelDaemon()
    var replica = Replica(documentName)
    var up: [Intent] = []
    var down: [Down] = []
    var versions: [VersionVector] = []
    var nextID = 1
    var told: String?
    let contents: [Document]

    init(seed: UInt64) throws {
        random = SplitMix(seed: seed)
        contents = [
            try document(small),
            try document(
                #"{"mode":"single","initially":"open","content":[{"title":"a","content":[{"title":"a2","task":false}]},{"title":"t","content":[]},{"title":"s","content":[]}]}"#
            ),
        ]
        replica.connected()
        try emit(daemon.put(contents[0]))
    }

    mutating func emit(_ event: ServerEvent?) throws {
        guard let event else { return }
        versions.append(daemon.state.version)
        down.append(.event(event, flags: daemon.state.view?.flags))
    }

    mutating func step() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<4: press()
        case 4..<8: try hear()
        case 8..<12: try others()
        case 12: if Int.random(in: 0..<6, using: &random) == 0 { try life() }
        default: deliver()
        }
    }

    private mutating func press() {
        guard let document = replica.document else { return }
        let flag = SectionFlag(
            Int32.random(in: 0..<Int32(document.sections.count), using: &random),
            Bool.random(using: &random) ? .open : .done)
        guard let (intent, _) = try? replica.intend(flag, to: Bool.random(using: &random), id: nextID) else { return }
        nextID += 1
        up.append(intent)
    }

    private mutating func hear() throws {
        guard !up.isEmpty else { return }
        let intent = up.removeFirst()
        let gesture: Gesture =
            intent.field == .open
            ? .toggle(intent.section, to: intent.value) : .set(intent.section, .done, intent.value)
        let (event, failure) = try daemon.perform([gesture], seen: intent.seen, session: 1)
        try emit(event)
        down.append(.reply(intent.id, failure, flags: daemon.state.view?.flags))
    }

    private mutating func others() throws {
        guard let document = daemon.state.view?.document else { return }
        let seen = Bool.random(using: &random) ? nil : versions.randomElement(using: &random)
        let path = document.sections.randomElement(using: &random)?.path ?? .top
        let gestures: [Gesture] = (0..<Int.random(in: 1...2, using: &random)).map { _ in
            switch Int.random(in: 0..<8, using: &random) {
            case 0: .openAll(under: .top)
            case 1: .closeAll(under: .top)
            case 2: .reset(under: .top)
            case 3: .level(under: .top, depth: 2)
            case 4...5: .set(path, .done, Bool.random(using: &random))
            default: .set(path, .open, Bool.random(using: &random))
            }
        }
        let (event, _) = try daemon.perform(gestures, seen: seen, session: UInt64.random(in: 2...3, using: &random))
        // One that was dropped on the way is made up for by the state as it stands.
        try emit(event == nil || Int.random(in: 0..<8, using: &random) > 0 ? event : try daemon.caughtUp())
    }

    private mutating func life() throws {
        if daemon.state.view == nil || Bool.random(using: &random) {
            try emit(try daemon.put(contents[Int.random(in: 0..<2, using: &random)]))
        } else {
            try emit(try daemon.delete())
        }
    }

    mutating func deliver() {
        guard !down.isEmpty else { return }
        let before = replica
        let changes: [ReplicaChange]
        switch down.removeFirst() {
        case .event(let event, let flags):
            changes = replica.receive(event)
            told = flags
        case .reply(let id, let failure, let flags):
            changes = replica.answered(id: id, failure: failure)
            told = flags
        }
        if let told, replica.pending.isEmpty { #expect(replica.flags == told) }
        if case .live = replica.life { checkPending() }
        checkFlips(changes, before)
    }

    /// The last press of a flag is what shows, whatever else came in, and of a single group one is open at most.
    private func checkPending() {
        guard let document = replica.document else { return }
        var settled: Set<String> = []
        for intent in replica.pending.reversed() {
            guard let section = document.find(intent.section) else { continue }
            let isSingle = intent.field == .open && document.mode(inside: document[section].parent) == .single
            let key = isSingle ? "group \(document[section].parent)" : "\(section) \(intent.field)"
            guard settled.insert(key).inserted else { continue }
            if intent.field == .open, document[section].isRow { continue }
            if intent.field == .done, document[section].attributes.task == nil { continue }
            #expect((intent.field == .open ? replica.isOpen(section) : replica.isDone(section)) == intent.value)
        }
        for parent in -1..<Int32(document.sections.count) where document.mode(inside: parent) == .single {
            #expect(document.children(of: parent).filter { replica.isOpen($0) }.count <= 1)
        }
    }

    /// Exactly the flags that are shown otherwise are told.
    private func checkFlips(_ changes: [ReplicaChange], _ before: Replica) {
        guard let document = replica.document, before.document === document else { return }
        var flips: [SectionFlag] = []
        for change in changes { if case .flags(let some) = change { flips += some } }
        var expected: [SectionFlag] = []
        for section in Int32(0)..<Int32(document.sections.count) {
            if replica.isOpen(section) != before.isOpen(section) { expected.append(SectionFlag(section, .open)) }
            if replica.isDone(section) != before.isDone(section) { expected.append(SectionFlag(section, .done)) }
        }
        #expect(flips == expected)
    }
}

struct ReplicaAgainstTheModelTests {
    private func words(_ conflicts: [ServerConflict]) -> [String] { conflicts.map { "\($0)" }.sorted() }

    @Test(arguments: 0..<60) func `a replica shows what the daemon shows, whatever happens`(run: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var run = try RandomRun(seed: seed)
        do {
            for _ in 0..<400 { try run.step() }
            while !run.up.isEmpty || !run.down.isEmpty {
                while !run.down.isEmpty { run.deliver() }
                try run.drain()
            }
        }
        guard let view = run.daemon.state.view else { return }
        #expect(run.replica.flags == view.flags, "seed \(seed)")
        #expect(run.replica.version == run.daemon.state.version, "seed \(seed)")
        guard case .snapshot(let snapshot) = try run.daemon.snapshot(.resync) else { return }
        #expect(words(run.replica.conflicts) == words(snapshot.state.conflicts), "seed \(seed)")
        #expect(run.replica.receive(.snapshot(snapshot)) == [], "seed \(seed)")
    }
}

extension RandomRun {
    mutating func drain() throws {
        while !up.isEmpty { try hear() }
    }
}
