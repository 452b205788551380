// Why this file exists: all that a simulation has, and the two halves of its life: first everything goes wrong that the plan
// says, then nothing does any more, and everybody must come to agree.

import AccordionModel
import Causality
import Wire

final class World {
    /// The wall clock at the beginning.
    static let startMilliseconds: Int64 = 1_700_000_000_000
    /// How long the agreement may take, by the simulated clock.
    private static let peaceMilliseconds: Int64 = 300_000

    let plan: Plan
    let schedule = Schedule()
    var random: SeededRandom
    let documentNames: [DocumentName]
    private(set) var nodes: [SimulatedNode] = []
    private(set) var clients: [SimulatedClient] = []
    private var brokerMade: SimulatedBroker?
    private var ledgerMade: Ledger?

    var broker: SimulatedBroker {
        guard let brokerMade else { preconditionFailure("a world has a broker") }
        return brokerMade
    }
    var ledger: Ledger {
        guard let ledgerMade else { preconditionFailure("a world has a ledger") }
        return ledgerMade
    }

    init(_ plan: Plan) {
        self.plan = plan
        random = SeededRandom(plan.seed ^ 0x5EED)
        documentNames = (0..<plan.documentCount).compactMap { DocumentName("d\($0)") }
        ledgerMade = Ledger(self)
        let broker = SimulatedBroker(self)
        broker.weather = plan.weather
        brokerMade = broker
        for number in 0..<plan.nodeCount {
            guard let name = NodeName("n\(number + 1)") else { continue }
            nodes.append(
                SimulatedNode(number: number, disk: SimulatedDisk(node: name), isDurable: plan.isDurable[number], self))
        }
        for number in 0..<plan.clientCount {
            clients.append(SimulatedClient(name: "c\(number + 1)", home: number % plan.nodeCount, self))
        }
    }

    /// Plays the plan and returns what must not have happened.
    func play() -> [String] {
        for node in nodes { node.start() }
        for client in clients { client.connect() }
        schedule.run(until: 1_000)
        for step in plan.steps {
            schedule.run(until: schedule.now + step.afterMilliseconds)
            perform(step.action)
            if !ledger.violations.isEmpty { return ledger.violations }
        }
        makePeace()
        let end = schedule.now + World.peaceMilliseconds
        repeat { schedule.run(until: schedule.now + 1_000) } while !isQuiet && schedule.now < end
        schedule.run(until: schedule.now + 3_000)
        ledger.settle()
        return ledger.violations
    }

    /// Nothing goes wrong any more.
    private func makePeace() {
        broker.weather = SimulatedBroker.Weather()
        broker.comeUp()
        for twin in nodes {
            guard let original = twin.original else { continue }
            twin.crash()
            if original.mend(after: twin) { ledger.isStateLost = true }
        }
        nodes.removeAll { $0.original != nil }
        for node in nodes {
            node.fates = []
            node.heal()
            node.start()
        }
        for client in clients {
            client.wakeUp()
            client.comeBack()
        }
    }

    private var isQuiet: Bool {
        let writing = nodes.filter { !$0.isReadOnly }
        for node in nodes {
            guard let process = node.process, process.commits?.isSettled == true else { return false }
            if node.isReadOnly { continue }
            if process.replicator.nextSequence <= broker.lastSequence { return false }
            if process.replicator.hasUnconfirmed { return false }
            if ledger.isWaiting(process) { return false }
        }
        for name in documentNames {
            let versions = writing.map { $0.disk.version(name) }
            guard versions.allSatisfy({ $0 == versions[0] }) else { return false }
            for client in clients {
                guard let replica = client.replicas[name], let process = client.process else { return false }
                let state = process.node.disk.documents[name]?.state
                if state?.view != nil, replica.version != process.node.disk.version(name) { return false }
                if state?.view == nil, replica.life == .live { return false }
            }
        }
        return clients.allSatisfy { $0.openCount == 0 }
    }

    // MARK: - Steps

