// Package.swift read as far as the house needs it: which targets there are, and what each is declared to stand on. The
// manifest keeps to few forms so that this can be read without compiling it: `room("Wire", "Bytes")` and its like, and
// `.testTarget(name: "WireTests", dependencies: ["Wire"], path: "Tests/Wire")`.

struct Manifest {
    struct Target: Equatable {
        enum Kind: String, CaseIterable {
            case system, face, room, program, tests, target, executableTarget, testTarget
        }
        var kind: Kind
        var name: String
        var folder: String
        var dependencies: [String]
        var line: Int
    }

    let path: String
    let targets: [Target]

    init(_ source: Source) {
        path = source.path
        let bytes = Array(source.text.utf8)
        var targets: [Target] = []
        let openings = Target.Kind.allCases.map { ($0, Array(($0.rawValue + "(").utf8)) }
        var line = 1
        for index in bytes.indices {
            if bytes[index] == UInt8(ascii: "\n") { line += 1 }
            guard index == 0 || !isWordByte(bytes[index - 1]) else { continue }
            for (kind, opening) in openings {
                guard bytes[index...].starts(with: opening) else { continue }
                let found = Arguments(bytes[(index + opening.count)...])
                if let target = Manifest.target(kind, found, line) { targets.append(target) }
            }
        }
        self.targets = targets
    }

    /// Nil for what only looks like a call: a helper's own declaration.
    private static func target(_ kind: Target.Kind, _ found: Arguments, _ line: Int) -> Target? {
        let written = found.literals["name"] ?? []
        let unlabelled = found.literals[""] ?? []
        guard let name = written.first ?? unlabelled.first else { return nil }
        let top = kind == .tests || kind == .testTarget ? "Tests/" : "Sources/"
        let folder = found.literals["path"]?.first ?? top + name
        let dependencies = written.isEmpty ? Array(unlabelled.dropFirst()) : found.literals["dependencies"] ?? []
        return Target(kind: kind, name: name, folder: folder, dependencies: dependencies, line: line)
    }

    /// The packages that bring the system libraries: the last argument of each `system(…)`.
    var systemPackages: [String] { targets.filter { $0.kind == .system }.compactMap(\.dependencies.last) }

    /// The target that a file is compiled into: the one whose folder is the innermost around it.
    func target(of source: Source) -> Target? {
        targets.filter { source.path.hasPrefix($0.folder + "/") }.max { $0.folder.utf8.count < $1.folder.utf8.count }
    }
}

/// The string literals of one call, by the label of the argument that they stand in ("" where it has none), lists of them
/// included and calls inside left out.
private struct Arguments {
    private(set) var literals: [String: [String]] = [:]
    private var label = ""
    private var word: [UInt8] = []

    /// Reads up to the parenthesis that closes the call.
    init(_ bytes: ArraySlice<UInt8>) {
        var literal: [UInt8]?
        var brackets = 0
        var parentheses = 0
        for byte in bytes {
            if let begun = literal {
                literal = byte == UInt8(ascii: "\"") ? nil : begun + [byte]
                if literal == nil, parentheses == 0 {
                    literals[label, default: []].append(String(decoding: begun, as: UTF8.self))
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): literal = []
            case UInt8(ascii: "["): brackets += 1
            case UInt8(ascii: "]"): brackets -= 1
            case UInt8(ascii: "("): parentheses += 1
            case UInt8(ascii: ")"):
                if parentheses == 0 { return }
                parentheses -= 1
            default: read(byte, isBetweenArguments: brackets == 0 && parentheses == 0)
            }
        }
    }

    private mutating func read(_ byte: UInt8, isBetweenArguments: Bool) {
        guard isBetweenArguments else { return }
        switch byte {
        case UInt8(ascii: ":"): label = String(decoding: word, as: UTF8.self)
        case UInt8(ascii: ","): label = ""
        default: break
        }
        word = isWordByte(byte) ? word + [byte] : []
    }
}

/// Where what a target declares and what its files import are not the same, and folders that no target has.
func manifestFindings(_ manifest: Manifest, _ sources: [Source]) -> [Finding] {
    var findings: [Finding] = []
    let modules = Set(manifest.targets.filter { $0.kind != .tests && $0.kind != .testTarget }.map(\.name))
    for target in manifest.targets where target.kind != .system && target.kind != .face {
        let files = sources.filter { $0.isSwift && manifest.target(of: $0) == target }
        guard !files.allSatisfy(\.isSeat) || files.isEmpty else { continue }
        let imported = Set(files.flatMap(imports).map(\.module)).intersection(modules)
        let declared = Set(target.dependencies)
        for name in declared.subtracting(imported).sorted() {
            let message = "\(target.folder) declares \(name) and imports it nowhere"
            findings.append(Finding(path: manifest.path, line: target.line, message: message))
        }
        for name in imported.subtracting(declared).sorted() {
            let message = "\(target.folder) imports \(name) and does not declare it"
            findings.append(Finding(path: manifest.path, line: target.line, message: message))
        }
    }
    let folders = Set(manifest.targets.map(\.folder))
    for folder in Set(sources.filter { $0.isSwift }.compactMap(\.room)).subtracting(folders).sorted() {
        findings.append(Finding(path: folder, message: "is no target of \(manifest.path)"))
    }
    return findings
}

/// Rooms with Swift in them that have no folder in Tests. A program is tested where real processes are: EndToEnd.
func untestedRoomFindings(_ manifest: Manifest, _ sources: [Source]) -> [Finding] {
    let programs = Set(manifest.targets.filter { $0.kind == .program }.map(\.folder))
    let folders = Set(sources.filter(\.isSwift).compactMap(\.room))
    let rooms = folders.filter { $0.hasPrefix("Sources/") }.subtracting(programs)
    let untested = rooms.filter { !folders.contains("Tests/" + $0.dropFirst("Sources/".count)) }
    return untested.sorted().map { Finding(path: $0, message: "has no folder in Tests") }
}

/// Packages that the manifest asks for and the package list does not name.
func packageFindings(_ manifest: Manifest, _ list: Source) -> [Finding] {
    let listed = Set(list.lines.compactMap { $0.split(separator: " ").first.map(String.init) })
    return manifest.systemPackages.filter { !listed.contains($0) }.map {
        Finding(path: list.path, message: "does not list \($0), which \(manifest.path) needs")
    }
}
