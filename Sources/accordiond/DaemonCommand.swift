// Why this file exists: the daemon's command line, as the table that help and parsing are read from.

import CommandLine

enum DaemonCommand {
    static let version = "0.1.0"

    static let program = Program(
        name: "accordiond", version: version,
        summary: "keeps shared accordion documents and shows every client the same one, now",
        details: [
            "Clients talk to it in lines of JSON, over Unix sockets and TCP; `accordion` is the one that comes with it."
        ],
        options: [
            Option(
                "config", value: OptionValue("FILE", .file), help: "Read the settings from this file; flags win over it"
            ),
            Option("check-config", help: "Say whether the settings would do, and where not, and end"),
            Option(
                "listen", value: OptionValue("ADDRESS", .address), isRepeatable: true,
                help: "Listen at unix:PATH, tcp://HOST:PORT or tls://HOST:PORT"),
            Option("state", value: OptionValue("DIR", .directory), help: "Keep the state in this directory"),
            Option("check", help: "Look whether the state in DIR is whole, say what is not, and end"),
            Option(
                "backup", value: OptionValue("FILE", .file),
                help: "Write a copy of the state in DIR to FILE, also while a daemon uses it, and end"),
            Option(
                "restore", value: OptionValue("FILE", .file),
                help: "Make the state in DIR what FILE holds, keep what was there beside it, and end"),
            Option(
                "durability", value: OptionValue("WHEN", .choice(["durable", "relaxed"])),
                help: "Answer when a write is on disk, as without this option, or before"),
            Option("node", value: OptionValue("NAME"), help: "The name under which this daemon writes: a-z 0-9 - ~"),
            Option("user", help: "Run for this user alone: the socket in the user's runtime directory"),
        ],
        examples: [
            Example("accordiond --user", "a daemon of one's own"),
            Example("accordiond --listen tcp://127.0.0.1:7433", "for programs on this machine"),
            Example("accordiond --config accordiond.toml --check-config", "before it is put in its place"),
            Example("accordiond --state /var/lib/accordiond --backup now.db", "a copy, while it runs"),
        ],
        exitCodes: [
            Meaning(.done, "ended by SIGTERM or SIGINT, everything sent"),
            Meaning(.daemonUsage, "the command line was not understood"),
            Meaning(
                .storeUnopenable, "the state can't be opened, or what was acknowledged could not be stored at the end"),
            Meaning(.inUse, "the state or a socket is in use by another daemon"),
            Meaning(
                .brokenConfiguration, "it was told to do what it must not, such as serve the network without tokens"),
        ],
        environment: [
            Meaning(
                "XDG_RUNTIME_DIR",
                "where a user's daemon has its socket, if it is a directory of the user's own; else accordiond-UID in "
                    + "TMPDIR or /tmp"),
            Meaning("STATE_DIRECTORY", "where the state is, unless --state says so"),
            Meaning(
                "LISTEN_FDS",
                "with LISTEN_PID and LISTEN_FDNAMES: doors that a service manager hands over; the names unix, "
                    + "tcp and tls say what each must be"),
            Meaning(
                "NOTIFY_SOCKET", "with WATCHDOG_USEC: where a service manager is told that the daemon serves and lives"),
            Meaning("XDG_STATE_HOME", "where a user's daemon has its state, in accordiond; else .local/state of HOME"),
        ],
        usageExit: .daemonUsage,
        page: ManualPage(section: 8, date: "2026-12-01", seeAlso: ["accordion(1)", "accordion-protocol(7)"]))
}
