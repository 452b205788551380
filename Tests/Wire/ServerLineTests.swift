// Why this file exists: what the daemon writes our client reads, every reply and every event, and what it can't read it
// refuses without a trap.
import AccordionModel
import Bytes
import Causality
import Testing
import Wire

struct ServerLineTests {
    private static let name = DocumentName("广东")

    private func state(_ seed: UInt64) -> SharedState? {
        var random = SeededRandom(state: seed)
        var state = SharedState()
        guard let node = NodeName("n1"), let other = NodeName("n2~x") else { return nil }
        do throws(Refusal) {
            let writer = Writer(node: node, milliseconds: 5, by: "ann \"a\"", session: 1, seen: nil)
            _ = state.applyOwn(try state.create(Made.document(&random, sections: 80), writer))
            guard let document = state.view?.document, document.attributes.headers else { return state }
            for _ in 0..<60 {
                guard let section = document.sections.randomElement(using: &random) else { break }
                let node = Bool.random(using: &random) ? node : other
                let writer = Writer(
                    node: node, milliseconds: 9, by: "bob", session: UInt64.random(in: 1...3, using: &random),
                    seen: Bool.random(using: &random) ? VersionVector() : nil)
                let gesture: Gesture =
                    Bool.random(using: &random)
                    ? .toggle(section.path, to: nil) : .set(section.path, .done, Bool.random(using: &random))
                do throws(Refusal) {
                    if let operation = try state.decide(gesture, writer) { _ = state.applyOwn(operation) }
                } catch {}
            }
        } catch {
            return nil
        }
        return state
    }

    private func open(_ view: View) -> [SectionPath] {
        view.document.sections.indices.filter { view.isOpen(Int32($0)) }.map { view.document.sections[$0].path }
    }

    private func done(_ view: View) -> [SectionPath] {
        view.document.sections.indices.filter { view.isDone(Int32($0)) }.map { view.document.sections[$0].path }
    }

    @Test(arguments: (0..<50).map { _ in UInt64.random(in: 0 ... .max) })
    func `snapshots and replies to get hold the whole document and its state`(seed: UInt64) {
        guard let state = state(seed), let view = state.view, let name = Self.name else { return #expect(Bool(false)) }
        guard case .snapshot(let snapshot)? = event({ $0.snapshot(name, .resync, epoch: "e\"", state, view) }) else {
            Issue.record("seed \(seed)")
            return
        }
        #expect(snapshot.name == name && snapshot.reason == "resync" && snapshot.epoch == "e\"")
        #expect(snapshot.version == state.version, "seed \(seed)")
        #expect(snapshot.document.isSame(as: view.document), "seed \(seed)")
        #expect(snapshot.state.open == open(view) && snapshot.state.done == done(view), "seed \(seed)")
        let conflicts = state.conflicts
        #expect(snapshot.state.conflicts.map(\.section) == conflicts.map(\.section), "seed \(seed)")
        #expect(snapshot.state.conflicts.map(\.field) == conflicts.map(\.field.rawValue), "seed \(seed)")
        #expect(snapshot.state.conflicts.map(\.lost.count) == conflicts.map(\.lost.count), "seed \(seed)")
        #expect(snapshot.state.conflicts.map(\.kept.by) == conflicts.map(\.kept.by), "seed \(seed)")

        let got = reply(.document(name, state, view, section: -1), id: .number(5))
        #expect(
            got?.document?.document.isSame(as: view.document) == true && got?.state == snapshot.state, "seed \(seed)")
        #expect(got?.version == state.version && got?.id == .number(5))
        guard case .changed(let changed)? = event({ $0.caughtUp(name, state, view, milliseconds: 7) }) else {
            Issue.record("seed \(seed)")
            return
        }
        #expect(changed.state == snapshot.state && changed.version == state.version && changed.milliseconds == 7)
    }

