// Why this file exists: completion is asked for while somebody types, in a shell of theirs: it has to be right about quotes,
// and about being silent where there is nothing to say. The shells are real ones.

import Glibc
import TestSupport
import Testing

@Suite struct CompletionTests {
    private static let document =
        #"{"op":"create","doc":"runbook","title":"How to","content":[{"title":"Step 1: go","content":[{"title":"in ner"}]},"#
        + #"{"title":"Step 2 \"q\" $HOME","content":[]},{"title":"it's `it`"},{"id":"广东省","title":"Guangdong","content":[]}]}"#

    /// The words that a program of a shell's prints as `<word>`, a line for each `try LINE`.
    private func run(_ shell: String, _ arguments: [String], _ program: String, _ daemon: TestDaemon?) throws
        -> [[String]]
    {
        let scratch = try Scratch()
        try write(program, to: scratch.path + "/program")
        try write("", to: scratch.path + "/file one")
        try write("", to: scratch.path + "/plain")
        unsafe mkdir(scratch.path + "/folder", 0o700)
        let output = scratch.path + "/out"
        let process = try Process(
            shell, arguments + [scratch.path + "/program"],
            environment: [
                "PATH=\(productsDirectory):/usr/bin:/bin", "HOME=\(scratch.path)", "SCRATCH=\(scratch.path)",
                "ACCORDION_ADDRESS=\(daemon?.address ?? "unix:\(scratch.path)/none")", "TERM=dumb",
            ], output: output)
        #expect(try process.waitForEnd() == 0, "\(contents(output))")
        return contents(output).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { line in
            line.split(separator: "\u{1}", omittingEmptySubsequences: false).dropLast().map {
                String($0).replacing(scratch.path, with: "DIR")
            }
        }
    }

    private func withRunbook() throws -> TestDaemon {
        let daemon = try TestDaemon()
        try daemon.tell(Self.document)
        return daemon
    }

    // MARK: - bash

