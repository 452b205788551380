// Why this file exists: a dot that was used must never be used again, also by a daemon that has forgotten using it. So what
// a state knows of its daemon's names, and whether the last run may have lost something, is kept in it.

import Causality

struct Meta {
    enum Key: String, CaseIterable {
        /// The name under which the daemon writes.
        case node
        /// The name that it was given, or made at first; `node` is this and perhaps a suffix.
        case base
        /// How many runs there were.
        case run
        /// How many documents were ever made. The number of the last one, so that none is given twice.
        case documents
        /// How many documents were missing when the last run began.
        case missing
        /// How many entries of history were taken away, of all that were ever written.
        case retired
        /// 1: answers may have left before what they rest on was stored.
        case relaxed
        /// 1: this was a backup, and no run has begun since.
        case restored
        /// How often something may have been lost.
        case losses
    }

    private let database: Database

    init(_ database: Database) { self.database = database }

    static func checksum(_ key: String, _ value: String) -> Int64 {
        var sum = Checksum()
        sum.add(key)
        sum.add(value)
        return sum.sum
    }

    /// Nil where there is no such row, or a damaged one.
    func get(_ key: Key) throws(StoreFailure) -> String? {
        let statement = try database.prepare("SELECT value, checksum FROM meta WHERE key = ?")
        try statement.bind(1, key.rawValue)
        guard try statement.step() else { return nil }
        let value = statement.text(0)
        return statement.integer(1) == Meta.checksum(key.rawValue, value) ? value : nil
    }

    func number(_ key: Key) throws(StoreFailure) -> Int64? { try get(key).flatMap { Int64($0) } }

    func set(_ key: Key, _ value: String) throws(StoreFailure) {
        let statement = try database.prepare("INSERT OR REPLACE INTO meta (key, value, checksum) VALUES (?, ?, ?)")
        try statement.bind(1, key.rawValue)
        try statement.bind(2, value)
        try statement.bind(3, Meta.checksum(key.rawValue, value))
        try statement.run()
    }

    func set(_ key: Key, _ value: Int64) throws(StoreFailure) { try set(key, String(value)) }

    // MARK: - The beginning of a run

    /// Counts the run, and chooses the name under which it writes. The name that was given, or stored, is taken unless
    /// writes made under it may be missing here: then it gets a suffix that nobody has, and so does every other name that is
    /// given to this state from then on, since what was lost may have said that it was used.
    func begin(_ given: NodeName?) throws(StoreFailure) -> StoreStart {
        let rows = try database.number("SELECT count(*) FROM meta") ?? 0
        var start: StoreStart?
        try database.transaction { () throws(StoreFailure) in
            let last = try database.number("SELECT max(id) FROM document") ?? 0
            start = try begin(given, isNew: rows == 0 && last == 0)
            // Where the count is lost, no document that is there may share its number with a later one.
            if (try number(.documents) ?? -1) < last { try set(.documents, max(last, 0)) }
            if try number(.retired) == nil {
                try set(.retired, try database.number("SELECT total - count FROM history ORDER BY id LIMIT 1") ?? 0)
            }
        }
        guard let start else { throw StoreFailure(.unusable, "no name could be made for this daemon") }
        return start
    }

    private func begin(_ given: NodeName?, isNew: Bool) throws(StoreFailure) -> StoreStart? {
        let stored = try get(.node).flatMap { NodeName($0) }
        let storedBase = try get(.base).flatMap { NodeName($0) }
        let missing = max(
            0, (try number(.documents) ?? 0) &- (try database.number("SELECT count(*) FROM document") ?? 0))
        let reason = isNew ? nil : try whatMayBeLost(stored, missing)
        let losses = (try number(.losses) ?? 0) &+ (reason == nil ? 0 : 1)
        guard let base = given ?? storedBase ?? NodeName(Meta.random()) else { return nil }
        var (node, renamed) = (base, false)
        if reason == nil, storedBase == base, let stored {
            node = stored
        } else if losses > 0 {
            guard let suffixed = Meta.renamed(base) else { return nil }
            (node, renamed) = (suffixed, true)
        }
        // Where the count is lost, it goes on from far above: sessions are told apart by it over all runs.
        let stands = isNew ? 0 : try number(.run).flatMap { UInt32(exactly: $0) }
        let before = stands ?? UInt32.random(in: 1 << 30..<1 << 31)
        try set(.node, "\(node)")
        try set(.base, "\(base)")
        try set(.run, Int64(before &+ 1))
        try set(.losses, losses)
        try set(.missing, missing)
        try set(.relaxed, 0)
        try set(.restored, 0)
        return StoreStart(node: node, run: before &+ 1, renamedBecause: renamed ? reason ?? Meta.lostBefore : nil)
    }

    /// Why the last name must not be used as it is; a mark that can't be read counts as set.
    private func whatMayBeLost(_ stored: NodeName?, _ missing: Int64) throws(StoreFailure) -> String? {
        if try number(.relaxed) != 0 { return "the last run did not end cleanly, and it answered before it stored" }
        if try number(.restored) != 0 { return "the state was restored from a backup" }
        for key in Key.allCases where try get(key) == nil {
            return "what the state says of itself is damaged (\(key.rawValue))"
        }
        if stored == nil { return "the name that the state had is damaged" }
        if missing > (try number(.missing) ?? 0) { return "documents are missing from the state" }
        return nil
    }

    private static let lostBefore = "something was lost from this state before, perhaps that it had this name"

    private static func renamed(_ base: NodeName) -> NodeName? {
        NodeName(String("\(base)".prefix(NodeName.bytesMax - 9)) + "~" + random())
    }

    /// Eight characters of base 32, five random bits each.
    private static func random() -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
        var generator = SystemRandomNumberGenerator()
        return String((0..<8).map { _ in alphabet[Int(generator.next() & 31)] })
    }
}
