// The rules of the house, held against the repository as it stands. Each rule is a check of its own file; the tests of the
// checks themselves are in the files named for them.

import Testing

@Suite struct HouseTests {
    /// Read once: every test looks at the same tree.
    private static let tree = Result { try Repository.read() }

    private let repository: Repository
    private let manifest: Manifest
    private var sources: [Source] { repository.sources }

    init() throws {
        repository = try HouseTests.tree.get()
        manifest = Manifest(try #require(repository.sources.first { $0.path == "Package.swift" }))
    }

    @Test func `the house is found and read`() {
        #expect(sources.contains { $0.path == "Tests/House/HouseTests.swift" && $0.isSwift })
        #expect(manifest.targets.contains { $0.folder == "Sources/Wire" && $0.dependencies.contains("Bytes") })
        #expect(sources.contains { $0.path == "Tests/run" && $0.isExecutable })
    }

    @Test func `every import is an arrow of the house`() { expectNone(importFindings(sources, .house)) }

    @Test func `every target declares what it imports and nothing else`() {
        expectNone(manifestFindings(manifest, sources))
    }

    @Test func `every room is tested`() { expectNone(untestedRoomFindings(manifest, sources)) }

    @Test func `the package list names each system library`() throws {
        let list = try #require(sources.first { $0.path == "Config/packages" })
        #expect(manifest.systemPackages.contains("libuv1-dev"))
        expectNone(packageFindings(manifest, list))
    }

    @Test func `files are short and say first why they exist`() { expectNone(fileFindings(sources)) }

    @Test func `functions are short`() { expectNone(functionFindings(sources)) }

    @Test func `unsafe stays in the files that have a reason`() { expectNone(unsafeFindings(sources, unsafeFiles)) }

    @Test func `nothing is public and nothing is forced`() { expectNone(forcedFindings(sources)) }

    @Test func `there are no globals`() { expectNone(globalFindings(sources)) }

    @Test func `nothing unfinished and no path of one machine is left`() { expectNone(leftoverFindings(sources)) }

    @Test func `the top holds what belongs there`() { expectNone(topLevelFindings(repository.topLevel)) }

    @Test func `scripts stop at failures and can be run`() { expectNone(scriptFindings(sources)) }

    @Test func `every test asserts something`() { expectNone(emptyClaimFindings(sources)) }
}
