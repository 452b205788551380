// Why this file exists: `accordion status`: what a daemon counts of itself. Daemons count different things from version to
// version, so whatever is sent is shown under the name it has.

import CommandLine
import Wire

enum StatusCommand {
    static let table = Command(
        "status", summary: "the daemon's own numbers: what it has done, what it holds, how far it may go",
        details: [
            "On a terminal a line has a name and a value, under headings, sizes and times in units for people. In a pipe it "
                + "has three fields with tabs between: the heading (\"status\" for what stands under none), the name and "
                + "the value, a number of bytes or milliseconds. The daemon tells this to those whose role is admin.",
            "With --prometheus it is what the node exporter's collector of text files reads: write it to a file beside, and "
                + "rename that to NAME.prom.",
        ],
        options: [Option("prometheus", help: "In the text format of Prometheus")],
        example: Example("accordion status | grep ^counters", "what it has done since it started"))

    static func run(_ client: Client) throws(CommandFailure) {
        var status: Status?
        let reply = try client.call { connection, handler in
            connection.request(operation: "status") { reply, line in
                if reply.failure == nil { status = Status(reading: line) }
                handler(reply)
            }
        }
        if let failure = reply.failure {
            if failure.code == ErrorCode.unknownOp.rawValue {
                throw CommandFailure(.refused, "this daemon does not tell its status yet (\(failure.code))")
            }
            throw CommandFailure(failure)
        }
        guard let status else { throw CommandFailure(.noDaemon, "the daemon's answer lacks the status") }
        if client.invocation.flag("prometheus") { return Prometheus.tell(status, client.output) }
        if client.output.isJSON { return client.output.object(status.write) }
        status.tell(client.output)
    }
}
