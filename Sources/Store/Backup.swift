// Why this file exists: a copy taken while the daemon writes must be a state that once was, and a copy that comes back must
// never make the daemon use a counter again that it has used since the copy was taken.

extension DocumentStore {
    /// Writes a copy of the state in `directory` to `path`, which must not exist; a daemon may be using it.
    package static func backup(_ directory: String, to path: String) throws(StoreFailure) {
        let source = directory + "/" + fileName
        guard System.exists(source) else { throw StoreFailure(.refused, "there is no state in \(directory)") }
        guard !System.exists(path) else { throw StoreFailure(.refused, "\(path) exists already; it was left alone") }
        let database = try Database(source, .readWrite)
        defer { database.close() }
        do throws(StoreFailure) {
            let copy = try database.prepare("VACUUM INTO ?")
            try copy.bind(1, path)
            try copy.run()
            System.setMode(path, 0o600)
            try System.synchronise(path)
            try System.synchronise(System.directory(of: path))
        } catch {
            System.remove(path)
            throw error
        }
    }

    /// Makes the state in `directory` what the backup at `path` holds. What was there before stays beside it, under the
    /// name that is returned; nil where there was nothing. Refused while a daemon runs there. The next run takes a new name.
    package static func restore(_ directory: String, from path: String) throws(StoreFailure) -> String? {
        guard System.exists(path) else { throw StoreFailure(.refused, "there is no file \(path)") }
        try System.makeDirectory(directory)
        let lock = try LockFile(in: directory)
        defer { lock.release() }
        let target = directory + "/" + fileName
        let fresh = target + ".restoring"
        for end in ["", "-wal", "-shm", "-journal"] { System.remove(fresh + end) }
        do throws(StoreFailure) {
            try System.copy(path, to: fresh)
            try prepare(fresh, path)
        } catch {
            for end in ["", "-wal", "-shm", "-journal"] { System.remove(fresh + end) }
            throw error
        }
        try System.synchronise(fresh)
        let kept = try setAside(target)
        try System.rename(fresh, to: target)
        try System.synchronise(directory)
        return kept
    }

    /// Looks whether the copy is a whole state of ours, and notes in it that it was restored.
    private static func prepare(_ fresh: String, _ path: String) throws(StoreFailure) {
        let database = try Database(fresh, .readWrite)
        defer { database.close() }
        guard try database.number("PRAGMA application_id") == Migrations.applicationID else {
            throw StoreFailure(.refused, "\(path) is no backup of accordiond; nothing was changed")
        }
        let pages = try database.prepare("PRAGMA integrity_check(1)")
        guard try pages.step(), pages.text(0) == "ok" else {
            throw StoreFailure(.damaged, "\(path) is damaged: \(pages.text(0)); nothing was changed")
        }
        pages.reset()
        try Migrations.run(database)
        try Meta(database).set("restored", "1")
        try database.run("PRAGMA journal_mode = DELETE")
    }

    /// Gives what is at `target` a second name, its log included, and takes the log away: a log would be applied to the
    /// file that comes in its place.
    private static func setAside(_ target: String) throws(StoreFailure) -> String? {
        guard System.exists(target) else { return nil }
        var number = 1
        while System.exists("\(target).before-\(number)") { number += 1 }
        let kept = "\(target).before-\(number)"
        for end in ["", "-wal"] where System.exists(target + end) { try System.link(target + end, to: kept + end) }
        for end in ["-wal", "-shm"] { System.remove(target + end) }
        return kept
    }
}
