// swift-tools-version: 6.2
import PackageDescription

// Every room is a target; the arrows between them are drawn here and checked by Tests/House. A system library is one
// that Debian packages (Config/packages lists them); no other package is needed.

let swiftRules: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

func system(_ name: String, _ pkgConfig: String? = nil, _ package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}
/// A C face of a C++ library: C++ inside, a C header outside.
func face(_ name: String, links: [String] = []) -> Target {
    .target(
        name: name,
        cxxSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)],
        linkerSettings: links.map { .linkedLibrary($0) })
}
func room(_ name: String, _ rooms: Target.Dependency...) -> Target {
    .target(name: name, dependencies: rooms, swiftSettings: swiftRules)
}
func program(_ name: String, _ rooms: Target.Dependency...) -> Target {
    .executableTarget(name: name, dependencies: rooms, swiftSettings: swiftRules)
}
func tests(
    _ subject: String, _ rooms: Target.Dependency..., exclude: [String] = [], resources: [Resource] = []
) -> Target {
    .testTarget(
        name: subject + "Tests", dependencies: rooms, path: "Tests/" + subject, exclude: exclude,
        resources: resources,
        swiftSettings: swiftRules)
}

let package = Package(
    name: "accordiond",
    products: [
        .executable(name: "accordiond", targets: ["accordiond"]),
        .executable(name: "accordion", targets: ["AccordionCommand"]),
        .executable(name: "accordion-bench", targets: ["AccordionWorkbench"]),
    ],
    targets: [
        // Where pkg-config would only name the library, which the module map does too, and defines, which the package
        // manager refuses aloud (the shims hold what is needed), it is not asked.
        system("CLibuv", "libuv", "libuv1-dev"), system("CUnicode", nil, "libutf8proc-dev"),
        system("CNcurses", nil, "libncurses-dev"), system("CGetopt", nil, "libc6-dev"),
        system("CSQLite", "sqlite3", "libsqlite3-dev"), system("COpenSSL", nil, "libssl-dev"),
        system("CMarkdown", nil, "libcmark-gfm-extensions-dev"), system("CXML", "libxml-2.0", "libxml2-dev"),
        system("CSystemd", nil, "libsystemd-dev"), system("CNATS", nil, "libnats-dev"),
        face("CJSON", links: ["simdjson"]), face("CTOML"),

        room("Causality"), room("AccordionModel", "Causality", "CUnicode"), room("Bytes"),
        // Wire's views of a line are nonescapable: the compiler keeps them from outliving it.
        .target(
            name: "Wire", dependencies: ["Causality", "AccordionModel", "Bytes", "CJSON"],
            swiftSettings: swiftRules + [.enableExperimentalFeature("Lifetimes")]),
        room("Hub", "Causality", "AccordionModel", "Bytes", "Wire"),
        room("Mirror", "Causality", "AccordionModel", "Wire", "CUnicode"),
        room("Replication", "Causality", "AccordionModel", "Bytes", "Wire"),
        room("Formats", "AccordionModel", "Bytes", "Wire", "CMarkdown", "CXML"),
        room("Store", "Causality", "AccordionModel", "Bytes", "Wire", "CSQLite"),
        room("Cluster", "Replication", "AccordionModel", "CNATS"),
        room("Service", "CSystemd"), room("Configuration", "CTOML"), room("Transport", "COpenSSL"),
        room("EventLoop", "Bytes", "CLibuv"), room("Terminal", "CNcurses"), room("CommandLine", "CGetopt"),

        program(
            "accordiond", "Causality", "AccordionModel", "Bytes", "Wire", "Hub", "Replication", "EventLoop", "Store",
            "Transport", "Cluster", "Service", "Configuration", "CommandLine"),
        program(
            "AccordionCommand", "Causality", "AccordionModel", "Bytes", "Wire", "Mirror", "Formats", "EventLoop",
            "Transport",
            "Terminal", "CommandLine"),
        program(
            "AccordionWorkbench", "Causality", "AccordionModel", "Bytes", "Wire", "Hub", "Replication", "Mirror",
            "EventLoop", "Transport", "CommandLine"),

        // What tests of several rooms share.
        .target(name: "TestSupport", path: "Tests/Support", swiftSettings: swiftRules),
        // A layer under SQLite that fails when it is told to; of tests alone.
        .target(
            name: "CFaultVFS", path: "Tests/CFaultVFS",
            cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("sqlite3")]),
        // Counts how often memory is asked for; of tests alone.
        .target(
            name: "CAllocations", path: "Tests/CAllocations",
            cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]),
        // What libFuzzer calls; Tests/Fuzz/run links it.
        .target(
            name: "LineFuzzer", dependencies: ["Causality", "AccordionModel", "Bytes", "Wire", "Hub"],
            path: "Tests/Fuzz", exclude: ["run", "long-fuzz", "Corpus"], swiftSettings: swiftRules),
        tests("Store", "Store", "CFaultVFS", "TestSupport", "AccordionModel", "Causality"),
        tests("Causality", "Causality"), tests("AccordionModel", "AccordionModel", "Causality", exclude: ["Vectors"]),
        tests("Bytes", "Bytes", "TestSupport"), tests("Wire", "Wire", "AccordionModel", "Causality", "Bytes"),
        tests("Hub", "Hub", "TestSupport", "CAllocations", "Wire", "AccordionModel", "Causality", "Bytes"),
        tests("Service", "Service", exclude: ["booted-check", "units-check", "Booted"]),
        tests("Configuration", "Configuration"),
        tests("Transport", "Transport", "TestSupport"),
        tests("Replication", "Replication", "TestSupport", "Wire", "AccordionModel", "Causality"),
        tests("Cluster", "Cluster", "Replication", "TestSupport", "AccordionModel", "Causality"),
        .testTarget(
            name: "SimulationTests", dependencies: ["AccordionWorkbench"], path: "Tests/Simulation",
            exclude: ["Planted", "Planted.swift", "planted-faults-check", "long-simulate"], swiftSettings: swiftRules),
        tests("Mirror", "Mirror", "TestSupport", "Wire", "AccordionModel", "Causality", "Bytes"),
        tests("Formats", "Formats", "TestSupport", "Wire", "AccordionModel", "Bytes", exclude: ["Samples"]),
        .testTarget(
            name: "EventLoopTests", dependencies: ["EventLoop", "Bytes", "TestSupport"], path: "Tests/EventLoop",
            exclude: ["LoopLifetimeCheck", "address-sanitizer"], swiftSettings: swiftRules),
        .executableTarget(
            name: "LoopLifetimeCheck", dependencies: ["EventLoop", "Bytes"], path: "Tests/EventLoop/LoopLifetimeCheck",
            swiftSettings: swiftRules),
        tests("CommandLine", "CommandLine", "TestSupport"),
        tests("Terminal", "Terminal"), tests("House"),
        // These run the programs, which a build of the tests makes too.
        .testTarget(
            name: "EndToEndTests", dependencies: ["AccordionWorkbench", "Wire", "TestSupport"], path: "Tests/EndToEnd",
            exclude: ["Scripts", "long-half-open"], swiftSettings: swiftRules),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
