// Everything that can be typed: each form that is accepted, and for each that is not the words that it is refused with.
import TestSupport
import Testing

@testable import CommandLine

@Suite struct ParsingTests {
    @Test func `the sample tables are sound`() {
        #expect(sample.faults() == [])
        #expect(sampleDaemon.faults() == [])
    }

    @Test func `options of a command stand before, between and after its arguments`() throws {
        let words = ["runbook", "step"]
        for place in 0...2 {
            var line = words
            line.insert("--all", at: place)
            let invocation = try #require(try sample.run("show " + line.joined(separator: " ")))
            #expect(invocation.command?.name == "show")
            #expect(invocation.flag("all"))
            #expect(invocation.operands == words)
            #expect(invocation.argument("DOC") == "runbook")
            #expect(invocation.argument("SECTION") == "step")
        }
    }

    @Test func `options of the program stand before the command or after it`() throws {
        for line in ["--json -a unix:x show d", "show --json d -aunix:x", "--json show d --address=unix:x"] {
            let invocation = try #require(try sample.run(line))
            #expect(
                invocation.flag("json") && invocation.value("address") == "unix:x" && !invocation.flag("all"), "\(line)"
            )
        }
    }

    @Test func `a command's option before the command is refused`() {
        #expect(sample.refusal("--all show d") == "squeeze: no option \"--all\"")
    }

    @Test func `values come in every form that getopt knows`() throws {
        for line in ["-C 3", "-C3", "--count 3", "--count=3", "--cou=3"] {
            let invocation = try #require(try sample.run("wait d s --open " + line))
            #expect(invocation.integer("count") == 3, "\(line)")
        }
        let bundled = try #require(try sample.run("show -Av d"))
        #expect(bundled.flag("all") && bundled.flag("verbose"))
    }

    @Test func `of an option given twice the last counts, of one that may repeat all`() throws {
        let invocation = try #require(try sample.run("wait d s --open -C 3 -C 4 --tag a --tag b"))
        #expect(invocation.integer("count") == 4)
        #expect(invocation.values("tag") == ["a", "b"])
        #expect(invocation.values("mode") == [])
    }

    @Test func `dashes end options, and only they let a number with a minus be an argument`() throws {
        let invocation = try #require(try sample.run("open -v d -- -3 --json s"))
        #expect(invocation.arguments("SECTION") == ["-3", "--json", "s"])
        #expect(!invocation.flag("json"))
        #expect(
            sample.refusal("open d -3")
                == "squeeze open: no option \"-3\" (what begins with \"-\" is an argument only after \"--\")")
    }

    @Test func `dashes that are a value end nothing`() throws {
        let invocation = try #require(try sample.run("--address -- show d --all"))
        #expect(invocation.value("address") == "--" && invocation.command?.name == "show" && invocation.flag("all"))
    }

    @Test func `a single dash and empty words are arguments`() throws {
        guard case .run(let invocation) = try sample.parse(["open", "-", ""]) else { return #expect(Bool(false)) }
        #expect(invocation.operands == ["-", ""])
    }

    @Test func `a command of two words is found, and its halves are explained`() throws {
        let invocation = try #require(try sample.run("token new alice --role viewer"))
        #expect(invocation.command?.name == "token new" && invocation.argument("NAME") == "alice")
        #expect(sample.refusal("token") == "squeeze: token needs one of: new")
        #expect(sample.refusal("token nwe x") == "squeeze: no command \"token nwe\"; did you mean token new?")
    }

    @Test func `the default command stands in where the words fit it`() throws {
        let invocation = try #require(try sample.run("runbook.md --no-animation"))
        #expect(invocation.command?.name == "mirror" && invocation.isCommandImplied)
        #expect(invocation.argument("DOC-OR-FILE") == "runbook.md" && invocation.flag("no-animation"))
        let dashed = try #require(try sample.run("-- show"))
        #expect(dashed.command?.name == "mirror" && dashed.operands == ["show"])
        #expect(try #require(try sample.run("mirror x")).isCommandImplied == false)
    }

    @Test func `a mistyped command proposes the nearest`() {
        #expect(sample.refusal("opne d s") == "squeeze: no command \"opne\"; did you mean open?")
        #expect(sample.refusal("shwo d --all") == "squeeze: no command \"shwo\"; did you mean show?")
        #expect(sample.refusal("frobnicate d s") == "squeeze: no command \"frobnicate\"")
    }

    @Test func `a mistyped option proposes the nearest, several where equally near`() {
        #expect(sample.refusal("show d --al1") == "squeeze show: no option \"--al1\"; did you mean --all?")
        #expect(sample.refusal("show d -json") == "squeeze show: no option \"-j\"; did you mean --json?")
        #expect(
            sample.refusal("wait d s --open --xode=1") == "squeeze wait: no option \"--xode\"; did you mean --mode?")
        let twins = Program(
            name: "t", version: "1", summary: "s", options: [Option("cat", help: "c"), Option("car", help: "d")])
        #expect(twins.refusal("--caz") == "t: no option \"--caz\"; did you mean --cat or --car?")
        #expect(twins.refusal("--ca") == "t: --ca may be any of --cat, --car")
    }

    @Test func `what is missing or too much is named`() {
        #expect(sample.refusal([])?.lines == ["squeeze: no command given", "Try \"squeeze --help\"."])
        #expect(sample.refusal("show") == "squeeze show: DOC is missing")
        #expect(sample.refusal("open d") == "squeeze open: SECTION is missing")
        #expect(sample.refusal("open") == "squeeze open: DOC and SECTION are missing")
        #expect(sample.refusal("show a b c") == "squeeze show: unexpected argument \"c\"")
        #expect(sample.refusal("show d --all=1") == "squeeze show: --all takes no value")
        #expect(sample.refusal("show d --address") == "squeeze show: --address needs ADDRESS")
        #expect(sample.refusal("show d -a") == "squeeze show: --address needs ADDRESS")
        #expect(sampleDaemon.refusal("x") == "squeezed: unexpected argument \"x\"")
    }

    @Test func `options of a group exclude each other, and one is needed where it says so`() {
        #expect(sample.refusal("wait d s") == "squeeze wait: one of --open, --closed is needed")
        #expect(sample.refusal("wait d s --open --closed") == "squeeze wait: --open and --closed exclude each other")
        #expect(sampleDaemon.refusal("--check --backup f") == "squeezed: --check and --backup exclude each other")
        #expect(sampleDaemon.refusal("--check") == nil)
    }

    @Test func `integers, seconds and choices are checked at their bounds`() throws {
        let wait = "wait d s --open "
        for good in ["--count 1", "--count 100", "-W 0", "-W 999999999.999", "--mode single"] {
            #expect(sample.refusal(wait + good) == nil, "\(good)")
        }
        for bad in [
            "--count 0", "--count 101", "--count 99999999999999999999", "--count +5", "--count 5x", "--count 1.0",
            "-W -1", "-W 1.", "-W .5", "-W 1.2345", "-W 1e3", "-W 1000000000", "-W 1.2.3", "--mode Single", "-W ٣",
        ] {
            #expect(sample.refusal(wait + bad) != nil, "\(bad)")
        }
        #expect(
            sample.refusal(wait + "--count 0")
                == "squeeze wait: --count is a whole number from 1 to 100, not \"0\"")
        #expect(sample.refusal("level 17 d") == "squeeze level: N is a whole number from 0 to 16, not \"17\"")
        #expect(try #require(try sample.run("level 16 d")).integerArgument("N") == 16)
        #expect(try #require(try sample.run(wait + "-W 1.5")).milliseconds("timeout") == 1500)
        #expect(try #require(try sample.run(wait + "-W 2.05")).milliseconds("timeout") == 2050)
    }

    @Test func `help as a word is help, of the program or of the command behind it`() throws {
        #expect(try sample.parse(["help"]) == .help(nil))
        #expect(try sample.parse(["help", "--json"]) == .help(nil))
        #expect(try sample.parse(["help", "show"]) == .help(sample.command("show")))
        #expect(try sample.parse(["help", "token", "new"]) == .help(sample.command("token new")))
        #expect(sample.refusal("help token") == "squeeze: token needs one of: new")
        #expect(sample.refusal("help shwo")?.contains("show") == true)
        // After the command it is an argument, as a document may be called so.
        #expect(try sample.run("show help")?.argument("DOC") == "help")
    }

    @Test func `help and the version win over faults after them, not before`() throws {
        #expect(try sample.parse(["--help", "--nonsense"]) == .help(nil))
        #expect(try sample.parse(["-h"]) == .help(nil))
        #expect(try sample.parse(["show", "--help", "a", "b", "c", "--nonsense"]) == .help(sample.command("show")))
        #expect(try sample.parse(["token", "new", "-h"]) == .help(sample.command("token new")))
        #expect(try sample.parse(["--version"]) == .version)
        #expect(try sampleDaemon.parse(["--check", "--version"]) == .version)
        #expect(sample.refusal("--nonsense --help") != nil)
    }

    @Test func `control characters of a user are escaped in messages, and long words cut`() {
        let error = sample.refusal(["show", "d", "--\u{1B}[2J\u{202E}"])
        #expect(error?.message == "no option \"--\\u{1B}[2J\\u{202E}\"")
        let long = sample.refusal(["show", "d", "e", String(repeating: "x", count: 1000)])
        #expect(long.map { $0.message.count < 200 } ?? false)
    }

    @Test func `parallel parses don't disturb each other`() async {
        let options = [Option("count", "C", value: OptionValue("N"), help: "c"), Option("all", "a", help: "a")]
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<4 {
                let words = (0..<200).map { $0 % 3 == 0 ? "-C\(task).\($0)" : $0 % 3 == 1 ? "-aa" : "operand\(task)" }
                group.addTask {
                    let wanted = (0..<200).flatMap { index -> [Scan.Item] in
                        switch index % 3 {
                        case 0: [.option(0, value: "\(task).\(index)")]
                        case 1: [.option(1, value: nil), .option(1, value: nil)]
                        default: [.operand("operand\(task)")]
                        }
                    }
                    return (0..<100).allSatisfy { _ in
                        scan(words, options: options, stopsAtOperand: false).items == wanted
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func `no words that a user can type stop the parser`() {
        let seed = freshSeed()
        var generator = SplitMix(seed: seed)
        let pieces = [
            "--", "-", "--=", "-=", "--all", "--al", "-A", "-AvC", "-C", "--count=", "-a", "show", "token", "new",
            "wait",
            "d", "-é", "--é=ü", "?", "-?", "-:", ":", "--open", "-W1", "", "é", "\u{0}", "--help=x",
        ]
        for _ in 0..<5000 {
            let words = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }
            // Either outcome is right; that there is one is the claim.
            if let error = sample.refusal(words) {
                #expect(error.lines.count == 2 && !error.message.isEmpty, "seed \(seed): \(words)")
            }
        }
    }
}
