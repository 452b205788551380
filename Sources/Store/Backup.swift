// Why this file exists: a copy taken while the daemon writes must be a state that once was, and a copy that comes back must
// never make the daemon use a counter again that it has used since the copy was taken.

extension DocumentStore {
    /// Writes a copy of the state in `directory` to `path`, which must not exist; a daemon may be using it. There is nothing
    /// at `path` until the copy is whole and on disk.
    package static func backup(_ directory: String, to path: String) throws(StoreFailure) {
        let source = directory + "/" + fileName
        guard System.exists(source) else { throw StoreFailure(.refused, "there is no state in \(directory)") }
        guard !System.exists(path) else { throw StoreFailure(.refused, "\(path) exists already; it was left alone") }
        let database = try Database(source, .beside)
        defer { database.close() }
        try Migrations.examine(database)
        let unfinished = path + ".unfinished"
        let claim = try UnfinishedFile(unfinished)
        defer {
            System.remove(unfinished + "-journal")
            System.remove(unfinished)
            claim.release()
        }
        let copy = try database.prepare("VACUUM INTO ?")
        try copy.bind(1, unfinished)
        try copy.run()
        try System.synchronise(unfinished)
        // Unlike a renaming this never replaces a file that has appeared meanwhile.
        try System.link(unfinished, to: path)
        System.remove(unfinished)
        try System.synchronise(System.directory(of: path))
    }

    /// Makes the state in `directory` what the backup at `path` holds. What was there before stays beside it, under the
    /// name that is returned; nil where there was nothing. Refused while a daemon runs there, and where the backup is not
    /// whole. The next run takes a new name.
    package static func restore(_ directory: String, from path: String) throws(StoreFailure) -> String? {
        guard System.exists(path) else { throw StoreFailure(.refused, "there is no file \(path)") }
        guard System.isRegularFile(path) else {
            throw StoreFailure(.refused, "\(path) is no file that can be restored")
        }
        try System.makeDirectory(directory)
        let lock = try LockFile(in: directory)
        defer { lock.release() }
        let target = directory + "/" + fileName
        let fresh = target + ".restoring"
        func discard() { for end in ["", "-wal", "-shm", "-journal"] { System.remove(fresh + end) } }
        discard()
        do throws(StoreFailure) {
            try System.copy(path, to: fresh)
            try prepare(fresh, path)
            try System.synchronise(fresh)
            try System.synchronise(directory)
        } catch {
            discard()
            throw error
        }
        let kept = try setAside(target)
        try System.synchronise(directory)
        try System.rename(fresh, to: target)
        try System.synchronise(directory)
        return kept
    }

    /// Looks whether the copy is a whole state of ours, and notes in it that it was restored.
    private static func prepare(_ fresh: String, _ path: String) throws(StoreFailure) {
        let opened = try Opened(alone: fresh)
        defer { opened.close() }
        let database = opened.database
        let application: Int64?
        do throws(StoreFailure) {
            application = try database.number("PRAGMA application_id")
        } catch {
            // The failure would speak of the copy, which the user does not know.
            guard error.kind == .damaged else { throw error }
            application = nil
        }
        guard application == Migrations.applicationID else {
            throw StoreFailure(.refused, "\(path) is no backup of accordiond, or is cut off; nothing was changed")
        }
        try Migrations.examine(database)
        let report = try opened.report()
        if let finding = report.findings.first {
            throw StoreFailure(.damaged, "\(path) is damaged (\(finding)); nothing was changed")
        }
        try Migrations.run(database)
        try Meta(database).set(.restored, 1)
        try database.run("PRAGMA journal_mode = DELETE")
    }

    /// Gives what is at `target` another name, its log with it: left there, the log would be applied to the file that comes
    /// in its place. The database goes first: interrupted after that, there is none, which the next start refuses; a
    /// database without its log would look like a whole one. An interrupted one is ended here.
    private static func setAside(_ target: String) throws(StoreFailure) -> String? {
        let log = target + "-wal"
        var number = 1
        func kept(_ number: Int) -> String { "\(target).before-\(number)" }
        while System.exists(kept(number)) { number += 1 }
        if System.exists(target) {
            try System.rename(target, to: kept(number))
        } else if System.exists(log), number > 1 {
            number -= 1
        } else if !System.exists(log) {
            return nil
        }
        if System.exists(log) { try System.rename(log, to: kept(number) + "-wal") }
        System.remove(target + "-shm")
        return kept(number)
    }
}
