// Why this file exists: what stays of a daemon when its process ends: its disk, its clock, its place in the network.

import AccordionModel
import Causality

final class SimulatedNode {
    enum Fate { case stored, lost, storedButFailed }

    let number: Int
    let isDurable: Bool
    unowned let world: World
    var disk: SimulatedDisk
    private(set) var process: SimulatedProcess?
    private(set) var backup: SimulatedDisk?
    /// Milliseconds that its wall clock is wrong by.
    var clockOffset: Int64 = 0
    private(set) var isCutOff = false
    /// It has found another daemon under its name, and writes nothing any more.
    var isReadOnly = false
    /// The node whose state this one is a copy of.
    private(set) weak var original: SimulatedNode?
    /// Whether it has written since it was copied, or made as a copy.
    var hasWrittenSinceCopy = false
    /// What becomes of the next commits; then all are stored.
    var fates: [Fate] = []

    init(number: Int, disk: SimulatedDisk, isDurable: Bool, _ world: World) {
        self.number = number
        self.disk = disk
        self.isDurable = isDurable
        self.world = world
    }

    func nextFate() -> Fate { fates.isEmpty ? .stored : fates.removeFirst() }

    func start() {
        guard process == nil else { return }
        let process = SimulatedProcess(self, world)
        self.process = process
        process.start()
    }

    /// Each run is counted; one that may have lost what it told writes under a new name.
    func beginRun() {
        if disk.isRelaxedOpen { rename() }
        disk.run += 1
        disk.isRelaxedOpen = !isDurable
    }

    private func rename() {
        let base = disk.node.description.split(separator: "~").first.map(String.init) ?? "n"
        disk.node = NodeName("\(base)~\(world.random.next() % 100_000_000)") ?? disk.node
    }

    func crash() {
        process?.die()
        process = nil
    }

    /// Another one with the same state, name and all.
    func copy(number: Int) -> SimulatedNode {
        hasWrittenSinceCopy = false
        let twin = SimulatedNode(number: number, disk: disk, isDurable: isDurable, world)
        twin.disk.isRelaxedOpen = false
        twin.original = self
        return twin
    }

    /// What an administrator does who finds that a state was copied, and has stopped the copy: nothing where that wrote
    /// nothing; a new name where only it wrote; where both did, this state can't be kept, and begins anew. Returns whether
    /// it was.
    func mend(after twin: SimulatedNode) -> Bool {
        guard isReadOnly || twin.isReadOnly || twin.hasWrittenSinceCopy else { return false }
        crash()
        isReadOnly = false
        guard twin.hasWrittenSinceCopy else { return false }
        let isLost = hasWrittenSinceCopy
        if isLost {
            let run = disk.run
            disk = SimulatedDisk(node: disk.node)
            disk.run = run
        }
        rename()
        disk.isRelaxedOpen = false
        return isLost
    }

    func makeBackup() { backup = disk }

    /// Puts the backup in the place of what is there, as `--restore` does.
    func restore() {
        guard var kept = backup else { return }
        crash()
        world.ledger.discarded(disk, keeping: kept)
        kept.run = max(kept.run, disk.run)
        disk = kept
        rename()
        disk.isRelaxedOpen = false
    }

    func cutOff() {
        isCutOff = true
        process?.brokerLost()
    }

    func heal() {
        guard isCutOff else { return }
        isCutOff = false
        process?.lookForBroker()
    }
}
