// Why this file exists: the beginning and the end of `accordion`: words in, an exit code out.

import CommandLine
import Glibc

@main
enum Main {
    static func main() {
        Standard.holdClosedDescriptors()
        let program = CommandTable.program
        let outcome: Outcome
        do throws(UsageError) {
            outcome = try program.parse(Array(Swift.CommandLine.arguments.dropFirst()))
        } catch {
            Standard.error(error.lines.map { $0 + "\n" }.joined())
            exit(program.usageExit.rawValue)
        }
        switch outcome {
        case .help(let command):
            Output.write(program.help(for: command, columns: columns))
        case .version: Output.write(program.versionText)
        case .manual: Output.write(CommandTable.manual)
        case .run(let invocation):
            let ending = run(invocation)
            if let signal = ending.signal { Standard.end(bySignal: signal) }
            Output.endUnless(Standard.endOutput())
            exit(ending.code.rawValue)
        }
    }

    private static func run(_ invocation: Invocation) -> (code: ExitCode, signal: Int32?) {
        do throws(CommandFailure) {
            let client = try Client(invocation)
            defer { client.close() }
            do throws(CommandFailure) {
                let code = try CommandTable.run(client)
                client.output.flush()
                return (code, client.interruption)
            } catch {
                client.output.flush()
                throw error
            }
        } catch {
            Standard.error(error.lines)
            return (error.exit, nil)
        }
    }

    private static var columns: Int { min(Standard.columns, 120) }
}
