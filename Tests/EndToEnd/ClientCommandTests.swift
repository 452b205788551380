// Why this file exists: whoever types a command must be able to ask what it does, and learn what was meant where it was
// mistyped; for every command that the client has.

import Glibc
import TestSupport
import Testing

@Suite struct ClientCommandTests {
    private func run(_ arguments: [String]) throws -> Outcome {
        let scratch = try Scratch()
        let (output, errors) = (scratch.path + "/out", scratch.path + "/err")
        let process = try Process(productsDirectory + "/accordion", arguments, output: output, errors: errors)
        return Outcome(status: try process.waitForEnd(), output: contents(output), errors: contents(errors))
    }

    @Test func `every command has help with a usage and an example of its own`() throws {
        let commands = try clientCommands()
        #expect(Set(["watch", "wait", "select", "present", "status", "where"]).isSubset(of: commands))
        for command in commands {
            let help = try run([command, "--help"])
            #expect(try run(["help", command]).output == help.output)
            #expect(help.status == 0 && help.errors.isEmpty, "\(command)")
            #expect(help.output.contains("Usage: accordion \(command)"), "\(command)")
            let example = help.output.split(separator: "\n").drop { $0 != "Example:" }.dropFirst().first ?? ""
            #expect(example.hasPrefix("  accordion "), "\(command): \(example)")
        }
    }

    @Test(arguments: [
        (["statsu"], "status"), (["slect", "r", "T"], "select"), (["wiat", "r", "T", "--open"], "wait"),
        (["watch", "r", "--new-onyl"], "--new-only"), (["watch", "r", "--exce", "true"], "--exec"),
        (["wait", "r", "T", "--opn"], "--open"), (["present", "r", "--timout", "1"], "--timeout"),
    ])
    func `a mistyped word is refused with 2, and what was meant is proposed`(
        _ words: [String], _ meant: String
    ) throws {
        let outcome = try run(["--address", "unix:/nonexistent"] + words)
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.errors.contains(meant), "\(outcome.errors)")
    }

    @Test func `help as a word is the help, which names the places of the user's own`() throws {
        let (help, option) = (try run(["help"]), try run(["--help"]))
        #expect(help.status == 0 && help.output == option.output)
        #expect(help.output.contains("/accordiond-\(geteuid())/accordiond.sock"), "\(help.output)")
    }

    @Test(arguments: ["frobnicate", "nothing.json", "no name"])
    func `a word that is nothing known leads to the help, also in a pipe`(_ word: String) throws {
        let outcome = try run(["--no-start", word])
        #expect(outcome.status == 2 && outcome.errors.contains("is no command"), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("Try \"accordion --help\".\n"), "\(outcome.errors)")
    }

    @Test(arguments: [["import", "/dev/null", "--format", "provinces", "--as", "my doc"], ["show", "my doc"]])
    func `a name that can't be a document's is refused with the rule`(_ words: [String]) throws {
        let scratch = try Scratch()
        try write("[]", to: scratch.path + "/list")
        let outcome = try run(words.map { $0 == "/dev/null" ? scratch.path + "/list" : $0 })
        #expect(outcome.status == 2 && outcome.errors.contains("letters, digits"), "\(outcome.errors)")
    }

    @Test(arguments: [
        ["watch", "r", "-C", "0"], ["watch", "r", "-C", "x"], ["watch", "r", "-W", "-1"], ["watch"],
        ["wait", "r", "T"], ["wait", "r", "T", "--open", "--done"], ["wait", "r", "--open"], ["select", "r"],
        ["present"], ["status", "r"],
    ])
    func `words that can't be meant are refused with 2 before a daemon is looked for`(_ words: [String]) throws {
        #expect(try run(["--address", "unix:/nonexistent"] + words).status == 2)
    }
}
