// Why this file exists: whoever types a command must be able to ask what it does, and learn what was meant where it was
// mistyped; for every command that the client has.

import Testing

@Suite struct ClientCommandTests {
    private func run(_ arguments: [String]) throws -> Outcome {
        let scratch = try Scratch()
        let (output, errors) = (scratch.path + "/out", scratch.path + "/err")
        let process = try Process(productsDirectory + "/accordion", arguments, output: output, errors: errors)
        return Outcome(status: try process.waitForEnd(), output: contents(output), errors: contents(errors))
    }

    /// The commands that the program's help names.
    private func commands() throws -> [String] {
        let lines = try run(["--help"]).output.split(separator: "\n", omittingEmptySubsequences: false)
        let list = lines.drop { $0 != "Commands:" }.dropFirst().prefix { !$0.isEmpty }
        return list.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.compactMap { line in
            line.split(separator: " ").first.map(String.init)
        }
    }

    @Test func `every command has help with a usage and an example of its own`() throws {
        let commands = try commands()
        #expect(Set(["watch", "wait", "select", "present", "status"]).isSubset(of: commands))
        for command in commands {
            let help = try run([command, "--help"])
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

    @Test(arguments: [
        ["watch", "r", "-C", "0"], ["watch", "r", "-C", "x"], ["watch", "r", "-W", "-1"], ["watch"],
        ["wait", "r", "T"], ["wait", "r", "T", "--open", "--done"], ["wait", "r", "--open"], ["select", "r"],
        ["present"], ["status", "r"],
    ])
    func `words that can't be meant are refused with 2 before a daemon is looked for`(_ words: [String]) throws {
        #expect(try run(["--address", "unix:/nonexistent"] + words).status == 2)
    }
}
