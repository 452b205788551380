// Why this file exists: every test of the store has a directory of its own, gone with it.

import Glibc
import Testing

/// A new directory, removed with all that is in it when it is let go.
final class Scratch {
    let path: String

    init() throws {
        // In memory where that can be: no test here needs what outlives a power cut, and all of them sync.
        let usual = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        let parent = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : usual
        var template = Array((parent + "/store-tests-XXXXXX").utf8CString)
        let made = unsafe mkdtemp(&template)
        path = unsafe String(cString: try #require(unsafe made))
    }

    deinit { Scratch.remove(path) }

    /// A place in it for a state of its own.
    func state(_ name: String = "state") -> String { path + "/" + name }

    static func names(in directory: String) -> [String] {
        guard let handle = unsafe opendir(directory) else { return [] }
        defer { unsafe closedir(handle) }
        var names: [String] = []
        while let entry = unsafe readdir(handle) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Directories here are shallow.
    static func remove(_ path: String) {
        for name in names(in: path) where unsafe unlink(path + "/" + name) != 0 { remove(path + "/" + name) }
        _ = unsafe rmdir(path)
    }

    static func contents(_ path: String) throws -> [UInt8] {
        let file = unsafe open(path, O_RDONLY)
        try #require(file >= 0, "\(path) can't be read")
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(file, &buffer, buffer.count)
            if count <= 0 { return bytes }
            bytes += buffer.prefix(count)
        }
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(file >= 0, "\(path) can't be written")
        defer { close(file) }
        try #require(unsafe Glibc.write(file, bytes, bytes.count) == bytes.count)
    }

    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// The permission bits.
    static func mode(_ path: String) -> UInt32 {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }
}

/// Whether the long forms of tests are asked for.
var isLong: Bool { unsafe getenv("ACCORDION_LONG") != nil }

func makeDirectory(_ path: String) -> Bool { unsafe mkdir(path, 0o700) == 0 }
