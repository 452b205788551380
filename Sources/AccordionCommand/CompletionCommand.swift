// Why this file exists: `accordion completion`: a shell learns once how to ask what may be typed; what that is, the program
// says at each press of the key, so that the two can't drift apart.

import CommandLine
import Wire

enum CompletionCommand {
    private static let shells = ["bash", "zsh", "fish"]

    static let table = Command(
        "completion", summary: "a script that completes commands, options, documents and sections in a shell",
        details: [
            "bash: source <(accordion completion bash), in ~/.bashrc to have it always. zsh: the same with zsh, after "
                + "compinit, or the script as a file _accordion in a directory of fpath. fish: accordion completion fish > "
                + "~/.config/fish/completions/accordion.fish.",
            "Documents and sections are asked of the daemon that the line names, else of yours; none is started for it.",
        ],
        arguments: [.one("SHELL", .choice(shells))],
        example: Example("accordion completion bash > accordion.bash", "to be sourced by ~/.bashrc"))

    static func run(_ client: Client) {
        let shell = client.invocation.argument("SHELL") ?? ""
        let script =
            switch shell {
            case "zsh": CompletionScripts.zsh
            case "fish": CompletionScripts.fish
            default: CompletionScripts.bash
            }
        guard client.output.isJSON else { return client.output.append(Array(script.utf8)) }
        client.output.object { writer in
            writer.raw("\"shell\":")
            writer.string(shell)
            writer.raw(",\"script\":")
            writer.string(script)
        }
    }
}
