// Help is what most users read of us: it is compared letter by letter, and asked for at every width.
import Testing

@testable import CommandLine

@Suite struct HelpTests {
    @Test func `a command's help says everything of the command, aligned`() {
        let expected = """
            squeeze wait – return when a section is so

            Usage: squeeze wait DOC SECTION {--open | --closed} [--timeout S] [--count N]
                       [--mode MODE] [--tag TAG]…

            Options:
                  --open       Until it is open
                  --closed     Until it is closed
              -W, --timeout S  Give up after S seconds
              -C, --count N    Until it was so N times
                  --mode MODE  In this mode (single, multiple)
                  --tag TAG    Only with this tag; may be repeated

            Options of every command:
              --address ADDRESS, --json, --verbose, --help

            Example:
              squeeze wait runbook step --open
                Returns once step is open.

            """
        #expect(sample.help(for: sample.command("wait"), columns: 80) == expected)
    }

    @Test func `the program's help lists every command and option`() {
        let help = sample.help(columns: 80)
        for command in sample.commands { #expect(help.contains("  \(sample.headline(of: command))")) }
        for option in sample.options { #expect(help.contains(option.spelling)) }
        for word in ["--help", "--version", "SQUEEZE_ADDRESS", "  2  wrong usage", "squeeze DOC-OR-FILE"] {
            #expect(help.contains(word), "\(word)")
        }
    }

    @Test func `no line is wider than the terminal`() {
        for columns in [40, 57, 80, 200] {
            for help in [sample.help(columns: columns), sampleDaemon.help(columns: columns)]
                + sample.commands.map({ sample.help(for: $0, columns: columns) })
            {
                for line in help.split(separator: "\n") where !line.contains("squeeze ") {
                    #expect(line.count <= columns, "\(columns): \(line)")
                }
                #expect(!help.contains(" \n") && help.hasSuffix("\n") && !help.hasSuffix("\n\n"))
            }
        }
    }

    @Test func `options that exclude each other share brackets`() {
        #expect(sampleDaemon.synopses == ["squeezed [--listen ADDRESS]… [--check | --backup FILE]"])
        #expect(sample.synopsis(of: sample.commands[2]) == "squeeze open DOC SECTION…")
    }

    @Test func `a table that contradicts itself is told so`() {
        let option = Option("all", "a", help: "x")
        let bad = Program(
            name: "t", version: "1", summary: "s", options: [option, option, Option("a b", "é", help: "")],
            groups: [OptionGroup(["none"])],
            commands: [
                Command(
                    "go", summary: "s", arguments: [.optional("A"), .one("B"), .one("B")],
                    example: Example("t stop", "d")),
                Command("go", summary: "s", arguments: [.several("A"), .one("B")], example: Example("t go", "d")),
                Command("go on", summary: "s", example: Example("t go on", "d")),
            ], defaultCommand: "stop")
        let faults = bad.faults()
        for words in [
            "t has --all twice", "t has -a twice", "--a b can't be typed", "-é can't be typed", "t --a b has no help",
            "t groups --none, which does not exist", "t go is there twice", "the example of t go shows something else",
            "t go: B must stand before what may be absent", "t go has B twice",
            "t go: only the last argument may repeat",
            "t go is both a command and the beginning of one", "the default command stop does not exist",
        ] {
            #expect(faults.contains(words), "\(words)")
        }
    }
}
