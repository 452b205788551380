// Why this file exists: when a turn is stored and when its words leave is decided apart from the disk, so every order in which
// the disk answers – at once, late, never, with a failure – is tried here without one.
import AccordionModel
import Hub
import Testing
import Wire

/// A disk that answers when a test says so.
private final class Disk: CommitsOwner {
    let hub: Hub
    var commits: Commits?
    private(set) var waiting: [(CommitOutcome) -> Void] = []
    private(set) var recoveries = 0
    private(set) var wakes: [Int] = []
    private(set) var written = 0

    init(_ hub: Hub) { self.hub = hub }

    func commit(_ deltas: [DocumentDelta], settled: [UInt64], then continuation: @escaping (CommitOutcome) -> Void) {
        written += deltas.reduce(0) { $0 + $1.history.count }
        waiting.append(continuation)
    }
    func settle(_ tickets: [UInt64]) {}
    func recover(
        _ names: [DocumentName], then continuation: @escaping ([(name: DocumentName, outcome: LoadOutcome)]) -> Void
    ) {
        recoveries += 1
        continuation(names.map { ($0, .missing) })
    }
    func probe(then continuation: @escaping (Bool) -> Void) { continuation(true) }
    func run(_ errand: Errand) {}
    func beginTurn() {}
    func release(_ turn: Turn) { _ = hub.release(turn) }
    func wakeCommits(afterMilliseconds: Int) { wakes.append(afterMilliseconds) }
    func commitFailed(_ reason: String) {}
    func commitsResumed(afterFailures: Int) {}

    func answer(_ outcome: CommitOutcome) { waiting.removeFirst()(outcome) }
}

struct CommitsTests {
    private let test = TestHub()
    private let disk: Disk
    private let client: TestClient

    init() {
        disk = Disk(test.hub)
        client = test.connect()
    }

    private func make(isDurable: Bool) -> Commits {
        let commits = Commits(test.hub, isDurable: isDurable, disk)
        disk.commits = commits
        return commits
    }

    /// Creates a document of a megabyte, as far as the turn may be ended.
    private func create(_ number: Int, _ commits: Commits) {
        let text = String(repeating: "x", count: 1_000_000)
        client.send(#"{"op":"create","doc":"d\#(number)","content":["\#(text)"]}"#)
        while test.hub.hasTurn, !commits.isBusy { commits.take(test.hub.endTurn()) }
    }

    private func heard() -> [String] {
        client.flush()
        return kinds(client.take())
    }

    @Test func `relaxed takes no more than may wait for a disk that works, refuses nothing, and goes on by itself`() {
        let commits = make(isDurable: false)
        var number = 0
        while !commits.isBusy, number < 1_000 {
            create(number, commits)
            number += 1
        }
        #expect((50...90).contains(number))
        #expect(Set(heard()) == ["ok"])
        create(number, commits)
        #expect(heard().isEmpty, "it is neither answered nor refused")
        while commits.isBusy { disk.answer(.stored) }
        commits.take(test.hub.endTurn())
        #expect(heard() == ["ok"])
    }

    @Test func `relaxed does not wait for its time when much is to be stored`() {
        let commits = make(isDurable: false)
        for number in 0..<12 { create(number, commits) }
        #expect(disk.waiting.count == 1)
        disk.answer(.stored)
        commits.wake()
        #expect(disk.written == 12)
    }

    @Test func `relaxed refuses what can't wait only while the disk fails`() {
        let commits = make(isDurable: false)
        for number in 0..<12 { create(number, commits) }
        disk.answer(.failed("a test says so"))
        #expect(commits.isDiskBehind && commits.lastFailure == "a test says so")
        var number = 12
        var answers: [String] = []
        while answers.last != "storage_failed", number < 1_000 {
            create(number, commits)
            answers += heard()
            number += 1
        }
        #expect((60...100).contains(number) && !commits.isBusy)
        commits.wake()
        disk.answer(.stored)
        #expect(!commits.isDiskBehind)
        create(number, commits)
        #expect(heard().last == "ok")
    }

    @Test func `relaxed goes on after a commit without a write has failed`() {
        let commits = make(isDurable: false)
        commits.storeNothing()
        disk.answer(.failed("a test says so"))
        create(0, commits)
        #expect(disk.wakes == [1_000] && disk.waiting.isEmpty)
        commits.wake()
        disk.answer(.stored)
        #expect(!commits.isDiskBehind && disk.written == 1)
        commits.storeNothing()
        disk.answer(.failed("a test says so"))
        commits.wake()
        #expect(disk.waiting.count == 1, "it is tried again though nothing was written")
        disk.answer(.stored)
        create(1, commits)
        #expect(disk.wakes.last == 100, "what is written then is stored in its time")
    }

    @Test(arguments: [true, false])
    func `at the end a commit that fails is not tried again, and what is lost is counted`(isDurable: Bool) {
        let commits = make(isDurable: isDurable)
        create(0, commits)
        commits.flush()
        #expect(disk.waiting.count == 1)
        commits.end()
        disk.answer(.failed("a test says so"))
        commits.wake()
        commits.flush()
        commits.runErrands()
        #expect(disk.waiting.isEmpty && disk.recoveries == 0)
        // Durable, nobody was told of it.
        #expect(commits.lostWriteCount == (isDurable ? 0 : 1))
        #expect(heard() == (isDurable ? [] : ["ok"]))
    }

    @Test func `at the end a commit that succeeds after all has lost nothing`() {
        let commits = make(isDurable: false)
        create(0, commits)
        commits.flush()
        commits.end()
        #expect(!commits.isSettled)
        disk.answer(.stored)
        #expect(commits.isSettled && commits.lostWriteCount == 0)
    }
}
