// Why this file exists: what is written for a moment must be nobody else's meanwhile, and gone afterwards. One of the files
// of this program that touch memory by address.

import Glibc

extension Standard {
    /// A directory of a name that nobody has, for the user alone, in `$TMPDIR` or `/tmp`.
    static func makeTemporaryDirectory(_ prefix: String) throws(FileFault) -> String {
        var template = Array("\(variable("TMPDIR") ?? "/tmp")/\(prefix)XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw FileFault(reason: reason(errno), isMissing: false) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes it with all that is inside; links are removed, not followed. What can't be removed stays.
    static func removeDirectory(_ path: String) {
        var waiting = [path]
        var directories: [String] = []
        while let directory = waiting.popLast() {
            directories.append(directory)
            for name in names(in: directory) {
                let inner = directory + "/" + name
                // Of a directory this fails with EISDIR, by POSIX with EPERM.
                if unsafe unlink(inner) != 0, errno == EISDIR || errno == EPERM { waiting.append(inner) }
            }
        }
        for directory in directories.reversed() { _ = unsafe rmdir(directory) }
    }

    private static func names(in directory: String) -> [String] {
        guard let stream = unsafe opendir(directory) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