    @Test(arguments: (0..<30).map { _ in UInt64.random(in: 0 ... .max) })
    func `the part below a section is its part of the state`(seed: UInt64) {
        guard let state = state(seed), let view = state.view, let name = Self.name else { return #expect(Bool(false)) }
        for index in view.document.sections.indices {
            let got = reply(.document(name, state, view, section: Int32(index)))
            let inside = view.document.sections[Int(index)...].prefix(Int(view.document.sections[index].end) - index)
                .dropFirst()
            #expect(got?.document?.document.sections.map(\.title) == inside.map(\.title), "seed \(seed)")
            let paths = Set(inside.map(\.path))
            #expect(got?.state?.open == open(view).filter { paths.contains($0) }, "seed \(seed)")
            #expect(got?.state?.done == done(view).filter { paths.contains($0) }, "seed \(seed)")
        }
    }

    @Test func `every other reply is read with what it says`() {
        guard let node = NodeName("n1"), let name = Self.name else { return #expect(Bool(false)) }
        let version = VersionVector([.init(node: node, counter: 3)])
        #expect(reply(.done)?.failure == nil)
        #expect(reply(.version(version))?.version == version)
        #expect(reply(.flag(version, .open, true))?.open == true)
        #expect(reply(.flag(version, .done, false))?.done == false)
        #expect(reply(.changed(version, 7), id: .text("é"), isClamped: true)?.changed == 7)
        let replacement = Replacement(kept: 1, removed: 2, added: 3)
        #expect(reply(.replaced(version, replacement))?.replacement == replacement)
        let summary = DocumentSummary(
            name: name, title: "T\n", sections: 1, open: 2, tasks: 3, done: 4, subscribers: 5, version: version)
        #expect(reply(.documents([summary, summary]))?.documents == [summary, summary])
        let greeting = Greeting(
            server: "s/1", node: node, epoch: "e", session: "s1", name: "ann", role: .toggler, lineBytesMax: 1,
            documentBytesMax: 2,
            limits: Limits())
        #expect(
            reply(.greeting(greeting))?.greeting
                == ServerGreeting(server: "s/1", node: "n1", epoch: "e", session: "s1", name: "ann", role: "toggler"))
        var status = DaemonStatus(server: "s/1", node: "n1", epoch: "e\"", uptimeMilliseconds: 12)
        status.count("turns", 3)
        status.count("later\n", .max >> 11)
        status.gauge("sessions", 0)
        status.limit("max_depth", -1)
        #expect(reply(.status(status))?.status == status)
        let frame = Frame()
        Failure(.locked, "no \"x\"\n", at: 3, id: .number(1)).write(into: frame)
        guard case .reply(let refusal)? = serverLine(String(frame.text.dropLast())) else { return #expect(Bool(false)) }
        #expect(
            refusal.failure == ServerFailure(code: "locked", message: "no \"x\"\n", at: 3) && refusal.id == .number(1))
    }

    @Test func `every other event is read with what it says`() {
        guard let name = Self.name else { return #expect(Bool(false)) }
        guard case .deleted(name, by: "ann")? = event({ $0.deleted(name, by: "ann") }) else {
            return #expect(Bool(false))
        }
        guard case .listed(name, title: "T\u{202E}")? = event({ $0.listed(name, title: "T\u{202E}") }) else {
            return #expect(Bool(false))
        }
        guard case .unlisted(name)? = event({ $0.unlisted(name) }) else { return #expect(Bool(false)) }
        guard case .goodbye(reason: "x")? = event({ $0.goodbye("x") }) else { return #expect(Bool(false)) }
        let clients = [
            PresentClient(session: "s1", name: "ann", section: SectionPath("a/b"), isPresenting: true),
            PresentClient(session: "s2", name: "b\"", section: nil, isPresenting: false),
        ]
        guard case .presence(name, clients: clients, count: 9)? = event({ $0.presence(name, clients, count: 9) }) else {
            return #expect(Bool(false))
        }
        guard case .event(.other("later"))? = serverLine(#"{"event":"later","x":[1]}"#) else {
            return #expect(Bool(false))
        }
    }

    @Test(arguments: [
        "", "x", "[]", "{}", #"{"ok":1}"#, #"{"ok":false}"#, #"{"event":"snapshot"}"#,
        #"{"event":"snapshot","doc":"x","document":{},"state":{}}"#,
        #"{"event":"changed"}"#, #"{"event":"changed","doc":"x","changes":[1]}"#,
        #"{"event":"changed","doc":"x","changes":[{"open":true}]}"#,
        #"{"event":"changed","doc":"x","at":1e300}"#, #"{"event":"changed","doc":"x","version":{"n1":1.5}}"#,
        #"{"event":"deleted"}"#,
        #"{"event":"presence","doc":"x","count":"many"}"#, #"{"event":"presence","doc":"x","clients":[1]}"#,
        #"{"event":1}"#,
        #"{"ok":true,"documents":[1]}"#, #"{"ok":true,"documents":[{}]}"#, #"{"ok":true,"state":{}}"#,
        #"{"ok":true,"document":{}}"#,
        #"{"event":"changed","doc":"x","conflicts":[{}]}"#,
        #"{"event":"changed","doc":"x","conflicts":[{"section":"","kept":{}}]}"#,
        #"{"ok":true,"changed":9223372036854775808}"#, #"{"ok":true,"status":{"counters":[]}}"#,
        #"{"ok":true,"status":{"gauges":{"a":1.5}}}"#, #"{"ok":true,"status":{"uptime_ms":"1"}}"#,
    ])
    func `a line that makes no sense is refused`(line: String) {
        #expect(throws: Failure.self) { try ServerLineReader().read(Array(line.utf8).span) }
    }
}