    private static let bash = #"""
        set -u
        source <(accordion completion bash) || exit 9
        complete -p accordion >/dev/null || exit 8
        COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
        cd "$SCRATCH"
        try() {
            COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=(accordion) COMP_CWORD=1
            _accordion
            for word in ${COMPREPLY[@]+"${COMPREPLY[@]}"}; do printf '%s\001' "$word"; done
            printf '\n'
        }
        """#

    @Test(arguments: [
        ("accordion sho", ["show"]), ("accordion show run", ["runbook"]), ("accordion nothing x", []),
        ("accordion open runbook S", [#"Step\ 1:\ go"#, #"Step\ 2\ \"q\"\ \$HOME"#]),
        (#"accordion open runbook "S"#, ["Step 1: go", #"Step 2 \"q\" \$HOME"#]),
        ("accordion open runbook 'i", [#"it'\''s `it`"#]), (#"accordion open runbook Step\ 1"#, [#"Step\ 1:\ go"#]),
        (#"accordion open runbook Step\ 1:"#, [#"\ go"#]),
        (#"accordion open runbook "Step 1: go/"#, ["Step 1: go/in ner"]),
        (#"accordion open runbook "Step 1: go"#, ["Step 1: go", "Step 1: go/in ner"]),
        ("accordion close runbook 广", ["广东省"]), ("accordion close runbook Guang", ["Guangdong"]),
        ("accordion export runbook --format=", ["json", "markdown", "opml"]),
        ("accordion export runbook --format m", ["markdown"]), ("accordion --address unix:/none show r", []),
        ("accordion import pl", ["plain"]), ("accordion import fi", [#"file\ one"#]),
        ("accordion import fo", ["folder/"]),
        ("accordion import $SCRATCH/pl", ["DIR/plain"]), ("accordion pl", ["plain"]),
        ("accordion wait runbook x --op", ["--open"]), ("accordion wait runbook x --open --cl", []),
        (#"accordion show "runbook" 'Step 1: go/"#, ["Step 1: go/in ner"]),
    ])
    func `bash completes commands, options, documents, sections and files, quoted as they were begun`(
        _ line: String, _ words: [String]
    ) throws {
        let quoted = line.replacing("'", with: #"'\''"#).replacing("$SCRATCH", with: #"'"$SCRATCH"'"#)
        let told = try run("/bin/bash", ["--norc"], Self.bash + "\ntry '\(quoted)'\n", try withRunbook())
        #expect(told == [words])
    }

    // MARK: - zsh

    /// Types into an interactive shell, presses Tab, and lets a widget print the line that came of it.
    private static let zsh = #"""
        zmodload zsh/zpty
        cd "$SCRATCH"
        zpty shell zsh -f -i
        say() { zpty -w -n shell "$1" }
        hear() { zpty -r shell heard "*$1*" }
        say $'PS1=; autoload -U compinit; compinit -u -D; source <(accordion completion zsh)\n'
        say $'tell() { print -r -- "<""<$BUFFER>>"; zle kill-buffer; }; zle -N tell; bindkey "^X" tell; bindkey "^I" complete-word\n'
        say $'unsetopt automenu listambiguous; print rea""dy\n'
        hear ready
        try() {
            say "$1"$'\t\x18'
            hear '>>'
            heard=${heard##*'<<'}
            printf '%s\001\n' "${heard%%'>>'*}"
        }
        """#

    @Test func `zsh completes the same`() throws {
        let lines = [
            ("accordion sho", "accordion show "), ("accordion show run", "accordion show runbook "),
            (#"accordion open runbook Step\ 1"#, #"accordion open runbook Step\ 1:\ go "#),
            (#"accordion open runbook "Step 1"#, #"accordion open runbook "Step 1: go" "#),
            (#"accordion open runbook "Step 1: go/"#, #"accordion open runbook "Step 1: go/in ner" "#),
            ("accordion export runbook --format=m", "accordion export runbook --format=markdown "),
            ("accordion wait runbook x --und", "accordion wait runbook x --undone "),
            ("accordion import fi", #"accordion import file\ one "#),
            ("accordion import pl", "accordion import plain "),
            ("accordion --address unix:/none show r", "accordion --address unix:/none show r"),
        ]
        let program = lines.map { "try '\($0.0)'" }.joined(separator: "\n")
        let told = try run("/bin/zsh", ["-f"], Self.zsh + "\n" + program + "\n", try withRunbook())
        #expect(told == lines.map { [$0.1] })
    }

    // MARK: - fish

    @Test func `fish completes the same, and says what each is`() throws {
        let lines: [(String, [String])] = [
            ("accordion sho", ["show\tprints the document as it stands: closed sections closed"]),
            ("accordion show run", ["runbook\tHow to"]), (#"accordion open runbook Step\ 1"#, ["Step 1: go"]),
            (#"accordion open runbook "Step 2"#, [#"Step 2 "q" $HOME"#]),
            ("accordion open runbook 广", ["广东省\tGuangdong"]),
            ("accordion export runbook --format=m", ["--format=markdown"]), ("accordion import pl", ["plain"]),
            ("accordion --address unix:/none show r", []),
        ]
        let fish =
            "accordion completion fish | source\ncd $SCRATCH\n"
            + "function try; for word in (complete -C \"$argv[1]\"); printf '%s\\001' $word; end; echo; end\n"
        let program = lines.map { "try '\($0.0.replacing("\\", with: "\\\\"))'" }.joined(separator: "\n")
        let told = try run("/usr/bin/fish", ["--no-config"], fish + program + "\n", try withRunbook())
        #expect(told == lines.map(\.1))
    }

    // MARK: - The asking itself

    @Test func `where no daemon answers nothing is started, nothing is said, and the table's words still come`() throws
    {
        let scratch = try Scratch()
        let environment = [
            "XDG_RUNTIME_DIR=\(scratch.path)", "XDG_STATE_HOME=\(scratch.path)/state", "TMPDIR=\(scratch.path)",
        ]
        unsafe chmod(scratch.path, 0o700)
        for (words, expected) in [(["show", ""], "words\n"), (["open", "r", ""], "words\n"), (["unco"], "")] {
            let (output, errors) = (scratch.path + "/out.\(words[0])", scratch.path + "/err")
            let process = try Process(
                productsDirectory + "/accordion", ["candidates", "--"] + words, environment: environment,
                output: output,
                errors: errors)
            #expect(try process.waitForEnd() == 0 && contents(errors).isEmpty)
            #expect(expected.isEmpty || contents(output) == expected, "\(contents(output))")
        }
        let left = try names(in: scratch.path).filter { !$0.hasPrefix("out.") && $0 != "err" }
        #expect(left.isEmpty, "\(left)")
    }

    @Test func `a name that could steer the terminal is not offered`() throws {
        let entry =
            #"{"doc":"good","title":"\u001b[2J","sections":1,"open":0,"tasks":0,"done":0,"subscribers":0,"version":{}}"#
        let outcome = try FakeDaemon().accordion(
            ["candidates", "--", "show", ""], answers: [#"{"id":1,"ok":true,"documents":[\#(entry)]}"#])
        #expect(outcome.output.hasPrefix("words\ngood\t") && !outcome.output.contains("\u{1B}"), "\(outcome.output)")
        let document =
            #"{"id":1,"ok":true,"version":{},"document":{"doc":"r","content":[{"id":"a","title":"x\u009b"},{"id":"b","title":"t"}]},"state":{"open":[],"done":[],"conflicts":[]}}"#
        let sections = try FakeDaemon().accordion(["candidates", "--", "show", "r", ""], answers: [document])
        #expect(sections.output.contains("\nb\tt") && !sections.output.contains("\u{9B}"), "\(sections.output)")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `each script is text of its shell, and one JSON object where that is asked for`(_ shell: String) throws {
        let scratch = try Scratch()
        let process = try Process(
            productsDirectory + "/accordion", ["completion", shell], output: scratch.path + "/script")
        #expect(try process.waitForEnd() == 0)
        let path = shell == "bash" ? "/bin/bash" : shell == "zsh" ? "/bin/zsh" : "/usr/bin/fish"
        let check = try Process(path, ["-n", scratch.path + "/script"], output: scratch.path + "/out")
        #expect(try check.waitForEnd() == 0, "\(contents(scratch.path + "/out"))")
    }
}
