// Why this file exists: a store fails in few ways that call for different acts – wait, free space, stop the other daemon,
// take the backup – and whoever reads the message at three in the morning must know which.

/// Why the store could not do what it was asked.
package struct StoreFailure: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Another daemon holds the state; its process id where it could be read.
        case inUse(process: Int32?)
        /// The file, or a row that is needed, is not what was written.
        case damaged
        /// It was written by a later version.
        case newerSchema
        case full
        /// Nothing was written: another program holds the database, or its file is not the one that was opened.
        case untouched
        /// It can't be opened, read or written.
        case unusable
        /// What was asked for makes no sense here: a backup that exists already, a file that is no backup.
        case refused
    }

    package let kind: Kind
    /// What and where, with the steps that help where there are some.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
