// What a shell offers is what the parser would take: each case names the words before, the beginning, and what may come.

import TestSupport
import Testing

@testable import CommandLine

@Suite struct CompletionTests {
    /// `squeeze ` before, the last word being typed; it is empty behind a space.
    private func complete(_ line: String, _ program: Program = sample) -> Completion {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return program.completion(after: words.dropLast(), of: words.last ?? "")
    }

    private func words(_ line: String, _ program: Program = sample) -> [String] {
        complete(line, program).candidates.map(\.word)
    }

    @Test func `the first word is a command, or what the default command takes`() {
        #expect(words("") == ["mirror", "show", "open", "wait", "level", "token", "help"])
        #expect(complete("").shapes == [.document])
        #expect(words("s") == ["show"] && complete("s").candidates[0].about == "print a document as it stands")
        #expect(words("--json o") == ["open"] && words("--address x o") == ["open"])
        #expect(words("help w") == ["wait"] && words("help wait ") == [] && words("token ") == ["new"])
        #expect(words("-- s") == [] && complete("-- s").shapes == [.document])
        #expect(words("nonsense ") == [] && complete("nonsense ").shapes == [])
    }

    @Test func `arguments are looked for by their shape, in their place`() {
        #expect(complete("show ").shapes == [.document] && complete("show run").value == "run")
        let second = complete("show --all run De")
        #expect(second.shapes == [.section] && second.arguments == ["DOC": "run"] && second.value == "De")
        #expect(complete("show a b ").shapes == [] && complete("open a b c d ").shapes == [.section])
        #expect(complete("level 1 ").shapes == [.document])
        #expect(complete("show -- -").shapes == [.document] && words("show -- --") == [])
        #expect(complete("level ").shapes == [.integer(0...16)])
    }

    @Test func `options are those that may still be given`() {
        #expect(words("show --a") == ["--all", "--address"])
        #expect(words("show --all --a") == ["--address"])
        #expect(words("show --verbose --v") == ["--verbose", "--version"])
        #expect(words("wait r s --open --").contains("--closed") == false)
        #expect(words("wait r s --").contains("--closed"))
        #expect(words("--j") == ["--json"] && words("show -").contains("--json"))
        #expect(words("--nonsense --j") == [] && words("show --all=x --j") == [])
        #expect(words("--list", sampleDaemon) == ["--listen"] && words("--check --b", sampleDaemon) == [])
    }

    @Test func `an option's value is completed in the next word, behind its =, and by a cut name`() {
        #expect(words("wait --mode ") == ["single", "multiple"] && words("wait --mode s") == ["single"])
        #expect(words("wait --mode=s") == ["--mode=single"])
        #expect(words("wait --mo=m") == ["--mo=multiple"])
        #expect(words("wait --nonsense=") == [] && words("wait --open=") == [])
        let file = complete("--backup=/e", sampleDaemon)
        #expect(file.shapes == [.file] && file.prefix == "--backup=" && file.value == "/e")
        #expect(complete("--backup ", sampleDaemon).shapes == [.file])
        #expect(complete("wait -W ").shapes == [.seconds] && complete("wait -W 3 ").shapes == [.document])
        #expect(complete("--address unix:x show ").values == ["address": "unix:x"])
        #expect(complete("show --address=unix:x ").values == ["address": "unix:x"])
    }

    @Test func `what is hidden is offered nowhere, and works`() throws {
        var program = sample
        program.commands.append(
            Command("secret", summary: "s", isHidden: true, example: Example("squeeze secret", "d")))
        #expect(words("sec", program) == [] && !program.help(columns: 80).contains("secret"))
        #expect(program.nearestCommands(to: "secrte") == [])
        #expect(try program.run("secret")?.command?.name == "secret")
    }

    @Test(arguments: 0..<4)
    func `whatever stands on the line, an offered word begins as the one that is typed, and is taken`(_ round: Int) {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        let pieces =
            sample.commands.flatMap { $0.name.split(separator: " ").map(String.init) }
            + sample.commands.flatMap(\.options).flatMap { ["--" + $0.long, "--\($0.long)="] }
            + ["--", "-", "-W", "-C3", "", "x", "--json", "--address", "é", "3", "single", "help"]
        for _ in 0..<2_000 {
            let before = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            let whole = pieces.randomElement(using: &random) ?? ""
            let current = String(whole.prefix(Int.random(in: 0...whole.count, using: &random)))
            let completion = sample.completion(after: before, of: current)
            #expect(completion.prefix + completion.value == current, "seed \(seed): \(before) \(current)")
            let known = sample.refusal(before)?.message
            for candidate in completion.candidates {
                #expect(candidate.word.hasPrefix(current), "seed \(seed): \(before) \(current)")
                let message = sample.refusal(before + [candidate.word])?.message
                // Arguments are counted last, so that there are too many before may show only now.
                if message?.hasPrefix("unexpected argument") ?? false,
                    message?.hasSuffix(quoted(candidate.word)) == false
                {
                    continue
                }
                // Where what stands before is at most incomplete, it is no worse than that with the word behind it.
                #expect(
                    isIncomplete(message) || !isIncomplete(known),
                    "seed \(seed): \(before) \(candidate.word): \(message ?? "")")
            }
        }
    }

    private func isIncomplete(_ message: String?) -> Bool {
        guard let message else { return true }
        return message.hasSuffix("missing") || message.contains("need") || message == "no command given"
    }
}
