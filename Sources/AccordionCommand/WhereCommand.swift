// Why this file exists: other programs than ours speak the protocol too, and whoever types it by hand, looks into the log or
// ends the daemon has to know where it is.

import CommandLine
import EventLoop
import Wire

enum WhereCommand {
    private static let kinds = ["address", "socket", "process", "log"]

    static let table = Command(
        "where", summary: "where the daemon is: its address, the path of its socket, its process, its log",
        details: [
            "With WHAT only the value of that, for use in other commands. The socket and the process are known of Unix "
                + "sockets (the process not where a service manager holds them), the log where the daemon writes one to a file that you may see."
        ],
        arguments: [.optional("WHAT", .choice(kinds))],
        example: Example("accordion where socket", "the path, for nc -NU \"$(accordion where socket)\""))

    static func run(_ client: Client) throws(CommandFailure) {
        let values = try values(client)
        if let kind = client.invocation.argument("WHAT") {
            guard let value = values.first(where: { $0.kind == kind })?.text else {
                throw CommandFailure(.notFound, "the \(kind) of this daemon is not known")
            }
            return client.output.isJSON
                ? client.output.object { write([(kind, value)], $0) } : client.output.line(value)
        }
        if client.output.isJSON { return client.output.object { write(values, $0) } }
        client.output.table(["WHAT", "WHERE"], values.map { [$0.kind, $0.text] })
    }

    private static func values(_ client: Client) throws(CommandFailure) -> [(kind: String, text: String)] {
        let peer = try client.connect().peer
        guard let address = client.address else { throw CommandFailure(.noDaemon, "no daemon answers") }
        var values = [(kind: "address", text: "\(address)")]
        if case .unix(let path) = address { values.append(("socket", path)) }
        // The first process is the service manager that holds the door, and not who serves behind it.
        guard case .process(let identifier, _, _) = peer, identifier != 1 else { return values }
        values.append(("process", "\(identifier)"))
        // What its standard error is: a file, or a pipe or terminal, which has no path of a file.
        if let log = Standard.target(ofLink: "/proc/\(identifier)/fd/2"), Standard.isPlainFile(log) {
            values.append(("log", log))
        }
        return values
    }

    private static func write(_ values: [(kind: String, text: String)], _ writer: JSONWriter) {
        for (place, value) in values.enumerated() {
            if place > 0 { writer.raw(",") }
            writer.name(value.kind)
            if value.kind == "process", let number = Int(value.text) {
                writer.integer(number)
            } else {
                writer.string(value.text)
            }
        }
    }
}
