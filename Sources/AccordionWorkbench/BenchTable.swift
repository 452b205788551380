// Why this file exists: the command line of `accordion-bench` as one table. Each command's own entry stands in its own file.

import CommandLine

enum BenchTable {
    static let program = Program(
        name: "accordion-bench", version: "0.1.0",
        summary: "measures a daemon, and does to it what no client should",
        details: [
            "Each command starts a daemon of its own, found beside this program, in a directory that goes away with it. "
                + "Figures go to standard output, a line each; the exit code tells whether what must hold did hold."
        ],
        options: [], commands: commands.map { $0.table },
        exitCodes: [
            Meaning(.done, "measured, and all that must hold held"),
            Meaning(.refused, "something did not hold, or failed"),
            Meaning(.usage, "wrong usage"),
        ])

    private static var commands: [any BenchCommand.Type] {
        [
            HostileCommand.self, SleepersCommand.self, CrashCommand.self, StartupCommand.self, SoakCommand.self,
            LonelyCommand.self,
            SimulateCommand.self, MirrorCommand.self, DoorsCommand.self, StartsCommand.self,
            FanoutCommand.self, IngestCommand.self, StormCommand.self, ScaleCommand.self, BroadcasterCommand.self,
        ]
    }

    static func run(_ invocation: Invocation) throws(BenchFailure) {
        guard let command = commands.first(where: { $0.table.name == invocation.command?.name }) else {
            throw BenchFailure("no command was named; --help lists them")
        }
        try command.run(invocation)
    }
}

/// One thing that can be measured.
protocol BenchCommand: Sendable {
    static var table: Command { get }
    static func run(_ invocation: Invocation) throws(BenchFailure)
}

/// Why a measurement came to nothing, or what did not hold in it.
struct BenchFailure: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