    private func perform(_ action: Step.Action) {
        switch action {
        case .press(let client, let document, let section, let isCheck):
            clients[client].press(documentNames[document], section: section, field: isCheck ? .done : .open)
        case .gesture(let client, let document, let section, let kind):
            gesture(clients[client], documentNames[document], section, kind)
        case .create(let client, let document, let shape):
            guard let content = Shape.document(shape) else { return }
            clients[client].send(.create(documentNames[document], content, Request.WriteOptions()))
        case .replace(let client, let document, let shape):
            guard let content = Shape.document(shape) else { return }
            clients[client].send(.replace(documentNames[document], content, Request.WriteOptions()))
        case .delete(let client, let document):
            clients[client].send(.delete(documentNames[document], Request.WriteOptions()))
        case .undo(let client, let document, let isRedo):
            clients[client].send(isRedo ? .redo(documentNames[document]) : .undo(documentNames[document]))
        case .goOffline(let client): clients[client].goOffline()
        case .comeBack(let client): clients[client].comeBack()
        case .move(let client, let node): clients[client].move(to: node)
        case .sleep(let client): clients[client].sleep()
        case .wakeUp(let client): clients[client].wakeUp()
        default: wreck(action)
        }
    }

    private func wreck(_ action: Step.Action) {
        switch action {
        case .cutOff(let node): nodes[node].cutOff()
        case .heal(let node): nodes[node].heal()
        case .crash(let node): nodes[node].crash()
        case .start(let node): nodes[node].start()
        case .failCommits(let node, let fates):
            nodes[node].fates += fates.map { [.stored, .lost, .storedButFailed][$0] }
        case .backUp(let node): nodes[node].makeBackup()
        case .restore(let node):
            nodes[node].restore()
            nodes[node].start()
        case .setClock(let node, let milliseconds): nodes[node].clockOffset = milliseconds
        case .clone(let node): clone(nodes[node])
        case .brokerDown: broker.goDown()
        case .brokerUp: broker.comeUp()
        case .brokerLosesTail(let count): broker.loseTail(count)
        case .brokerMadeAnew: broker.makeAnew()
        case .brokerForgets(let count): broker.forget(count)
        case .brokerForgetsRepetitions: broker.forgetRepetitions()
        case .violate: ledger.violate("the plan says so")
        default: break
        }
    }

    /// Somebody copies a daemon's state, name and all, and starts it beside the first.
    private func clone(_ node: SimulatedNode) {
        ledger.isNameDoubled = true
        let twin = node.copy(number: nodes.count)
        nodes.append(twin)
        twin.start()
    }

    private func gesture(_ client: SimulatedClient, _ name: DocumentName, _ turn: Int, _ kind: Int) {
        let options = Request.WriteOptions()
        guard let document = client.replicas[name]?.document, !document.sections.isEmpty else { return }
        let path = document[Int32(turn % document.sections.count)].path
        let other = document[Int32((turn * 7 + 3) % document.sections.count)].path
        switch kind {
        case 0: client.send(.gesture(name, .openAll(under: .top), options))
        case 1: client.send(.gesture(name, .closeAll(under: .top), options))
        case 2: client.send(.gesture(name, .level(under: .top, depth: turn % 4), options))
        case 3: client.send(.gesture(name, .reset(under: turn % 2 == 0 ? .top : path), options))
        case 4:
            let gestures: [Gesture] = [.toggle(path, to: nil), .toggle(other, to: true), .set(path, .done, true)]
            client.send(.batch(name, gestures, options))
        case 5: client.send(.batch(name, [.toggle(path, to: true), .toggle(other, to: true)], options))
        case 6: client.send(.gesture(name, .toggle(path, to: nil), options))
        case 7: client.send(.gesture(name, .set(path, .open, true), options))
        case 8: client.send(.gesture(name, .set(path, .open, false), options))
        case 9: client.send(.gesture(name, .set(path, .done, turn % 2 == 0), options))
        default:
            // As one who looks at a screen that is old by now.
            let seen = client.replicas[name]?.version ?? VersionVector()
            let action = Request.Action.gesture(
                name, .toggle(path, to: turn % 2 == 0), Request.WriteOptions(seen: seen))
            client.send(action, seen: seen)
        }
    }
}
