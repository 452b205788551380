// Why this file exists: the beginning and the end of `accordion-bench`: words in, an exit code out.

import CommandLine
import Glibc

@main
enum Main {
    static func main() {
        let program = BenchTable.program
        let outcome: Outcome
        do throws(UsageError) {
            outcome = try program.parse(Array(Swift.CommandLine.arguments.dropFirst()))
        } catch {
            Bench.write(error.lines.map { $0 + "\n" }.joined(), to: STDERR_FILENO)
            exit(program.usageExit.rawValue)
        }
        switch outcome {
        case .help(let command): Bench.write(program.help(for: command, columns: 100), to: STDOUT_FILENO)
        case .manual: break
        case .version: Bench.write(program.versionText, to: STDOUT_FILENO)
        case .run(let invocation):
            do throws(BenchFailure) {
                try BenchTable.run(invocation)
                exit(ExitCode.done.rawValue)
            } catch {
                Bench.write("accordion-bench: \(error.message)\n", to: STDERR_FILENO)
                exit(ExitCode.refused.rawValue)
            }
        }
    }
}
