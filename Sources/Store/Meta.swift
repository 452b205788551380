// Why this file exists: a dot that was used must never be used again, also by a daemon that has forgotten using it. So what
// a state knows of its daemon's names, and whether the last run may have lost something, is kept in it.

import Causality

struct Meta {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func get(_ key: String) throws(StoreFailure) -> String? {
        let statement = try database.prepare("SELECT value FROM meta WHERE key = ?")
        try statement.bind(1, key)
        return try statement.step() ? statement.text(0) : nil
    }

    func set(_ key: String, _ value: String) throws(StoreFailure) {
        let statement = try database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")
        try statement.bind(1, key)
        try statement.bind(2, value)
        try statement.run()
    }

    func remove(_ key: String) throws(StoreFailure) {
        let statement = try database.prepare("DELETE FROM meta WHERE key = ?")
        try statement.bind(1, key)
        try statement.run()
    }

    /// Begins a run: counts it, and chooses the name under which it writes. The name that was given, or stored, is taken
    /// unless writes made under it may be missing here: then it gets a suffix that nobody has.
    func begin(_ given: NodeName?) throws(StoreFailure) -> StoreStart {
        let run = UInt32(truncatingIfNeeded: (Int64(try get("run") ?? "0") ?? 0) + 1)
        let storedBase = try get("base").flatMap { NodeName($0) }
        let stored = try get("node").flatMap { NodeName($0) }
        var reason: String?
        if try get("relaxed") != nil { reason = "the last run did not end cleanly, and it answered before it stored" }
        if try get("restored") != nil { reason = "the state was restored from a backup" }
        let made = NodeName(Meta.random())
        guard let base = given ?? storedBase ?? made else {
            throw StoreFailure(.unusable, "no name could be made for this daemon")
        }
        if reason == nil, stored != nil, storedBase != base, try get("left:\(base)") != nil {
            reason = "this state has had the name \(base) before, and took another one since"
        }
        var node = storedBase == base ? stored ?? base : base
        if reason != nil { node = Meta.renamed(base) ?? node }
        try database.transaction { () throws(StoreFailure) in
            if let stored, stored != node { try set("left:\(stored)", "") }
            if let storedBase, storedBase != base { try set("left:\(storedBase)", "") }
            try set("base", "\(base)")
            try set("node", "\(node)")
            try set("run", "\(run)")
            try remove("relaxed")
            try remove("restored")
        }
        return StoreStart(node: node, run: run, renamedBecause: reason)
    }

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
