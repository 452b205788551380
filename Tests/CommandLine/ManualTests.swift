// A page of the manual says all that help says, and no text of the table is taken for an instruction.

import Testing

@testable import CommandLine

@Suite struct ManualTests {
    private var program: Program {
        var program = sample
        program.page = ManualPage(section: 1, date: "2026-01-02", seeAlso: ["squeezed(8)", "a-b(7)"])
        program.details = [".PP is not ours, 'nor' \\fBthis\\fR; --all-of `it` ~^"]
        program.commands.append(
            Command("secret", summary: "s", isHidden: true, example: Example("squeeze secret", "d")))
        return program
    }

    @Test func `it has every command but hidden ones, every option, and what each does`() {
        let page = program.manual
        #expect(page.contains(".TH \"SQUEEZE\" \"1\" \"2026-01-02\" \"squeeze 1.0\""))
        for command in sample.commands {
            #expect(page.contains(".SS \"\(command.name)\"\n"), "\(command.name)")
            #expect(page.contains("\n" + command.example.line.replacing("-", with: "\\-") + "\n"))
            for option in command.options {
                #expect(page.contains("\\fB\\-\\-\(option.long.replacing("-", with: "\\-"))\\fR"))
            }
        }
        #expect(!page.contains("secret"))
        #expect(page.contains("\\fB\\-W\\fR, \\fB\\-\\-timeout\\fR \\fIS\\fR\nGive up after S seconds.\n"))
        #expect(page.contains("{\\fB\\-\\-open\\fR | \\fB\\-\\-closed\\fR} [\\fB\\-\\-timeout\\fR \\fIS\\fR]"))
        #expect(page.contains("\\fBsqueezed\\fR(8), \\fBa\\-b\\fR(7)\n"))
        #expect(page.contains("\\fBSQUEEZE_ADDRESS\\fR\nThe address"))
        #expect(page.hasSuffix("\n") && !page.contains("\n\n"))
    }

    @Test func `every line is a known request or text that can't be one`() {
        let known = [
            ".\\\"", ".TH ", ".nh", ".ad l", ".SH ", ".SS ", ".PP", ".TP", ".br", ".RS 4", ".RS \"4\"", ".RE", ".EX",
            ".EE",
        ]
        for line in program.manual.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(known.contains { line.hasPrefix($0) }, "\(line)")
        }
        #expect(
            program.manual.contains(
                "\n\\&.PP is not ours, \\(aqnor\\(aq \\efBthis\\efR; \\-\\-all\\-of \\(gait\\(ga \\(ti\\(ha\n"))
    }

    @Test func `it is asked for by one word alone, and only of a program that has one`() throws {
        #expect(try program.parse(["--manual"]) == .manual)
        #expect(program.refusal(["--manual", "show"]) != nil)
        #expect(sample.refusal(["--manual"]) != nil && sample.manual.isEmpty)
    }
}
