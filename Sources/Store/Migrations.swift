// Why this file exists: a state outlives the program that wrote it. Each change of the tables is a step with a number that
// is never altered once it was released; a file knows how many steps it has taken, and one that has taken more than this
// program knows is left alone.

enum Migrations {
    /// "Accd", so that a file tells whose it is.
    static let applicationID: Int64 = 0x4163_6364

    /// Each step in order; the number of those taken is the file's `user_version`. Documents lie in the order of their names,
    /// so that the list of all is read from front to back.
    static let steps: [String] = [
        """
        CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL)
          WITHOUT ROWID, STRICT;
        CREATE TABLE document (
          name TEXT NOT NULL PRIMARY KEY, id INTEGER NOT NULL UNIQUE, version BLOB NOT NULL,
          clock_milliseconds INTEGER NOT NULL, clock_count INTEGER NOT NULL,
          is_present INTEGER NOT NULL, title TEXT NOT NULL, sections INTEGER NOT NULL, open INTEGER NOT NULL,
          tasks INTEGER NOT NULL, done INTEGER NOT NULL, next_history INTEGER NOT NULL,
          rows INTEGER NOT NULL, digest INTEGER NOT NULL, checksum INTEGER NOT NULL
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE content (
          document INTEGER NOT NULL, node TEXT NOT NULL, counter INTEGER NOT NULL, born INTEGER NOT NULL,
          milliseconds INTEGER NOT NULL, count INTEGER NOT NULL, by TEXT NOT NULL, session INTEGER NOT NULL,
          body BLOB, checksum INTEGER NOT NULL, PRIMARY KEY (document, node, counter)
        ) STRICT;
        CREATE TABLE flag (
          document INTEGER NOT NULL, born INTEGER NOT NULL, field INTEGER NOT NULL, path TEXT NOT NULL,
          siblings BLOB NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (document, born, field, path)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE history (
          id INTEGER PRIMARY KEY, document INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL,
          total INTEGER NOT NULL, milliseconds INTEGER NOT NULL, entries BLOB NOT NULL, checksum INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX history_place ON history (document, first);
        CREATE TABLE lost_content (
          history INTEGER NOT NULL, node TEXT NOT NULL, counter INTEGER NOT NULL, by TEXT NOT NULL, body BLOB NOT NULL,
          checksum INTEGER NOT NULL, PRIMARY KEY (history, node, counter)
        ) STRICT;
        """,
        """
        CREATE TABLE outgoing (
          place INTEGER PRIMARY KEY, document TEXT NOT NULL, node TEXT NOT NULL, counter INTEGER NOT NULL,
          instance TEXT NOT NULL, text BLOB NOT NULL, checksum INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX outgoing_dot ON outgoing (document, counter);
        CREATE TABLE replication (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL)
          WITHOUT ROWID, STRICT;
        """,
    ]

    /// Refuses a newer database, and one that is not ours, before anything is done to it.
    static func examine(_ database: Database) throws(StoreFailure) {
        let version = try database.number("PRAGMA user_version") ?? 0
        let application = try database.number("PRAGMA application_id") ?? 0
        let tables = try database.number("SELECT count(*) FROM sqlite_schema") ?? 0
        guard application == applicationID || (application == 0 && tables == 0) else {
            throw StoreFailure(.refused, "\(database.path) is a database of another program; it was left alone")
        }
        guard version <= Int64(steps.count), version >= 0 else {
            throw StoreFailure(
                .newerSchema,
                "\(database.path) was written by a later version of accordiond (schema \(version), this one knows "
                    + "\(steps.count)); it was left alone")
        }
    }

    /// Brings a database that was examined to the present, each step as a transaction.
    static func run(_ database: Database) throws(StoreFailure) {
        let version = try database.number("PRAGMA user_version") ?? 0
        for (place, step) in steps.enumerated() where Int64(place) >= version {
            try database.transaction { () throws(StoreFailure) in
                try database.run(step)
                try database.run("PRAGMA application_id = \(applicationID)")
                try database.run("PRAGMA user_version = \(place + 1)")
            }
        }
    }
}
