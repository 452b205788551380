// The project's own files as values, so that every check is a function from texts to findings: it runs on the
// repository and, in the tests of the checks, on texts made up to offend.

import Glibc
import Testing

/// What a check has to say of one place. `line` counts from 1; 0 is the file, folder or target as a whole.
struct Finding: Hashable, CustomStringConvertible {
    var path: String
    var line = 0
    var message: String

    var description: String { line == 0 ? "\(path): \(message)" : "\(path):\(line): \(message)" }
}

/// One file: `path` is relative to the repository's root.
struct Source {
    let path: String
    let text: String
    let isExecutable: Bool
    /// The text's lines, without an empty one after the last line feed.
    let lines: [String]
    /// For a Swift file the same lines without comments and the insides of strings, else nothing.
    let code: [String]

    init(_ path: String, _ text: String, isExecutable: Bool = false) {
        self.path = path
        self.text = text
        self.isExecutable = isExecutable
        lines = splitLines(text)
        code = path.hasSuffix(".swift") ? splitLines(swiftCode(text)) : []
    }

    var name: String { String(path.split(separator: "/").last ?? "") }
    var isSwift: Bool { path.hasSuffix(".swift") }
    var isC: Bool { path.hasSuffix(".cpp") || path.hasSuffix(".h") || path.hasSuffix(".c") }
    /// `Sources/Wire` for `Sources/Wire/Request.swift`; nil where the file is in no room.
    var room: String? {
        let parts = path.split(separator: "/")
        guard parts.count >= 3, parts[0] == "Sources" || parts[0] == "Tests" else { return nil }
        return "\(parts[0])/\(parts[1])"
    }
    /// A seat kept for a room that is not built yet: too short to be anything else, so nothing is asked of its shape.
    var isSeat: Bool { lines.count <= 4 }
}

func splitLines(_ text: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
}

/// What of the tree belongs to the project. A build's products and git's own are not read.
struct Repository {
    let sources: [Source]
    /// The names directly at the root.
    let topLevel: [String]

    static let notOurs: Set<String> = [".git", ".build", ".swiftpm", ".index-build"]

    /// Reads the repository that this very file was compiled from.
    static func read() throws -> Repository {
        let parts = #filePath.split(separator: "/").dropLast(3)
        let root = "/" + parts.joined(separator: "/")
        let topLevel = try entries(of: root)
        var sources: [Source] = []
        var waiting = topLevel.filter { !notOurs.contains($0) }
        while let path = waiting.popLast() {
            let full = root + "/" + path
            switch try kind(of: full) {
            case .folder: waiting += try entries(of: full).map { path + "/" + $0 }
            case .file(let isExecutable):
                guard !path.hasSuffix(".swp") else { continue }
                sources.append(Source(path, try contents(of: full), isExecutable: isExecutable))
            case .other: continue
            }
        }
        return Repository(sources: sources.sorted { $0.path < $1.path }, topLevel: topLevel.sorted())
    }
}

struct CannotRead: Error {
    let path: String
    let code: Int32
}

private enum Kind {
    case folder, other
    case file(isExecutable: Bool)
}

private func kind(of path: String) throws -> Kind {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
        // Gone since the folder was read, or under a name that is no text; the check of the top names what lies there.
        if errno == ENOENT { return .other }
        throw CannotRead(path: path, code: errno)
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .folder
    case S_IFREG: return .file(isExecutable: status.st_mode & S_IXUSR != 0)
    default: return .other
    }
}

private func entries(of folder: String) throws -> [String] {
    guard let stream = unsafe opendir(folder) else { throw CannotRead(path: folder, code: errno) }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

private func contents(of path: String) throws -> String {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CannotRead(path: path, code: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw CannotRead(path: path, code: errno) }
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += buffer[..<count]
    }
}

/// Fails, naming each place, unless a check had nothing to say.
func expectNone(_ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation) {
    let told = findings.map(\.description).joined(separator: "\n")
    #expect(findings.isEmpty, "\(told)", sourceLocation: sourceLocation)
}
