// That a wrong import or dependency is found, and that a right one is not.

import Testing

@Suite struct ArrowTests {
    private func messages(_ path: String, _ text: String) -> [String] {
        importFindings([Source(path, text)], .house).map(\.message)
    }

    @Test(arguments: [
        ("Bytes", "import Wire", "Bytes does not stand on Wire"),
        ("Hub", "import EventLoop", "Hub does not stand on EventLoop"),
        ("EventLoop", "import Wire", "EventLoop does not stand on Wire"),
        ("Wire", "import Foundation", "Wire does not stand on Foundation"),
        ("accordiond", "import FoundationEssentials", "accordiond does not stand on FoundationEssentials"),
        ("Hub", "import Glibc", "Hub does not stand on Glibc"),
        ("Hub", "import Synchronization", "Hub does not stand on Synchronization"),
        ("Hub", "internal import CJSON", "Hub does not stand on CJSON"),
        ("Wire", "import CJSON", "CJSON must be an internal import"),
        ("Wire", "@preconcurrency import struct Foundation.Data", "Wire does not stand on Foundation"),
        ("Attic", "let a = 1", "the room Attic is not drawn in Tests/House/Arrows"),
    ])
    func `an arrow that is not drawn is found`(room: String, text: String, expected: String) {
        #expect(messages("Sources/\(room)/A.swift", "// Why.\n" + text) == [expected])
    }

    @Test(arguments: [
        ("Wire", "internal import CJSON"), ("Wire", "import Causality"), ("Hub", "import Bytes"),
        ("EventLoop", "import Glibc\nimport Synchronization\ninternal import CLibuv"),
        ("Cluster", "import Causality"), ("accordiond", "import Glibc\nimport Causality\nimport Hub"),
        ("Bytes", "// import Wire\nlet text = \"import Wire\"\nlet `import` = 1"),
    ])
    func `an arrow includes what its room stands on`(room: String, text: String) {
        #expect(messages("Sources/\(room)/A.swift", text).isEmpty)
    }

    @Test func `deciders and edges never meet`() throws {
        for decider in ["Hub", "Mirror", "Replication"] {
            let allowed = try #require(Arrows.house.allowed(decider))
            #expect(allowed.isDisjoint(with: Arrows.edges), "\(decider)")
            for edge in Arrows.edges where edge != "Cluster" {
                #expect(try !#require(Arrows.house.allowed(edge)).contains(decider), "\(edge)")
            }
        }
    }

    @Test func `a file of Sources stands in a room`() {
        #expect(messages("Sources/A.swift", "// Why.") == ["stands in no room"])
    }
}

@Suite struct ManifestTests {
    private let manifest = Manifest(
        Source(
            "Package.swift",
            """
            func room(_ name: String, _ rooms: Target.Dependency...) -> Target {
                .target(name: name)
            }
            system("CA", "a", "liba-dev"), face("CB", links: ["b"]),
            .target(name: "Low", dependencies: [], swiftSettings: rules + [.enable("X")]), room(
                "High", "Low", "CA"),
            program("main", "High"), tests("High", "High", resources: [.copy("Vectors")]),
            .testTarget(
                name: "LowTests", dependencies: ["Low"], path: "Tests/Low", exclude: ["Check"]),
            .executableTarget(name: "Check", dependencies: ["Low", "High"], path: "Tests/Low/Check"),
            """))

    private func found(_ files: [String: String]) -> [String] {
        let sources = files.sorted { $0.key < $1.key }.map { Source($0.key, $0.value + "\n// 2\n// 3\n// 4\n// 5\n") }
        return manifestFindings(manifest, sources).map(\.message)
    }

    @Test func `the calls are read, nested literals are not names`() {
        #expect(
            manifest.targets.map(\.folder) == [
                "Sources/CA", "Sources/CB", "Sources/Low", "Sources/High", "Sources/main", "Tests/High", "Tests/Low",
                "Tests/Low/Check",
            ])
        #expect(
            manifest.targets.map(\.dependencies) == [
                ["a", "liba-dev"], [], [], ["Low", "CA"], ["High"], ["High"], ["Low"], ["Low", "High"],
            ])
        #expect(manifest.targets.map(\.line) == [4, 4, 5, 5, 7, 7, 8, 10])
        #expect(manifest.systemPackages == ["liba-dev"])
    }

    @Test func `what is declared is imported and the other way round`() {
        var files = [
            "Sources/Low/A.swift": "import Glibc", "Sources/High/A.swift": "import Low",
            "Sources/High/B.swift": "internal import CA", "Sources/main/A.swift": "import High",
            "Tests/High/A.swift": "@testable import High", "Tests/Low/A.swift": "import Testing\nimport Low",
            "Tests/Low/Check/Main.swift": "import Low\nimport High",
        ]
        #expect(found(files).isEmpty)
        files["Sources/High/B.swift"] = "let a = 1"
        files["Sources/main/A.swift"] = "import High\nimport Low"
        #expect(
            found(files) == [
                "Sources/High declares CA and imports it nowhere", "Sources/main imports Low and does not declare it",
            ])
        files["Sources/Attic/A.swift"] = "import Low"
        #expect(found(files).last == "is no target of Package.swift")
    }

    @Test func `a declared target without a file is found, a seat is not judged`() {
        #expect(found([:]).contains("Sources/High declares Low and imports it nowhere"))
        let seat = Source("Sources/High/Placeholder.swift", "// Room High.\n")
        let told = manifestFindings(manifest, [seat]).map(\.message)
        #expect(!told.contains { $0.hasPrefix("Sources/High") })
    }

    @Test func `a room without tests is found, a program is not`() {
        let paths = [
            "Sources/Low/A.swift", "Sources/High/A.swift", "Sources/main/A.swift", "Tests/High/A.swift",
            "Sources/CA/shim.h",
        ]
        let told = untestedRoomFindings(manifest, paths.map { Source($0, "") })
        #expect(told.map(\.path) == ["Sources/Low"])
    }

    @Test func `a library that the list does not name is found`() {
        #expect(packageFindings(manifest, Source("Config/packages", "# liba-dev\nlibb-dev\n")).count == 1)
        #expect(packageFindings(manifest, Source("Config/packages", "liba-dev     # why\n")).isEmpty)
    }
}
